internal import AFCCaching
public import AFCHTTP
internal import AFCOrigin
public import AFCPackageFile
internal import AFCPackageFormat
public import AFCText
public import AFCURL
internal import AFCZip
internal import HTTPTypes
internal import NIOCore

/// The download of a package from a server, which resumes an earlier attempt and transfers nothing that is already
/// known.
///
/// See docs/reference/delivery.md.
public enum PackageDownload {
    /// Returns the members of a package whose bodies the caller holds, by the SHA-256 of their records.
    ///
    /// Of the package, only the members that describe it are there. An error means that the whole package is downloaded.
    public typealias HeldMembers = @Sendable (_ package: PackageReader) throws -> MemberSet

    /// The settings of a download.
    public struct Options: Sendable {
        /// The state of the last download; if the server has nothing newer, it sends no body.
        public var known: RemoteState?
        /// The SHA-256 that the package must have, in lower-case hexadecimal digits.
        public var sha256: String?
        /// The digest of contents that the caller requires of the package, in lower-case hexadecimal digits.
        ///
        /// It isn't checked here, but a known state that has it needs no request.
        public var digest: String?
        /// Returns what the caller holds already, so that only the rest of a package is downloaded; nil to download the
        /// whole package, as ``sha256`` does, too.
        public var heldMembers: HeldMembers?
        /// The servers that are asked.
        public var servers = ServerTrust()
        /// The largest package that is accepted, in bytes.
        public var maxBytes: Int64 = 64 << 30
        /// The number of retries after a connection failed.
        public var retries = 5
        /// False if another server has the package, so that it is asked as soon as this one lets a time limit pass.
        public var retriesTimeouts = true
        /// The time in which a connection must be established.
        public var connectTimeout: Duration = .seconds(15)
        /// The time for which the server may send nothing.
        public var readTimeout: Duration = .seconds(60)
        /// The pause before the first retry; each next one is twice as long.
        public var pause: Duration = .seconds(1)
        /// The value of Authorization for one origin, such as a registry; nothing else gets it.
        var authorization: (origin: String, value: String)?
        /// What signs requests to one origin, which has a bucket.
        var bucket: (origin: String, access: BucketAccess)?
        /// The moment of ``now``, by a clock that only counts.
        private let started = ContinuousClock.now
        /// The longest time to wait for another process that is downloading the same package; nil for no limit.
        public var waitLimit: Duration?
        /// A closure called once if another process is downloading the same package.
        public var onWait: @Sendable () -> Void = {}
        /// Returns the state of the last download once another process has ended its own of the same package, so that
        /// nothing is downloaded twice; nil if there is none that is of use.
        package var knownAfterWait: (@Sendable () async -> RemoteState?)?
        /// A closure called before each pause after a failure, with the reason as a sentence and the pause.
        public var onRetry: @Sendable (_ reason: String, _ pause: Duration) -> Void = { _, _ in }
        /// The value of User-Agent.
        public var userAgent: String
        /// The current time.
        public var now: Timestamp

        /// Creates options with the defaults.
        public init(userAgent: String, now: Timestamp) {
            self.userAgent = userAgent
            self.now = now
        }

        /// The time of a request, which may come long after the start.
        var requestTime: Timestamp { now + (ContinuousClock.now - started).components.seconds }

        /// Returns the URL of an object in a bucket, and signs requests to its origin.
        ///
        /// - Parameters:
        ///   - text: `s3://BUCKET/KEY`.
        ///   - access: Where the bucket is, and the credentials.
        /// - Returns: The URL.
        /// - Throws: ``DeliveryError`` with the code `badURL`.
        public mutating func find(_ text: String, in access: BucketAccess) throws(DeliveryError) -> WebURL {
            let url = try access.url(text)
            bucket = (url.origin, access)
            return url
        }
    }

    /// The result of a download.
    public enum Outcome: Sendable {
        /// The server has nothing newer; no file was kept.
        case unchanged(RemoteState)
        /// The package was downloaded.
        case arrived(ArrivedPackage)
    }

