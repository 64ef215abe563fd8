internal import AFCHTTP
package import HTTPTypes

/// The local header of a member in HTTrack's cache, which is a zip (APPNOTE.TXT §4.3.7).
package struct HTTrackHeader: Equatable, Sendable {
    /// The number of bytes before the name.
    package static let size = 30
    /// The bytes with which a local header begins.
    package static let mark: [UInt8] = [0x50, 0x4B, 0x03, 0x04]
    /// The bytes with which the directory or the end of a zip begins.
    package static let endMarks: [[UInt8]] = [[0x50, 0x4B, 0x01, 0x02], [0x50, 0x4B, 0x05, 0x06]]

    /// The number of bytes of the member's name, which follows the header.
    package let nameSize: Int
    /// The number of bytes of the response's head, which follows the name.
    package let headSize: Int
    /// The number of bytes of the body as it is stored, behind the head.
    package let storedSize: Int64
    /// The number of bytes of the body.
    package let bodySize: Int64
    /// The CRC-32 of the body.
    package let crc32: UInt32
    /// True if the body is deflated.
    package let isDeflated: Bool

    /// Reads a header; nil if the bytes aren't one, or state a method, an encryption or sizes that HTTrack never writes.
    ///
    /// - Parameter bytes: The first 30 bytes.
    package init?(_ bytes: [UInt8]) {
        guard bytes.count >= Self.size, bytes.starts(with: Self.mark) else { return nil }
        func number(_ offset: Int, _ size: Int) -> Int64 {
            bytes[offset..<(offset + size)].reversed().reduce(0) { $0 << 8 | Int64($1) }
        }
        let method = number(8, 2)
        // Bit 0 means encryption, bit 3 sizes behind the body.
        guard method == 8 || method == 0, number(6, 2) & 0b1001 == 0 else { return nil }
        (crc32, storedSize, bodySize) = (UInt32(number(14, 4)), number(18, 4), number(22, 4))
        (nameSize, headSize, isDeflated) = (Int(number(26, 2)), Int(number(28, 2)), method == 8)
        guard isDeflated || storedSize == bodySize else { return nil }
    }
}

/// A response in HTTrack's cache, by the name and the extra field of its member.
package struct HTTrackEntry: Equatable, Sendable {
    /// The URL as HTTrack writes it.
    package let url: String
    /// True if the URL has a fragment, which HTTrack asked the server for.
    package let hasFragment: Bool
    /// The status.
    package let status: Int
    /// The reason phrase.
    package let reason: String
    /// The server's fields, as far as HTTrack keeps them.
    package let fields: HTTPFields
    /// True if the cache has the body, and not the mirror.
    package let isInCache: Bool
    /// The name of the file in the mirror; empty for none.
    package let saved: String
    /// The number of bytes of the body that the server sent; nil if it isn't stated.
    package let size: Int64?

    /// The fields that HTTrack adds.
    ///
    /// Of Content-Disposition, it writes the file's name only, which says another thing.
    private static let own: Set<String> = [
        "content-disposition", "x-addr", "x-charset", "x-fil", "x-in-cache", "x-kept", "x-save", "x-size",
        "x-statuscode", "x-statusmessage",
    ]

    /// Reads a response; nil if there is no head of one.
    ///
    /// - Parameters:
    ///   - name: The member's name: a URL, in old versions without `http://`.
    ///   - head: The extra field of the local header: lines of an HTTP head.
    package init?(name: [UInt8], head: [UInt8]) {
        guard let message = MessageHead(response: head), case .response(let status, let reason) = message.start else {
            return nil
        }
        func own(_ name: String) -> String? { HTTPField.Name(name).flatMap { message.fields[$0] } }
        let text = Self.text(name)
        url = text.firstRange(of: "://") == nil ? "http://" + text : text
        hasFragment = name.contains(UInt8(ascii: "#"))
        isInCache = own("X-In-Cache") == "1" && own("X-Kept") != "1"
        saved = own("X-Kept") == "1" ? "" : own("X-Save") ?? ""
        size = own("X-Size").flatMap { Int64($0) }.flatMap { $0 < 0 ? nil : $0 }
        var fields = HTTPFields()
        for field in message.fields where !Self.own.contains(field.name.canonicalName) { fields.append(field) }
        if let charset = own("X-Charset"), let type = fields[.contentType], let parsed = MediaType(type),
            parsed.parameter("charset") == nil, MediaType("\(type); charset=\(charset)") != nil
        {
            fields[.contentType] = "\(type); charset=\(charset)"
        }
        self.fields = fields
        (self.status, self.reason) = (status, own("X-StatusMessage") ?? reason)
    }

    /// Returns a URL as text; bytes that aren't UTF-8 are escaped.
    private static func text(_ name: [UInt8]) -> String {
        if let text = String(validating: name, as: UTF8.self) { return text }
        let digits = Array("0123456789ABCDEF")
        return name.reduce(into: "") { text, byte in
            if byte < 0x80 {
                text.unicodeScalars.append(Unicode.Scalar(byte))
            } else {
                text += "%\(digits[Int(byte >> 4)])\(digits[Int(byte & 15)])"
            }
        }
    }

    /// Returns the time at which a mirror was begun, by its file `doit.log`; nil if it doesn't say.
    ///
    /// HTTrack writes the time without its zone; it counts as UTC.
    ///
    /// - Parameter log: The text of the file.
    /// - Returns: The time.
    package static func beginning(in log: String) -> ArchiveDate? {
        for line in log.split(whereSeparator: \.isNewline) {
            guard let start = line.firstRange(of: "generated automatically on "),
                let end = line.firstRange(of: ", do NOT edit"), start.upperBound <= end.lowerBound
            else { continue }
            let text = line[start.upperBound..<end.lowerBound]
            guard let time = HTTPDate.parse(text.hasSuffix(" GMT") ? String(text) : text + " GMT") else { continue }
            return ArchiveDate(time: time)
        }
        return nil
    }
}
