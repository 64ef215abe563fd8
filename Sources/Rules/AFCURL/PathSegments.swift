/// The parts of a URL's path between its slashes, with their percent-escapes.
///
/// `/a/b` has `a` and `b`; `/a/` has `a` and an empty segment; `/` has an empty segment; opaque and empty paths have
/// none.
public struct PathSegments: Sequence, Sendable {
    private let path: Substring

    init(path: Substring) { self.path = path }

    /// The part after the last slash, empty for a folder's URL; nil if the path has no slash.
    public var last: Substring? {
        guard let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")) else { return nil }
        return path[path.utf8.index(after: slash)...]
    }

    /// Returns an iterator over the segments.
    public func makeIterator() -> Iterator { Iterator(rest: path) }

    /// Iterates over the segments, each a part of the URL's own text.
    public struct Iterator: IteratorProtocol {
        /// The rest of the path, beginning with a slash.
        fileprivate var rest: Substring

        /// Returns the next segment, or nil after the last.
        public mutating func next() -> Substring? {
            guard !rest.isEmpty else { return nil }
            let inner = rest.dropFirst()
            let end = inner.utf8.firstIndex(of: UInt8(ascii: "/")) ?? inner.endIndex
            rest = inner[end...]
            return inner[..<end]
        }
    }
}

extension WebURL {
    /// The parts of the path between its slashes.
    public var pathSegments: PathSegments {
        let end = offsets.hasOpaquePath ? offsets.pathStart : offsets.pathEnd
        return PathSegments(path: slice(Int(offsets.pathStart), Int(end)))
    }
}
