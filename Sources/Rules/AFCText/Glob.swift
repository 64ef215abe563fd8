/// A pattern with wildcards that is matched against a whole text.
///
/// Every text is a valid pattern. Matching is case-sensitive, and takes at most the product of both lengths in steps.
public struct Glob: Hashable, Sendable, CustomStringConvertible {
    /// The meaning of the characters in a pattern.
    public enum Syntax: Hashable, Sendable {
        /// `*`, `?`, `[a-z]` and `[!a-z]` as in Python's `fnmatch`, which AFCache's packager uses: a star also matches
        /// slashes and leading dots, and an unclosed bracket matches itself.
        case text
        /// `*` and `?` don't match `/`, but `**` does.
        ///
        /// `a/**/b` also matches `a/b`. A pattern without `/` is matched against the last part of a path.
        case path
    }

    private enum Token: Hashable, Sendable {
        case literal(Unicode.Scalar)
        case set([ClosedRange<Unicode.Scalar>], isNegated: Bool)
        /// Any number of characters, with or without slashes.
        case many(withSlashes: Bool)
        /// Any number of folders, each with its slash.
        case folders
    }

    /// The pattern as written.
    public let description: String
    private let isForNames: Bool
    private let tokens: [Token]

    /// Parses a pattern.
    public init(_ pattern: String, _ syntax: Syntax = .text) {
        description = pattern
        isForNames = syntax == .path && !pattern.unicodeScalars.contains("/")
        var tokens: [Token] = []
        var rest = Array(pattern.unicodeScalars)[...]
        while let first = rest.first {
            var length = 1
            switch first {
            case "*" where syntax == .path && rest.dropFirst().first == "*":
                let isAtFolder = tokens.isEmpty || tokens.last == .literal("/")
                let isFolders = isAtFolder && rest.dropFirst(2).first == "/"
                length = isFolders ? 3 : 2
                tokens.append(isFolders ? .folders : .many(withSlashes: true))
            case "*": tokens.append(.many(withSlashes: syntax == .text))
            case "?": tokens.append(.set(syntax == .path ? ["/"..."/"] : [], isNegated: true))
            case "[" where syntax == .text:
                let set = Self.set(rest.dropFirst())
                tokens.append(set?.token ?? .literal(first))
                length = set.map { $0.end - rest.startIndex } ?? 1
            default: tokens.append(.literal(first))
            }
            // Adjacent stars count as one.
            if tokens.count > 1, case .many = tokens[tokens.count - 1], tokens[tokens.count - 2] == tokens.last {
                tokens.removeLast()
            }
            rest = rest.dropFirst(length)
        }
        self.tokens = tokens
    }

    /// Returns the set at the start of a text, and the index after its closing bracket; nil if there is none.
    private static func set(_ text: ArraySlice<Unicode.Scalar>) -> (token: Token, end: Int)? {
        let isNegated = text.first == "!"
        var rest = isNegated ? text.dropFirst() : text
        var ranges: [ClosedRange<Unicode.Scalar>] = []
        let start = rest.startIndex
        while let first = rest.first {
            // A bracket in first place is a member of the set.
            if first == "]", rest.startIndex > start {
                return (.set(ranges, isNegated: isNegated), rest.startIndex + 1)
            }
            let next = rest.dropFirst().prefix(2)
            if next.count == 2, next.first == "-", let last = next.last, last != "]" {
                if first <= last { ranges.append(first...last) }
                rest = rest.dropFirst(3)
            } else {
                ranges.append(first...first)
                rest = rest.dropFirst()
            }
        }
        return nil
    }

    /// Returns true if the pattern matches the whole text, or the last part of a path if it is a pattern for names.
    public func matches(_ text: some StringProtocol) -> Bool {
        var text = Array(text.unicodeScalars)[...]
        if isForNames, let slash = text.lastIndex(of: "/") { text = text[(slash + 1)...] }
        // The tokens that the text so far may have led to, in ascending order.
        var states: [Int] = []
        var next: [Int] = []
        reach(0, in: &states, atFolder: true)
        for scalar in text {
            next.removeAll(keepingCapacity: true)
            for state in states where state < tokens.count {
                let isTaken: Bool
                switch tokens[state] {
                case .literal(let expected): isTaken = scalar == expected
                case .set(let ranges, let isNegated): isTaken = ranges.contains { $0.contains(scalar) } != isNegated
                case .many(let withSlashes):
                    if withSlashes || scalar != "/" { reach(state, in: &next, atFolder: scalar == "/") }
                    continue
                case .folders:
                    reach(state, in: &next, atFolder: scalar == "/")
                    continue
                }
                if isTaken { reach(state + 1, in: &next, atFolder: scalar == "/") }
            }
            guard !next.isEmpty else { return false }
            swap(&states, &next)
        }
        return states.last == tokens.count
    }

    /// Adds a token, and those after it that can be reached without consuming a character.
    ///
    /// After `**/` a part of the path begins. States are added in ascending order, so one that isn't above the last is
    /// known.
    private func reach(_ state: Int, in states: inout [Int], atFolder: Bool) {
        guard state > states.last ?? -1 else { return }
        for state in state...tokens.count {
            states.append(state)
            guard state < tokens.count else { return }
            switch tokens[state] {
            case .many: continue
            case .folders where atFolder: continue
            default: return
            }
        }
    }
}
