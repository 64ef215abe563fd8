/// The text of a paragraph, a heading or a cell, with its emphasis and links.
struct MarkdownInline {
    /// Where the text goes, which decides what has a meaning in it.
    enum Place { case paragraph, line, cell }

    /// An emphasis or a link that isn't closed.
    private struct Mark {
        enum State { case pending, written, void }

        var opening: [UInt8]
        var closing: [UInt8]
        var state = State.pending
    }

    let place: Place
    private(set) var text: [UInt8] = []
    private var marks: [Mark] = []
    private var isAfterSpace = true
    /// The number of open links.
    private var links = 0
    /// The end of the last closed mark, and the mark.
    private var lastClosed: (mark: [UInt8], end: Int) = ([], -1)
    /// The end of the last code span with single backticks.
    private var lastCode = -1

    init(_ place: Place) { self.place = place }

    var isEmpty: Bool { text.isEmpty }
    /// The most marks in one another; further ones are left out.
    private static let maxMarks = 32

    // MARK: Marks

    /// Begins an emphasis or a link, which is written once it has text.
    mutating func open(_ opening: String, _ closing: String) {
        let opening = Array(opening.utf8)
        let isNested = marks.contains { $0.opening == opening } || marks.count >= Self.maxMarks
        marks.append(Mark(opening: opening, closing: Array(closing.utf8), state: isNested ? .void : .pending))
        if opening == [0x5B] { links += 1 }
    }

    /// Ends the innermost emphasis or link; an empty one isn't written.
    mutating func close() {
        guard let mark = marks.popLast() else { return }
        if mark.opening == [0x5B] { links -= 1 }
        guard mark.state == .written else { return }
        write(closing: mark)
    }

    private mutating func write(closing mark: Mark) {
        var end = text.endIndex
        while end > 0, text[end - 1].isSpace || text[end - 1] == 0x5C && end < text.count && text[end] == 0x0A {
            end -= 1
        }
        let space = text[end...]
        text.removeSubrange(end...)
        text += mark.closing
        lastClosed = (mark.closing, text.count)
        text += space
    }

    /// Writes the marks that wait for text.
    ///
    /// - Parameter next: The first byte of the text.
    private mutating func writeMarks(before next: UInt8) {
        for index in marks.indices where marks[index].state == .pending {
            let opening = marks[index].opening
            let isEmphasis = opening.first == UInt8(ascii: "*") || opening.first == UInt8(ascii: "~")
            if isEmphasis, lastClosed.end == text.count, lastClosed.mark == opening {
                // The emphasis goes on.
                text.removeLast(opening.count)
            } else if isEmphasis, next.isPunctuation, text.last.map({ !$0.isSpace && !$0.isPunctuation }) ?? false {
                // Such a mark doesn't begin an emphasis (CommonMark §6.2).
                marks[index].state = .void
                continue
            } else {
                if opening == [0x5B], text.last == UInt8(ascii: "!") { text.insert(0x5C, at: text.count - 1) }
                text += opening
            }
            marks[index].state = .written
        }
    }

    /// Returns the text without white space around it, and begins again with the same marks.
    mutating func take() -> [UInt8] {
        for mark in marks.reversed() where mark.state == .written { write(closing: mark) }
        for index in marks.indices where marks[index].state == .written { marks[index].state = .pending }
        var result = text
        while let last = result.last, last == 0x20 || last == 0x0A { result.removeLast() }
        // A break at the end breaks nothing.
        while result.last == 0x5C, result.count < text.count, text[result.count] == 0x0A {
            result.removeLast()
            while let last = result.last, last == 0x20 || last == 0x0A { result.removeLast() }
        }
        (text, isAfterSpace, lastCode) = ([], true, -1)
        lastClosed = ([], -1)
        return result
    }

    // MARK: Text

    /// Adds a space unless one is there.
    mutating func space() {
        guard !isAfterSpace else { return }
        text.append(0x20)
        isAfterSpace = true
    }

