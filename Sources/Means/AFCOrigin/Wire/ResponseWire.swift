internal import AFCHTTP
internal import AFCURL
internal import HTTPTypes
internal import NIOCore
internal import NIOHPACK
internal import NIOHTTP2

/// A version of HTTP on the wire of one exchange: pure, fed with the channel's messages, and returning events.
protocol ResponseWire {
    /// The messages that the channel delivers.
    associatedtype Inbound: Sendable
    /// The messages that the channel accepts.
    associatedtype Outbound: Sendable

    /// True if the channel carries a single exchange and ends with it.
    static var isStream: Bool { get }

    init()

    /// Begins an exchange, and returns the request's head.
    mutating func begin(_ request: OriginRequest) -> Outbound
    /// Passes bytes through unchanged from now on.
    mutating func beginRaw()
    /// Frames a piece of the request's body.
    func framed(_ bytes: ByteBuffer) -> Outbound
    /// The end of the request's body, or nil for none.
    var bodyEnd: Outbound? { get }

    /// Takes a message, and returns its number of bytes.
    mutating func take(_ inbound: Inbound) -> Int
    /// Returns the next event, or nil if more bytes are needed.
    mutating func next() throws(WireError) -> ResponseParser.Event?
    /// Handles the end of the channel; returns the end of the response if it ends with the channel.
    mutating func close() throws(WireError) -> ResponseParser.Event?
    /// True if another exchange may follow after this one.
    var keepsConnection: Bool { get }
}

/// HTTP/1.1 (RFC 9112).
struct HTTP1Wire: ResponseWire {
    static let isStream = false

    private var parser = ResponseParser(method: .get)
    private var input = ByteBuffer()
    private var isChunked = false
    private var isRaw = false

    mutating func begin(_ request: OriginRequest) -> ByteBuffer {
        parser = ResponseParser(method: request.method, mayUpgrade: request.mayUpgrade)
        isChunked = request.isChunked
        return request.head
    }

    mutating func beginRaw() { isRaw = true }

    func framed(_ bytes: ByteBuffer) -> ByteBuffer {
        guard isChunked else { return bytes }
        var buffer = ByteBufferAllocator().buffer(capacity: bytes.readableBytes + 16)
        buffer.writeString(String(bytes.readableBytes, radix: 16) + "\r\n")
        buffer.writeImmutableBuffer(bytes)
        buffer.writeString("\r\n")
        return buffer
    }

    var bodyEnd: ByteBuffer? { isChunked ? ByteBuffer(string: "0\r\n\r\n") : nil }

    mutating func take(_ inbound: ByteBuffer) -> Int {
        var bytes = inbound
        let count = bytes.readableBytes
        if input.isEmpty {
            input = bytes
        } else if input.readerIndex == 0 {
            input.writeBuffer(&bytes)
        } else {
            // Parts of the body share this storage, so that appending would copy also what was read, and keep it.
            var rest = ByteBufferAllocator().buffer(capacity: input.readableBytes + count)
            rest.writeBuffer(&input)
            rest.writeBuffer(&bytes)
            input = rest
        }
        return count
    }

    mutating func next() throws(WireError) -> ResponseParser.Event? {
        guard isRaw else {
            if let event = try parser.next(&input) { return event }
            // An empty buffer must not keep its memory.
            if input.isEmpty { input = ByteBuffer() }
            return nil
        }
        guard !input.isEmpty else { return nil }
        defer { input = ByteBuffer() }
        return .body(input)
    }

    mutating func close() throws(WireError) -> ResponseParser.Event? { try parser.close(input) }

    var keepsConnection: Bool { parser.keepsConnection && input.isEmpty && !isRaw }
}

/// One stream of HTTP/2 (RFC 9113 §8.1).
struct HTTP2Wire: ResponseWire {
    static let isStream = true

    private let limits = WireLimits()
    private var method = HTTPRequest.Method.get
    private var events: CircularBuffer<ResponseParser.Event> = []
    private var failure: WireError?
    private var interims = 0
    private var framing = FramingBudget.frames
    private var hasHead = false
    private var isDone = false
    /// The bytes of the body that are still missing, if the head states the length.
    private var missing: Int64?

