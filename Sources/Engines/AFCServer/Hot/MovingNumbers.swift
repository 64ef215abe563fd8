/// The numbers in a response's fields that move with the clock.
enum MovingNumbers {
    /// Where the number of `ttl` stands in a Cache-Status field of ours, and what it is (RFC 9211 §2.5).
    static func locateTTL(in value: String) -> (range: Range<Int>, number: Int64)? {
        let bytes = Array(value.utf8)
        let name = Array("; ttl=".utf8)
        guard bytes.count > name.count else { return nil }
        // The last member of the list is this cache's own.
        for start in stride(from: bytes.count - name.count, through: 0, by: -1)
        where bytes[start..<start + name.count].elementsEqual(name) {
            let first = start + name.count
            let end = bytes[first...].firstIndex { $0 != UInt8(ascii: "-") && $0 &- UInt8(ascii: "0") > 9 }
            let range = first..<(end ?? bytes.count)
            return Int64(String(decoding: bytes[range], as: UTF8.self)).map { (range, $0) }
        }
        return nil
    }

    /// The number of `ttl` in a Cache-Status field.
    static func ttl(in value: String) -> Int64? { locateTTL(in: value)?.number }
}
