internal import AFCCaching
public import AFCHTTP
internal import AFCOrigin
internal import AFCPackageFormat
public import AFCText
public import AFCURL
internal import AFCZip
internal import HTTPTypes
internal import NIOCore

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
        /// True if packages may come over plain HTTP, where anyone on the network path can alter them.
        public var allowsPlainHTTP = false
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
        /// A file of certificates, in PEM, that are trusted beside the system's.
        public var trustRoots: String?
        /// False if the certificates of https servers aren't verified.
        public var verifiesCertificates = true
        /// Called once where another process gets the same package.
        public var onWait: @Sendable () -> Void = {}
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
    /// - Throws: ``DeliveryError``; a partial download is kept where it can be resumed, else removed.
    @concurrent
    public static func fetch(
        _ url: WebURL,
        into folder: String,
        options: Options,
        onProgress: @escaping @Sendable (Int64, Int64?) -> Void = { _, _ in }
    ) async throws(DeliveryError) -> Outcome {
        try check(url, options)
        if let known = options.known, let sha256 = options.sha256, known.sha256 == sha256 { return .unchanged(known) }
        let part = try await PartialFile.open(for: url, in: folder, onWait: options.onWait)
        let pool = try pool(options, url)
        let transfer = Transfer(url: url, options: options, part: part, pool: pool, onProgress: onProgress)
        let result: Result<Outcome, DeliveryError>
        do throws(DeliveryError) {
            result = .success(try await transfer.run())
        } catch {
            result = .failure(error.keeping(await part.keepWhereResumable()))
        }
        await pool.shutDown()
        return try result.get()
    }

    private static func pool(_ options: Options, _ url: WebURL) throws(DeliveryError) -> OriginPool {
        let trust: OriginTrust
        do throws(OriginTrust.Unreadable) {
            trust = try OriginTrust(file: options.trustRoots, verifies: options.verifiesCertificates)
        } catch {
            let name = PrintableText.quoted(options.trustRoots ?? "")
            throw DeliveryError(.inputOutput, url, "\(name) can't be read as certificates in PEM (\(error.cause))")
        }
        var pool = OriginPool.Options(
            connectTimeout: TimeAmount(options.connectTimeout),
            readTimeout: TimeAmount(options.readTimeout),
            idleTimeout: .seconds(60),
            connectionsPerHost: 1
        )
        // What came before a connection fails is kept, so it is taken as it comes.
        pool.isEager = true
        return OriginPool(pool, trust: trust)
    }

    /// Whether packages are taken from a URL at all, also where a server leads there.
    static func check(_ url: WebURL, redirectedFrom first: WebURL? = nil, _ options: Options) throws(DeliveryError) {
        func refusal(_ message: String, remedy: Remedy? = nil) -> DeliveryError {
            var error = DeliveryError(.badURL, url.removingCredentials, message)
            if let first {
                let target = PrintableText.quoted(url.removingCredentials.description)
                error = DeliveryError(.refusedRedirect, first, "the server redirects to \(target): \(message)")
            }
            error.remedy = remedy
            return error
        }
        guard url.isHTTP else { throw refusal("packages come by https or http") }
        guard !url.hasCredentials else {
            throw refusal("a URL with a password in it is seen by everybody on the machine; leave it out")
        }
        guard url.scheme == "https" || options.sha256 != nil || options.allowsPlainHTTP || url.hostIsLoopbackOrPrivate
        else {
            throw refusal(
                "anybody on the way could change what comes by http; use https, or say what the package must be",
                remedy: .pinPackage
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
