import Foundation
import TestOrigin
import TestSupport
import Testing

/// Many sites in one command, with the built program.
struct BatchTests {
    private let scratch: Scratch

    init() throws {
        scratch = try Scratch()
        for folder in ["www", "public", "app"] {
            try FileManager.default.createDirectory(atPath: scratch.path(folder), withIntermediateDirectories: true)
        }
        try scratch.write(Array("<p>app".utf8), to: "app/index.html")
    }

    private func run(_ arguments: String..., environment: [String: String] = [:]) throws -> ProgramResult {
        try Program.run(Program.afcache, arguments, in: scratch.path, environment: environment)
    }

    private func newChannel() throws {
        #expect(try run("keygen", "-o", "team").status == 0)
        #expect(try run("channel", "new", "all", "--key", "team.pub", "-o", "www/all.channel").status == 0)
    }

    /// Writes a file with sites at hosts of their own, which lead to one origin.
    private func list(_ names: [String], at origin: TestOrigin, _ more: String = "", publish: String) throws {
        let port = try #require(origin.base.split(separator: ":").last)
        var text = "version: 1\npublish: \(publish)\nsites:\n"
        for name in names { text += "  - { name: \(name), urls: 'http://\(name).localhost:\(port)/\(name)' }\n" }
        try scratch.write(Array((text + more).utf8), to: "sites.yaml")
    }

    private func record(_ name: String) throws -> [String: Any] {
        let value = try JSONSerialization.jsonObject(with: Data(try scratch.read("out/.batch/\(name).json")))
        return try #require(value as? [String: Any])
    }

    private static func page(_ text: String) -> TestOrigin.Answer { .html("<link rel=icon href=data:,><p>\(text)") }

    @Test func `a file that isn't of a batch is refused, and stays as it is`() async throws {
        try await TestOrigin.withOrigin(["/a": [Self.page("a")]]) { origin in
            for (place, sentence) in [
                (
                    "public/a.zip",
                    "'public/a.zip': the file exists and is not a package; move it away, or choose another folder"
                ),
                (
                    "out/a.log",
                    "the file exists and is not a log of 'batch'; move it away, or choose another '--root'"
                ),
            ] {
                try scratch.write(Array("mine".utf8), to: place)
                try list(["a"], at: origin, publish: "{ folder: \(place.hasPrefix("public") ? "public" : "app") }")
                let made = try run("batch", "sites.yaml", "--root", "out")
                #expect(made.status != 0 && made.errors.contains(sentence), "\(made.errors)")
                #expect(try scratch.read(place) == Array("mine".utf8))
            }
        }
    }

    @Test func `a closed pipe leaves no temporary file`() throws {
        try FileManager.default.createDirectory(atPath: scratch.path("tmp"), withIntermediateDirectories: true)
        let random = (0..<2_000_000).map { _ in UInt8.random(in: .min ... .max) }
        try scratch.write(random, to: "app/large.bin")
        let script = "\"$P\" pack --folder app --base-url https://a.example -o - | head -c 0; echo ${PIPESTATUS[0]}"
        let result = try Program.run(
            "bash",
            ["-c", script],
            in: scratch.path,
            environment: ["P": Program.afcache, "TMPDIR": scratch.path("tmp")]
        )
        #expect(result.text == "141\n" && result.errors == "", "\(result.errors)")
        #expect(try FileManager.default.contentsOfDirectory(atPath: scratch.path("tmp")) == [])
    }

    @Test func `sites are packed, checked and published if they changed`() async throws {
        try newChannel()
        let routes = ["/a": [Self.page("a")], "/b": [Self.page("b")], "/c": [TestOrigin.Answer(404)]]
        try await TestOrigin.withOrigin(routes) { origin in
            let more = """
                  - name: app
                    options: { folder: app, base-url: 'https://app.example' }
                    publish: { channel: { file: www/all.channel, sign: team } }
                """
            try list(["a", "b", "c"], at: origin, more + "\n", publish: "{ folder: public }")
            let first = try run("batch", "sites.yaml", "--root", "out", "--junit", "r.xml")
            #expect(first.status == 5, "\(first.errors)")
            #expect(first.text.contains("packed    'a': 1 resource") && first.text.contains("failed    'c'\n"))
            #expect(first.text.hasSuffix("4 sites: 3 packed, 1 failed\n"), "\(first.text)")
            #expect(
                first.errors.contains(
                    "error: 'c': pack: nothing could be fetched, so no package was written; http://c.localhost:"
                ),
                "\(first.errors)"
            )
            #expect(String(decoding: try scratch.read("r.xml"), as: UTF8.self).contains("tests=\"4\" failures=\"1\""))
            #expect(try scratch.read("public/a.zip") == scratch.read("out/a.zip"))
            #expect(!FileManager.default.fileExists(atPath: scratch.path("public/c.zip")))
            let shown = try run("channel", "show", "www/all.channel", "--trust", "team.pub")
            #expect(
                shown.status == 0 && shown.text.contains("version 1") && shown.text.contains("'app'"),
                "\(shown.errors)"
            )

