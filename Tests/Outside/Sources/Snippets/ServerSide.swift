import AFCAsyncHTTPClient
import AFCCache
import AFCHTTP
import AFCHummingbird
import AFCURL
import AsyncHTTPClient
import Hummingbird

// The code of docs/reference/server-side.md.

func cachedRequests(folder: String) async throws {
    let http = HTTPClient(configuration: .forCache)
    let client = try await CachingHTTPClient(http, path: folder)

    let request = HTTPClientRequest(url: "https://docs.example/")
    let response = try await client.execute(request, timeout: .seconds(30))
    let page = try await response.body.collect(upTo: 1 << 20)
    print(response.status, page.readableBytes)

    try await client.shutdown()  // writes pending changes to the disk
    try await http.shutdown()
}

func policies(_ client: CachingHTTPClient, _ request: HTTPClientRequest) async throws -> HTTPClientResponse {
    var options = CachingHTTPClient.Options(.returnCacheDataElseLoad, reuse: .returnThenRevalidate)
    options.lifetime = 3600
    let response = try await client.execute(request, timeout: .seconds(30), options: options)
    return response
}

func served() async throws {
    let docs = try PackageMiddleware<BasicRequestContext>(
        packages: ["docs.zip"],
        site: .path("/docs", of: "https://docs.example/")
    )

    let router = Router()
    router.get("/time") { _, _ in "\(ContinuousClock.now)" }
    router.add(middleware: docs)
    try await Application(router: router).runService()
}
