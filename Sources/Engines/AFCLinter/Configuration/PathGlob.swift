/// Which files a part of the configuration is for.
///
/// `*` stands for any characters but `/`, `**` for any at all, `?` for one that isn't `/`; everything else for itself. `a/**/b` is `a/b`, too.
/// A pattern without `/` is for the file's name, in any folder. Matching takes at most the product of both lengths in
/// steps.
public struct PathGlob: Hashable, Sendable {
    private enum Token: Hashable, Sendable {
        case literal(Unicode.Scalar)
        case one
        case many
        case deep
        case folders
    }

    private let tokens: [Token]
    private let isForNames: Bool

    /// Understands a pattern; every text is one.
    public init(_ pattern: String) {
        var tokens: [Token] = []
        var rest = pattern.unicodeScalars[...]
        while let first = rest.first {
            let isAtFolder = tokens.isEmpty || tokens.last == .literal("/")
            if isAtFolder, rest.starts(with: "**/".unicodeScalars) {
                if tokens.last != .folders { tokens.append(.folders) }
                rest = rest.dropFirst(3)
            } else if rest.starts(with: "**".unicodeScalars) {
                if tokens.last != .deep { tokens.append(.deep) }
                rest = rest.dropFirst(2)
            } else {
                switch first {
                case "*": tokens.append(.many)
                case "?": tokens.append(.one)
                default: tokens.append(.literal(first))
                }
                rest = rest.dropFirst()
            }
        }
        self.tokens = tokens
        isForNames = !pattern.unicodeScalars.contains("/")
    }

    /// Whether the pattern is for a file.
    ///
    /// - Parameter path: The path, relative to the configuration's folder, with slashes.
    /// - Returns: Whether the whole path, or its last part, is as the pattern says.
    public func matches(_ path: String) -> Bool {
        let path = Array(path.unicodeScalars)
        let name = isForNames ? path[(path.lastIndex(of: "/").map { $0 + 1 } ?? 0)...] : path[...]
        // The tokens that the text read so far may have led to.
        var states = Set([0])
        close(&states, atFolder: true)
        for scalar in name {
            var next: Set<Int> = []
            for state in states where state < tokens.count {
                switch tokens[state] {
                case .literal(let expected): if scalar == expected { next.insert(state + 1) }
                case .one: if scalar != "/" { next.insert(state + 1) }
                case .many: if scalar != "/" { next.insert(state) }
                case .deep, .folders: next.insert(state)
                }
            }
            states = next
            close(&states, atFolder: scalar == "/")
            if states.isEmpty { return false }
        }
        return states.contains(tokens.count)
    }

    /// Adds what is reached without reading anything; what follows `**/` begins a part of the path.
    private func close(_ states: inout Set<Int>, atFolder: Bool) {
        for state in tokens.indices where states.contains(state) {
            switch tokens[state] {
            case .many, .deep: states.insert(state + 1)
            case .folders: if atFolder { states.insert(state + 1) }
            case .literal, .one: continue
            }
        }
    }
}
