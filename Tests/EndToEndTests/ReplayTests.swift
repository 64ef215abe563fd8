import Foundation
import TestOrigin
import TestSupport
import Testing

/// `afcache replay`: a program with the responses of a package, and without its origin.
struct ReplayTests {
    private static var routes: [String: [TestOrigin.Answer]] {
        [
            "/": [TestOrigin.Answer(200, [("Cache-Control", "no-store")], body: Array("home".utf8))],
            "/part": [
                TestOrigin.Answer(200, [("ETag", "\"v\""), ("Vary", "User-Agent")], body: Array("0123456789".utf8))
            ],
            "/old": [.redirect("/part")],
            "/gone": [TestOrigin.Answer(404, body: Array("gone".utf8))],
            "/api": [.text("one"), .text("two")],
        ]
    }

    /// Runs a shell script under a command; `$0` in it is the origin.
    private func run(_ words: [String], _ script: String, _ origin: String) throws -> ProgramResult {
        try Program.run(Program.afcache, words + ["--", "sh", "-c", script, origin])
    }

    private static let record = """
        curl -s $0/ $0/part $0/gone; curl -sL $0/old; curl -s $0/api -d q=1; curl -s $0/api -d q=2
        """

    /// A script, and what it prints with the responses that were recorded.
    @Test(
        arguments: [
            (record, "home0123456789gone0123456789onetwo"),
            ("curl -s $0/api -d q=2; curl -s $0/api -d q=1; curl -s $0/api -d q=2", "twoonetwo"),
            ("curl -sI $0/part -o out -w '%{http_code} %header{content-length}'", "200 10"),
            ("curl -s -r 2-4 $0/part -w ' %{http_code}'", "234 206"),
            ("curl -s -r 20- $0/part -o out -w '%{http_code}'", "416"),
            ("curl -s -H 'If-None-Match: \"v\"' $0/part -w '%{http_code}'", "304"),
            ("curl -s -H 'Cache-Control: no-cache' -H 'Service-Worker: script' $0/ -w ' %{http_code}'", "home 200"),
            ("curl -s --proxytunnel $0/", "home"),
        ]
    )
    func `what was recorded is answered, and nothing else is asked`(script: String, expected: String) async throws {
        try await TestOrigin.withOrigin(Self.routes) { origin in
            let scratch = try Scratch()
            let recorded = try run(["record", "--post", "-o", scratch.path("r.zip")], Self.record, origin.base)
            #expect(recorded.status == 0, "\(recorded.errors)")
            let count = origin.requests.count
            for _ in 1...2 {
                let result = try run(
                    ["replay", scratch.path("r.zip")],
                    "cd \(scratch.path("")); " + script,
                    origin.base
                )
                #expect(result.text == expected, "\(result.errors)")
                #expect(result.status == 0, "\(result.errors)")
            }
            #expect(origin.requests.count == count)
            #expect(scratch.names.filter { $0 != "out" } == ["r.zip"])
        }
    }

    @Test func `https is answered with certificates that the program trusts`() async throws {
        try await TestOrigin.withSecureOrigin(Self.routes, host: "127.0.0.1") { origin, authority in
            let scratch = try Scratch()
            let file = try scratch.write(Array(authority.utf8), to: "origin.pem")
            let script = """
                curl -sf $0/ -w ' %{http_version} '
                python3 -c 'import sys, urllib.request as u; print(u.urlopen(sys.argv[1] + "/part").read().decode())' $0
                """
            let words = ["record", "-o", scratch.path("r.zip"), "--cacert", file]
            #expect(try run(words, script, origin.base).status == 0)
            let count = origin.requests.count
            let result = try run(["replay", scratch.path("r.zip")], script, origin.base)
            #expect(result.text == "home 2 0123456789\n", "\(result.errors)")
            #expect(result.status == 0, "\(result.errors)")
            #expect(origin.requests.count == count)
        }
    }

