/// A tokenizer for ECMAScript (ECMA-262 §12), limited to the needs of reference discovery.
///
/// It recognizes strings, templates, comments and regular expressions, so that their contents aren't read as code.
///
/// The grammar decides whether a slash divides or starts a regular expression. The tokenizer judges by the previous
/// token, and for parentheses and braces by their owner, which is right for code that people and minifiers write. A
/// supposed regular expression that is cut off by the end of its line was a division after all.
struct JavaScriptTokenizer {
    /// The kind of a token; `range` is its place.
    enum Token: Equatable, Sendable {
        /// A name or a keyword.
        case name
        /// A string without its quotes, or a template without substitutions.
        case string
        case punctuator(UInt8)
        /// A number, a regular expression, or a template with substitutions.
        case other
    }

    /// The kind of the previous token, which affects the meaning of a slash, brace or name.
    private enum Previous {
        /// Nothing, or an operator; an operand follows.
        case operation
        /// An operand; an operator follows.
        case value
        case name
        case dot
        case colon
        case arrow
        /// The end of a block or of a statement's condition; a statement follows.
        case statementEnd
        /// The `)` of arguments or parameters.
        case closeParenthesis
    }

    private enum Frame: UInt8 {
        case parenthesis
        /// The parentheses of `if`, `while`, `for` or `with`.
        case condition
        case bracket
        case block
        case object
        /// `${` in a template.
        case substitution
    }

    /// The deepest nesting; no engine reads more either.
    static let maxDepth = 65_536
    /// The number of wrong guesses of a regular expression that are allowed, because each costs the rest of its line.
    static let maxMistakes = 16

    let bytes: ScanBuffer
    /// True if `<!--` and `-->` start comments, as they do in classic scripts.
    private let hasHTMLComments: Bool
    private(set) var position: Int
    private let end: Int
    /// The range of the name, of the string without its quotes, or of the token; of a template with substitutions, the part up
    /// to the first.
    private(set) var range = 0..<0
    /// True if the current name is a member's, as in `a.import`.
    private(set) var isMember = false
    private var previous = Previous.statementEnd
    private var previousRange = 0..<0
    private var frames: [Frame] = []
    private var mistakes = 0
    /// The number of `?` that wait for their `:`, and the nesting depth of these.
    private var conditions = (count: 0, depth: 0)

    init(_ bytes: ScanBuffer, _ range: Range<Int>, hasHTMLComments: Bool) {
        self.bytes = bytes
        self.hasHTMLComments = hasHTMLComments
        position = range.lowerBound
        end = range.upperBound
        if at(position) == UInt8(ascii: "#"), at(position + 1) == UInt8(ascii: "!") { skipLine() }
    }

    /// The number of open parentheses, brackets and braces.
    var depth: Int { frames.count }

    @inline(__always)
    private func at(_ index: Int) -> UInt8? { index < end ? bytes[index] : nil }

