internal import AFCCache
internal import AFCChannel
internal import AFCDelivery
internal import AFCDelta
internal import AFCFiles
internal import AFCPackageFile
internal import AFCPackageFormat
internal import AFCResolver
internal import AFCText
public import Foundation

extension AFCache {
    /// The error of a cache: a code, a sentence, what to do about it, and the error below it.
    ///
    /// Tasks of URL sessions fail with ``urlError`` instead. A cancelled task gets `CancellationError`.
    public struct Failure: Error, LocalizedError, CustomNSError, CustomStringConvertible, Sendable {
        /// The kinds of failure.
        public enum Code: String, Sendable, CaseIterable {
            /// The cache is in offline mode, and nothing is stored for the request.
            case offline
            /// The system has no network.
            case noNetwork
            /// Nothing is stored for a request that must not reach the origin.
            case notStored
            /// The host name doesn't exist.
            case unknownHost
            /// The origin can't be reached, or refuses the connection.
            case unreachable
            /// The origin sent nothing for too long, or the response took too long.
            case timedOut
            /// The origin broke off.
            case connectionLost
            /// The origin's certificate isn't trusted or isn't accepted.
            case untrusted
            /// TLS failed otherwise.
            case noTLS
            /// The origin sent no valid HTTP, or a status that isn't a success where one is needed.
            case badResponse
            /// There were too many redirects.
            case tooManyRedirects
            /// The body is larger than ``AFCache/AFCache/Configuration/largestData``.
            case tooLarge
            /// The body isn't what its content coding says.
            case badCoding
            /// The URL isn't http or https, or none at all.
            case badURL
            /// The body of the request can't be read, or not twice.
            case badBody
            /// The cache was closed.
            case closed
            /// Another process is changing the cache.
            case busy
            /// There is no room: on the disk, or within the cache's limits.
            case full
            /// The folder isn't a cache, or one that this version can't read.
            case noCache
            /// A line of ``AFCache/AFCache/Configuration/trustedPackageKeys`` isn't a public key.
            case badKey
            /// What is stored is damaged.
            case damaged
            /// There is no package with the name, or none before it.
            case noPackage
            /// A package, patch or channel is damaged, or isn't one, or doesn't fit what is installed.
            case badPackage
            /// No trusted key has signed the package or channel, or it is older than the known one.
            case untrustedPackage
            /// The channel has expired.
            case expiredChannel
            /// A file or folder can't be read or written.
            case inputOutput
            /// Something else; see ``cause``.
            case other
        }

        /// The kind of failure.
        public let code: Code
        /// A sentence that names what failed and why; lower case, no full stop.
        public let description: String
        /// The error below; nil if there is none.
        public let cause: (any Error)?
        /// The code that a URL loading system has for the failure.
        public let urlErrorCode: URLError.Code
        private let url: URL?

        /// What to do about it, as a sentence; nil if the description says everything.
        public var remedy: String? { code.remedy }

        /// The same as the error of a URL session.
        public var urlError: URLError { URLError(urlErrorCode, failing: url, reason: description, cause: cause) }

        /// The domain of URL sessions' errors.
        public static var errorDomain: String { NSURLErrorDomain }
        /// The number of ``urlErrorCode``.
        public var errorCode: Int { urlErrorCode.rawValue }
        /// The sentences for Foundation.
        public var errorUserInfo: [String: Any] { urlError.userInfo }
        /// The same as ``description``.
        public var errorDescription: String? { description }
        /// The same as ``remedy``.
        public var recoverySuggestion: String? { remedy }
    }
}

extension AFCache.Failure.Code {
    fileprivate var remedy: String? {
        switch self {
        case .offline: "load it before, for example with 'prefetch', or turn offline mode off"
        case .noNetwork, .unreachable, .timedOut, .connectionLost: "try again when the network is better"
        case .notStored: "load it before, or use another cache policy"
        case .untrusted: "trust the authority of the certificate with 'Configuration.certificates' if it is yours"
        case .tooLarge: "read it with 'bytes(for:)' or 'file(for:)', or raise 'Configuration.largestData'"
        case .badBody: "use 'httpBody' or 'upload(for:fromFile:)', which can be sent again"
        case .busy: "try again when the other process is done"
        case .full: "raise the capacity, or free room on the disk"
        case .noCache: "use another folder, or remove this one"
        case .untrustedPackage: "ask its publisher, and add the key to those that you trust if it is the publisher's"
        case .expiredChannel: "ask its publisher to sign the channel again"
        case .damaged: "load it again, or remove the folder"
        case .closed: "open the cache again"
        default: nil
        }
    }
}

extension AFCache.Failure {
    /// Returns the error for a caller: cancellation as it is, everything else as a failure.
    static func of(_ error: any Error) -> any Error {
        error is CancellationError ? error : failure(error)
    }

    /// Returns the error for a task of a URL session.
    static func ofSession(_ error: any Error) -> any Error {
        error is URLError || error is CancellationError ? error : failure(error).urlError
    }

