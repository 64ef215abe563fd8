public import AFCCache
public import AFCDelivery
public import AFCHTTP
internal import AFCPackageFormat
internal import AFCText
public import AFCURL
public import AFCZip

/// A step on the way of a package into a cache, for messages.
public enum IntakeEvent: Sendable {
    /// A file is read.
    case reading(path: String)
    /// A registry is asked for an artifact.
    case asking(RegistryReference)
    /// A request is sent; the loaded version is revalidated if there is one.
    case downloading(WebURL, isUpdate: Bool)
    /// Another process is downloading the same package.
    case waiting(from: String)
    /// A request failed and is sent again after a pause.
    case retrying(from: String, reason: String, pause: Duration)
    /// Bytes arrived, of an expected total if it is known.
    case received(WebURL, Int64, of: Int64?)
    /// The download has ended.
    case ended
    /// The package lacks bodies, since the cache holds them.
    case lacking(bodies: Int)
    /// Without what is loaded, the package is unusable, so the whole package is downloaded.
    case wholePackageNeeded(reason: String)
    /// A patch is applied.
    case patching(from: String)
    /// A loaded package is damaged, so it is loaded again.
    case damaged(package: String, path: String, reason: String)
    /// A place failed, and the next one is tried.
    case nextPlace(after: any Error)
}

/// What a program gives to the way of packages into a cache.
public struct IntakeContext: Sendable {
    /// Does work with the password of an encrypted package, or with nil.
    public typealias Unlocking =
        @Sendable (
            _ package: String,
            _ work: @Sendable (Password?) async throws -> InstallReport
        ) async throws -> InstallReport

    /// The value of User-Agent.
    public var userAgent: String
    /// Returns the current time.
    public var now: @Sendable () -> Timestamp
    /// The servers that packages may be downloaded from.
    public var servers = ServerTrust()
    /// Returns a variable of the environment, for buckets.
    public var variable: @Sendable (_ name: String) -> String? = { _ in nil }
    /// Returns the user's logins for a registry.
    public var logins: @Sendable (RegistryReference) async throws -> RegistryLogins = { _ in RegistryLogins() }
    /// Does work that may need a password; by default, there is none.
    public var unlocking: Unlocking = { _, work in try await work(nil) }
    /// Called with the name of a package once it is loaded, or was loaded already.
    public var afterLoading: @Sendable (_ name: String, DiskCache) async throws -> Void = { _, _ in }
    /// Called with each step.
    public var onEvent: @Sendable (IntakeEvent) -> Void = { _ in }

    /// The time for which a server may send nothing; nil for the default of downloads.
    var readTimeout: Duration?
    /// The servers that this run doesn't ask again.
    let stalled = StalledServers()

    /// Creates a context with the defaults.
    public init(userAgent: String, now: @escaping @Sendable () -> Timestamp) {
        self.userAgent = userAgent
        self.now = now
    }

    /// Returns the settings of a download.
    ///
    /// - Parameter from: What the user named.
    /// - Returns: The settings.
    func download(from: String) -> PackageDownload.Options {
        var options = PackageDownload.Options(userAgent: userAgent, now: now())
        options.servers = servers
        options.readTimeout = readTimeout ?? options.readTimeout
        options.onRetry = { [onEvent] reason, pause in
            onEvent(.retrying(from: PackageSource.shown(from), reason: reason, pause: pause))
        }
        return options
    }

    /// Returns the URL that a user wrote.
    static func url(_ text: String) throws(DeliveryError) -> WebURL {
        do throws(WebURL.ParseError) {
            return try WebURL(text)
        } catch {
            throw DeliveryError(
                .badURL,
                subject: PackageSource.shown(text),
                message: "this is not a valid URL: \(error)"
            )
        }
    }
}
