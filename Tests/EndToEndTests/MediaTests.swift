import Foundation
import TestOrigin
import TestSupport
import Testing

/// Videos in many files, with the built program: packed, and served after their origin has ended.
struct MediaTests {
    private static let types = [
        "m3u8": "application/vnd.apple.mpegurl", "mpd": "application/dash+xml", "m4s": "video/iso.segment",
        "ts": "video/mp2t", "bin": "application/octet-stream",
    ]

    /// The streams of Fixtures/media by path, and a page that shows them.
    private static func streams() throws -> [String: [UInt8]] {
        let folder = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../Fixtures/media")
        var files: [String: [UInt8]] = [:]
        for name in ["hls", "dash"] {
            for path in try FileManager.default.subpathsOfDirectory(atPath: folder.appending(path: name).path)
            where path.contains(".") {
                files["/v/\(name)/\(path)"] = [UInt8](try Data(contentsOf: folder.appending(path: "\(name)/\(path)")))
            }
        }
        return files
    }

    private static let page = """
        <title>Films</title><link rel=icon href=data:,><video src=v/hls/master.m3u8></video>
        <video><source src=v/dash/stream.mpd type=application/dash+xml></video>
        """

    @Test func `every file of a video is served without its origin, and in ranges`() async throws {
        let scratch = try Scratch()
        let streams = try Self.streams()
        #expect(streams.count == 23)
        var routes: [String: [TestOrigin.Answer]] = ["/": [.html(Self.page)]]
        for (path, body) in streams {
            let type = Self.types[String(path.split(separator: ".").last ?? "")] ?? ""
            routes[path] = [TestOrigin.Answer(200, [("Content-Type", type)], body: body)]
        }
        let base = try await TestOrigin.withOrigin(routes) { origin in
            let words = ["pack", origin.base + "/", "-o", scratch.path("p.zip")]
            let result = try Program.run(Program.afcache, words)
            #expect(result.status == 0, "\(result.errors)")
            #expect(result.errors.isEmpty)
            return origin.base
        }
        let server = try RunningProgram(
            Program.afcache,
            ["serve", "--port", "0", scratch.path("p.zip")],
            environment: ["XDG_CACHE_HOME": scratch.path("kept")]
        )
        defer { _ = server.stop() }
        let address = try #require(try await server.firstLine()).dropFirst("serving at ".count)
        let proxy = ["-sS", "--noproxy", "", "-x", String(address)]
        for (path, body) in streams.sorted(by: { $0.key < $1.key }) {
            #expect(try Program.run("curl", proxy + ["-o", scratch.path("body"), base + path]).status == 0)
            #expect(try scratch.read("body") == body, "\(path)")
            let last = min(9, body.count - 1)
            let words = ["-o", scratch.path("part"), "-w", "%{http_code}", "-r", "3-\(last)", base + path]
            #expect(try Program.run("curl", proxy + words).text == "206", "\(path)")
            #expect(try scratch.read("part") == Array(body[3...last]))
        }
    }

    @Test(arguments: [("best", ["high/list.m3u8", "high/all.m4s"]), ("none", [])])
    func `only the chosen streams are packed`(selection: String, files: [String]) async throws {
        let scratch = try Scratch()
        var routes: [String: [TestOrigin.Answer]] = [
            "/": [.html("<link rel=icon href=data:,><video src=v/hls/master.m3u8>")]
        ]
        for (path, body) in try Self.streams() {
            let type = Self.types[String(path.split(separator: ".").last ?? "")] ?? ""
            routes[path] = [TestOrigin.Answer(200, [("Content-Type", type)], body: body)]
        }
        try await TestOrigin.withOrigin(routes) { origin in
            let words = [
                "pack", origin.base + "/", "-o", scratch.path("p.zip"), "--media", selection, "--ignore-robots",
            ]
            let result = try Program.run(Program.afcache, words)
            #expect(result.status == 0, "\(result.errors)")
            let wanted = ["/", "/v/hls/master.m3u8"] + files.map { "/v/hls/\($0)" }
            #expect(
                origin.targets.filter { $0 != "/favicon.ico" && !$0.hasPrefix("/afcache-missing") }.sorted()
                    == wanted.sorted()
            )
        }
    }

    @Test func `a folder with streams has their types`() throws {
        let scratch = try Scratch()
        for (path, body) in try Self.streams() { try scratch.write(body, to: "in" + path) }
        try scratch.write(Array("let a = 1".utf8), to: "in/code/a.ts")
        let pack = ["pack", "--folder", "in", "--base-url", "http://d.example", "-o", "p.zip"]
        #expect(try Program.run(Program.afcache, pack, in: scratch.path).status == 0)
        let list = try Program.run(Program.afcache, ["ls", "p.zip", "--json"], in: scratch.path).text
        for (path, type) in [
            ("/v/hls/master.m3u8", "application/vnd.apple.mpegurl"), ("/v/hls/low/0.ts", "video/mp2t"),
            ("/v/dash/stream.mpd", "application/dash+xml"), ("/v/dash/0-01.m4s", "video/iso.segment"),
            ("/code/a.ts", "text/typescript"),
        ] {
            let line = list.split(separator: "\n").first { $0.contains("d.example\(path)\"") }
            #expect(line?.contains(type) == true, "\(path): \(line ?? "")")
        }
    }
}
