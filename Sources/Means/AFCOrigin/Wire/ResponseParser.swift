package import HTTPTypes
package import NIOCore

/// A pure parser of responses: it is fed with a connection's bytes, and returns events (RFC 9112 §6).
package struct ResponseParser {
    /// A part of a response.
    package enum Event: Equatable, Sendable {
        /// A response before the final one.
        case interim(ResponseHead)
        /// The final response's head; its Transfer-Encoding, and also its Content-Length if both came, apply to this
        /// hop only.
        case head(ResponseHead, length: BodyLength)
        /// Bytes of the body.
        case body(ByteBuffer)
        /// The end, with trailers.
        case end(HTTPFields)
    }

    /// The length of a body.
    package enum BodyLength: Equatable, Sendable {
        /// It has this many bytes.
        case bytes(Int64)
        /// It is chunked.
        case chunked
        /// It ends with the connection.
        case untilClose
    }

    private enum State: Equatable {
        case head
        case bytes(Int64)
        case untilClose
        case chunkSize
        case chunk(Int64)
        case chunkEnd
        case trailers
        case done
    }

    private let method: HTTPRequest.Method
    private let limits: WireLimits
    private let mayUpgrade: Bool
    private var state = State.head
    private var interims = 0
    private var keeps = false
    private var framing = FramingBudget.chunks
    private var progress = ResponseHeadParser.Progress()

    /// Creates a parser for one response.
    ///
    /// - Parameters:
    ///   - method: The method of the request, since the response to HEAD has no body.
    ///   - limits: The limits of a head.
    ///   - mayUpgrade: True if the request asked for another protocol, so that 101 is a valid response.
    package init(method: HTTPRequest.Method, limits: WireLimits = WireLimits(), mayUpgrade: Bool = false) {
        self.method = method
        self.limits = limits
        self.mayUpgrade = mayUpgrade
    }

    /// True if the response is over.
    package var isDone: Bool { state == .done }
    /// True if another request may follow on the connection after this response.
    package var keepsConnection: Bool { keeps && isDone }

    /// Parses the next event.
    ///
    /// - Parameter buffer: The received bytes, from which the parsed ones are removed.
    /// - Returns: The event, or nil if more bytes are needed.
    /// - Throws: ``WireError`` if they aren't valid HTTP.
    package mutating func next(_ buffer: inout ByteBuffer) throws(WireError) -> Event? {
        switch state {
        case .head: return try head(&buffer)
        case .bytes(let left): return bytes(left, &buffer)
        case .untilClose: return buffer.readSlice(length: buffer.readableBytes).flatMap { $0.isEmpty ? nil : .body($0) }
        case .chunkSize: return try chunkSize(&buffer)
        case .chunk(let left):
            let count = min(left, Int64(buffer.readableBytes))
            guard count > 0, let slice = buffer.readSlice(length: Int(count)) else { return nil }
            state = count == left ? .chunkEnd : .chunk(left - count)
            return .body(slice)
        case .chunkEnd:
            guard buffer.readableBytes >= 2 else { return nil }
            guard buffer.readInteger(as: UInt16.self) == 0x0D0A else {
                throw WireError("the response has a chunk that is longer than its size")
            }
            state = .chunkSize
            return try next(&buffer)
        case .trailers:
            guard let trailers = try ResponseHeadParser.takeTrailers(&buffer, &progress, limits) else { return nil }
            state = .done
            return .end(trailers)
        case .done: return nil
        }
    }

    /// Handles the end of the connection.
    ///
    /// - Parameter rest: The bytes that were received but not parsed yet.
    /// - Returns: The end, if the response ends with the connection.
    /// - Throws: ``WireError`` if something is missing; ``WireError/closed`` if there was no response at all.
    package mutating func close(_ rest: ByteBuffer = ByteBuffer()) throws(WireError) -> Event? {
        switch state {
        case .untilClose:
            state = .done
            return .end(HTTPFields())
        case .done: return nil
        case .head where rest.isEmpty && interims == 0: throw .closed
        case .head: throw WireError.cut("the connection closed before the response's head was complete")
        default: throw .truncated
        }
    }

    private mutating func head(_ buffer: inout ByteBuffer) throws(WireError) -> Event? {
        guard let head = try ResponseHeadParser.take(&buffer, &progress, limits) else { return nil }
        if (100..<200).contains(head.status), head.status != 101 {
            interims += 1
            guard interims <= limits.interims else {
                throw .tooManyInterims(limits.interims)
            }
            return .interim(head)
        }
        // RFC 9110 §15.2.2: it is valid only as the response to an Upgrade.
        guard head.status != 101 || mayUpgrade else {
            throw WireError("the origin switched to a protocol that was not requested")
        }
        let length = try head.bodyLength(answering: method)
        // RFC 9112 §6.1: with two lengths, or chunks from a version without them, the end of the response is ambiguous.
        let isDoubtful = head.hasTransferEncoding && (head.hasContentLength || !head.isHTTP11)
        keeps = head.keepsConnection && length != .untilClose && !isDoubtful
        state =
            switch length {
            case .bytes(let count): .bytes(count)
            case .chunked: .chunkSize
            case .untilClose: .untilClose
            }
        return .head(head, length: length)
    }

    private mutating func bytes(_ left: Int64, _ buffer: inout ByteBuffer) -> Event? {
        guard left > 0 else {
            state = .done
            return .end(HTTPFields())
        }
        let count = min(left, Int64(buffer.readableBytes))
        guard count > 0, let slice = buffer.readSlice(length: Int(count)) else { return nil }
        state = .bytes(left - count)
        return .body(slice)
    }

    /// Parses the size of a chunk (RFC 9112 §7.1); extensions are ignored, but not free (§7.1.1).
    private mutating func chunkSize(_ buffer: inout ByteBuffer) throws(WireError) -> Event? {
        let (size, length) = try buffer.withUnsafeReadableBytes { bytes throws(WireError) -> (Int64, Int?) in
            guard let end = bytes.prefix(Self.chunkLineLimit).firstIndex(of: 0x0A) else {
                guard bytes.count < Self.chunkLineLimit else { throw Self.badChunk }
                return (0, nil)
            }
            return (try Self.chunkSize(UnsafeRawBufferPointer(rebasing: bytes[..<end])), end + 1)
        }
        guard let length else { return nil }
        // The end of the chunk's data has two bytes as well.
        try framing.spend(length + 2, on: size)
        buffer.moveReaderIndex(forwardBy: length)
        state = size == 0 ? .trailers : .chunk(size)
        return try next(&buffer)
    }

    /// The most bytes of the line before a chunk's data.
    private static let chunkLineLimit = 4096
    private static let badChunk = WireError("the response has a chunk without a valid size")

    private static func chunkSize(_ line: UnsafeRawBufferPointer) throws(WireError) -> Int64 {
        var size: Int64 = 0
        var digits = 0
        for byte in line {
            guard let digit = hexadecimal(byte) else { break }
            digits += 1
            guard digits <= 15 else { throw badChunk }
            size = size << 4 | digit
        }
        let rest = line.dropFirst(digits)
        guard digits > 0, line.last == 0x0D, let next = rest.first, [0x0D, 0x3B, 0x20, 0x09].contains(next) else {
            throw badChunk
        }
        return size
    }

    private static func hexadecimal(_ byte: UInt8) -> Int64? {
        switch byte {
        case 0x30...0x39: Int64(byte - 0x30)
        case 0x41...0x46: Int64(byte - 0x41 + 10)
        case 0x61...0x66: Int64(byte - 0x61 + 10)
        default: nil
        }
    }
}

