package import HTTPTypes

/// The head of an HTTP message in an archive, read leniently: archives keep what servers sent.
package struct MessageHead: Equatable, Sendable {
    /// The first line.
    package enum Start: Equatable, Sendable {
        /// A status, which may be any number, and the reason phrase.
        case response(status: Int, reason: String)
        /// A method and a target.
        case request(method: String, target: String)
    }

    /// The first line.
    package var start: Start
    /// The fields; lines that aren't fields are left out.
    package var fields: HTTPFields

    /// The longest head.
    package static let byteLimit = 1 << 20

    /// Creates a head.
    package init(start: Start, fields: HTTPFields) { (self.start, self.fields) = (start, fields) }

    /// Parses the head of a response: any version, with or without a reason, also of servers for radio streams.
    ///
    /// It is nil if the first line is no status line.
    ///
    /// - Parameter bytes: The lines up to the empty one, or to the end of the record.
    package init?(response bytes: [UInt8]) {
        var lines = HeadLines(bytes)
        guard let first = lines.next() else { return nil }
        let words = HeadLines.text(first).split(separator: " ", maxSplits: 2, omittingEmptySubsequences: true)
        guard let version = words.first?.uppercased(), version.hasPrefix("HTTP/") || version == "ICY" else {
            return nil
        }
        let digits = words.count > 1 ? words[1] : ""
        let status = digits.utf8.count == 3 ? Int(digits) : nil
        start = .response(status: status ?? 0, reason: words.count > 2 ? String(words[2]) : "")
        fields = Self.fields(lines)
    }

    /// Parses the head of a request.
    ///
    /// It is nil if the first line is no request line.
    ///
    /// - Parameter bytes: The lines up to the empty one, or to the end of the record.
    package init?(request bytes: [UInt8]) {
        var lines = HeadLines(bytes)
        guard let first = lines.next() else { return nil }
        let words = HeadLines.text(first).split(separator: " ", omittingEmptySubsequences: true)
        guard words.count >= 2, HTTPField.Name(String(words[0])) != nil else { return nil }
        start = .request(method: String(words[0]), target: String(words[1]))
        fields = Self.fields(lines)
    }

    /// Returns the number of bytes up to and with the empty line that ends a head; nil if it isn't there.
    ///
    /// - Parameters:
    ///   - bytes: The bytes of the message.
    ///   - scanned: The number of bytes that were searched before; updated.
    /// - Returns: The length.
    package static func length(of bytes: [UInt8], scanned: inout Int) -> Int? {
        var position = scanned
        while let end = bytes[position...].firstIndex(of: 0x0A) {
            let isEmpty = bytes[position..<end].allSatisfy { $0 == 0x0D }
            // An empty line before all others ends no head.
            if isEmpty, position > 0 { return end + 1 }
            position = end + 1
        }
        scanned = position
        return nil
    }

    /// Returns the fields of a head without a first line.
    static func fields(ofPart bytes: [UInt8]) -> HTTPFields { fields(HeadLines(bytes)) }

    private static func fields(_ lines: HeadLines) -> HTTPFields {
        var fields = HTTPFields()
        var pending: (name: HTTPField.Name?, value: [UInt8])?
        func add() {
            guard let pending, let name = pending.name else { return }
            fields.append(HTTPField(name: name, value: pending.value))
        }
        for line in lines {
            guard let first = line.first else { break }
            if first == 0x20 || first == 0x09 {
                pending?.value += [0x20] + HeadLines.trimmed(line)
                continue
            }
            add()
            let colon = line.firstIndex(of: UInt8(ascii: ":")) ?? line.endIndex
            let name = HeadLines.trimmed(line[..<colon])
            // The fields of HTTP/2 that replace the first line aren't the response's.
            let isField = colon < line.endIndex && name.first != UInt8(ascii: ":")
            let value = HeadLines.trimmed(line[min(colon + 1, line.endIndex)...])
            pending = (isField ? HTTPField.Name(String(decoding: name, as: UTF8.self)) : nil, Array(value))
        }
        add()
        return fields
    }
}