    @Test func `what the package lacks fails by its name, once, or gets an empty answer`() async throws {
        try await TestOrigin.withOrigin(Self.routes) { origin in
            let scratch = try Scratch()
            #expect(try run(["record", "-o", scratch.path("r.zip")], "curl -s $0/part", origin.base).status == 0)
            let script = """
                for url in $0/ $0/ $0/part?v=1 https://other.example/; do curl -s -o /dev/null -w '%{http_code} ' $url; done
                curl -s -o /dev/null -w '%{http_code}' $0/part -d q
                """
            let failed = try run(["replay", scratch.path("r.zip")], script, origin.base)
            #expect(failed.text == "504 504 504 504 504")
            #expect(failed.status == 5)
            let names = ["GET \(origin.base)/", "GET \(origin.base)/part?v=1", "GET https://other.example/"]
            let list = (names + ["POST \(origin.base)/part"]).map { "  \($0)\n" }.joined()
            #expect(failed.errors.hasPrefix(names.map { "not in the package: \($0)\n" }.joined()), "\(failed.errors)")
            #expect(failed.errors.hasSuffix("'--missing record':\n" + list), "\(failed.errors)")
            #expect(
                failed.errors.contains("error: 5 requests failed, since '\(scratch.path("r.zip"))' has no response")
            )
            let empty = try run(["replay", scratch.path("r.zip"), "--missing", "empty"], script, origin.base)
            #expect(empty.text == "204 204 204 204 204")
            #expect(empty.status == 0 && !empty.errors.contains("not in the package"), "\(empty.errors)")
            let loose = try run(
                ["replay", scratch.path("r.zip"), "--match", "query"],
                "curl -s $0/part?_=1",
                origin.base
            )
            #expect(loose.text == "0123456789" && loose.status == 0, "\(loose.errors)")
            #expect(origin.count(of: "/") == 0)
        }
    }

    @Test func `the exit code is the program's, unless there is no package or no program`() async throws {
        try await TestOrigin.withOrigin(Self.routes) { origin in
            let scratch = try Scratch()
            let package = scratch.path("r.zip")
            #expect(try run(["record", "-o", package], "curl -s $0/", origin.base).status == 0)
            #expect(try run(["replay", package], "curl -s $0/none; exit 42", origin.base).status == 42)
            #expect(try run(["replay", package], "kill -TERM $$", origin.base).status == 143)
            let unused = try run(["replay", package], "true", origin.base)
            #expect(unused.status == 0 && unused.errors.contains("no request came through the proxy"))
            try scratch.write(Array("no zip".utf8), to: "d.zip")
            for (words, status, sentence) in [
                ([package, "--", scratch.path("none")], Int32(11), "cannot run '\(scratch.path("none"))'"),
                ([scratch.path("n.zip"), "--", "true"], 11, "n.zip"),
                ([scratch.path("d.zip"), "--", "true"], 10, "d.zip"),
                ([package], 64, "name a program to run after '--'"),
                ([package, "--insecure", "--", "true"], 64, "only '--missing record' asks"),
            ] {
                let result = try Program.run(Program.afcache, ["replay"] + words)
                #expect(result.status == status && result.errors.contains(sentence), "\(result.errors)")
            }
        }
    }

    @Test func `what is missing is recorded into the package, which stays as it is if that fails`() async throws {
        let scratch = try Scratch()
        let package = scratch.path("r.zip")
        var base = ""
        try await TestOrigin.withOrigin(Self.routes) { origin in
            base = origin.base
            #expect(try run(["record", "--or-replay", "-o", package], "curl -s $0/", base).status == 0)
            let again = try run(["record", "--or-replay", "-o", package], "curl -s $0/", base)
            #expect(again.status == 0 && again.errors == "replayed '\(package)': 1 response\n")
            let script = "curl -s $0/ $0/part $0/gone; curl -s $0/api -d q=1"
            let added = try run(["replay", "--missing", "record", package], script, base)
            #expect(added.text == "home0123456789goneone" && added.status == 0, "\(added.errors)")
            #expect(added.errors.contains("added 3 responses to '\(package)'\n"))
            #expect(origin.count(of: "/") == 1)
        }
        let before = try scratch.read("r.zip")
        // Another test may get the port on the usual address of this machine.
        let nobody = base.replacingOccurrences(of: "//127.0.0.1", with: "//127.0.0.2")
        #expect(nobody != base)
        let dead = try run(["replay", "--missing", "record", package], "curl -s -o /dev/null $0/new", nobody)
        #expect(dead.status == 5 && dead.errors.contains("1 request without a response"), "\(dead.errors)")
        #expect(try scratch.read("r.zip") == before)
        #expect(scratch.names == ["r.zip"])
        let whole = try run(["replay", package], "curl -s $0/ $0/part $0/gone; curl -s $0/api -d q=1", base)
        #expect(whole.text == "home0123456789goneone" && whole.status == 0, "\(whole.errors)")
    }

    #if os(Linux)
    @Test func `an isolated program reaches nothing but the proxy`() async throws {
        try await TestOrigin.withOrigin(Self.routes) { origin in
            let scratch = try Scratch()
            let words = ["record", "--isolate", "-o", scratch.path("r.zip")]
            let recorded = try run(words, "curl -s $0/", origin.base)
            guard recorded.status == 0 else {
                // Where namespaces are forbidden, it is refused.
                #expect(
                    recorded.status == 11 && recorded.errors.contains("or remove '--isolate'"),
                    "\(recorded.errors)"
                )
                return
            }
            let script = """
                curl -s $0/; curl -s --noproxy '*' $0/; echo " $?"
                sed -n 's/^ *\\([^ ]*\\):.*/\\1/p' /proc/net/dev; id -u
                """
            let open = try run(["replay", scratch.path("r.zip")], script, origin.base)
            #expect(open.text.hasPrefix("homehome 0\n"), "\(open.text)")
            let isolated = try run(["replay", "--isolate", scratch.path("r.zip")], script, origin.base)
            #expect(isolated.text == "home 7\nlo\n\(geteuid())\n", "\(isolated.errors)")
            let none = try run(["replay", "--isolate", scratch.path("r.zip")], "kill -INT $$", origin.base)
            #expect(none.status == 130)
            let missing = ["replay", "--isolate", scratch.path("r.zip"), "--", scratch.path("none")]
            #expect(try Program.run(Program.afcache, missing).status == 11)
        }
    }
    #endif
}
