import AFCPlatform
internal import HTTPTypes
internal import NIOCore

/// A parser of response heads (RFC 9112 §4 and §5) by bytes, since field values may contain any byte from 0x80 on.
enum ResponseHeadParser {
    /// Parses a head if it is complete.
    ///
    /// - Parameters:
    ///   - buffer: The received bytes, from which the head is removed.
    ///   - limits: The limits.
    /// - Returns: The head, or nil if more bytes are needed.
    /// - Throws: ``WireError`` if it is malformed.
    static func take(_ buffer: inout ByteBuffer, limits: WireLimits) throws(WireError) -> ResponseHead? {
        // Bytes that aren't HTTP could continue for long without an empty line.
        guard zip(buffer.readableBytesView, "HTTP/1.".utf8).allSatisfy({ $0 == $1 }) else {
            throw WireError("the response has no valid status line")
        }
        return try take(&buffer, limits: limits) { lines throws(WireError) in
            guard let first = lines.next(), let (status, isHTTP11, reason) = statusLine(first) else {
                throw WireError("the response has no valid status line")
            }
            let fields = try Self.fields(&lines, limits: limits)
            return ResponseHead(status: status, reason: reason, isHTTP11: isHTTP11, fields: fields)
        }
    }

    /// Parses trailers if they are complete; nil if more bytes are needed.
    static func takeTrailers(_ buffer: inout ByteBuffer, limits: WireLimits) throws(WireError) -> HTTPFields? {
        if buffer.readableBytesView.starts(with: [0x0D, 0x0A]) {
            buffer.moveReaderIndex(forwardBy: 2)
            return HTTPFields()
        }
        return try take(&buffer, limits: limits) { lines throws(WireError) in try fields(&lines, limits: limits) }
    }

    private static func take<Value>(
        _ buffer: inout ByteBuffer,
        limits: WireLimits,
        _ read: (inout LineReader) throws(WireError) -> Value
    ) throws(WireError) -> Value? {
        let (value, length) = try buffer.withUnsafeReadableBytes { bytes throws(WireError) -> (Value?, Int) in
            guard let length = try Self.length(of: bytes, limits: limits) else { return (nil, 0) }
            var lines = LineReader(UnsafeRawBufferPointer(rebasing: bytes[..<length]))
            return (try read(&lines), length)
        }
        buffer.moveReaderIndex(forwardBy: length)
        return value
    }

    /// Returns the length of a head with the empty line that ends it; nil if that is missing.
    private static func length(of bytes: UnsafeRawBufferPointer, limits: WireLimits) throws(WireError) -> Int? {
        var lines = LineReader(UnsafeRawBufferPointer(rebasing: bytes.prefix(limits.headBytes)))
        // An empty line before all others doesn't end the head.
        _ = lines.next()
        while let line = lines.next() {
            if line.isEmpty { return lines.position }
        }
        guard bytes.count < limits.headBytes else {
            throw WireError("the response's head is longer than \(limits.headBytes) bytes")
        }
        return nil
    }

    private static func statusLine(_ line: UnsafeRawBufferPointer) -> (status: Int, isHTTP11: Bool, reason: String)? {
        guard line.count >= 12, line.starts(with: "HTTP/1.".utf8), (0x30...0x39).contains(line[7]),
            line[8] == 0x20, line.count == 12 || line[12] == 0x20
        else { return nil }
        var status = 0
        for byte in line[9..<12] {
            guard (0x30...0x39).contains(byte) else { return nil }
            status = status * 10 + Int(byte - 0x30)
        }
        return status >= 100 ? (status, line[7] != 0x30, String(decoding: line.dropFirst(13), as: UTF8.self)) : nil
    }

    private static func fields(_ lines: inout LineReader, limits: WireLimits) throws(WireError) -> HTTPFields {
        var fields = HTTPFields()
        var pending: (name: HTTPField.Name, value: UnsafeRawBufferPointer, folded: [UInt8]?)?
        var count = 0
        while let line = lines.next(), let first = line.first {
            count += 1
            guard count <= limits.lines else { throw WireError("the response has more than \(limits.lines) fields") }
            // RFC 9112 §5.2: a folded line continues the value, with a space in place of the fold.
            if first == 0x20 || first == 0x09 {
                guard let field = pending else { throw WireError("the response begins with a folded field") }
                pending?.folded = (field.folded ?? Array(field.value)) + [0x20] + Array(trimmed(line))
                continue
            }
            if let field = pending { try append(field.name, field.value, field.folded, to: &fields) }
            guard let colon = line.firstIndex(of: 0x3A) else {
                throw WireError("the response has a line without a colon")
            }
            // RFC 9112 §5.1: white space before the colon of a response is removed.
            let name = trimmed(UnsafeRawBufferPointer(rebasing: line[..<colon]))
            guard let name = HTTPField.Name(String(decoding: name, as: UTF8.self)) else {
                throw WireError("the response has a field without a valid name")
            }
            pending = (name, trimmed(UnsafeRawBufferPointer(rebasing: line[(colon + 1)...])), nil)
        }
        if let field = pending { try append(field.name, field.value, field.folded, to: &fields) }
        return fields
    }

    private static func append(
        _ name: HTTPField.Name,
        _ value: UnsafeRawBufferPointer,
        _ folded: [UInt8]?,
        to fields: inout HTTPFields
    ) throws(WireError) {
        if let folded {
            try append(name, folded, to: &fields)
        } else {
            try append(name, value, to: &fields)
        }
    }

    private static func append(
        _ name: HTTPField.Name,
        _ value: some Collection<UInt8>,
        to fields: inout HTTPFields
    ) throws(WireError) {
        guard !value.contains(where: { $0 == 0 || $0 == 0x0D }) else {
            throw WireError("the response has a field with a control character")
        }
        fields.append(HTTPField(name: name, value: value))
    }

    private static func trimmed(_ bytes: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer {
        var (start, end) = (0, bytes.count)
        while start < end, bytes[start] == 0x20 || bytes[start] == 0x09 { start += 1 }
        while end > start, bytes[end - 1] == 0x20 || bytes[end - 1] == 0x09 { end -= 1 }
        return UnsafeRawBufferPointer(rebasing: bytes[start..<end])
    }
}

/// Lines that end with LF or CRLF (RFC 9112 §2.2), without their ends; valid as long as the bytes are.
private struct LineReader {
    private let bytes: UnsafeRawBufferPointer
    /// The number of bytes read.
    private(set) var position = 0

    init(_ bytes: UnsafeRawBufferPointer) { self.bytes = bytes }

    mutating func next() -> UnsafeRawBufferPointer? {
        guard position < bytes.count, let base = bytes.baseAddress,
            let found = memchr(base + position, 0x0A, bytes.count - position)
        else { return nil }
        var end = UnsafeRawPointer(found) - base
        let start = position
        position = end + 1
        if end > start, bytes[end - 1] == 0x0D { end -= 1 }
        return UnsafeRawBufferPointer(rebasing: bytes[start..<end])
    }
}
