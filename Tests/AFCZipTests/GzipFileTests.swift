import Testing

@testable import AFCZip

struct GzipFileTests {
    /// Returns a member of a gzip file with one stored block; RFC 1952 §2.3, RFC 1951 §3.2.4.
    private static func member(_ text: String) -> [UInt8] {
        let body = Array(text.utf8)
        var checksum = CRC32()
        body.withUnsafeBytes { checksum.update($0) }
        func little(_ value: UInt32, _ count: Int) -> [UInt8] {
            (0..<count).map { UInt8(truncatingIfNeeded: value >> (8 * UInt32($0))) }
        }
        let length = UInt32(body.count)
        return [0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 255, 1] + little(length, 2) + little(~length, 2) + body
            + little(checksum.value, 4) + little(length, 4)
    }

    private static func text(_ file: [UInt8], limit: Int = 1 << 20) -> String {
        String(decoding: Inflater.beginning(ofGzip: file, limit: limit), as: UTF8.self)
    }

    @Test func `all members are inflated, up to the limit`() {
        let file = Self.member("one, ") + Self.member("") + Self.member("two")
        #expect(Self.text(file) == "one, two")
        #expect(Self.text(file + [1, 2, 3]) == "one, two")
        #expect(Self.text(file, limit: 6) == "one, t")
        #expect(Self.text(file, limit: 0) == "")
        #expect(Self.text([]) == "")
        #expect(Self.text(Array("text".utf8)) == "")
    }

    @Test func `a damaged file is inflated up to the damage`() {
        let file = Self.member("one, ") + Self.member("two")
        for count in 0..<file.count { #expect("one, two".hasPrefix(Self.text(Array(file.prefix(count))))) }
        var damaged = file
        damaged[damaged.count - 8] ^= 1
        #expect(Self.text(damaged).hasPrefix("one, "))
    }
}
