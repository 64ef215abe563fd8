/// The marks of emphasis in a text, which are written once it is known what stands on both sides of them.
///
/// A mark begins or ends an emphasis only beside certain characters (CommonMark §6.2). Where it would stay in the text as
/// characters, the emphasis is left out.
struct MarkdownEmphasis {
    enum Kind: String {
        case emphasis = "*"
        case strong = "**"
        case deletion = "~~"

        fileprivate var byte: UInt8 { self == .deletion ? UInt8(ascii: "~") : UInt8(ascii: "*") }
    }

    private struct Mark {
        let kind: Kind
        let isOpening: Bool
        /// The number of bytes of the text before it.
        var offset: Int
        /// The place in the list of the mark at the other end; -1 if there is none.
        var partner = -1
    }

    /// The marks in the order of the text.
    private var marks: [Mark] = []

    /// Returns true if a mark stands at the end of a text.
    func isAtEnd(of text: [UInt8]) -> Bool { marks.last?.offset == text.count }

    /// Begins an emphasis, or goes on with one of the same kind that has just ended.
    ///
    /// - Parameters:
    ///   - kind: The kind of the emphasis.
    ///   - offset: The end of the text before it.
    /// - Returns: The number of the mark.
    mutating func open(_ kind: Kind, at offset: Int) -> Int {
        if let last = marks.last, !last.isOpening, last.kind == kind, last.offset == offset {
            marks.removeLast()
            marks[last.partner].partner = -1
            return last.partner
        }
        marks.append(Mark(kind: kind, isOpening: true, offset: offset))
        return marks.count - 1
    }

    /// Ends the emphasis that a mark begins.
    mutating func close(_ number: Int, at offset: Int) {
        let kind = marks[number].kind
        marks[number].partner = marks.count
        marks.append(Mark(kind: kind, isOpening: false, offset: offset, partner: number))
    }

    /// Moves the marks at the end of a text after something was inserted before them.
    mutating func moveEnd(from old: Int, to new: Int) {
        var index = marks.count
        while index > 0, marks[index - 1].offset == old {
            index -= 1
            marks[index].offset = new
        }
    }

    // MARK: Writing

    /// Returns a text with its marks.
    func written(in text: [UInt8]) -> [UInt8] {
        guard !marks.isEmpty else { return text }
        var emphasis = self
        let isValid = emphasis.settle(in: text)
        var result: [UInt8] = []
        result.reserveCapacity(text.count + 2 * marks.count)
        var index = 0
        for (number, mark) in emphasis.marks.enumerated()
        where mark.partner >= 0 && isValid[number] && isValid[mark.partner] {
            let offset = min(mark.offset, text.count)
            result += text[index..<offset]
            index = offset
            result += Array(mark.kind.rawValue.utf8)
        }
        result += text[index...]
        return result
    }

    /// Finds the marks that every reader takes for ones, whichever others are left out.
    private mutating func settle(in text: [UInt8]) -> [Bool] {
        var result = Array(repeating: false, count: marks.count)
        var first = 0
        // The number of emphases with asterisks around the place.
        var depth = 0
        while first < marks.count {
            let offset = marks[first].offset
            let end = marks[first...].firstIndex { $0.offset != offset } ?? marks.count
            if end == first + 1 { move(first, in: text) }
            check(first..<end, in: text, depth, &result)
            for mark in marks[first..<end] where mark.kind != .deletion { depth += mark.isOpening ? 1 : -1 }
            first = end
        }
        return result
    }

    /// Checks the marks at one place.
    private func check(_ range: Range<Int>, in text: [UInt8], _ depth: Int, _ result: inout [Bool]) {
        let offset = marks[range.lowerBound].offset
        let before = MarkdownCharacter(in: text, before: offset)
        let after = MarkdownCharacter(in: text, at: offset)
        // Of several runs side by side, each is punctuation for the others.
        let isMixed = marks[range].contains { $0.kind.byte != marks[range.lowerBound].kind.byte }
        // Such a mark can also end an emphasis, so that it may end another one.
        let isTwofold =
            isMixed
            ? before != .space || after != .other : before != .space && (before != .punctuation || after != .other)
        var hasClosing = false
        for index in range {
            let mark = marks[index]
            let (outside, inside) = mark.isOpening ? (before, after) : (after, before)
            result[index] = inside != .space && (outside.isOpen || !isMixed && inside == .other)
            guard mark.kind != .deletion else { continue }
            if !mark.isOpening {
                hasClosing = true
            } else if hasClosing || isTwofold && depth > 0 {
                result[index] = false
            }
        }
    }

