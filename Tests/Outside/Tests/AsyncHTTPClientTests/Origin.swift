import AFCAsyncHTTPClient
import AsyncHTTPClient
import Foundation
import HTTPTypes
import Hummingbird
import HummingbirdTesting
import Synchronization

/// The requests that an origin got.
final class Requests: Sendable {
    private let list = Mutex<[String]>([])

    var all: [String] { list.withLock { $0 } }

    func note(_ request: Request) {
        list.withLock { $0.append("\(request.method.rawValue) \(request.head.path ?? "")") }
    }
}

extension CachingHTTPClient.Configuration {
    /// The defaults, with a clock that stands still, so that nothing expires while a test runs.
    static var standing: Self {
        var settings = Self()
        let now = settings.now()
        settings.now = { now }
        return settings
    }
}

/// Runs an origin on a free port, and a cache in a folder of its own.
func withOrigin(
    _ routes: (Router<BasicRequestContext>) -> Void,
    client configuration: HTTPClient.Configuration = .forCache,
    cache settings: CachingHTTPClient.Configuration = .standing,
    _ body: @Sendable @escaping (CachingHTTPClient, String, Requests) async throws -> Void
) async throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "outside-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: folder) }
    let requests = Requests()
    let router = Router()
    router.addMiddleware { Noting(requests: requests) }
    routes(router)
    let client = HTTPClient(configuration: configuration)
    do {
        let app = Application(router: router, configuration: .init(address: .hostname("127.0.0.1", port: 0)))
        try await app.test(.live) { tester in
            let cached = try await CachingHTTPClient(client, path: folder.path, configuration: settings)
            try await body(cached, "http://127.0.0.1:\(tester.port ?? 0)", requests)
            try await cached.shutdown()
        }
    } catch {
        try await client.shutdown()
        throw error
    }
    try await client.shutdown()
}

struct Noting: RouterMiddleware {
    typealias Context = BasicRequestContext

    let requests: Requests

    func handle(
        _ request: Request,
        context: Context,
        next: (Request, Context) async throws -> Response
    ) async throws -> Response {
        requests.note(request)
        return try await next(request, context)
    }
}

/// Makes a response of an origin.
func response(
    _ text: String,
    _ status: HTTPResponse.Status = .ok,
    _ fields: [(String, String)] = [("Cache-Control", "max-age=60")]
) -> Response {
    var headers = HTTPFields()
    for (name, value) in fields {
        guard let name = HTTPField.Name(name) else { continue }
        headers.append(HTTPField(name: name, value: value))
    }
    return Response(status: status, headers: headers, body: .init(byteBuffer: ByteBuffer(string: text)))
}

extension CachingHTTPClient {
    /// Loads a URL, and returns the text and whether the cache had it.
    func text(
        _ url: String,
        _ options: Options = Options(),
        change: (inout HTTPClientRequest) -> Void = { _ in }
    ) async throws -> (text: String, status: UInt, isHit: Bool) {
        var request = HTTPClientRequest(url: url)
        change(&request)
        let response = try await execute(request, timeout: .seconds(60), options: options)
        let body = try await response.body.collect(upTo: 64 << 20)
        let isHit = response.headers.first(name: "cache-status")?.contains("hit") == true
        return (String(buffer: body), response.status.code, isHit)
    }
}