    /// Returns the next token, or nil at the end.
    ///
    /// - Parameter all: Whether to return every token, and not only the names `import`, `export` and `new`.
    /// - Returns: The token.
    mutating func next(all: Bool) -> Token? {
        while position < end {
            let start = position
            let byte = bytes[start]
            position = start &+ 1
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "_"),
                UInt8(ascii: "$"), UInt8(ascii: "#"), UInt8(ascii: "@"), UInt8(ascii: "\\"), 0x80...0xFF:
                if byte >= 0x80, let length = spaceLength(at: start) {
                    position = start &+ length
                    continue
                }
                skipName()
                isMember = previous == .dot
                previous = isMember ? .value : .name
                range = start..<position
                previousRange = range
                if all || mayBeKeyword(byte) { return .name }
            case 0x00...0x20:
                continue
            case UInt8(ascii: "\""), UInt8(ascii: "'"):
                skipString(quote: byte)
                if all { return .string }
            case UInt8(ascii: "`"):
                if skipTemplate(), all { return .string }
                range = start..<position
                if all { return .other }
            case UInt8(ascii: "0")...UInt8(ascii: "9"):
                skipNumber()
                range = start..<position
                if all { return .other }
            case UInt8(ascii: "/"):
                switch at(position) {
                case UInt8(ascii: "/"): skipLine()
                case UInt8(ascii: "*"): skipComment()
                default:
                    slash()
                    range = start..<position
                    if all { return .other }
                }
            default:
                guard punctuator(byte, at: start) else { continue }
                if all {
                    range = start..<position
                    return .punctuator(byte)
                }
                if byte == UInt8(ascii: "[") { _ = skipPlainList() }
            }
        }
        return nil
    }

    /// Skips the rest of a list whose bracket is the current token, if it contains only digits and strings without dots.
    ///
    /// - Returns: True if there is such a list. The current token is then its last bracket.
    mutating func skipPlainList() -> Bool {
        guard let close = endOfPlainList() else { return false }
        _ = frames.popLast()
        previous = .value
        position = close &+ 1
        range = close..<position
        return true
    }

    /// Returns the position of the bracket that ends such a list.
    private func endOfPlainList() -> Int? {
        var index = position
        while index < end {
            let byte = bytes[index]
            index &+= 1
            switch byte {
            case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: ","), 0x20, 0x0A, 0x0D, 0x09: continue
            case UInt8(ascii: "\""), UInt8(ascii: "'"):
                while index < end, bytes[index] != byte {
                    switch bytes[index] {
                    case UInt8(ascii: "."), UInt8(ascii: "\\"), 0x0A, 0x0D: return nil
                    default: index &+= 1
                    }
                }
                index &+= 1
            case UInt8(ascii: "]"): return index &- 1
            default: return nil
            }
        }
        return nil
    }

    /// Returns true if the current name is a word.
    func isName(_ word: StaticString) -> Bool {
        guard range.count == word.utf8CodeUnitCount else { return false }
        for offset in 0..<range.count where bytes[range.lowerBound + offset] != word.utf8Start[offset] { return false }
        return true
    }

    @inline(__always)
    private func mayBeKeyword(_ first: UInt8) -> Bool {
        switch (first, range.count) {
        case (UInt8(ascii: "i"), 6), (UInt8(ascii: "e"), 6), (UInt8(ascii: "n"), 3): true
        default: false
        }
    }
}

extension JavaScriptTokenizer {
    /// Records the effect of a punctuator; returns false if the byte is none.
    @inline(__always)
    private mutating func punctuator(_ byte: UInt8, at start: Int) -> Bool {
        switch byte {
        case UInt8(ascii: "("):
            push(previous == .name && isBeforeCondition(previousRange) ? .condition : .parenthesis)
            previous = .operation
        case UInt8(ascii: "["):
            push(.bracket)
            previous = .operation
        case UInt8(ascii: "{"):
            let isObject = opensObject()
            push(isObject ? .object : .block)
            previous = isObject ? .operation : .statementEnd
        case UInt8(ascii: ")"):
            previous = frames.popLast() == .condition ? .statementEnd : .closeParenthesis
        case UInt8(ascii: "]"):
            _ = frames.popLast()
            previous = .value
        case UInt8(ascii: "}"):
            switch frames.popLast() {
            case .substitution:
                // The template continues.
                if skipTemplate() { previous = .value }
            case .object: previous = .value
            default: previous = .statementEnd
            }
        case UInt8(ascii: "."): dot(at: start)
        case UInt8(ascii: "?"): questionMark()
        case UInt8(ascii: ":"): colon()
        case UInt8(ascii: ";"):
            conditions.count = 0
            previous = .statementEnd
        case UInt8(ascii: ">"): return greater(at: start)
        case UInt8(ascii: "<"):
            if hasHTMLComments, bytes.hasPrefix("<!--", at: start), start + 4 <= end {
                skipLine()
                return false
            }
            previous = .operation
        case UInt8(ascii: "+"), UInt8(ascii: "-"):
            // After an operand, a doubled sign leaves it an operand.
            if at(position) == byte {
                position &+= 1
                let isOperand = previous == .value || previous == .name || previous == .closeParenthesis
                previous = isOperand ? .value : .operation
            } else {
                previous = .operation
            }
        default: previous = .operation
        }
        return true
    }