extension ResponseHead {
    /// Returns the length of the body (RFC 9112 §6.3).
    func bodyLength(answering method: HTTPRequest.Method) throws(WireError) -> ResponseParser.BodyLength {
        if method == .head || status == 204 || status == 304 || status == 101 { return .bytes(0) }
        if method == .connect, (200..<300).contains(status) { return .bytes(0) }
        if hasTransferEncoding {
            let codings = fields[values: .transferEncoding].flatMap { value in
                value.split(separator: ",").map { Self.trimmed($0).lowercased() }
            }
            if codings == ["chunked"] { return .chunked }
            // The old coding 'identity' changes nothing (RFC 2616 §3.6); bytes in any other would be passed on encoded.
            guard codings.allSatisfy({ $0 == "identity" }) else {
                throw WireError("the response has a transfer coding that was not requested")
            }
        }
        let lengths = Set(
            fields[values: .contentLength].flatMap { value in
                value.split(separator: ",", omittingEmptySubsequences: false).map { String(Self.trimmed($0)) }
            }
        )
        guard let text = lengths.first else { return .untilClose }
        guard lengths.count == 1, !text.isEmpty, text.utf8.allSatisfy({ (0x30...0x39).contains($0) }),
            let count = Int64(text)
        else { throw WireError("the response has no valid Content-Length") }
        return .bytes(count)
    }

    fileprivate var hasTransferEncoding: Bool { !fields[values: .transferEncoding].isEmpty }
    fileprivate var hasContentLength: Bool { !fields[values: .contentLength].isEmpty }
}

extension ByteBuffer {
    /// True if no bytes are left to read.
    package var isEmpty: Bool { readableBytes == 0 }
}
