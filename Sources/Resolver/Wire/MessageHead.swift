internal import HTTPTypes
internal import NIOCore

/// The head of a response as it came over the wire.
struct ResponseHead: Equatable, Sendable {
    /// The status, 100 to 999.
    var status: Int
    /// Whether the sender speaks HTTP/1.1 or later.
    var isHTTP11: Bool
    /// All fields, in their order, their values byte for byte.
    var fields: HTTPFields

    /// Whether a field's list has a member, in any case.
    func lists(_ member: String, in name: HTTPField.Name) -> Bool {
        fields[values: name].contains { value in
            value.split(separator: ",").contains { Self.trimmed($0).lowercased() == member }
        }
    }

    /// Whether the connection stays open after this message (RFC 9112 §9.3).
    var keepsConnection: Bool {
        if lists("close", in: .connection) { return false }
        return isHTTP11 || lists("keep-alive", in: .connection)
    }

    static func trimmed(_ text: Substring) -> Substring {
        var text = text
        while let first = text.first, first == " " || first == "\t" { text.removeFirst() }
        while let last = text.last, last == " " || last == "\t" { text.removeLast() }
        return text
    }
}

/// How much of a message a peer may send.
struct WireLimits: Equatable, Sendable {
    /// The bytes of a head, or of trailers.
    var headBytes = 64 * 1024
    /// The lines of a head.
    var lines = 256
    /// The interim responses before a final one.
    var interims = 16
}

/// What is wrong with what a peer sent.
struct WireError: Error, Equatable, CustomStringConvertible {
    /// In words, without what the peer sent.
    var description: String

    init(_ description: String) { self.description = description }

    /// Nothing came.
    static let closed = WireError("the connection was closed before the response")
}

/// Reads heads of responses (RFC 9112 §4 and §5) byte for byte, as field values may have any byte from 0x80 on.
enum ResponseHeadParser {
    /// Reads a head where all of it is there.
    ///
    /// - Parameters:
    ///   - buffer: What came; a head is taken out of it.
    ///   - limits: How much it may be.
    /// - Returns: The head, or nil where more is needed.
    /// - Throws: ``WireError`` where it is no head.
    static func take(_ buffer: inout ByteBuffer, limits: WireLimits) throws(WireError) -> ResponseHead? {
        guard let length = try length(of: buffer, limits: limits) else { return nil }
        let bytes = buffer.readSlice(length: length).map { Array($0.readableBytesView) } ?? []
        var lines = LineReader(bytes[...])
        guard let first = lines.next(), let (status, isHTTP11) = statusLine(first) else {
            throw WireError("the response has no valid status line")
        }
        return ResponseHead(status: status, isHTTP11: isHTTP11, fields: try fields(&lines, limits: limits))
    }

    /// Reads trailers where all of them are there; nil where more is needed.
    static func takeTrailers(_ buffer: inout ByteBuffer, limits: WireLimits) throws(WireError) -> HTTPFields? {
        if buffer.readableBytesView.starts(with: [0x0D, 0x0A]) {
            buffer.moveReaderIndex(forwardBy: 2)
            return HTTPFields()
        }
        guard let length = try length(of: buffer, limits: limits) else { return nil }
        let bytes = buffer.readSlice(length: length).map { Array($0.readableBytesView) } ?? []
        var lines = LineReader(bytes[...])
        return try fields(&lines, limits: limits)
    }

    /// How many bytes a head has with the empty line that ends it; nil where that isn't there.
    private static func length(of buffer: ByteBuffer, limits: WireLimits) throws(WireError) -> Int? {
        let bytes = buffer.readableBytesView.prefix(limits.headBytes)
        var previous: UInt8 = 0
        var beforePrevious: UInt8 = 0
        for (offset, byte) in bytes.enumerated() {
            if byte == 0x0A, previous == 0x0A || previous == 0x0D && beforePrevious == 0x0A { return offset + 1 }
            (beforePrevious, previous) = (previous, byte)
        }
        guard buffer.readableBytes < limits.headBytes else {
            throw WireError("the response's head is longer than \(limits.headBytes) bytes")
        }
        return nil
    }

    private static func statusLine(_ line: ArraySlice<UInt8>) -> (Int, Bool)? {
        let text = Array(line)
        guard text.count >= 12, text.starts(with: Array("HTTP/1.".utf8)), (0x30...0x39).contains(text[7]),
            text[8] == 0x20, text.count == 12 || text[12] == 0x20
        else { return nil }
        var status = 0
        for byte in text[9..<12] {
            guard (0x30...0x39).contains(byte) else { return nil }
            status = status * 10 + Int(byte - 0x30)
        }
        return status >= 100 ? (status, text[7] != 0x30) : nil
    }

    private static func fields(_ lines: inout LineReader, limits: WireLimits) throws(WireError) -> HTTPFields {
        var fields = HTTPFields()
        var pending: (name: HTTPField.Name, value: [UInt8])?
        var count = 0
        while let line = lines.next(), !line.isEmpty {
            count += 1
            guard count <= limits.lines else { throw WireError("the response has more than \(limits.lines) fields") }
            // RFC 9112 §5.2: a folded line goes on with a space in place of the fold.
            if let first = line.first, first == 0x20 || first == 0x09 {
                guard pending != nil else { throw WireError("the response begins with a folded field") }
                pending?.value.append(0x20)
                pending?.value.append(contentsOf: trimmed(line))
                continue
            }
            if let field = pending { try append(field, to: &fields) }
            guard let colon = line.firstIndex(of: 0x3A) else {
                throw WireError("the response has a line without a colon")
            }
            // RFC 9112 §5.1: white space before the colon of a response is removed.
            let name = String(decoding: trimmed(line[..<colon]), as: UTF8.self)
            guard let name = HTTPField.Name(name) else {
                throw WireError("the response has a field without a valid name")
            }
            pending = (name, Array(trimmed(line[(colon + 1)...])))
        }
        if let field = pending { try append(field, to: &fields) }
        return fields
    }

    private static func append(_ field: (name: HTTPField.Name, value: [UInt8]), to fields: inout HTTPFields)
        throws(WireError)
    {
        guard !field.value.contains(where: { $0 == 0 || $0 == 0x0D }) else {
            throw WireError("the response has a field with a control character")
        }
        fields.append(HTTPField(name: field.name, value: field.value))
    }

    private static func trimmed(_ bytes: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        var bytes = bytes
        while let first = bytes.first, first == 0x20 || first == 0x09 { bytes.removeFirst() }
        while let last = bytes.last, last == 0x20 || last == 0x09 { bytes.removeLast() }
        return bytes
    }
}

/// Lines that end with LF or CRLF (RFC 9112 §2.2), without their ends.
struct LineReader {
    private var rest: ArraySlice<UInt8>

    init(_ bytes: ArraySlice<UInt8>) { rest = bytes }

    mutating func next() -> ArraySlice<UInt8>? {
        guard let end = rest.firstIndex(of: 0x0A) else { return nil }
        var line = rest[..<end]
        if line.last == 0x0D { line.removeLast() }
        rest = rest[(end + 1)...]
        return line
    }
}
