/// A regular expression whose search takes time proportional to the text's length, for any text and expression.
///
/// URLs come from untrusted sites, and an expression such as `(a+)+$` can take a backtracking matcher practically
/// forever. This matcher therefore follows all alternatives at once (Thompson), and refuses syntax that requires
/// backtracking: backreferences, lookahead and lookbehind, atomic groups and possessive quantifiers.
///
/// The syntax is the common part of PCRE, Python and Swift: literals, `.`, sets, `\d \w \s \D \W \S \b \B`, `^ $ \A
/// \z`, groups (also `(?:…)` and named), `
///
/// `, `* + ? {m,n}` and their lazy forms, `(?i)`. Texts are ASCII, as URLs are; a non-ASCII letter matches its
/// percent-encoded form.
struct LinearRegex: Hashable, Sendable {
    /// The reason why a text is not such an expression.
    enum Malformation: Error, Equatable, Sendable {
        /// The text is not a regular expression, for this reason.
        case malformed(String)
        /// The expression uses a feature that needs backtracking or is unknown.
        case unsupported(String)
        /// The expression has more instructions than ``programLimit``.
        case tooLarge
    }

    /// The largest number of instructions, with repetitions expanded.
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

    /// Parses an expression.
    init(_ pattern: String) throws(Malformation) {
        var parser = LinearRegexParser(pattern)
        var compiler = LinearRegexCompiler()
        program = try compiler.program(for: try parser.parse())
    }

    /// Returns true if the expression matches somewhere in the text.
    func isFound(in text: some StringProtocol) -> Bool {
        var text = String(text)
        return text.withUTF8 { isFound(in: $0) }
    }

    private func isFound(in text: UnsafeBufferPointer<UInt8>) -> Bool {
        var threads: [Int] = []
        var next: [Int] = []
        var pending: [Int] = []
        // The position at which each instruction was last reached, plus one.
        var reached = [Int](repeating: 0, count: program.count)
        for position in 0...text.count {
            pending.append(0)
            // First the threads that consumed the last byte, then a new one that starts here.
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
