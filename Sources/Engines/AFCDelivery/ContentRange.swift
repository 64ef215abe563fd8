/// The value of Content-Range for a single part (RFC 9110 §14.4).
struct ContentRange: Equatable {
    /// The first byte.
    var start: Int64
    /// The last byte.
    var end: Int64
    /// The bytes of the whole; nil if the server doesn't know.
    var total: Int64?

    /// Parses the field; nil if its unit isn't bytes.
    init?(_ text: String) {
        guard text.prefix(6).lowercased() == "bytes " else { return nil }
        let parts = text.dropFirst(6).split(separator: "/", omittingEmptySubsequences: false)
        guard parts.count == 2 else { return nil }
        let bounds = parts[0].split(separator: "-", omittingEmptySubsequences: false)
        guard bounds.count == 2, let start = Self.number(bounds[0]), let end = Self.number(bounds[1]), end >= start
        else { return nil }
        self.start = start
        self.end = end
        if parts[1] != "*" {
            guard let total = Self.number(parts[1]), total > end else { return nil }
            self.total = total
        }
    }

    /// Parses digits and nothing else: no sign, no space.
    static func number(_ text: some StringProtocol) -> Int64? {
        text.utf8.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) } ? Int64(text) : nil
    }
}
