import AFCPlatform
internal import HTTPTypes
internal import NIOCore

/// A parser of response heads (RFC 9112 §4 and §5) by bytes, since field values may contain any byte from 0x80 on.
enum ResponseHeadParser {
    /// The progress of parsing, from one piece of input to the next.
    struct Progress {
        /// The number of bytes whose lines don't end the head.
        fileprivate var scanned = 0
        /// The number of bytes of the heads before this one.
        fileprivate var taken = 0

        /// Creates the progress for a response of which nothing has arrived.
        init() {}
    }

    /// Parses a head if it is complete.
    ///
    /// - Parameters:
    ///   - buffer: The received bytes, from which the head is removed.
    ///   - progress: The progress for this response.
    ///   - limits: The limits.
    /// - Returns: The head, or nil if more bytes are needed.
    /// - Throws: ``WireError`` if it is malformed or too long.
    static func take(
        _ buffer: inout ByteBuffer,
        _ progress: inout Progress,
        _ limits: WireLimits
    ) throws(WireError) -> ResponseHead? {
        // Bytes that aren't HTTP could continue for long without an empty line.
        guard zip(buffer.readableBytesView, "HTTP/1.".utf8).allSatisfy({ $0 == $1 }) else {
            throw WireError("the response has no valid status line")
        }
        let room = limits.headBytes - progress.taken
        return try take(&buffer, &progress, room, .longHead(limits.headBytes)) { lines throws(WireError) in
            guard let first = lines.next(), let (status, isHTTP11, reason) = statusLine(first) else {
                throw WireError("the response has no valid status line")
            }
            let fields = try Self.fields(&lines, limits: limits)
            return ResponseHead(status: status, reason: reason, isHTTP11: isHTTP11, fields: fields)
        }
    }

    /// Parses trailers if they are complete; nil if more bytes are needed.
    static func takeTrailers(
        _ buffer: inout ByteBuffer,
        _ progress: inout Progress,
        _ limits: WireLimits
    ) throws(WireError) -> HTTPFields? {
        if buffer.readableBytesView.starts(with: [0x0D, 0x0A]) {
            buffer.moveReaderIndex(forwardBy: 2)
            return HTTPFields()
        }
        return try take(&buffer, &progress, limits.trailerBytes, .longTrailers(limits.trailerBytes)) {
            lines throws(WireError) in try fields(&lines, limits: limits)
        }
    }

    private static func take<Value>(
        _ buffer: inout ByteBuffer,
        _ progress: inout Progress,
        _ room: Int,
        _ excess: WireError,
        _ read: (inout LineReader) throws(WireError) -> Value
    ) throws(WireError) -> Value? {
        let (value, length) = try buffer.withUnsafeReadableBytes { bytes throws(WireError) -> (Value?, Int) in
            guard let length = Self.length(of: bytes.prefix(room), &progress) else {
                guard bytes.count < room else { throw excess }
                return (nil, 0)
            }
            var lines = LineReader(UnsafeRawBufferPointer(rebasing: bytes[..<length]))
            return (try read(&lines), length)
        }
        if value != nil {
            progress.scanned = 0
            progress.taken += length
        }
        buffer.moveReaderIndex(forwardBy: length)
        return value
    }

    /// Returns the length of a head with the empty line that ends it; nil if that is missing.
    private static func length(of bytes: Slice<UnsafeRawBufferPointer>, _ progress: inout Progress) -> Int? {
        var lines = LineReader(UnsafeRawBufferPointer(rebasing: bytes), from: progress.scanned)
        // An empty line before all others doesn't end the head.
        if progress.scanned == 0 { _ = lines.next() }
        while let line = lines.next() {
            if line.isEmpty { return lines.position }
        }
        progress.scanned = lines.position
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
        var isIgnored = false
        while let line = lines.next(), let first = line.first {
            count += 1
            guard count <= limits.lines else { throw .tooManyFields(limits.lines) }
            // RFC 9112 §5.2: a folded line continues the value, with a space in place of the fold.
            if first == 0x20 || first == 0x09 {
                guard !isIgnored else { continue }
                guard let field = pending else { throw WireError("the response begins with a folded field") }
                pending?.folded = (field.folded ?? Array(field.value)) + [0x20] + Array(trimmed(line))
                continue
            }
            if let field = pending { try append(field.name, field.value, field.folded, to: &fields) }
            pending = nil
            let colon = line.firstIndex(of: 0x3A) ?? line.count
            // RFC 9112 §5.1: white space before the colon of a response is removed.
            let name = trimmed(UnsafeRawBufferPointer(rebasing: line[..<colon]))
            isIgnored = false
            if colon < line.count, let name = HTTPField.Name(String(decoding: name, as: UTF8.self)) {
                pending = (name, trimmed(UnsafeRawBufferPointer(rebasing: line[(colon + 1)...])), nil)
            } else {
                // As browsers do, unless another reader could take the line for one that frames the body.
                guard !mayFrame(name), !hasControls(line) else {
                    throw WireError("the response has a line that is not a field")
                }
                isIgnored = true
            }
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
        guard !hasControls(value) else {
            throw WireError("the response has a field with a control character")
        }
        fields.append(HTTPField(name: name, value: value))
    }

    /// Returns true if bytes have a character that ends a line, or a text, for some readers.
    private static func hasControls(_ bytes: some Collection<UInt8>) -> Bool {
        bytes.contains { $0 == 0 || $0 == 0x0D }
    }

    /// Returns true if the letters of a malformed name are those of a field that frames the body.
    private static func mayFrame(_ name: UnsafeRawBufferPointer) -> Bool {
        let letters = String(
            decoding: name.filter { (0x61...0x7A).contains($0 | 0x20) }.map { $0 | 0x20 },
            as: UTF8.self
        )
        return letters.contains("contentlength") || letters.contains("transferencoding")
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
    private(set) var position: Int

    init(_ bytes: UnsafeRawBufferPointer, from position: Int = 0) {
        self.bytes = bytes
        self.position = position
    }

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