    /// Moves a mark between a letter and punctuation past the latter, which keeps the emphasis of the rest: `(*x*)y`.
    private mutating func move(_ number: Int, in text: [UInt8]) {
        let mark = marks[number]
        let neighbor = number + (mark.isOpening ? 1 : -1)
        let limit = marks.indices.contains(neighbor) ? marks[neighbor].offset : mark.isOpening ? text.count : -1
        let outside =
            mark.isOpening
            ? MarkdownCharacter(in: text, before: mark.offset) : MarkdownCharacter(in: text, at: mark.offset)
        guard !outside.isOpen else { return }
        var offset = mark.offset
        for _ in 0..<4 {
            guard let step = Self.punctuation(in: text, offset, isBefore: !mark.isOpening) else { return }
            offset += step
            guard mark.isOpening ? offset < limit : offset > limit else { return }
            let inside =
                mark.isOpening ? MarkdownCharacter(in: text, at: offset) : MarkdownCharacter(in: text, before: offset)
            if inside == .other {
                marks[number].offset = offset
                return
            }
        }
    }

    /// Returns the bytes to the other side of a punctuation mark that belongs to no markup; nil if there is none.
    private static func punctuation(in text: [UInt8], _ offset: Int, isBefore: Bool) -> Int? {
        if isBefore {
            guard MarkdownCharacter(in: text, before: offset) == .punctuation else { return nil }
            if text[offset - 1] < 0x80 {
                let isPlain = ".,:;!?'\"".utf8.contains(text[offset - 1])
                return isPlain && (offset < 2 || text[offset - 2] != 0x5C) ? -1 : nil
            }
            var start = offset - 1
            while start > 0, text[start] & 0xC0 == 0x80 { start -= 1 }
            return start - offset
        }
        guard MarkdownCharacter(in: text, at: offset) == .punctuation else { return nil }
        if text[offset] < 0x80 { return "('\"".utf8.contains(text[offset]) ? 1 : nil }
        return (text[(offset + 1)...].firstIndex { $0 & 0xC0 != 0x80 } ?? text.count) - offset
    }
}

/// A character as the rules of emphasis see it (CommonMark §2.1).
enum MarkdownCharacter {
    /// White space, or the end of the text.
    case space
    case punctuation
    /// A symbol beyond ASCII, which is punctuation only for readers of CommonMark 0.31 and newer.
    case symbol
    case other

    /// True if a mark beside it can have punctuation on its other side.
    var isOpen: Bool { self == .space || self == .punctuation }

    private init(_ scalar: Unicode.Scalar) {
        if scalar.isASCII {
            let byte = UInt8(truncatingIfNeeded: scalar.value)
            self = byte.isSpace ? .space : byte.isPunctuation ? .punctuation : .other
            return
        }
        switch scalar.properties.generalCategory {
        case .spaceSeparator, .lineSeparator, .paragraphSeparator: self = .space
        case .connectorPunctuation, .dashPunctuation, .openPunctuation, .closePunctuation, .initialPunctuation,
            .finalPunctuation, .otherPunctuation:
            self = .punctuation
        case .mathSymbol, .currencySymbol, .modifierSymbol, .otherSymbol: self = .symbol
        default: self = .other
        }
    }

    /// Reads the last character before a place in a text.
    init(in text: [UInt8], before offset: Int) {
        let offset = min(offset, text.count)
        var start = offset - 1
        while start > 0, offset - start < 4, text[start] & 0xC0 == 0x80 { start -= 1 }
        guard start >= 0, let scalar = String(decoding: text[start..<offset], as: UTF8.self).unicodeScalars.last else {
            self = .space
            return
        }
        self.init(scalar)
    }

    /// Reads the character at a place in a text.
    init(in text: [UInt8], at offset: Int) {
        guard offset < text.count,
            let scalar = String(decoding: text[offset..<min(offset + 4, text.count)], as: UTF8.self).unicodeScalars
                .first
        else {
            self = .space
            return
        }
        self.init(scalar)
    }
}

extension UInt8 {
    /// True for ASCII punctuation (CommonMark §2.1).
    var isPunctuation: Bool {
        switch self {
        case 0x21...0x2F, 0x3A...0x40, 0x5B...0x60, 0x7B...0x7E: true
        default: false
        }
    }
}
