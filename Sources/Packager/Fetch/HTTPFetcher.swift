internal import AsyncHTTPClient
internal import HTTPTypes
internal import NIOCore
internal import NIOHTTP1
internal import NIOHTTPCompression
internal import NIOPosix
internal import NIOSSL
internal import OriginClient
internal import URLStandard

/// Fetches over HTTP/1.1 with kept connections; removes gzip and deflate from bodies.
public struct HTTPFetcher: Fetcher {
    /// What a fetch may take.
    public struct Options: Sendable, Equatable {
        /// How long a connection may take to come about.
        public var connectTimeout: Duration = .seconds(15)
        /// How long the origin may send nothing.
        public var readTimeout: Duration = .seconds(60)
        /// How many times larger than its coded form a body may be.
        public var maxExpansion: Int = 250
        /// How many connections to one host are kept.
        public var connectionsPerHost: Int = 8

        /// Names below `localhost` that lead to this machine.
        public var localNames: [String] = []

        /// Creates the defaults.
        public init() {}
    }

    /// What a request says that names no coding of its own.
    public static let acceptEncoding = "gzip, deflate"

    private let client: HTTPClient
    private let readTimeout: Duration

    private init(client: HTTPClient, options: Options) {
        self.client = client
        readTimeout = options.readTimeout
    }

    /// Gives a fetcher to the body, and closes its connections afterwards, however the body ends.
    public static func withFetcher<Result: Sendable>(
        options: Options = Options(),
        _ body: (HTTPFetcher) async throws -> Result
    ) async throws -> Result {
        var configuration = HTTPClient.Configuration.oneExchange
        configuration.decompression = .enabled(limit: .ratio(options.maxExpansion))
        configuration.timeout.connect = TimeAmount(options.connectTimeout)
        configuration.timeout.read = TimeAmount(options.readTimeout)
        configuration.connectionPool.concurrentHTTP1ConnectionsPerHostSoftLimit = options.connectionsPerHost
        // Browsers lead these names to the own machine; not every system's resolver does (RFC 6761 §6.3).
        for name in options.localNames { configuration.dnsOverride[name] = "127.0.0.1" }
        let client = HTTPClient(eventLoopGroupProvider: .singleton, configuration: configuration)
        do {
            let result = try await body(HTTPFetcher(client: client, options: options))
            try await client.shutdown()
            return result
        } catch {
            try await client.shutdown()
            throw error
        }
    }

    /// Fetches; see ``Fetcher``.
    public func fetch<Receiver: ResponseReceiver>(_ request: FetchRequest, into receiver: inout Receiver) async throws {
        let outgoing = HTTPClientRequest(request.url, fields: request.fields.map { ($0.name.rawName, $0.value) })
        do {
            let response = try await client.execute(outgoing, deadline: .now() + .hours(24))
            let head = try Self.head(response)
            guard try receiver.begin(head) else { return }
            var received: Int64 = 0
            for try await buffer in response.body {
                received += Int64(buffer.readableBytes)
                let wantsMore = try buffer.withUnsafeReadableBytes { bytes throws(FetchFailure) in
                    try receiver.append(bytes)
                }
                guard wantsMore else { return }
            }
            if head.coding == nil, let length = head.declaredLength, length != received { throw FetchFailure.truncated }
        } catch {
            throw Self.failure(error)
        }
    }

    private static func head(_ response: HTTPClientResponse) throws(FetchFailure) -> FetchHead {
        var fields = HTTPFields()
        for (name, value) in response.headers {
            guard let name = HTTPField.Name(name) else { continue }
            fields.append(HTTPField(name: name, value: value))
        }
        let codings = fields[values: .contentEncoding].flatMap { $0.split(separator: ",") }
            .map { $0.trimmingSpace().lowercased() }
            .filter { $0 != "identity" && !$0.isEmpty }
        var head = FetchHead(
            status: Int(response.status.code),
            reason: response.status.reasonPhrase,
            fields: fields
        )
        guard let coding = codings.first else { return head }
        guard codings.count == 1, ["gzip", "deflate"].contains(coding) else {
            throw .coding(codings.joined(separator: ", "))
        }
        head.coding = coding
        return head
    }

    private static func failure(_ error: any Error) -> any Error {
        switch error {
        case is CancellationError, is FetchFailure: return error
        case let error as HTTPClientError: return failure(error)
        case NIOHTTPDecompression.DecompressionError.limit: return FetchFailure.expansion
        case is NIOHTTPDecompression.DecompressionError: return FetchFailure.coding("gzip or deflate")
        case is NIOHTTPDecompression.ExtraDecompressionError: return FetchFailure.truncated
        case HTTPParserError.invalidEOFState: return FetchFailure.truncated
        case let error as HTTPParserError: return FetchFailure.connection("no HTTP (\(error))")
        case let error as NIOConnectionError:
            if error.dnsAError != nil || error.dnsAAAAError != nil, error.connectionErrors.isEmpty {
                return FetchFailure.unknownHost
            }
            return error.connectionErrors.first.map { failure($0.error) } ?? FetchFailure.connection("no address")
        case let error as IOError:
            return error.errnoCode == ECONNREFUSED ? FetchFailure.refused : FetchFailure.connection("\(error)")
        case let error as NIOSSLError: return FetchFailure.tls("\(error)")
        case let error as NIOSSLExtraError: return FetchFailure.tls("\(error)")
        case is ChannelError: return FetchFailure.connection("it was closed")
        default: return FetchFailure.connection("\(error)")
        }
    }

    private static func failure(_ error: HTTPClientError) -> any Error {
        switch error {
        case .cancelled: CancellationError()
        case .connectTimeout, .readTimeout, .writeTimeout, .deadlineExceeded, .getConnectionFromPoolTimeout,
            .tlsHandshakeTimeout:
            FetchFailure.timeout
        case .remoteConnectionClosed: FetchFailure.connection("it was closed before the end")
        default: FetchFailure.connection(error.shortDescription)
        }
    }
}

extension FetchHead {
    /// What Content-Length says, where Transfer-Encoding doesn't overrule it (RFC 9112 §6.3).
    fileprivate var declaredLength: Int64? {
        fields[.transferEncoding] == nil ? fields[.contentLength].flatMap { Int64($0) } : nil
    }
}

extension Substring {
    fileprivate func trimmingSpace() -> Substring {
        var text = self
        while text.first == " " || text.first == "\t" { text.removeFirst() }
        while text.last == " " || text.last == "\t" { text.removeLast() }
        return text
    }
}
