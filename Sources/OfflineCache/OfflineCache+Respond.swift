internal import GRDB
public import HTTPCaching
public import HTTPTypes
internal import PackageFormat
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

/// A body in the store, open: it stays whole for as long as somebody holds it, also when its package is replaced.
public final class StoredBody: Sendable {
    /// The bytes of the body.
    public let size: Int64
    /// Where it lies.
    public let path: String
    private let descriptor: Int32

    fileprivate init(descriptor: Int32, size: Int64, path: String) {
        self.descriptor = descriptor
        self.size = size
        self.path = path
    }

    deinit { close(descriptor) }

    /// Reads at a position until the buffer is full or the body ends; blocks.
    ///
    /// - Returns: How many bytes were read.
    /// - Throws: ``CacheError`` where reading fails.
    public func read(into buffer: UnsafeMutableRawBufferPointer, at offset: Int64) throws(CacheError) -> Int {
        var done = 0
        while done < buffer.count {
            let count = pread(
                descriptor,
                buffer.baseAddress?.advanced(by: done),
                buffer.count - done,
                off_t(offset) + off_t(done)
            )
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { throw .system("cannot read", path: path) }
            if count == 0 { break }
            done += count
        }
        return done
    }
}

extension OfflineCache {
    private struct Found {
        var response: StoredResponse
        var bodyPath: String?
        var package: String
    }

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
        for attempt in 1...3 {
            let found = try find(request.url)
            let resolution = OfflineResolver.resolve(
                method: request.method,
                request: request.fields,
                stored: found?.response,
                now: now,
                policy: policy
            )
            guard resolution.body != .none, let found, let path = found.bodyPath else {
                return OfflineResponse(resolution: resolution, body: nil, package: found?.package)
            }
            let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW)
            if descriptor < 0, errno == ENOENT, attempt < 3 { continue }
            guard descriptor >= 0 else { throw .system("cannot open the body", path: path) }
            let body = StoredBody(descriptor: descriptor, size: found.response.size, path: path)
            return OfflineResponse(resolution: resolution, body: body, package: found.package)
        }
        throw CacheError(
            .inputOutput,
            subject: path,
            message: "the body of '\(request.url)' goes away as fast as it comes"
        )
    }

    private func find(_ url: WebURL) throws(CacheError) -> Found? {
        let sql = """
            SELECT r.status, r.size, r.received, r.fields, r.requestFields, r.sha256, r.member, p.folder, p.name
            FROM resource r JOIN package p ON p.id = r.package
            WHERE r.url = ? ORDER BY r.lastModified DESC, r.package DESC LIMIT 1
            """
        return try read { db in
            let statement = try db.cachedStatement(sql: sql)
            guard let row = try Row.fetchOne(statement, arguments: [url.description]) else { return nil }
            let requestFields: String? = row[4]
            let response = StoredResponse(
                status: row[0],
                fields: try StoredFields.decode(row[3]),
                size: row[1],
                received: Timestamp(secondsSinceEpoch: row[2]),
                sha256: row[5],
                requestFields: try requestFields.map { try StoredFields.decode($0) }
            )
            let member: String? = row[6]
            let folder: String = row[7]
            return Found(
                response: response,
                bodyPath: member.map { layout.package(folder) + "/" + $0 },
                package: row[8]
            )
        }
    }
}
