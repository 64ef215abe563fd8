internal import AsyncHTTPClient
public import HTTPCaching
internal import HTTPTypes
internal import NIOCore
public import URLStandard
internal import ZipArchive

/// Gets a package from a server: goes on where an earlier attempt ended, and gets nothing that is known already.
///
/// See docs/delivery.md.
public enum PackageDownload {
    /// What a download may take, and what it must give.
    public struct Options: Sendable {
        /// What is known from the last time; where the server has nothing newer, nothing is sent.
        public var known: RemoteState?
        /// The SHA-256 that the package must have, in lower-case hexadecimal digits.
        public var sha256: String?
        /// Whether http will do where anybody on the way could change the package.
        public var allowsInsecure = false
        /// The most bytes of a package.
        public var maxBytes: Int64 = 64 << 30
        /// How often a connection that failed is tried again.
        public var retries = 5
        /// How long a connection may take to come about.
        public var connectTimeout: Duration = .seconds(15)
        /// How long the server may send nothing.
        public var readTimeout: Duration = .seconds(60)
        /// The first pause before trying again; each next one is twice as long.
        public var pause: Duration = .seconds(1)
        /// What the program calls itself.
        public var userAgent: String
        /// The present time.
        public var now: Timestamp

        /// Creates options with the defaults.
        public init(userAgent: String, now: Timestamp) {
            self.userAgent = userAgent
            self.now = now
        }
    }

    /// What came of it.
    public enum Outcome: Sendable {
        /// The server has what is known already; nothing was kept.
        case unchanged(RemoteState)
        /// The package arrived.
        case arrived(ArrivedPackage)
    }

    /// Gets a package.
    ///
    /// - Parameters:
    ///   - url: Where it is.
    ///   - folder: Where it is kept while it arrives; made where it isn't there.
    ///   - options: What it may take.
    ///   - onProgress: Called now and then with the bytes that are there, and how many there will be.
    /// - Returns: The file, or that nothing changed.
    /// - Throws: ``DeliveryError``; what arrived is kept for the next time.
    @concurrent
    public static func fetch(
        _ url: WebURL,
        into folder: String,
        options: Options,
        onProgress: @escaping @Sendable (Int64, Int64?) -> Void = { _, _ in }
    ) async throws(DeliveryError) -> Outcome {
        try check(url, options)
        let part = try await OffPool.run { () throws(DeliveryError) in try PartialFile(for: url, in: folder) }
        var configuration = HTTPClient.Configuration()
        configuration.redirectConfiguration = .disallow
        configuration.decompression = .disabled
        configuration.httpVersion = .http1Only
        configuration.timeout.connect = TimeAmount(options.connectTimeout)
        configuration.timeout.read = TimeAmount(options.readTimeout)
        configuration.connectionPool.retryConnectionEstablishment = false
        let client = HTTPClient(eventLoopGroupProvider: .singleton, configuration: configuration)
        let transfer = Transfer(url: url, options: options, part: part, client: client, onProgress: onProgress)
        let result: Result<Outcome, DeliveryError>
        do throws(DeliveryError) {
            result = .success(try await transfer.run())
        } catch {
            result = .failure(error)
        }
        // Closing connections can't fail in a way that matters to who has the package, or knows why not.
        try? await client.shutdown()
        return try result.get()
    }

    /// Whether packages are taken from a URL at all.
    private static func check(_ url: WebURL, _ options: Options) throws(DeliveryError) {
        guard url.isHTTP else { throw DeliveryError(.badURL, url, "packages come by https or http") }
        guard !url.hasCredentials else {
            throw DeliveryError(
                .badURL,
                url,
                "a URL with a password in it is seen by everybody on the machine; leave it out"
            )
        }
        guard url.scheme == "https" || options.sha256 != nil || options.allowsInsecure || url.hostIsLoopbackOrPrivate
        else {
            throw DeliveryError(
                .badURL,
                url,
                "anybody on the way could change what comes by http; use https, say '--sha256', ask for a signature with "
                    + "'--require-signature', or accept it with '--insecure'"
            )
        }
    }
}

/// A package that arrived whole; its file goes when nobody holds this any more and ``discard()`` was called.
public final class ArrivedPackage: Sendable {
    /// Where it is.
    public var path: String { part.path }
    /// What to remember for the next time.
    public let state: RemoteState
    private let part: PartialFile

    init(_ part: PartialFile, _ state: RemoteState) {
        self.part = part
        self.state = state
    }

    /// Removes the file, once the package is loaded or found to be of no use.
    public func discard() { part.remove() }
}
