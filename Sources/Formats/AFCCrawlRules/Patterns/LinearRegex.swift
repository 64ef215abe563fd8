/// A regular expression that is searched for in time proportional to the text's length, whatever text and expression are.
///
/// URLs come from strangers, and an expression such as `(a+)+$` takes a matcher that tries and goes back longer than
/// anybody waits. So this one follows all ways at once (Thompson), and refuses what can't be done so: backreferences, looking
/// ahead and behind, atomic groups and possessive quantifiers.
///
/// The syntax is what is common to PCRE, Python and Swift: literals, `.`, sets, `\d \w \s \D \W \S \b \B`, `^ $ \A \z`,
/// groups (also `(?:…)` and named), `|`, `* + ? {m,n}` and their lazy forms, `(?i)`. Texts are ASCII, as URLs are; a letter
/// beyond ASCII stands for its percent-encoded form.
struct LinearRegex: Hashable, Sendable {
    /// Why a text is no such expression.
    enum Malformation: Error, Equatable, Sendable {
        /// It is no regular expression, for this reason.
        case malformed(String)
        /// It has something that takes more than one pass, or isn't known here.
        case unsupported(String)
        /// It would have more steps than ``programLimit``.
        case tooLarge
    }

    /// How many steps an expression may have once its repetitions are written out.
    static let programLimit = 10_000

    enum Instruction: Hashable, Sendable {
        case byte(ByteSet)
        case split(Int, Int)
        case assertion(Assertion)
        case match
    }

    enum Assertion: Hashable, Sendable {
        case start
        case end
        case wordBoundary
        case notWordBoundary
    }

    private let program: [Instruction]

    /// Reads an expression.
    init(_ pattern: String) throws(Malformation) {
        var parser = LinearRegexParser(pattern)
        var compiler = LinearRegexCompiler()
        program = try compiler.program(for: try parser.parse())
    }

    /// Whether the expression matches somewhere in the text.
    func isFound(in text: some StringProtocol) -> Bool {
        var text = String(text)
        return text.withUTF8 { isFound(in: $0) }
    }

    private func isFound(in text: UnsafeBufferPointer<UInt8>) -> Bool {
        var threads: [Int] = []
        var next: [Int] = []
        var pending: [Int] = []
        // At which place each instruction was last reached, plus one.
        var reached = [Int](repeating: 0, count: program.count)
        for position in 0...text.count {
            pending.append(0)
            // Those that came over the last byte, then a new beginning here.
            for start in threads.reversed() { pending.append(start) }
            threads.removeAll(keepingCapacity: true)
            while let index = pending.popLast() {
                guard reached[index] != position + 1 else { continue }
                reached[index] = position + 1
                switch program[index] {
                case .match: return true
                case .byte: threads.append(index)
                case .split(let one, let other):
                    pending.append(other)
                    pending.append(one)
                case .assertion(let assertion):
                    if Self.holds(assertion, in: text, at: position) { pending.append(index + 1) }
                }
            }
            guard position < text.count else { return false }
            for index in threads {
                if case .byte(let set) = program[index], set.contains(text[position]) { next.append(index + 1) }
            }
            swap(&threads, &next)
            next.removeAll(keepingCapacity: true)
        }
        return false
    }

    private static func holds(_ assertion: Assertion, in text: UnsafeBufferPointer<UInt8>, at position: Int) -> Bool {
        let isWordBefore = position > 0 && ByteSet.word.contains(text[position - 1])
        let isWordAfter = position < text.count && ByteSet.word.contains(text[position])
        return switch assertion {
        case .start: position == 0
        case .end: position == text.count
        case .wordBoundary: isWordBefore != isWordAfter
        case .notWordBoundary: isWordBefore == isWordAfter
        }
    }
}