    /// Adds a line break.
    ///
    /// - Returns: False if there is one already, so that a paragraph ends.
    mutating func lineBreak() -> Bool {
        guard !text.isEmpty, place != .line else {
            space()
            return true
        }
        if text.last == 0x20 { text.removeLast() }
        isAfterSpace = true
        if place == .cell {
            text += Array("<br>".utf8)
            return true
        }
        guard text.last != 0x0A else { return false }
        text += [0x5C, 0x0A]
        return true
    }

    /// Adds what is Markdown already.
    mutating func addMarkup(_ markup: [UInt8]) {
        guard let first = markup.first else { return }
        writeMarks(before: first)
        text += markup
        isAfterSpace = false
    }

    /// Adds code in a line.
    mutating func addCode(_ code: [UInt8]) {
        var code = Self.singleSpaced(code)
        guard !code.isEmpty else { return }
        if place == .cell { code = Self.escapingPipes(code) }
        let run = Self.longestRun(of: UInt8(ascii: "`"), in: code)
        if run == 0, lastCode == text.count, marks.allSatisfy({ $0.state != .pending }) {
            // Two spans without a space between them are one.
            text.removeLast()
            text += code + [0x60]
            lastCode = text.count
            return
        }
        if lastCode == text.count { space() }
        writeMarks(before: 0x60)
        let fence = [UInt8](repeating: 0x60, count: run + 1)
        let isPadded = code.first == 0x60 || code.last == 0x60
        text += fence + (isPadded ? [0x20] : []) + code + (isPadded ? [0x20] : []) + fence
        if run == 0 { lastCode = text.count }
        isAfterSpace = false
    }

    /// Adds text, with each run of white space as one space, and what would have a meaning escaped.
    mutating func add(_ bytes: [UInt8]) {
        var index = 0
        while index < bytes.count {
            let byte = bytes[index]
            if byte.isSpace {
                space()
            } else if byte == 0xC2, index + 1 < bytes.count, bytes[index + 1] == 0xA0 {
                // A space that doesn't break a line.
                space()
                index += 1
            } else if byte == 0xE2, bytes.at(index + 1) == 0x80, bytes.at(index + 2) == 0x8B {
                // A place for a break that isn't seen.
                index += 2
            } else if byte == 0xC2, bytes.at(index + 1) == 0xAD {
                index += 1
            } else if byte != 0 {
                add(byte, next: bytes.at(index + 1), in: bytes, at: index)
            }
            index += 1
        }
    }

    private mutating func add(_ byte: UInt8, next: UInt8?, in bytes: [UInt8], at index: Int) {
        if marks.contains(where: { $0.state == .pending }) { writeMarks(before: byte) }
        isAfterSpace = false
        if byte < 0x80, byte.isPunctuation, needsEscape(byte, next: next, in: bytes, at: index) { text.append(0x5C) }
        text.append(byte)
    }

    private func needsEscape(_ byte: UInt8, next: UInt8?, in bytes: [UInt8], at index: Int) -> Bool {
        switch byte {
        case UInt8(ascii: "\\"): return next.map(\.isPunctuation) ?? true
        case UInt8(ascii: "`"): return true
        case UInt8(ascii: "*"): return !(text.last.map(\.isSpace) ?? true) || !(next.map(\.isSpace) ?? true)
        case UInt8(ascii: "_"):
            return !(text.last.map(\.isWordByte) ?? false) || !(next.map(\.isWordByte) ?? false)
        case UInt8(ascii: "["), UInt8(ascii: "]"): return links > 0
        case UInt8(ascii: "("): return text.last == UInt8(ascii: "]") && lastClosed.end != text.count
        case UInt8(ascii: "<"):
            return next.map { $0.isLetter || $0 == 0x2F || $0 == 0x21 || $0 == 0x3F } ?? true
        case UInt8(ascii: "&"): return Self.isReference(bytes, at: index)
        case UInt8(ascii: "~"): return next == byte || text.last == byte
        case UInt8(ascii: "|"): return place == .cell
        default: return false
        }
    }