            // Nothing but 'b' changes; what is the same isn't published again.
            origin.set("/b", Self.page("b, changed"))
            try FileManager.default.removeItem(atPath: scratch.path("public/a.zip"))
            let second = try run("batch", "sites.yaml", "--root", "out", "--json")
            #expect(second.status == 5)
            let states = try second.text.split(separator: "\n").map { line in
                let value = try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any]
                return "\(value?["name"] ?? "") \(value?["state"] ?? "")"
            }
            #expect(states.sorted() == ["a unchanged", "app unchanged", "b packed", "c failed"], "\(second.text)")
            #expect(!FileManager.default.fileExists(atPath: scratch.path("public/a.zip")))
            #expect(try scratch.read("public/b.zip") == scratch.read("out/b.zip"))
            #expect(try run("channel", "show", "www/all.channel").text.contains("version 1"))

            // Of a site's packages in a channel's folder the last two stay.
            for text in ["1", "2", "3"] {
                try scratch.write(Array("<p>\(text)".utf8), to: "app/index.html")
                let next = try run("batch", "sites.yaml", "--root", "out", "--only", "app")
                #expect(next.status == 0 && next.text == "packed    'app': 2 resources, 1.1 kB\n1 site: 1 packed\n")
            }
            let left = try FileManager.default.contentsOfDirectory(atPath: scratch.path("www")).sorted()
            #expect(left.count == 3 && left[0].hasPrefix("all.") == true || left.contains("all.channel"), "\(left)")
            #expect(left.count { $0.hasPrefix("app-") } == 2, "\(left)")
        }
    }

    @Test(arguments: [
        ("", "is signed, and would lose its signature"), (", sign: other", "none of the keys of '--sign' is a key of"),
    ])
    func `a channel that can't be signed is named before any request`(sign: String, message: String) throws {
        try newChannel()
        #expect(try run("channel", "sign", "www/all.channel", "--sign", "team").status == 0)
        #expect(try run("keygen", "-o", "other").status == 0)
        let publish = "{ channel: { file: www/all.channel\(sign) } }"
        let text = "version: 1\npublish: \(publish)\nsites:\n  - { name: a, urls: 'http://a.localhost:9/' }\n"
        try scratch.write(Array(text.utf8), to: "sites.yaml")
        let before = try scratch.read("www/all.channel")
        let result = try run("batch", "sites.yaml", "--root", "out")
        #expect(result.status == 64 && result.errors.hasPrefix("error: sites.yaml:2:"), "\(result.errors)")
        #expect(result.errors.contains(message), "\(result.errors)")
        #expect(try scratch.read("www/all.channel") == before)
    }

    @Test func `a package with findings isn't published`() async throws {
        let empty = TestOrigin.Answer(200, [("Content-Type", "text/html")], body: [])
        try await TestOrigin.withOrigin(["/a": [empty]]) { origin in
            try list(["a"], at: origin, publish: "{ folder: public }\nlint: warning")
            let result = try run("batch", "sites.yaml", "--root", "out")
            #expect(result.status == 5)
            #expect(result.errors.contains("error: 'a': lint: findings as severe as 'warning'; '"), "\(result.errors)")
            #expect(try FileManager.default.contentsOfDirectory(atPath: scratch.path("public")).isEmpty)
            let log = String(decoding: try scratch.read("out/a.log"), as: UTF8.self)
            #expect(log.contains("$ afcache lint ") && log.contains("[member.empty]"), "\(log)")
        }
    }

    @Test func `a package that goes nowhere is checked as well`() throws {
        try scratch.write([], to: "app/empty.html")
        let site = "{ name: a, options: { folder: app, base-url: 'https://a.example' } }"
        try scratch.write(Array("version: 1\nlint: warning\nsites:\n  - \(site)\n".utf8), to: "sites.yaml")
        for _ in 1...2 {
            let result = try run("batch", "sites.yaml", "--root", "out")
            #expect(
                result.status == 5 && result.errors.contains("error: 'a': lint: "),
                "\(result.text)\(result.errors)"
            )
        }
    }

    @Test func `a site whose checked URLs are the same costs few requests`() async throws {
        var routes = ["/a": [Self.page((1...9).map { "<a href=/a\($0)>\($0)</a>" }.joined())]]
        for number in 1...9 { routes["/a\(number)"] = [Self.page("\(number)")] }
        routes["/map.xml"] = [.text("<urlset/>", type: "application/xml")]
        try await TestOrigin.withOrigin(routes) { origin in
            let port = try #require(origin.base.split(separator: ":").last)
            let site = "{ name: a, urls: 'http://a.localhost:\(port)/a', check: 'http://a.localhost:\(port)/map.xml' }"
            try scratch.write(
                Array("version: 1\npublish: { folder: public }\nsites:\n  - \(site)\n".utf8),
                to: "sites.yaml"
            )
            #expect(try run("batch", "sites.yaml", "--root", "out").status == 0)
            let asked = origin.requests.count
            let second = try run("batch", "sites.yaml", "--root", "out")
            #expect(
                second.status == 0 && second.text.hasPrefix("unchanged 'a': 10 resources"),
                "\(second.text)\(second.errors)"
            )
            #expect(origin.requests.count - asked <= 3, "\(origin.requests[asked...].map(\.target))")
            // What is checked has changed, but the site can't be packed: it is tried again.
            origin.set("/map.xml", .text("<urlset><url/></urlset>", type: "application/xml"))
            origin.set("/a", TestOrigin.Answer(500))
            #expect(try run("batch", "sites.yaml", "--root", "out").status == 5)
            origin.set("/a", Self.page("new"))
            let third = try run("batch", "sites.yaml", "--root", "out")
            #expect(third.status == 0 && third.text.hasPrefix("packed    'a': "), "\(third.text)\(third.errors)")
            #expect(try scratch.read("public/a.zip") == scratch.read("out/a.zip"))
            origin.set("/map.xml", TestOrigin.Answer(404))
            let failed = try run("batch", "sites.yaml", "--root", "out")
            #expect(failed.status == 5 && failed.errors.contains("error: 'a': check: "), "\(failed.errors)")
        }
    }

    @Test func `in a round, a site is done once and fails three times`() async throws {
        try await TestOrigin.withOrigin(["/a": [Self.page("a")], "/b": [TestOrigin.Answer(404)]]) { origin in
            try list(["a", "b"], at: origin, publish: "{ folder: public }")
            for attempt in 1...4 {
                let result = try run("batch", "sites.yaml", "--root", "out", "--round", "night-1")
                #expect(result.status == 5)
                #expect(result.errors.contains("set aside after 3 attempts") == (attempt == 4), "\(result.errors)")
            }
            #expect(origin.count(of: "/a") == 1 && origin.count(of: "/b") == 3)
            // The number of a job is the name of its round.
            for _ in 1...2 {
                let result = try run("batch", "sites.yaml", "--root", "out", environment: ["CI_PIPELINE_ID": "17"])
                #expect(result.status == 5)
            }
            #expect(origin.count(of: "/a") == 2 && origin.count(of: "/b") == 5)
            #expect(try record("b")["round"] as? String == "gitlab-17")
        }
    }

    // A bound for a hang: alone it takes seconds, beside all other tests on two busy cores over two minutes.
    @Test(.timeLimit(.minutes(10)))
    func `after kills of jobs that share the sites, each is published once`() async throws {
        try newChannel()
        let names = (1...8).map { "s\($0)" }
        var routes: [String: [TestOrigin.Answer]] = [:]
        for name in names {
            let links = (1...4).map { "<a href=/\(name)-\($0)>\($0)</a>" }.joined()
            routes["/" + name] = [Self.page(links)]
            for number in 1...4 {
                var page = Self.page("\(number)")
                page.delay = .milliseconds(50)
                routes["/\(name)-\(number)"] = [page]
            }
        }
        try await TestOrigin.withOrigin(routes) { origin in
            try list(names, at: origin, publish: "{ channel: { file: www/all.channel, sign: team } }")
            func job(_ shard: String) throws -> RunningProgram {
                try RunningProgram(
                    Program.afcache,
                    [
                        "batch", scratch.path("sites.yaml"), "--root", scratch.path("out"), "--round", "n", "--shard",
                        shard,
                    ]
                        + ["--jobs", "2"]
                )
            }
            var random = SystemRandomNumberGenerator()
            for attempt in 0..<6 {
                // One of the shards is started twice.
                let jobs = [try job("1/2"), try job("2/2"), try job("\(attempt % 2 + 1)/2")]
                // The moment of the kill is what is tested: anywhere from the start to the end of the work.
                try await Task.sleep(for: .milliseconds(Int.random(in: 20...900, using: &random)))
                for job in jobs { _ = job.stop(SIGKILL) }
            }
            for shard in ["1/2", "2/2"] { #expect(try job(shard).wait() == 0) }
            for name in names {
                #expect(try ["packed", "unchanged"].contains(record(name)["state"] as? String ?? ""), "\(name)")
            }
            let shown = try run("channel", "show", "www/all.channel", "--json")
            let channel = try #require(
                try JSONSerialization.jsonObject(with: Data(shown.text.utf8)) as? [String: Any]
            )
            let packages = try #require(channel["packages"] as? [[String: Any]])
            #expect(Set(packages.compactMap { $0["name"] as? String }) == Set(names) && packages.count == names.count)
            // Each change signs the next version.
            #expect(channel["version"] as? Int == names.count)
            #expect(try run("channel", "show", "www/all.channel", "--trust", "team.pub").status == 0)
        }
    }

    @Test func `SIGTERM ends with the code that asks for another attempt`() async throws {
        var slow = Self.page("slow")
        slow.delay = .seconds(20)
        try await TestOrigin.withOrigin(["/a": [slow], "/b": [Self.page("b")]]) { origin in
            try list(["a", "b"], at: origin, publish: "{ folder: public }")
            let job = try RunningProgram(
                Program.afcache,
                ["batch", scratch.path("sites.yaml"), "--root", scratch.path("out"), "--round", "n"]
            )
            try job.wait(until: "the slow page is asked for") {
                origin.count(of: "/a") == 1 && FileManager.default.fileExists(atPath: scratch.path("public/b.zip"))
            }
            #expect(job.stop(SIGTERM) == 75)
            #expect(job.errors.contains("stopped: the same command resumes"), "\(job.errors)")
            #expect(try record("a")["beginnings"] as? Int == 0)
            origin.set("/a", Self.page("fast"))
            #expect(try run("batch", "sites.yaml", "--root", "out", "--round", "n").status == 0)
            #expect(origin.count(of: "/b") == 1)
        }
    }

    @Test(arguments: [
        ("dlay: 1s", "58: ", "unknown option '--dlay'; did you mean '--delay'?"),
        ("depth: many", "58: ", "'--depth'"),
        ("depth: 1, max-pages: x", "68: ", "'x' is not a value for '--max-pages'"),
        ("depth: 1 }, publish: { channel: { file: x, rollout: 120 }", "5: ", "'120' is not a percentage"),
        ("depth: 1 }, publish: { channel: x", "90: ", "cannot open 'x': No such file or directory"),
        ("depth: 1 }, publish: { folder: none", "89: ", "there is no folder 'none'; create it first"),
        ("depth: 1 }, publish: { folder: sites.yaml", "89: ", "cannot write to 'sites.yaml/a.zip': Not a directory"),
        (
            "depth: 1 }, publish: { registry: 'oci://r.example/Foo/a:1'", "91: ",
            "did you mean 'oci://r.example/foo/a:1'?"
        ),
    ])
    func `what is wrong in the file is said with its place before any request`(
        options: String,
        place: String,
        message: String
    ) async throws {
        let text = "version: 1\nsites:\n  - { name: a, urls: 'http://a.localhost:9/', options: { \(options) } }\n"
        try scratch.write(Array(text.utf8), to: "sites.yaml")
        let result = try run("batch", "sites.yaml", "--root", "out")
        #expect(result.status == 64 && result.errors.hasPrefix("error: sites.yaml:3:\(place)"), "\(result.errors)")
        #expect(result.errors.contains(message), "\(result.errors)")
        #expect(!FileManager.default.fileExists(atPath: scratch.path("out")))
    }
}
