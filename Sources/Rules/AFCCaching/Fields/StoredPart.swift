internal import AFCHTTP
internal import HTTPTypes

/// The bytes of a representation that a stored 206 contains (RFC 9110 §14.4).
struct StoredPart {
    /// The offset of the first byte.
    let first: Int64
    /// The offset of the last byte.
    let last: Int64
    /// The length of the whole representation, or nil if it isn't known.
    let complete: Int64?

    /// True if the part reaches the representation's end.
    var reachesEnd: Bool { complete == last + 1 }

    /// Parses Content-Range; nil if it isn't a single range of bytes.
    init?(_ fields: HTTPFields) {
        let values = fields[values: .contentRange]
        guard values.count == 1, values[0].utf8.count > 6, values[0].prefix(6).lowercased() == "bytes " else {
            return nil
        }
        let halves = values[0].dropFirst(6).split(separator: "/", omittingEmptySubsequences: false)
        guard halves.count == 2 else { return nil }
        let bounds = halves[0].split(separator: "-", omittingEmptySubsequences: false)
        guard bounds.count == 2, let first = Self.number(bounds[0]), let last = Self.number(bounds[1]), first <= last
        else { return nil }
        complete = Self.number(halves[1])
        guard halves[1] == "*" || (complete.map { last < $0 } ?? false) else { return nil }
        self.first = first
        self.last = last
    }

    private static func number(_ text: Substring) -> Int64? {
        guard !text.isEmpty, text.utf8.count <= 18, text.utf8.allSatisfy({ $0 &- UInt8(ascii: "0") < 10 }) else {
            return nil
        }
        return Int64(text)
    }

    /// A range of the stored body, and its Content-Range.
    struct Selection {
        var body: Range<Int64>
        var contentRange: String
    }

    /// Returns the bytes that a request asks for, or nil if the part doesn't contain them all (RFC 9111 §3.3).
    ///
    /// Positions are counted from the end of the part that the request names, so that a body that is shorter than its
    /// Content-Range yields the bytes that its origin meant.
    ///
    /// - Parameters:
    ///   - field: The request's Range.
    ///   - size: The length of the stored body.
    /// - Returns: The selection, or nil.
    func select(_ field: String, size: Int64) -> Selection? {
        let size = min(size, last - first + 1)
        guard size > 0, let (start, end) = ByteRanges.single(field) else { return nil }
        let total = complete.map(String.init) ?? "*"
        guard let start else {
            guard let length = end, length > 0, length <= size, reachesEnd, let complete else { return nil }
            return Selection(
                body: (size - length)..<size,
                contentRange: "bytes \(complete - length)-\(complete - 1)/\(total)"
            )
        }
        guard start >= first, start - first < size, start <= last else { return nil }
        let offset = start - first
        let wanted: Int64
        if let end, complete.map({ end < $0 }) ?? true {
            guard end <= last else { return nil }
            wanted = end - first + 1
        } else {
            guard reachesEnd else { return nil }
            wanted = size
        }
        let body = offset..<min(wanted, size)
        return Selection(body: body, contentRange: "bytes \(start)-\(start + Int64(body.count) - 1)/\(total)")
    }
}
