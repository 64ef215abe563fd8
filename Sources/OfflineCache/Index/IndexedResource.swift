internal import HTTPCaching
internal import HTTPTypes

/// A resource as a generation's index has it; docs/index-format.md says how it is written.
struct IndexedResource: Equatable {
    /// The resource's URL, in normal form.
    var url: String
    /// Its place among the generation's resources, sorted by URL.
    var number: UInt32
    var status: Int
    /// The member that holds the body, relative to the generation's files; nil for a redirect.
    var member: String?
    var size: Int64
    var lastModified: Timestamp?
    var expires: Timestamp?
    var received: Timestamp
    var fields: HTTPFields
    /// The request fields that Vary names; nil where the package doesn't say.
    var requestFields: HTTPFields?
    /// The SHA-256 of the body: 32 bytes, or none.
    var digest: [UInt8]

    /// The stored response that the resolver judges.
    var response: StoredResponse {
        StoredResponse(
            status: status,
            fields: fields,
            size: size,
            received: received,
            sha256: digest.isEmpty ? nil : Hexadecimal.text(digest),
            requestFields: requestFields
        )
    }
}

/// Bytes as hexadecimal digits.
enum Hexadecimal {
    private static let digits = Array("0123456789abcdef".utf8)

    static func text(_ bytes: some Sequence<UInt8>) -> String {
        var text: [UInt8] = []
        for byte in bytes {
            text.append(digits[Int(byte >> 4)])
            text.append(digits[Int(byte & 15)])
        }
        return String(decoding: text, as: UTF8.self)
    }

    /// The bytes of a text of digits, or nil where it is none.
    static func bytes(_ text: String) -> [UInt8]? {
        let nibbles = text.utf8.compactMap { digit -> UInt8? in
            switch digit {
            case UInt8(ascii: "0")...UInt8(ascii: "9"): digit - UInt8(ascii: "0")
            case UInt8(ascii: "a")...UInt8(ascii: "f"): digit - UInt8(ascii: "a") + 10
            default: nil
            }
        }
        guard nibbles.count == text.utf8.count, nibbles.count % 2 == 0 else { return nil }
        return stride(from: 0, to: nibbles.count, by: 2).map { nibbles[$0] << 4 | nibbles[$0 + 1] }
    }
}
