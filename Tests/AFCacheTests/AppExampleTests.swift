import AFCache
import Foundation
import TestOrigin
import TestSupport
import Testing

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// The examples of docs/reference/app.md; in this suite, since only one test at a time may set the shared cache.
extension CacheTests {
    struct Picture: Sendable {
        var bytes: Int

        init(_ data: Data) throws { bytes = data.count }
    }

    @Test func `the examples of the documentation run`() async throws {
        let scratch = try Scratch()
        let folder = URL(fileURLWithPath: scratch.path("cache"))
        try await TestOrigin.withOrigin(["/a": [.fresh("today")]]) { origin in
            let url = try URL.parsed(origin.base + "/a")

            AFCache.shared = try AFCache(memoryCapacity: 32 << 20, diskCapacity: 512 << 20, directory: folder)
            let session = URLSession(configuration: AFCache.shared.urlSessionConfiguration())
            defer { session.invalidateAndCancel() }

            #expect(try await session.data(from: url).0 == Data("today".utf8))

            let (data, response) = try await AFCache.shared.data(from: url)
            #expect(data == Data("today".utf8))
            #expect(response.statusCode == 200)

            let cache = AFCache.shared
            let picture = try await cache.object(for: url) { data in try Picture(data) }
            #expect(picture.bytes == 5)
            #expect(origin.targets == ["/a"])
            try await cache.close()
        }
        withExtendedLifetime(scratch) {}
    }
}