    private mutating func questionMark() {
        previous = .operation
        // The `?` in `a?.b` and `a ?? b` waits for no `:`.
        if at(position) == UInt8(ascii: "?") {
            position &+= 1
        } else if at(position) != UInt8(ascii: ".") {
            conditions = (conditions.depth == depth ? conditions.count + 1 : 1, depth)
        }
    }

    private mutating func colon() {
        if conditions.count > 0, conditions.depth == depth {
            conditions.count -= 1
            previous = .operation
        } else {
            previous = .colon
        }
    }

    private mutating func dot(at start: Int) {
        if let next = at(position), next.isDigit {
            skipNumber()
        } else if at(position) == UInt8(ascii: "."), at(position + 1) == UInt8(ascii: ".") {
            position += 2
            previous = .operation
        } else {
            previous = .dot
        }
    }

    private mutating func greater(at start: Int) -> Bool {
        let before = start > 0 ? bytes[start - 1] : 0
        if hasHTMLComments, before == UInt8(ascii: "-"), start > 1, bytes[start - 2] == UInt8(ascii: "-"),
            isFirstInLine(start - 2)
        {
            skipLine()
            return false
        }
        previous = before == UInt8(ascii: "=") ? .arrow : .operation
        return true
    }

    /// Returns true if only white space precedes an index in its line, within a small limit.
    private func isFirstInLine(_ index: Int) -> Bool {
        var index = index
        let lowest = max(0, index - 64)
        while index > lowest {
            index -= 1
            if bytes[index] == 0x0A || bytes[index] == 0x0D { return true }
            if !bytes[index].isSpace { return false }
        }
        return index == 0
    }

    private mutating func push(_ frame: Frame) {
        guard frames.count < Self.maxDepth else {
            position = end
            return
        }
        frames.append(frame)
    }

    /// Returns true if a brace opens an object rather than a block.
    private func opensObject() -> Bool {
        switch previous {
        case .operation: true
        // After a label or `case`, the brace opens a block.
        case .colon: frames.last != nil && frames.last != .block
        case .name: isBeforeOperand(previousRange) && !isBeforeBlock(previousRange)
        default: false
        }
    }

    private func isWord(_ range: Range<Int>, _ word: StaticString) -> Bool {
        for offset in 0..<range.count where bytes[range.lowerBound &+ offset] != word.utf8Start[offset] { return false }
        return true
    }

    /// Returns true for a keyword whose parentheses hold a condition, so that a statement follows them.
    private func isBeforeCondition(_ range: Range<Int>) -> Bool {
        switch range.count {
        case 2: isWord(range, "if")
        case 3: isWord(range, "for")
        case 4: isWord(range, "with")
        case 5: isWord(range, "while")
        default: false
        }
    }

    /// Returns true for a keyword that an operand follows, so that a slash after it starts a regular expression.
    private func isBeforeOperand(_ range: Range<Int>) -> Bool {
        switch range.count {
        case 2: isWord(range, "in") || isWord(range, "of") || isBeforeBlock(range)
        case 3: isWord(range, "new")
        case 4: isWord(range, "case") || isWord(range, "void") || isBeforeBlock(range)
        case 5: isWord(range, "throw") || isWord(range, "await") || isWord(range, "yield")
        case 6: isWord(range, "return") || isWord(range, "typeof") || isWord(range, "delete")
        case 7: isWord(range, "default") || isWord(range, "extends")
        case 10: isWord(range, "instanceof")
        default: false
        }
    }

    private func isBeforeBlock(_ range: Range<Int>) -> Bool {
        switch range.count {
        case 2: isWord(range, "do")
        case 4: isWord(range, "else")
        default: false
        }
    }
}

extension JavaScriptTokenizer {
    @inline(__always)
    private static func isNameByte(_ byte: UInt8) -> Bool {
        byte.isLetter || byte.isDigit || byte == UInt8(ascii: "_") || byte == UInt8(ascii: "$") || byte >= 0x80
            || byte == UInt8(ascii: "\\")
    }