    mutating func begin(_ request: OriginRequest) -> HTTP2Frame.FramePayload {
        method = request.method
        var headers = HPACKHeaders([
            (":method", request.method.rawValue), (":scheme", request.url.scheme),
            (":authority", request.fields[.host] ?? request.url.authority), (":path", request.url.requestTarget),
        ])
        for field in request.fields where field.name != .host && !FieldPolicy.traits(of: field.name).contains(.framing)
        {
            headers.add(name: field.name.canonicalName, value: field.value)
        }
        if let count = request.bodyLength { headers.add(name: "content-length", value: String(count)) }
        return .headers(.init(headers: headers, endStream: request.body == nil))
    }

    mutating func beginRaw() { failure = WireError("a stream cannot carry another protocol") }

    func framed(_ bytes: ByteBuffer) -> HTTP2Frame.FramePayload { .data(.init(data: .byteBuffer(bytes))) }

    var bodyEnd: HTTP2Frame.FramePayload? { .data(.init(data: .byteBuffer(ByteBuffer()), endStream: true)) }

    mutating func take(_ inbound: HTTP2Frame.FramePayload) -> Int {
        switch inbound {
        case .headers(let payload):
            do throws(WireError) {
                try take(payload.headers)
            } catch {
                failure = error
            }
            if payload.endStream { end() }
            return 0
        case .data(let payload):
            guard case .byteBuffer(let bytes) = payload.data else { return 0 }
            if !bytes.isEmpty { events.append(.body(bytes)) }
            // A frame has a head of 9 bytes, and one byte tells the length of the padding (RFC 9113 §6.1).
            let padding = payload.paddingBytes.map { $0 + 1 } ?? 0
            do throws(WireError) {
                try framing.spend(9 + padding, on: Int64(bytes.readableBytes))
            } catch {
                failure = error
            }
            if let count = missing {
                missing = count - Int64(bytes.readableBytes)
                if count < bytes.readableBytes { failure = WireError("the response is longer than its Content-Length") }
            }
            if payload.endStream { end() }
            return bytes.readableBytes
        default: return 0
        }
    }

    private mutating func take(_ headers: HPACKHeaders) throws(WireError) {
        // Fields after the head are trailers.
        guard !hasHead else { return }
        guard let first = headers.first, first.name == ":status", let status = Int(first.value),
            (100...999).contains(status)
        else {
            throw WireError("the response has no valid status")
        }
        var fields = HTTPFields()
        guard headers.count <= limits.lines else { throw .tooManyFields(limits.lines) }
        for (name, value, _) in headers.dropFirst() {
            guard let name = HTTPField.Name(name) else {
                throw WireError("the response has a field without a valid name")
            }
            // RFC 9113 §8.2.2: they make a response malformed, which ends only its stream.
            guard name == .contentLength || !FieldPolicy.traits(of: name).contains(.framing) else {
                throw WireError("the response has a field that is not allowed in HTTP/2")
            }
            fields.append(HTTPField(name: name, value: value))
        }
        // HTTP/2 has no reason phrase; people know the ones of HTTP/1.1.
        let head = ResponseHead(status: status, reason: StatusReason.text(status), isHTTP11: true, fields: fields)
        guard status >= 200 else {
            guard status != 101 else { throw WireError("the origin switched to a protocol that was not requested") }
            interims += 1
            guard interims <= limits.interims else { throw .tooManyInterims(limits.interims) }
            events.append(.interim(head))
            return
        }
        let length = try head.bodyLength(answering: method)
        if case .bytes(let count) = length { missing = count }
        hasHead = true
        events.append(.head(head, length: length))
    }

    private mutating func end() {
        guard failure == nil else { return }
        if !hasHead {
            failure = .cut("the stream ended before a response arrived")
        } else if let missing, missing > 0 {
            failure = .truncated
        } else if !isDone {
            events.append(.end(HTTPFields()))
        }
        isDone = true
    }

    mutating func next() throws(WireError) -> ResponseParser.Event? {
        if let event = events.popFirst() { return event }
        if let failure { throw failure }
        return nil
    }

    mutating func close() throws(WireError) -> ResponseParser.Event? {
        guard hasHead else { throw .closed }
        throw .truncated
    }

    var keepsConnection: Bool { false }
}