    /// Returns true if a `&` would begin a character reference.
    private static func isReference(_ bytes: [UInt8], at index: Int) -> Bool {
        var end = index + 1
        while end < bytes.count, end < index + 34 {
            let byte = bytes[end]
            if byte == UInt8(ascii: ";") { return end > index + 1 }
            guard byte.isLetter || byte.isDigit || byte == UInt8(ascii: "#") else { return false }
            end += 1
        }
        return end == bytes.count
    }

    static func longestRun(of byte: UInt8, in text: [UInt8]) -> Int {
        var (longest, run) = (0, 0)
        for next in text {
            run = next == byte ? run + 1 : 0
            longest = max(longest, run)
        }
        return longest
    }

    private static func singleSpaced(_ code: [UInt8]) -> [UInt8] {
        var result: [UInt8] = []
        for byte in code where byte != 0 {
            if byte.isSpace {
                if result.last != 0x20, !result.isEmpty { result.append(0x20) }
            } else {
                result.append(byte)
            }
        }
        while result.last == 0x20 { result.removeLast() }
        return result
    }

    private static func escapingPipes(_ code: [UInt8]) -> [UInt8] {
        var result: [UInt8] = []
        for byte in code {
            if byte == UInt8(ascii: "|") { result.append(0x5C) }
            result.append(byte)
        }
        return result
    }

    // MARK: Lines

    /// Returns a line of a paragraph in which nothing at the beginning has a meaning (CommonMark §4 and §5).
    static func escapingStart(_ line: ArraySlice<UInt8>) -> [UInt8] {
        guard let first = line.first else { return [] }
        func after(_ count: Int) -> UInt8? { line.dropFirst(count).first }
        func escaped(at place: Int = 0) -> [UInt8] { Array(line.prefix(place)) + [0x5C] + line.dropFirst(place) }
        switch first {
        case UInt8(ascii: "#"):
            let count = line.prefix { $0 == first }.count
            return count <= 6 && after(count).map({ $0 == 0x20 }) ?? true ? escaped() : Array(line)
        case UInt8(ascii: ">"): return escaped()
        case UInt8(ascii: "-"), UInt8(ascii: "+"), UInt8(ascii: "="), UInt8(ascii: "*"):
            let isRule = line.allSatisfy { $0 == first || $0 == 0x20 }
            let isItem = first != UInt8(ascii: "=") && after(1).map { $0 == 0x20 } ?? true
            return isRule || isItem ? escaped() : Array(line)
        case UInt8(ascii: "0")...UInt8(ascii: "9"):
            let count = line.prefix(10, while: \.isDigit)
            guard count <= 9, let mark = after(count), mark == UInt8(ascii: ".") || mark == UInt8(ascii: ")") else {
                return Array(line)
            }
            return after(count + 1).map { $0 == 0x20 } ?? true ? escaped(at: count) : Array(line)
        case UInt8(ascii: "["):
            let close = line.firstIndex(of: UInt8(ascii: "]"))
            let next = close.flatMap { $0 + 1 < line.endIndex ? line[$0 + 1] : nil }
            let isTask = line.count >= 3 && close == line.startIndex + 2
            return next == UInt8(ascii: ":") || isTask && next != UInt8(ascii: "(") ? escaped() : Array(line)
        default: return Array(line)
        }
    }
}

extension ArraySlice<UInt8> {
    /// Returns the number of bytes at the beginning for which a closure returns true, up to a limit.
    fileprivate func prefix(_ limit: Int, while predicate: (UInt8) -> Bool) -> Int {
        prefix(limit).prefix(while: predicate).count
    }
}

extension [UInt8] {
    fileprivate func at(_ index: Int) -> UInt8? { index < count ? self[index] : nil }
}

extension UInt8 {
    /// True for ASCII punctuation (CommonMark §2.1).
    var isPunctuation: Bool {
        switch self {
        case 0x21...0x2F, 0x3A...0x40, 0x5B...0x60, 0x7B...0x7E: true
        default: false
        }
    }

    /// True for letters, digits, and bytes beyond ASCII.
    fileprivate var isWordByte: Bool { isLetter || isDigit || self >= 0x80 || self == UInt8(ascii: "_") }
}