    @inline(__always)
    private mutating func skipName() {
        while position < end, Self.isNameByte(bytes[position]) {
            if bytes[position] >= 0x80, spaceLength(at: position) != nil { return }
            position &+= 1
        }
    }

    /// Returns the length of non-ASCII white space in bytes, or nil if there is none; ECMA-262 §12.2, §12.3.
    private func spaceLength(at index: Int) -> Int? {
        guard let second = at(index &+ 1) else { return nil }
        if bytes[index] == 0xC2 { return second == 0xA0 ? 2 : nil }
        guard let third = at(index &+ 2) else { return nil }
        switch (bytes[index], second, third) {
        case (0xE1, 0x9A, 0x80), (0xE2, 0x80, 0x80...0x8A), (0xE2, 0x80, 0xA8...0xA9), (0xE2, 0x80, 0xAF),
            (0xE2, 0x81, 0x9F), (0xE3, 0x80, 0x80), (0xEF, 0xBB, 0xBF):
            return 3
        default: return nil
        }
    }

    /// Skips a number with its decimal point; the sign of an exponent becomes an operator.
    private mutating func skipNumber() {
        while position < end, Self.isNameByte(bytes[position]) || bytes[position] == UInt8(ascii: ".") {
            position &+= 1
        }
        previous = .value
    }

    private mutating func skipLine() {
        while position < end, bytes[position] != 0x0A, bytes[position] != 0x0D { position &+= 1 }
    }

    private mutating func skipComment() {
        var index = position &+ 1
        while true {
            index = bytes.find(UInt8(ascii: "*"), from: min(index, end), to: end)
            guard index < end else { break }
            index &+= 1
            if at(index) == UInt8(ascii: "/") { break }
        }
        position = min(index &+ 1, end)
    }

    /// Skips a string, which the end of its line cuts off.
    private mutating func skipString(quote: UInt8) {
        let start = position
        previous = .value
        while position < end {
            let byte = bytes[position]
            if byte == quote {
                range = start..<position
                position &+= 1
                return
            }
            if byte == 0x0A || byte == 0x0D { break }
            if byte == UInt8(ascii: "\\") {
                position &+= at(position &+ 1) == 0x0D && at(position &+ 2) == 0x0A ? 3 : 2
            } else {
                position &+= 1
            }
        }
        position = min(position, end)
        range = start..<start
    }

    /// Skips a template up to its end or the next substitution; returns true at its end.
    private mutating func skipTemplate() -> Bool {
        let start = position
        while position < end {
            let byte = bytes[position]
            position &+= 1
            if byte == UInt8(ascii: "`") {
                range = start..<position - 1
                previous = .value
                return true
            }
            if byte == UInt8(ascii: "\\") {
                position = min(position &+ 1, end)
            } else if byte == UInt8(ascii: "$"), at(position) == UInt8(ascii: "{") {
                position &+= 1
                push(.substitution)
                previous = .operation
                return false
            }
        }
        return false
    }

    /// Reads a division or a regular expression.
    private mutating func slash() {
        let isExpression =
            switch previous {
            case .operation, .colon, .arrow, .statementEnd: true
            case .value, .closeParenthesis, .dot: false
            case .name: isBeforeOperand(previousRange)
            }
        guard isExpression, mistakes < Self.maxMistakes else {
            previous = .operation
            return
        }
        if let close = endOfExpression() {
            position = close
            skipName()
            previous = .value
        } else {
            mistakes += 1
            previous = .operation
        }
    }

    /// Returns the position after the slash that ends a regular expression, or nil if the line ends first.
    private func endOfExpression() -> Int? {
        var index = position
        var isInClass = false
        while index < end {
            switch bytes[index] {
            case UInt8(ascii: "\\"): index &+= 1
            case UInt8(ascii: "["): isInClass = true
            case UInt8(ascii: "]"): isInClass = false
            case UInt8(ascii: "/") where !isInClass: return index &+ 1
            case 0x0A, 0x0D: return nil
            default: break
            }
            index &+= 1
        }
        return nil
    }
}
