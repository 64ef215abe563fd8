import AFCCache
import AFCDelivery
import AFCHTTP
import AFCPackageFile
import AFCPackageFormat
import AFCText
import AFCURL
import Foundation
import Synchronization
import TestOrigin
import TestSupport
import Testing

@testable import AFCProvisioning

/// Packages with two mirrors, the first of which lets time limits pass.
@Suite(.timeLimit(.minutes(10)))
struct StalledMirrorTests {
    private static let now = Timestamp(secondsSinceEpoch: 1_800_000_000)

    private static func package(_ name: String, _ scratch: Scratch) async throws -> [UInt8] {
        let url = try WebURL("http://\(name).example/")
        let resource = PackageWriter.Resource(
            record: ResourceRecord(url: url, fetched: now, size: 4),
            entry: ManifestEntry(url: url, lastModified: now, mediaType: "text/plain"),
            body: .bytes(Array("body".utf8)),
            isCompressible: false
        )
        let path = scratch.path(name + ".zip")
        _ = try await PackageWriter.write([resource], to: path, options: .init(created: now, generator: "test/1"))
        return try scratch.read(name + ".zip")
    }

    @Test func `a mirror that stalls is asked once in a run, and the next one has the packages`() async throws {
        let scratch = try Scratch()
        let cache = try DiskCache(path: scratch.path("cache"), access: .readWrite)
        let names = ["a", "b", "c"]
        var routes: [String: [TestOrigin.Answer]] = [:]
        for name in names {
            routes["/\(name).zip"] = [TestOrigin.Answer(200, [], body: try await Self.package(name, scratch))]
        }
        // Longer than this test may take.
        let silence = TestOrigin.Answer(200, [], delay: .seconds(3600))
        try await TestOrigin.withOrigin(["*": [silence]]) { silent async throws in
            try await TestOrigin.withOrigin(routes) { mirror async throws in
                func bring(_ names: [String]) async throws -> [DeliveryErrorCode] {
                    let failures = Mutex<[DeliveryErrorCode]>([])
                    var context = IntakeContext(userAgent: "test/1", now: { Self.now })
                    context.readTimeout = .milliseconds(300)
                    context.onEvent = { event in
                        guard case .nextPlace(let error as DeliveryError) = event else { return }
                        failures.withLock { $0.append(error.code) }
                    }
                    for name in names {
                        var wanted = WantedPackage(name: name, from: "\(silent.base)/\(name).zip")
                        wanted.places.append(WantedPackage.Place(from: "\(mirror.base)/\(name).zip"))
                        let outcome = try await cache.bring(wanted, trust: TrustPolicy(), context: context)
                        guard case .installed(let report) = outcome else {
                            Issue.record("\(outcome)")
                            continue
                        }
                        #expect(report.package.name == name)
                    }
                    return failures.withLock { $0 }
                }
                #expect(try await bring(["a", "b"]) == [.timeout, .timeout])
                #expect(silent.targets == ["/a.zip"])
                #expect(mirror.targets == ["/a.zip", "/b.zip"])
                // The next run asks again.
                #expect(try await bring(["c"]) == [.timeout])
                #expect(silent.targets == ["/a.zip", "/c.zip"])
                #expect(try cache.packages().map(\.name).sorted() == names)
            }
        }
    }
}
