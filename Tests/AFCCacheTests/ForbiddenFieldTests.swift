import AFCCache
import AFCCaching
import AFCHTTP
import AFCURL
import Foundation
import HTTPTypes
import TestSupport
import Testing

/// Packages of strangers, which have fields that no package may have.
struct ForbiddenFieldTests {
    @Test func `secret and forbidden fields of an untrusted package never enter the cache`() async throws {
        let scratch = try Scratch()
        let record =
            #"{"url":"http://d.example/a","status":200,"fields":[["set-cookie","sid=hidden-cookie"],"#
            + #"["connection","x-hop"],["x-hop","hidden-hop"],["alt-svc","hidden-alternative"],["x-kept","kept"],"#
            + #"["authorization","hidden-word"],["vary","cookie, accept-language"]],"#
            + #""requestFields":[["cookie","sid=hidden-request"],["accept-language","de"]],"size":4}"# + "\n"
        let manifest = "http://d.example/a ; Sat, 27 Mar 2004 18:43:30 GMT ; NULL ; text/plain\n"
        let zip = RawZip([
            RawZip.Member("d.example/a", "body"), RawZip.Member(".afcache/resources.jsonl", record),
            RawZip.Member("manifest.afcache", manifest),
        ])
        let package = scratch.path("stranger.zip")
        try Data(zip.bytes).write(to: URL(fileURLWithPath: package))
        let cache = try DiskCache(path: scratch.path("store"), access: .readWrite)
        _ = try await cache.install(package, now: InstallTests.now)
        let stored = try #require(try cache.candidates(for: try WebURL("http://d.example/a")).first).response
        #expect(
            stored.fields.map(\.name.canonicalName).sorted() == [
                "content-type", "date", "last-modified", "vary", "x-kept",
            ]
        )
        #expect(stored.requestFields == [.acceptLanguage: "de"])
        let index = scratch.path("store") + "/packages"
        for name in try FileManager.default.subpathsOfDirectory(atPath: index) where name.hasSuffix("/index") {
            let bytes = try Data(contentsOf: URL(fileURLWithPath: index + "/" + name))
            #expect(bytes.range(of: Data("x-kept".utf8)) != nil)
            #expect(bytes.range(of: Data("hidden".utf8)) == nil)
        }
    }
}
