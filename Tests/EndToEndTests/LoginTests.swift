import Crypto
import Foundation
import TestOrigin
import TestSupport
import Testing

/// Logins for servers of packages and for registries, with the built program.
struct LoginTests {
    private let scratch: Scratch

    init() throws { scratch = try Scratch() }

    private func load(
        _ source: String,
        _ options: [String] = [],
        _ variables: [String: String] = [:],
        status: Int32 = 0,
        _ location: SourceLocation = #_sourceLocation
    ) throws -> ProgramResult {
        let result = try Program.run(
            Program.afcache,
            ["load", source, "--name", "d", "--cache", scratch.path("store")] + options,
            environment: variables
        )
        #expect(result.status == status, "\(result.errors)", sourceLocation: location)
        return result
    }

    private static func authorization(_ request: TestOrigin.Request) -> String? {
        request.fields.first { $0.lowercased().hasPrefix("authorization: ") }.map { String($0.dropFirst(15)) }
    }

    @Test func `a server gets the login of a netrc file, and a server that it redirects to doesn't`() async throws {
        let package = try SyncTests.package("d", "first", in: scratch)
        try await TestOrigin.withOrigin(["/d.zip": [.init(200, body: package)]]) { storage in
            let routes: [String: [TestOrigin.Answer]] = [
                "/d.zip": [.init(401), .redirect(storage.base + "/d.zip", status: 307)]
            ]
            try await TestOrigin.withOrigin(routes) { origin in
                let url = origin.base + "/d.zip"
                let refused = try load(url, status: 17)
                #expect(
                    refused.errors.contains("the server wants a login (status 401); name a netrc file"),
                    "\(refused.errors)"
                )
                try scratch.write(Array("machine 127.0.0.1 login anna password geheim\n".utf8), to: "logins")
                chmod(scratch.path("logins"), 0o644)
                let open = try load(url, ["--netrc", scratch.path("logins")])
                #expect(open.errors.contains("other users can read"), "\(open.errors)")
                #expect(origin.requests.map(Self.authorization) == [nil, "Basic YW5uYTpnZWhlaW0="])
                #expect(storage.requests.map(Self.authorization) == [nil])
                chmod(scratch.path("logins"), 0o600)
                let list = "version: 1\ncache: synced\nnetrc: logins\npackages: [{ from: '\(url)' }]\n"
                try scratch.write(Array(list.utf8), to: "sync.yaml")
                let synced = try Program.run(Program.afcache, ["sync", scratch.path("sync.yaml")])
                #expect(synced.text == "installed 'd'\n" && synced.errors.isEmpty, "\(synced.errors)")
                #expect(origin.requests.last.flatMap(Self.authorization) == "Basic YW5uYTpnZWhlaW0=")
            }
        }
    }

    @Test func `a login that is refused is an error that doesn't show it`() async throws {
        try await TestOrigin.withOrigin(["/d.zip": [.init(401)]]) { origin in
            try scratch.write(Array("machine 127.0.0.1 login anna password geheim\n".utf8), to: "logins")
            let refused = try load(origin.base + "/d.zip", ["--netrc", scratch.path("logins"), "-v"], status: 17)
            #expect(
                refused.errors.contains("the server refuses the login that was given (status 401)"),
                "\(refused.errors)"
            )
            #expect(!refused.errors.contains("geheim"))
            let missing = try load(origin.base + "/d.zip", ["--netrc", scratch.path("none")], status: 11)
            #expect(missing.errors.contains("none"), "\(missing.errors)")
        }
    }

    @Test(arguments: [
        ("Basic realm=x", "wants a login; put 'user:password' in the variable AFCACHE_BASIC, or use '--credentials', "),
        (
            "Digest realm=\"x, Basic\"",
            "wants a login of a kind that isn't supported; a cookie file of '--cookies' may help"
        ),
        ("Negotiate", "wants a login of a kind that isn't supported"),
    ])
    func `a crawl that is refused says which login is wanted, and how to give one`(challenge: String, note: String)
        async throws
    {
        let answers = [TestOrigin.Answer(401, [("WWW-Authenticate", challenge)])]
        try await TestOrigin.withOrigin(["/": answers]) { origin in
            let result = try pack(origin.base + "/", status: 6)
            let scheme = challenge.prefix { $0.isLetter }
            #expect(result.errors.contains("status 401 Test (\(scheme))"), "\(result.errors)")
            #expect(result.errors.contains("note: \(origin.base)/ \(note)"), "\(result.errors)")
        }
    }

    @Test func `a site that leads to its login form isn't packed without a word`() async throws {
        let routes: [String: [TestOrigin.Answer]] = [
            "/": [.redirect("/accounts/login?next=/", status: 302)],
            "/accounts/login?next=/": [.html("<form><input type=password></form>")],
        ]
        try await TestOrigin.withOrigin(routes) { origin in
            let result = try pack(origin.base + "/")
            let note = "the start URL leads to \(origin.base)/accounts/login?next=/, which may be a login form; "
            #expect(result.errors.contains(note) && result.errors.contains("'--cookies'"), "\(result.errors)")
        }
    }

    @Test func `a login form doesn't replace a package that has more`() async throws {
        let pages: [String: [TestOrigin.Answer]] = [
            "/": [.html("<a href=a>a</a><a href=b>b</a>"), .redirect("/login", status: 302)],
            "/a": [.html("a")], "/b": [.html("b")], "/login": [.html("<form><input type=password></form>")],
        ]
        try await TestOrigin.withOrigin(pages) { origin in
            _ = try pack(origin.base + "/")
            let package = try scratch.read("site.zip")
            let result = try pack(origin.base + "/", status: 6)
            let sentence =
                "the site sent nothing but a login form (\(origin.base)/login), and the package there has more, so no package "
                + "was written; "
            #expect(result.errors.contains(sentence) && result.errors.contains("'--cookies'"), "\(result.errors)")
            #expect(try scratch.read("site.zip") == package)
            _ = try pack(origin.base + "/", ["--overwrite"])
            #expect(try scratch.read("site.zip") != package)
            // A page with a form in place of one like it is no loss.
            _ = try pack(origin.base + "/")
        }
    }

    @Test func `a secret in a wrong place is refused with the right one`() throws {
        let cookie = try pack("http://127.0.0.1:1/", ["--header", "Cookie: a=hunter2"], status: 64)
        #expect(cookie.errors.contains("put cookies in a cookie file; '--cookies' names one"), "\(cookie.errors)")
        let url = try pack("http://anna:hunter2@127.0.0.1:1/", status: 64)
        #expect(url.errors.contains("remove them from it; put 'user:password' in the variable AFCACHE_BASIC"))
        #expect(!(cookie.errors + url.errors).contains("hunter2"))
    }

    private func pack(_ url: String, _ options: [String] = [], status: Int32 = 0) throws -> ProgramResult {
        let arguments = ["pack", url, "-o", scratch.path("site.zip"), "--retries", "0"] + options
        let result = try Program.run(Program.afcache, arguments)
        #expect(result.status == status, "\(result.text)\(result.errors)")
        return result
    }

    /// Answers as a registry that wants Basic.
    private func registry(_ origin: TestOrigin, _ package: [UInt8], tag: String) {
        let digest = "sha256:" + SHA256.hash(data: package).map { String(format: "%02x", $0) }.joined()
        let manifest = """
            {"schemaVersion":2,"mediaType":"application/vnd.oci.image.manifest.v1+json",
            "layers":[{"mediaType":"application/zip","digest":"\(digest)","size":\(package.count)}]}
            """
        let wanted = TestOrigin.Answer(401, [("WWW-Authenticate", "Basic realm=x")])
        origin.set("/v2/docs/manifests/" + tag, wanted, .init(200, [], body: Array(manifest.utf8)))
        origin.set("/v2/docs/blobs/\(digest)", .init(200, body: package))
    }

    @Test func `a credential helper is asked for the registry's login`() async throws {
        let package = try SyncTests.package("d", "first", in: scratch)
        try await TestOrigin.withOrigin([:]) { origin in
            registry(origin, package, tag: "1")
            let authority = String(origin.base.dropFirst("http://".count))
            let source = "oci://\(authority)/docs:1"
            try scratch.write(
                Array("{\"credHelpers\": {\"\(authority)\": \"test\"}, \"credsStore\": \"other\"}".utf8),
                to: "docker/config.json"
            )
            func helper(_ script: String) throws {
                try scratch.write(Array("#!/bin/sh\n\(script)\n".utf8), to: "bin/docker-credential-test")
                chmod(scratch.path("bin/docker-credential-test"), 0o755)
            }
            let variables = [
                "DOCKER_CONFIG": scratch.path("docker"), "PATH": scratch.path("bin") + ":/usr/bin:/bin",
            ]
            let missing = try load(source, [], variables, status: 11)
            #expect(missing.errors.contains("docker-credential-test"), "\(missing.errors)")
            try helper("echo credentials not found in native keychain; exit 1")
            let anonymous = try load(source, [], variables, status: 17)
            #expect(anonymous.errors.contains("the registry wants a login"), "\(anonymous.errors)")
            try helper("echo the keychain is locked; exit 1")
            let failed = try load(source, [], variables, status: 11)
            #expect(failed.errors.contains("the credential helper failed (status 1): the keychain"), "\(failed.errors)")
            try helper("echo geheim")
            let wrong = try load(source, [], variables, status: 11)
            #expect(wrong.errors.contains("the credential helper's answer is not"), "\(wrong.errors)")
            #expect(!wrong.errors.contains("geheim"))
            try helper(
                """
                read server; test "$1 $server" = 'get \(authority)' || exit 1
                echo '{"ServerURL":"x","Username":"anna","Secret":"geheim"}'
                """
            )
            // A tag that was never asked for is refused without a login.
            registry(origin, package, tag: "2")
            let before = origin.requests.count
            let loaded = try load("oci://\(authority)/docs:2", [], variables)
            #expect(loaded.text.hasPrefix("loaded 'd'"), "\(loaded.errors)")
            let sent = origin.requests.dropFirst(before).map(Self.authorization)
            #expect(sent == [nil, "Basic YW5uYTpnZWhlaW0=", "Basic YW5uYTpnZWhlaW0="])
            #expect(!(loaded.text + loaded.errors).contains("geheim"))
        }
    }

    @Test func `a helper that isn't a program's name is refused`() throws {
        try scratch.write(Array("{\"credsStore\": \"../../x\"}".utf8), to: "docker/config.json")
        let result = try load("oci://127.0.0.1:1/docs:1", [], ["DOCKER_CONFIG": scratch.path("docker")], status: 64)
        #expect(result.errors.contains("can't be a credential helper"), "\(result.errors)")
    }
}
