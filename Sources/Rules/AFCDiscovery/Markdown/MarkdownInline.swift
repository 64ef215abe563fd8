/// The text of a paragraph, a heading or a cell, with its emphasis and links.
struct MarkdownInline {
    /// Where the text goes, which decides what has a meaning in it.
    enum Place { case paragraph, line, cell }

    /// An emphasis or a link that isn't closed.
    private struct Mark {
        enum State { case pending, written, void }

        var opening: [UInt8]
        var closing: [UInt8]
        /// The kind of an emphasis; nil for other marks.
        var kind: MarkdownEmphasis.Kind?
        /// The number of the written mark of an emphasis.
        var number = 0
        var state = State.pending
    }

    /// A span of code.
    private struct Span {
        var range: Range<Int>
        var code: [UInt8]
        /// The most backticks in a row in it.
        var run: Int
    }

    let place: Place
    /// The text without the marks of emphasis.
    private(set) var text: [UInt8] = []
    private var emphasis = MarkdownEmphasis()
    private var marks: [Mark] = []
    /// False if no mark waits for text.
    private var hasPending = false
    private var isAfterSpace = true
    /// The number of open links.
    private var links = 0
    /// The last span of code.
    private var lastCode: Span?
    /// True after a line break.
    private var hasBreak = false

    init(_ place: Place) { self.place = place }

    var isEmpty: Bool { text.isEmpty }
    var isInLink: Bool { links > 0 }
    /// The most marks in one another; further ones are left out.
    private static let maxMarks = 32
    /// The most bytes of code spans without a space between them that are made one.
    private static let maxJoined = 512

    // MARK: Marks

    /// Begins an emphasis or a link, which is written once it has text.
    mutating func open(_ opening: String, _ closing: String) {
        var mark = Mark(opening: Array(opening.utf8), closing: Array(closing.utf8))
        mark.kind = MarkdownEmphasis.Kind(rawValue: opening)
        if marks.count >= Self.maxMarks || marks.contains(where: { $0.opening == mark.opening }) { mark.state = .void }
        if mark.opening == [0x5B] { links += 1 }
        marks.append(mark)
        hasPending = true
    }

    /// Ends the innermost emphasis or link; an empty one isn't written.
    mutating func close() {
        guard let mark = marks.popLast() else { return }
        if mark.opening == [0x5B] { links -= 1 }
        guard mark.state == .written else { return }
        write(closing: mark)
    }

    private mutating func write(closing mark: Mark) {
        let end = Self.contentEnd(of: text)
        if mark.kind != nil { return emphasis.close(mark.number, at: end) }
        // A slice would keep the buffer, so that it is copied.
        let space = Array(text[end...])
        text.removeSubrange(end...)
        text += mark.closing + space
    }

    /// Writes the marks that wait for text.
    private mutating func writeMarks() {
        for index in marks.indices where marks[index].state == .pending {
            if let kind = marks[index].kind {
                marks[index].number = emphasis.open(kind, at: text.count)
            } else {
                if marks[index].opening == [0x5B], text.last == UInt8(ascii: "!") {
                    text.insert(0x5C, at: text.count - 1)
                    emphasis.moveEnd(from: text.count - 1, to: text.count)
                }
                text += marks[index].opening
            }
            marks[index].state = .written
        }
        hasPending = false
    }

    /// Returns the text without white space and breaks at its end, and begins again with the same marks.
    mutating func take() -> [UInt8] {
        for mark in marks.reversed() where mark.state == .written { write(closing: mark) }
        for index in marks.indices where marks[index].state == .written { marks[index].state = .pending }
        hasPending = !marks.isEmpty
        let result = emphasis.written(in: Array(text[..<Self.contentEnd(of: text)]))
        (text, isAfterSpace, hasBreak, lastCode, emphasis) = ([], true, false, nil, MarkdownEmphasis())
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
        hasBreak = true
        return true
    }

    /// Adds what is Markdown already.
    mutating func addMarkup(_ markup: [UInt8]) {
        guard !markup.isEmpty else { return }
        writeMarks()
        text += markup
        isAfterSpace = false
    }

    /// Adds text, with each run of white space as one space, and what would have a meaning escaped.
    ///
    /// - Parameters:
    ///   - bytes: The text.
    ///   - limit: The most bytes of the text with all that is before it.
    /// - Returns: False if the limit left something out.
    @discardableResult
    mutating func add(_ bytes: [UInt8], limit: Int = .max) -> Bool {
        let bytes = Self.visible(bytes)
        var index = 0
        while index < bytes.count {
            let byte = bytes[index]
            if byte.isSpace {
                space()
            } else if byte >= 0xC2, let special = SpecialSpace(bytes, index) {
                if special == .wide {
                    // A mark before it would stay in the text.
                    text += bytes[index..<index + 3]
                    isAfterSpace = false
                } else {
                    space()
                }
                index += byte == 0xC2 ? 1 : 2
            } else {
                guard text.count < limit || byte & 0xC0 == 0x80 else { return false }
                add(byte, next: bytes.at(index + 1), in: bytes, at: index)
            }
            index += 1
        }
        return true
    }

    /// Returns a text without what isn't seen, so that the characters on both sides of it are read together.
    private static func visible(_ bytes: [UInt8]) -> [UInt8] {
        func isHidden(_ index: Int) -> Bool {
            bytes[index] == 0 || bytes[index] >= 0xC2 && SpecialSpace(bytes, index) == .hidden
        }
        guard let first = bytes.indices.first(where: isHidden) else { return bytes }
        var result = Array(bytes[..<first])
        var index = first
        while index < bytes.count {
            if isHidden(index) {
                index += bytes[index] == 0 ? 1 : bytes[index] == 0xC2 ? 2 : 3
            } else {
                result.append(bytes[index])
                index += 1
            }
        }
        return result
    }

