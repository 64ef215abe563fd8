import Foundation
import TestSupport
import Testing

/// A cache whose folder is emptied or removed while a server uses it.
@Suite(.fewAtOnce)
struct VanishedCacheTests {
    /// Removes a folder into which a server may be writing, so that it isn't empty at once.
    private static func remove(_ store: String) async throws {
        try await waitUntil("the cache is removed") {
            do {
                try FileManager.default.removeItem(atPath: store)
            } catch {
                guard FileManager.default.fileExists(atPath: store) else { return true }
                return false
            }
            return true
        }
    }

    private static func empty(_ store: String) throws {
        for name in try FileManager.default.contentsOfDirectory(atPath: store) {
            try FileManager.default.removeItem(atPath: store + "/" + name)
        }
    }

    @Test(arguments: [true, false], [true, false])
    func `a gateway and a proxy pass responses on, and store them again`(_ isRemoved: Bool, _ isProxy: Bool)
        async throws
    {
        try await PythonOrigin.run { origin in
            let scratch = try Scratch()
            let store = scratch.path("store")
            let options =
                isProxy ? ["--forward-proxy", "--allow-private"] : ["--origin", "http://\(origin.authority)"]
            try await Served.run(options, in: scratch) { served in
                func get(_ path: String) async throws -> CurlAnswer {
                    let target = path + "?Cache-Control=max-age=600&size=30000"
                    return try await curl(
                        isProxy
                            ? ["--proxy", served.base, "http://\(origin.authority)\(target)"] : [served.base + target]
                    )
                }
                for path in ["/a", "/b"] { #expect(try await get(path).status == 200) }
                #expect(try await get("/a").isHit)
                if isRemoved { try await Self.remove(store) } else { try Self.empty(store) }
                for path in ["/a", "/b", "/c"] { #expect(try await get(path).status == 200, "\(path)") }
                try await waitUntil("responses are stored again") {
                    let answer = try await get("/d")
                    #expect(answer.status == 200)
                    return answer.isHit && FileManager.default.fileExists(atPath: store + "/received.sqlite")
                }
            }
            // What was stored then is there the next time.
            origin.stop()
            try await Served.run(options, in: scratch) { served in
                let target = "/d?Cache-Control=max-age=600&size=30000"
                let answer = try await curl(
                    isProxy ? ["--proxy", served.base, "http://\(origin.authority)\(target)"] : [served.base + target]
                )
                #expect(answer.isHit, "\(answer)")
            }
        }
    }

    @Test func `an offline server answers as for an empty cache, and finds one that is made again`() async throws {
        let scratch = try Scratch()
        try scratch.write(Array("page".utf8), to: "in/index.html")
        try await Served.load(scratch, baseURL: "http://docs.example")
        try await Served.run([], in: scratch) { served in
            let host = ["-H", "Host: docs.example", served.base + "/index.html"]
            #expect(try await curl(host).text == "page")
            for isRemoved in [true, false] {
                let store = scratch.path("store")
                if isRemoved { try await Self.remove(store) } else { try Self.empty(store) }
                try await waitUntil("the page is gone") {
                    let answer = try await curl(host)
                    // The body may be gone before the server notices that the cache is.
                    #expect([200, 500, 504].contains(answer.status), "\(answer)")
                    return answer.status == 504
                }
                #expect(try await curl(host).cache == "afcache; detail=offline-miss")
                #expect(try await curl(served.base + "/").status == 200, "its own page")
                try await Served.command("load", scratch.path("package.zip"), "--cache", store)
                try await waitUntil("the page is there again") { try await curl(host).text == "page" }
            }
        }
    }
}