    /// Downloads a package.
    ///
    /// - Parameters:
    ///   - url: The package's URL.
    ///   - folder: The folder for the partial download; created if it is missing.
    ///   - options: The settings.
    ///   - onProgress: A closure called from time to time with the bytes received and the expected total.
    /// - Returns: The file, or that nothing changed.
    /// - Throws: ``DeliveryError``; a partial download is kept if it can be resumed, and removed otherwise.
    @concurrent
    public static func fetch(
        _ url: WebURL,
        into folder: String,
        options: Options,
        onProgress: @escaping @Sendable (Int64, Int64?) -> Void = { _, _ in }
    ) async throws(DeliveryError) -> Outcome {
        try check(url, options)
        if let known = options.known, known.hasPins(sha256: options.sha256, digest: options.digest) {
            return .unchanged(known)
        }
        var (options, hasWaited) = (options, false)
        let part = try await PartialFile.open(for: url, in: folder, within: options.waitLimit) {
            hasWaited = true
            options.onWait()
        }
        if hasWaited, let known = await options.knownAfterWait?() { options.known = known }
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

    /// The result of a delivery.
    public enum Delivery<Loaded: Sendable>: Sendable {
        /// The server has nothing newer.
        case unchanged(RemoteState)
        /// The package was downloaded and loaded.
        case loaded(Loaded)
    }

    /// Downloads a package and has it loaded; the downloaded file is removed afterwards.
    ///
    /// If a package that lacks bodies can't be loaded for a reason that may lie in this alone, the whole package is
    /// downloaded, once.
    ///
    /// - Parameters:
    ///   - url: The package's URL.
    ///   - folder: The folder for the partial download; created if it is missing.
    ///   - options: The settings.
    ///   - onProgress: A closure called from time to time with the bytes received and the expected total.
    ///   - isCuredByWholePackage: Returns whether an error of loading may be due to what a package lacks.
    ///   - load: Loads the package. If it fails, it may have discarded the file.
    /// - Returns: What was loaded, or that nothing changed.
    /// - Throws: ``DeliveryError``, and errors of loading.
    public static func deliver<Loaded: Sendable>(
        _ url: WebURL,
        into folder: String,
        options: Options,
        onProgress: @escaping @Sendable (Int64, Int64?) -> Void = { _, _ in },
        isCuredByWholePackage: (any Error) -> Bool,
        load: (ArrivedPackage) async throws -> Loaded
    ) async throws -> Delivery<Loaded> {
        var options = options
        while true {
            switch try await fetch(url, into: folder, options: options, onProgress: onProgress) {
            case .unchanged(let state): return .unchanged(state)
            case .arrived(let package):
                do {
                    let loaded = try await load(package)
                    package.discard()
                    return .loaded(loaded)
                } catch {
                    guard !package.lacking.isEmpty, isCuredByWholePackage(error) else { throw error }
                    package.discard()
                    options.heldMembers = nil
                }
            }
        }
    }

    static func pool(_ options: Options, _ url: WebURL) throws(DeliveryError) -> OriginPool {
        let trust: OriginTrust
        do throws(OriginTrust.Unreadable) {
            trust = try OriginTrust(options.servers.access)
        } catch {
            let name = PrintableText.quoted(options.servers.access.trustRoots ?? "")
            throw DeliveryError(.inputOutput, url, "\(name) is not a valid PEM file of certificates (\(error.cause))")
        }
        var pool = OriginPool.Options(
            connectTimeout: TimeAmount(options.connectTimeout),
            readTimeout: TimeAmount(options.readTimeout),
            idleTimeout: .seconds(60),
            connectionsPerOrigin: RangedTransfer.connections
        )
        // Bytes received before a connection fails are kept, so they are taken as they arrive.
        pool.isEager = true
        pool.certificateClock = { options.requestTime.secondsSinceEpoch }
        pool.proxies = options.servers.access.proxies
        return OriginPool(pool, trust: trust)
    }

    /// Checks that packages, or what a text names, may be downloaded from a URL, which may be the target of a redirect.
    static func check(
        _ url: WebURL,
        of what: String = "a package",
        redirectedFrom first: WebURL? = nil,
        remedy: Remedy = .pinPackage,
        _ options: Options
    ) throws(DeliveryError) {
        func refusal(_ message: String, remedy: Remedy? = nil) -> DeliveryError {
            var error = DeliveryError(.badURL, url, message)
            if let first {
                let target = PrintableText.quoted(url.shown)
                error = DeliveryError(.refusedRedirect, first, "the server redirects to \(target): \(message)")
            }
            error.remedy = remedy
            return error
        }
        guard url.isHTTP else { throw refusal("only https and http URLs are supported") }
        guard !url.hasCredentials else {
            throw refusal("other users of this machine can see a password in a URL; remove it from the URL")
        }
        let isPinned = options.sha256 != nil || options.digest != nil
        guard url.scheme == "https" || isPinned || options.servers.allowsPlainHTTP || url.hostIsLoopbackOrPrivate else {
            throw refusal(
                "anyone on the network path can alter \(what) that is sent over http",
                remedy: remedy
            )
        }
    }
}

/// A completely downloaded package; its file is removed by ``discard()``.
public final class ArrivedPackage: Sendable {
    /// The path of the file.
    public var path: String { part.path }
    /// The state to remember for the next download.
    public let state: RemoteState
    /// The members whose data the file lacks, since the caller holds their bodies.
    public let lacking: MemberSet
    private let part: PartialFile

    init(_ part: PartialFile, _ state: RemoteState, lacking: MemberSet = MemberSet()) {
        self.part = part
        self.state = state
        self.lacking = lacking
    }

    /// Removes the file, once the package is loaded or turns out to be unusable.
    public func discard() { part.remove() }
}