    private static func failure(_ error: any Error) -> AFCache.Failure {
        switch error {
        case let failure as AFCache.Failure: return failure
        case let error as URLError: return AFCache.Failure(error)
        case let error as CacheError: return AFCache.Failure(code(error), "\(error)", error)
        case let error as DeliveryError: return AFCache.Failure(code(error.code), "\(error)", error)
        case let error as PackageError: return AFCache.Failure(code(error.code), "\(error)", error)
        case let error as ChannelError: return AFCache.Failure(code(error.code), "\(error)", error)
        case let error as PatchError: return AFCache.Failure(code(error.code), "\(error)", error)
        case let error as PublicKey.Malformation: return AFCache.Failure(.badKey, "\(error)", error)
        case let error as FileError: return AFCache.Failure(.inputOutput, error.description, error)
        default: return AFCache.Failure(.other, "\(error)", error)
        }
    }

    private init(_ code: Code, _ description: String, _ cause: any Error) {
        (self.code, self.description, self.cause, url) = (code, description, cause, nil)
        urlErrorCode =
            switch code {
            case .full, .inputOutput: .cannotWriteToFile
            case .damaged, .noCache, .busy: .cannotOpenFile
            default: .unknown
            }
    }

    private init(_ error: URLError) {
        let cause = error.userInfo[NSUnderlyingErrorKey] as? any Error
        (code, self.cause, urlErrorCode) = (Self.code(error.code, cause), cause, error.code)
        url = error.userInfo[NSURLErrorFailingURLErrorKey] as? URL
        description =
            error.userInfo[NSLocalizedDescriptionKey] as? String
            ?? "cannot load '\(url?.absoluteString ?? "")': \(code.rawValue) (\(error.code.rawValue))"
    }

    private static func code(_ code: URLError.Code, _ cause: (any Error)?) -> Code {
        switch code {
        case .notConnectedToInternet: cause is TransportFailure ? .noNetwork : .offline
        case .resourceUnavailable: cause == nil ? .notStored : .unreachable
        case .cannotFindHost: .unknownHost
        case .cannotConnectToHost: .unreachable
        case .timedOut: .timedOut
        case .networkConnectionLost: .connectionLost
        case .serverCertificateUntrusted, .serverCertificateHasBadDate, .serverCertificateNotYetValid: .untrusted
        case .secureConnectionFailed: .noTLS
        case .badServerResponse: .badResponse
        case .httpTooManyRedirects: .tooManyRedirects
        case .dataLengthExceedsMaximum: .tooLarge
        case .cannotDecodeContentData: .badCoding
        case .badURL, .unsupportedURL: .badURL
        case .requestBodyStreamExhausted: .badBody
        case .cannotLoadFromNetwork: .closed
        default: .other
        }
    }

    private static func code(_ error: CacheError) -> Code {
        switch error.code {
        case .busy: .busy
        case .full: .full
        case .noCache, .newerCache, .olderCache, .badPath: .noCache
        case .damaged, .bodyMissing: .damaged
        case .inputOutput: .inputOutput
        case .noPackage, .noPrevious: .noPackage
        case .olderPackage: .untrustedPackage
        case .package(let code): self.code(code)
        case .badName, .cancelled: .other
        }
    }

    private static func code(_ code: PackageError.Code) -> Code {
        switch code {
        case .untrusted: .untrustedPackage
        case .inputOutput, .unwritable: .inputOutput
        case .invalidArchive, .invalidPackage, .locked: .badPackage
        case .cancelled: .other
        }
    }

    private static func code(_ code: DeliveryError.Code) -> Code {
        switch code {
        case .badURL: .badURL
        case .refusedRedirect, .status, .protocolViolation, .tooLarge: .badResponse
        case .connection: .unreachable
        case .timeout: .timedOut
        case .digest: .badPackage
        case .inputOutput: .inputOutput
        case .busy: .busy
        case .cancelled: .other
        }
    }

    private static func code(_ code: ChannelError.Code) -> Code {
        switch code {
        case .malformed, .unsuitable: .badPackage
        case .untrusted, .wrongSignature, .otherName, .rollback, .fastForward: .untrustedPackage
        case .expired: .expiredChannel
        }
    }

    private static func code(_ code: PatchError.Code) -> Code {
        switch code {
        case .package(let code): self.code(code)
        case .invalid, .misfit, .unsuitable: .badPackage
        case .cancelled: .other
        }
    }

    /// Runs the work of a public function.
    ///
    /// - Throws: `Failure`, or `CancellationError`.
    static func of<Value>(_ work: () throws -> Value) throws -> Value {
        do { return try work() } catch { throw of(error) }
    }

    /// Runs the work of a public function.
    ///
    /// - Throws: `Failure`, or `CancellationError`.
    static func of<Value>(
        isolation: isolated (any Actor)? = #isolation,
        _ work: () async throws -> Value
    ) async throws -> Value {
        do { return try await work() } catch { throw of(error) }
    }
}
