/// A tokenizer of ECMAScript (ECMA-262 §12), as far as references need it: it knows what is a string, a template, a
/// comment or a regular expression, so that nothing in those is taken for code.
///
/// Whether a slash divides or begins a regular expression is a matter of grammar. It is judged by the token before, and
/// for parentheses and braces by what they belong to, which is right for what people and minifiers write; a regular
/// expression that its line's end cuts off was a division after all.
struct JavaScriptTokenizer {
    /// What a token is; its place is `range`.
    enum Token: Equatable, Sendable {
        /// A name or a keyword.
        case name
        /// A string without its quotes, or a template without substitutions.
        case string
        case punctuator(UInt8)
        /// A number, a regular expression, or a template with substitutions.
        case other
    }

    /// What stands before, as far as a slash, brace or name needs to know it.
    enum Previous {
        /// Nothing, or an operator: an operand follows.
        case operation
        /// An operand: an operator follows.
        case value
        case name
        case dot
        case colon
        case arrow
        /// The end of a block or of the condition of a statement: a statement follows.
        case statementEnd
        /// The `)` of arguments or parameters.
        case closeParenthesis
    }

    enum Frame: UInt8 {
        case parenthesis
        /// That of `if`, `while`, `for` or `with`.
        case condition
        case bracket
        case block
        case object
        /// `${` in a template.
        case substitution
    }

    /// Deeper nesting no engine reads either.
    static let maxDepth = 65_536
    /// How often a supposed regular expression may turn out to be none: each time costs the rest of its line.
    static let maxMistakes = 16

    let bytes: ScanBuffer
    /// Whether `<!--` and `-->` begin comments, which they do in scripts that are no modules.
    let hasHTMLComments: Bool
    var position: Int
    let end: Int
    /// The name, the string without its quotes, or the token.
    var range = 0..<0
    /// Whether the current name is that of a member, as in `a.import`.
    var isMember = false
    var previous = Previous.statementEnd
    var previousRange = 0..<0
    var frames: [Frame] = []
    var mistakes = 0
    /// How many `?` wait for their `:`, and in what depth.
    var conditions = (count: 0, depth: 0)

    init(_ bytes: ScanBuffer, _ range: Range<Int>, hasHTMLComments: Bool) {
        self.bytes = bytes
        self.hasHTMLComments = hasHTMLComments
        position = range.lowerBound
        end = range.upperBound
        if at(position) == UInt8(ascii: "#"), at(position + 1) == UInt8(ascii: "!") { skipLine() }
    }

    /// How many parentheses, brackets and braces are open.
    var depth: Int { frames.count }

    @inline(__always)
    func at(_ index: Int) -> UInt8? { index < end ? bytes[index] : nil }

    /// The next token, or nil at the end.
    ///
    /// - Parameter all: Whether every token is wanted, and not only the names `import`, `export` and `new`.
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
                if all { return .other }
            case UInt8(ascii: "0")...UInt8(ascii: "9"):
                skipNumber()
                if all { return .other }
            case UInt8(ascii: "/"):
                switch at(position) {
                case UInt8(ascii: "/"): skipLine()
                case UInt8(ascii: "*"): skipComment()
                default:
                    slash()
                    if all { return .other }
                }
            default:
                guard punctuator(byte, at: start) else { continue }
                if all {
                    range = start..<position
                    return .punctuator(byte)
                }
            }
        }
        return nil
    }

    /// Whether the current name is a word.
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