    private mutating func add(_ byte: UInt8, next: UInt8?, in bytes: [UInt8], at index: Int) {
        if hasPending { writeMarks() }
        isAfterSpace = false
        if byte < 0x80, byte.isPunctuation, needsEscape(byte, next: next, in: bytes, at: index) { text.append(0x5C) }
        text.append(byte)
    }

    private func needsEscape(_ byte: UInt8, next: UInt8?, in bytes: [UInt8], at index: Int) -> Bool {
        switch byte {
        case UInt8(ascii: "\\"): return !(next.map { $0.isLetter || $0.isDigit } ?? false)
        case UInt8(ascii: "`"): return true
        case UInt8(ascii: "*"):
            let isFollowed = next == 0x20 && bytes.at(index + 2).map { !$0.isSpace && !$0.isPunctuation } ?? false
            let isApart = (text.last.map(\.isSpace) ?? true) && isFollowed
            return !isApart || emphasis.isAtEnd(of: text)
        case UInt8(ascii: "_"):
            let isInWord =
                MarkdownCharacter(in: text, before: text.count) == .other
                && MarkdownCharacter(in: bytes, at: index + 1) == .other
            return !isInWord || emphasis.isAtEnd(of: text)
        case UInt8(ascii: "["), UInt8(ascii: "]"): return links > 0
        case UInt8(ascii: "("): return text.last == UInt8(ascii: "]")
        // The label of a definition may have several lines (CommonMark §4.7).
        case UInt8(ascii: ":"): return hasBreak && text.last == UInt8(ascii: "]")
        case UInt8(ascii: "<"):
            return next.map { $0.isLetter || $0 == 0x2F || $0 == 0x21 || $0 == 0x3F } ?? true
        case UInt8(ascii: "&"): return Self.isReference(bytes, at: index)
        case UInt8(ascii: "~"):
            // It may begin what nothing ends (GFM §6.5).
            let before = MarkdownCharacter(in: text, before: text.count)
            let after = MarkdownCharacter(in: bytes, at: index + 1)
            let isOpening = before == .space && after != .space || before == .punctuation && after == .other
            guard isOpening, text.last != byte, next != byte else { return true }
            return emphasis.isAtEnd(of: text) || marks.contains { $0.kind == .deletion }
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

    // MARK: Code

    /// Adds code in a line.
    mutating func addCode(_ code: [UInt8]) {
        var code = Self.singleSpaced(code)
        guard !code.isEmpty else { return }
        if place == .cell { code = Self.escapingPipes(code) }
        guard !join(code) else { return }
        writeMarks()
        write(span: code)
    }

    private mutating func write(span code: [UInt8]) {
        let run = Self.longestRun(of: 0x60, in: code)
        let fence = [UInt8](repeating: 0x60, count: run + 1)
        let padding: [UInt8] = code.first == 0x60 || code.last == 0x60 ? [0x20] : []
        let start = text.count
        text += fence + padding + code + padding + fence
        lastCode = Span(range: start..<text.count, code: code, run: run)
        isAfterSpace = false
    }

    /// Adds code to a span that ends here, since the marks of two spans would be read as one; returns false if there is none.
    private mutating func join(_ code: [UInt8]) -> Bool {
        guard let range = lastCode?.range, range.upperBound == text.count,
            marks.allSatisfy({ $0.state != .pending || $0.kind != nil })
        else { return false }
        if lastCode?.run == 0, !code.contains(0x60) {
            text.removeLast()
            text += code + [0x60]
            lastCode?.code += code
            lastCode?.range = range.lowerBound..<text.count
        } else if let last = lastCode, last.code.count + code.count <= Self.maxJoined {
            text.removeSubrange(range)
            write(span: last.code + code)
        } else {
            space()
            return false
        }
        // No emphasis can begin or end between them.
        for index in marks.indices where marks[index].state == .pending { marks[index].state = .void }
        hasPending = false
        emphasis.moveEnd(from: range.upperBound, to: text.count)
        return true
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

    /// Returns the end of a text without white space and a break at its end.
    private static func contentEnd(of text: [UInt8]) -> Int {
        var end = text.count
        while end > 0 {
            let last = text[end - 1]
            if last.isSpace || last == 0x5C && end < text.count && text[end] == 0x0A {
                end -= 1
            } else if last >= 0x80, end >= 3, SpecialSpace(text, end - 3) == .wide {
                end -= 3
            } else {
                break
            }
        }
        return end
    }
}

/// A character beyond ASCII that is white space, or isn't seen.
private enum SpecialSpace {
    /// A place for a break or a hyphen, which isn't seen.
    case hidden
    /// One that is written as a space.
    case plain
    /// One of another width, of three bytes.
    case wide

    /// Reads the character at a place; nil for all others.
    init?(_ bytes: [UInt8], _ index: Int) {
        switch (bytes[index], bytes.at(index + 1), bytes.at(index + 2)) {
        case (0xC2, 0xA0, _), (0xC2, 0x85, _), (0xE2, 0x80, 0xA8), (0xE2, 0x80, 0xA9): self = .plain
        case (0xC2, 0xAD, _), (0xE2, 0x80, 0x8B): self = .hidden
        case (0xE3, 0x80, 0x80), (0xE2, 0x80, .some(0x80...0x8A)), (0xE2, 0x80, 0xAF), (0xE2, 0x81, 0x9F),
            (0xE1, 0x9A, 0x80):
            self = .wide
        default: return nil
        }
    }
}

extension [UInt8] {
    fileprivate func at(_ index: Int) -> UInt8? { index < count ? self[index] : nil }
}
