/// One line `Allow` or `Disallow` of a `robots.txt` (RFC 9309 §2.2.2).
struct RobotsPattern: Equatable, Sendable {
    /// Whether what matches is allowed.
    let isAllowed: Bool
    /// How specific the pattern is.
    let octets: Int
    // Normalised; `*` is any run of bytes, `$` at the end the end of the path.
    private let bytes: [UInt8]
    private let decodedQuery: [UInt8]?

    /// Reads a pattern; one without its slash gets it.
    init(_ written: some Collection<UInt8>, isAllowed: Bool) {
        var bytes = RobotsPath.normalized(written, isPattern: true)
        if bytes.first != UInt8(ascii: "/"), bytes.first != UInt8(ascii: "*") {
            bytes.insert(UInt8(ascii: "/"), at: 0)
        }
        self.bytes = bytes
        self.isAllowed = isAllowed
        octets = bytes.count
        decodedQuery = RobotsPath.decodingQuery(bytes)
    }

    /// Whether the pattern matches from the path's start.
    ///
    /// - Parameters:
    ///   - path: What it is compared with.
    ///   - steps: How many steps may be taken; below zero where they were too few.
    /// - Returns: Whether it matches; false where the steps were too few.
    func matches(_ path: RobotsPath, steps: inout Int) -> Bool {
        if Self.matches(bytes, path.bytes, steps: &steps) { return true }
        guard decodedQuery != nil || path.decodedQuery != nil else { return false }
        return Self.matches(decodedQuery ?? bytes, path.decodedQuery ?? path.bytes, steps: &steps)
    }

    /// Takes at most the product of both lengths in steps.
    private static func matches(_ pattern: [UInt8], _ path: [UInt8], steps: inout Int) -> Bool {
        let isAnchored = pattern.last == UInt8(ascii: "$")
        let end = isAnchored ? pattern.count - 1 : pattern.count
        var token = 0
        var position = 0
        var retry: (token: Int, position: Int)?
        while true {
            steps -= 1
            guard steps >= 0 else { return false }
            if token == end {
                if !isAnchored || position == path.count { return true }
            } else if pattern[token] == UInt8(ascii: "*") {
                token += 1
                retry = (token, position)
                continue
            } else if position < path.count, pattern[token] == path[position] {
                token += 1
                position += 1
                continue
            }
            guard let last = retry, last.position < path.count else { return false }
            retry = (last.token, last.position + 1)
            token = last.token
            position = last.position + 1
        }
    }
}
