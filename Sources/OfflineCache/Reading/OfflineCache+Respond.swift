public import HTTPCaching
public import HTTPTypes
public import URLStandard

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// A request that the store is to answer.
public struct OfflineRequest: Sendable, Equatable {
    /// The method.
    public var method: HTTPRequest.Method
    /// The resource.
    public var url: WebURL
    /// The request's fields.
    public var fields: HTTPFields

    /// Creates a request.
    public init(method: HTTPRequest.Method = .get, url: WebURL, fields: HTTPFields = HTTPFields()) {
        self.method = method
        self.url = url
        self.fields = fields
    }
}

/// The answer: what was decided, and the stored body that it takes bytes from.
public struct OfflineResponse: Sendable {
    /// Head and ranges.
    public var resolution: Resolution
    /// The stored body, open, or nil where the answer has none.
    public var body: StoredBody?
    /// The package that the response came in, or nil where there was none.
    public var package: String?
}

extension OfflineCache {
    /// Answers a request from the store alone.
    ///
    /// - Parameters:
    ///   - request: What is asked for.
    ///   - now: The time for which freshness counts.
    ///   - policy: What becomes of a response that is no longer fresh.
    /// - Returns: The answer; also refusals are answers.
    /// - Throws: ``CacheError`` where the index or the body can't be read.
    public func respond(
        to request: OfflineRequest,
        now: Timestamp,
        policy: OfflinePolicy
    ) throws(CacheError) -> OfflineResponse {
        // A package may be replaced between the look-up and the opening of the body; then the look-up finds the new one.
        var missed: Int64?
        while true {
            let snapshot = try snapshot()
            let found = try snapshot.find(request.url)
            let resolution = OfflineResolver.resolve(
                method: request.method,
                request: request.fields,
                stored: found?.resource.response,
                now: now,
                policy: policy
            )
            if let found { found.package.files.recency.touch(found.resource.number, at: now) }
            guard resolution.body != .none, let found, let member = found.resource.member else {
                return OfflineResponse(resolution: resolution, body: nil, package: found?.package.name)
            }
            let path = found.package.files.layout.body(member)
            let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW)
            if descriptor < 0, errno == ENOENT, missed != found.package.generation.id {
                missed = found.package.generation.id
                forgetSnapshot()
                continue
            }
            guard descriptor >= 0 else { throw Self.missing(path, number: errno) }
            let body = StoredBody(descriptor: descriptor, size: found.resource.size, path: path)
            return OfflineResponse(resolution: resolution, body: body, package: found.package.name)
        }
    }

    /// Whether the store has a response for a URL; doesn't count as a use of it.
    ///
    /// - Parameter url: The resource.
    /// - Returns: Whether there is one.
    /// - Throws: ``CacheError`` where the store can't be read.
    public func contains(_ url: WebURL) throws(CacheError) -> Bool { try snapshot().find(url) != nil }

    private static func missing(_ path: String, number: Int32) -> CacheError {
        guard number == ENOENT else { return .system("cannot open the body", path: path, number: number) }
        return CacheError(
            .damaged,
            subject: path,
            message: "the body is missing; 'afcache cache repair' takes it back from its package"
        )
    }
}
