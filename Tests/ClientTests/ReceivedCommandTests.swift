import TestSupport
import Testing

/// What `get` and `ls` say of responses that a gateway has stored.
@Suite(.fewAtOnce)
struct ReceivedCommandTests {
    @Test func `a variant is found with its coding, and received responses are listed if asked for`() async throws {
        try await PythonOrigin.run { origin in
            let scratch = try Scratch()
            let path = "/a?Cache-Control=max-age=600&Vary=Accept-Encoding&Content-Encoding=gzip"
            let plain = "/b?Cache-Control=max-age=600&Content-Type=text/plain"
            try await Served.run(["--origin", "http://\(origin.authority)"], in: scratch) { served in
                for fields in [["-H", "Accept-Encoding: gzip"], ["-H", "Accept-Encoding: br"]] {
                    let answer = try await curl(fields + [served.base + path])
                    #expect(answer.status == 200)
                }
                let answer = try await curl(served.base + plain)
                #expect(answer.status == 200)
            }
            let store = scratch.path("store")
            func run(_ arguments: String...) async throws -> ProgramResult {
                try await Programs.run(Program.afcache, arguments + ["--cache", store])
            }
            let coded = "http://\(origin.authority)\(path)"
            let got = try await run("get", coded)
            #expect(got.status == 0 && got.text.hasPrefix("/a "), "\(got)")
            #expect(got.errors.contains("note: this is the response to a request with the fields 'Accept-Encoding'; "))
            #expect(got.errors.contains("note: the body has the content coding 'gzip' as its origin sent it"))
            let simple = try await run("get", "http://\(origin.authority)\(plain)")
            #expect(simple.status == 0)
            #expect(!simple.errors.contains("coding"), "\(simple.errors)")
            #expect(try await run("get", "http://\(origin.authority)/none").status == 3)
            let list = try await run("ls")
            #expect(list.text == "")
            #expect(
                list.errors == "note: responses received from origins aren't listed; '--received' lists them\n"
            )
            let lines = try await run("ls", "--received").text.split(separator: "\n")
            #expect(lines.count == 3, "\(lines)")
            #expect(lines.count { $0.hasPrefix("fresh ") && $0.hasSuffix(coded) } == 2)
            #expect(lines.contains { $0.contains(" text/plain ") && $0.hasSuffix(plain) })
        }
    }

    @Test func `a group is invalidated by its origin, and cleared by its name`() async throws {
        try await PythonOrigin.run { origin in
            let scratch = try Scratch()
            func path(_ name: String, _ group: String) -> String {
                "/\(name)?Cache-Control=max-age=600&Cache-Groups=%22\(group)%22"
            }
            try await Served.run(["--origin", "http://\(origin.authority)"], in: scratch) { served in
                for (name, group) in [("a", "g"), ("b", "g"), ("c", "h")] {
                    let first = try await curl(served.base + path(name, group))
                    #expect(first.status == 200 && !first.isHit)
                    #expect(try await curl(served.base + path(name, group)).isHit)
                }
                let edit = "/edit?Cache-Group-Invalidation=%22g%22"
                #expect(try await curl("-d", "x=1", served.base + edit).status == 200)
                #expect(try await !curl(served.base + path("a", "g")).isHit)
                #expect(try await !curl(served.base + path("b", "g")).isHit)
                #expect(try await curl(served.base + path("c", "h")).isHit)
            }
            func run(_ arguments: String...) async throws -> ProgramResult {
                try await Programs.run(
                    Program.afcache,
                    ["cache", "clear", "--cache", scratch.path("store")] + arguments
                )
            }
            let refused = try await run()
            #expect(refused.status != 0 && refused.errors.contains("--received"))
            #expect(try await run("--group", "x").text == "removed 0 received responses of the group 'x'\n")
            #expect(try await run("--group", "g").text == "removed 2 received responses of the group 'g'\n")
            let host = try await run("--group", "h", "--host", "127.0.0.1")
            #expect(host.text == "removed 1 received response of the group 'h' of '127.0.0.1'\n")
        }
    }

    @Test func `equivalent URLs are answered without the origin, with digests and timings`() async throws {
        let scratch = try Scratch()
        let fields = "Cache-Control=max-age=600&No-Vary-Search=params=(%22x%22)"
        try await PythonOrigin.run { origin in
            let options = ["--origin", "http://\(origin.authority)", "--server-timing"]
            try await Served.run(options, in: scratch) { served in
                let first = try await curl(served.base + "/a?\(fields)&x=1")
                #expect(first.status == 200 && !first.isHit)
                let timing = try #require(first["Server-Timing"])
                #expect(timing.hasPrefix("cache;desc=miss, origin;dur=") && timing.contains(", total;dur="))
                let second = try await curl("-H", "Want-Repr-Digest: sha-256=5", served.base + "/a?\(fields)&x=2")
                #expect(second.isHit && second.text == first.text)
                #expect(second["Server-Timing"]?.hasPrefix("cache;desc=hit, total;dur=") == true)
                #expect(second["Repr-Digest"]?.hasPrefix("sha-256=:") == true)
                #expect(try await !curl(served.base + "/a?\(fields)&y=2").isHit)
            }
        }
    }
}
