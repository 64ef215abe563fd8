internal import AFCCaching
public import AFCHTTP
public import AFCURL
internal import HTTPTypes
internal import NIOCore
internal import NIOHTTP1

/// What a log tells of one answer.
public struct AccessRecord: Sendable, Equatable, CustomStringConvertible {
    /// The request's method.
    public var method: String
    /// The request target as sent; it may hold anything that a client wants in a log.
    public var target: String
    /// The protocol, such as `HTTP/1.1`.
    public var version: String
    /// The client's address.
    public var remoteAddress: String?
    /// What the client says about where it found the link.
    public var referer: String?
    /// What the client says about itself.
    public var userAgent: String?
    /// When the request came.
    public var time: Timestamp
    /// How long it took from the request's head on, in microseconds.
    public var microseconds: Int64 = 0
    /// The resource that was meant, where one was.
    public var url: WebURL?
    /// The status that went out.
    public var status: Int
    /// The bytes of the body that were handed to the connection.
    public var bytes: Int64 = 0
    /// What Cache-Status says.
    public var cacheStatus: String
    /// Whether the whole answer was handed to the connection; not so when the client left or a body was damaged.
    public var isComplete = false

    init(_ request: ServerRequest, answer: ServerAnswer, time: Timestamp) {
        method = request.method
        target = request.target
        version = request.version == .http2 ? "HTTP/2.0" : request.version == .http11 ? "HTTP/1.1" : "HTTP/1.0"
        remoteAddress = request.remoteAddress
        referer = request.fields[.referer]
        userAgent = request.fields[.userAgent]
        self.time = time
        url = answer.url
        status = answer.status.code
        cacheStatus = answer.fields[.cacheStatus] ?? ""
    }

    init(_ head: HTTPRequestHead, hot: HotAnswer) {
        method = head.method.rawValue
        target = head.uri
        version = "HTTP/1.1"
        referer = head.headers.first(name: "referer")
        userAgent = head.headers.first(name: "user-agent")
        time = hot.repetition.made
        url = hot.url
        status = hot.status
        cacheStatus = hot.cacheStatus
        bytes = Int64(hot.bodyBytes)
        isComplete = true
    }

    /// One line: status, method, bytes, the URL that was meant or else the target, and Cache-Status.
    public var description: String {
        let subject = url?.description ?? String(String.UnicodeScalarView(target.unicodeScalars.map(Self.printable)))
        return "\(status) \(method) \(bytes) \(subject) (\(cacheStatus))\(isComplete ? "" : " incomplete")"
    }

    /// Terminals act on control characters, and a line must stay one.
    private static func printable(_ scalar: Unicode.Scalar) -> Unicode.Scalar {
        (0x21...0x7E).contains(scalar.value) ? scalar : "?"
    }
}
