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
}
