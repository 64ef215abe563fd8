/// A pattern as shells and AFCache's packager know it: `*`, `?`, `[a-z]`, `[!a-z]`.
///
/// As in Python's `fnmatch`, a star also matches slashes and leading dots, letters are compared as they stand, and a
/// bracket that isn't closed stands for itself. Matching takes at most the product of both lengths in steps.
public struct Glob: Hashable, Sendable, CustomStringConvertible {
    private enum Token: Hashable, Sendable {
        case literal(Unicode.Scalar)
        case any
        case star
        case set([ClosedRange<Unicode.Scalar>], isNegated: Bool)
    }

    /// The pattern as it was written.
    public let description: String
    private let tokens: [Token]

    /// Understands a pattern; every text is one.
    public init(_ pattern: String) {
        description = pattern
        let scalars = Array(pattern.unicodeScalars)
        var tokens: [Token] = []
        var index = 0
        while index < scalars.count {
            switch scalars[index] {
            case "*":
                if tokens.last != .star { tokens.append(.star) }
                index += 1
            case "?":
                tokens.append(.any)
                index += 1
            case "[":
                if let (token, next) = Self.set(scalars, from: index + 1) {
                    tokens.append(token)
                    index = next
                } else {
                    tokens.append(.literal("["))
                    index += 1
                }
            default:
                tokens.append(.literal(scalars[index]))
                index += 1
            }
        }
        self.tokens = tokens
    }

    /// Whether the pattern matches the whole text.
    public func matches(_ text: some StringProtocol) -> Bool {
        let scalars = Array(text.unicodeScalars)
        var position = 0
        var token = 0
        var retry: (token: Int, position: Int)?
        while position < scalars.count {
            if token < tokens.count, tokens[token] == .star {
                retry = (token + 1, position)
                token += 1
            } else if token < tokens.count, Self.matches(tokens[token], scalars[position]) {
                token += 1
                position += 1
            } else if let last = retry {
                retry = (last.token, last.position + 1)
                token = last.token
                position = last.position + 1
            } else {
                return false
            }
        }
        return tokens[token...].allSatisfy { $0 == .star }
    }

    private static func matches(_ token: Token, _ scalar: Unicode.Scalar) -> Bool {
        switch token {
        case .literal(let expected): scalar == expected
        case .any: true
        case .star: false
        case .set(let ranges, let isNegated): ranges.contains { $0.contains(scalar) } != isNegated
        }
    }

    /// The set whose first scalar is at the index, and the index after its bracket; nil where none closes it.
    private static func set(_ scalars: [Unicode.Scalar], from start: Int) -> (Token, Int)? {
        var index = start
        let isNegated = index < scalars.count && scalars[index] == "!"
        if isNegated { index += 1 }
        let first = index
        var ranges: [ClosedRange<Unicode.Scalar>] = []
        while index < scalars.count {
            // A bracket that comes first is a member of the set.
            if scalars[index] == "]", index > first { return (.set(ranges, isNegated: isNegated), index + 1) }
            if index + 2 < scalars.count, scalars[index + 1] == "-", scalars[index + 2] != "]" {
                if scalars[index] <= scalars[index + 2] { ranges.append(scalars[index]...scalars[index + 2]) }
                index += 3
            } else {
                ranges.append(scalars[index]...scalars[index])
                index += 1
            }
        }
        return nil
    }
}
