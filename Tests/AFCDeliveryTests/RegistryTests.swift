import AFCCredentials
import AFCHTTP
import AFCText
import AFCURL
import Crypto
import Foundation
import TestOrigin
import TestSupport
import Testing

@testable import AFCDelivery

/// Packages in registries: names, manifests and challenges, and hostile registries.
struct RegistryTests {
    private static func reason(_ text: String) -> String {
        do throws(DeliveryError) {
            return "taken: \(try RegistryReference(text))"
        } catch {
            #expect(error.code == .badURL)
            return error.message
        }
    }

    private static let pinned = "sha256:" + String(repeating: "0a", count: 32)

    @Test(arguments: [
        ("oci://r.example/docs", "r.example", "docs", "latest"),
        ("oci://R.example:5000/a/b-c/d_e.f:v1.2", "r.example:5000", "a/b-c/d_e.f", "v1.2"),
        ("oci://localhost:5000/x:_A", "localhost:5000", "x", "_A"), ("oci://[::1]:5000/x:1", "[::1]:5000", "x", "1"),
        ("oci://r.example/docs@" + pinned, "r.example", "docs", pinned),
        ("oci://r.example/docs:7@" + pinned, "r.example", "docs", pinned),
    ])
    func `a name is read`(text: String, authority: String, repository: String, version: String) throws {
        let reference = try RegistryReference(text)
        #expect(reference.authority == authority)
        #expect(reference.repository == repository)
        #expect(reference.version == version)
        #expect(try RegistryReference(reference.description) == reference)
    }

    @Test(arguments: [
        ("https://r.example/docs", "the name of an artifact begins with 'oci://'"),
        ("oci://r.example", "write oci://HOST/NAME:TAG"),
        ("oci:///docs", "'' is not a host"), ("oci://a b/docs", "'a b' is not a host"),
        ("oci://anna:geheim@r.example/docs", "other users of this machine can see a password"),
        ("oci://r.example/", "the name of a repository"), ("oci://r.example/Docs", "the name of a repository"),
        ("oci://r.example/../x", "the name of a repository"), ("oci://r.example/a//b", "the name of a repository"),
        ("oci://r.example/docs:", "a tag has 1 to 128"), ("oci://r.example/docs:.x", "a tag has 1 to 128"),
        ("oci://r.example/docs:a/b", "a tag has 1 to 128"),
        ("oci://r.example/docs@sha256:12", "the digest must be"),
        ("oci://r.example/docs@md5:" + String(repeating: "0", count: 32), "the digest must be"),
    ])
    func `a malformed name is refused with the reason`(text: String, reason: String) {
        let found = Self.reason(text)
        #expect(found.hasPrefix(reason) || found.contains(reason), "\(found)")
    }

    @Test(arguments: [
        ("oci://r.example/d", false, "https://r.example/v2/d/"), ("oci://r.example/d", true, "http://r.example/v2/d/"),
        ("oci://localhost:5000/d", false, "http://localhost:5000/v2/d/"),
        ("oci://127.0.0.9/d", false, "http://127.0.0.9/v2/d/"),
        ("oci://[::1]/d", false, "http://[::1]/v2/d/"), ("oci://10.0.0.1/d", false, "https://10.0.0.1/v2/d/"),
    ])
    func `only this machine is asked over http`(text: String, allows: Bool, url: String) throws {
        #expect(try RegistryReference(text).root(allowsPlainHTTP: allows)?.description == url)
    }

    @Test func `a manifest is as the specification says, and read as written`() throws {
        var manifest = RegistryManifest(layer: Self.pinned, size: 12)
        manifest.contents = String(repeating: "0b", count: 32)
        manifest.created = "2026-11-23T08:00:00Z"
        manifest.title = "docs.zip"
        #expect(try RegistryManifest(manifest.bytes) == manifest)
        let json = try JSONValue(parsing: manifest.bytes)
        #expect(json["artifactType"]?.string == "application/vnd.afcache.package.v1")
        // The digest of the empty config, from the specification.
        #expect(
            json["config"]?["digest"]?.string
                == "sha256:44136fa355b3678a1146ad16f7e8649e94fb4fc21fe77e8310c060f61caaff8a"
        )
        #expect(manifest.bytes == manifest.bytes)
    }

    @Test(arguments: [
        ("", "the registry's manifest is not JSON"), ("{}", "the registry's manifest has no layers"),
        ("{\"schemaVersion\":2,\"manifests\":[]}", "the name stands for several manifests"),
        ("{\"schemaVersion\":2,\"layers\":[{\"mediaType\":\"x/tar\"}]}", "the artifact isn't one zip"),
        (
            "{\"schemaVersion\":2,\"layers\":[{\"mediaType\":\"application/vnd.oci.image.layer.v1.tar+gzip\","
                + "\"digest\":\"\(pinned)\",\"size\":1}]}",
            "the artifact isn't one zip"
        ),
        (
            "{\"schemaVersion\":2,\"layers\":[{\"mediaType\":\"a/zip\"},{\"mediaType\":\"a/zip\"}]}",
            "the artifact isn't one zip"
        ),
        (
            "{\"schemaVersion\":2,\"layers\":[{\"mediaType\":\"a/zip\",\"digest\":\"md5:1\",\"size\":1}]}",
            "the layer in the"
        ),
        (
            "{\"schemaVersion\":2,\"layers\":[{\"mediaType\":\"a/zip\",\"digest\":\"\(pinned)\",\"size\":-1}]}",
            "the layer in the"
        ),
        (
            "{\"schemaVersion\":2,\"layers\":[{\"mediaType\":\"a/zip\",\"digest\":\"\(pinned)\",\"size\":1}],\"annotations\":{\"io.afcache.package.digest\":\"x\"}}",
            "'io.afcache.package.digest' in the registry's manifest is not a digest"
        ),
    ])
    func `a manifest that isn't a package is refused`(text: String, reason: String) {
        do throws(RegistryManifest.Problem) {
            _ = try RegistryManifest(Array(text.utf8))
            Issue.record("it was taken")
        } catch {
            #expect(error.message.hasPrefix(reason), "\(error.message)")
        }
    }

    @Test(arguments: [
        (["Basic realm=\"r\""], false, ["realm": "r"]),
        (
            ["Bearer realm=\"https://t.example/token\",service=\"s, t\",scope=\"repository:a:pull\""], true,
            ["realm": "https://t.example/token", "service": "s, t", "scope": "repository:a:pull"]
        ),
        (["Basic realm=r", "bearer realm=\"x\\\"y\" , Service = z"], true, ["realm": "x\"y", "service": "z"]),
        (["Negotiate", "BASIC"], false, [:]),
    ])
    func `a challenge is read`(values: [String], isBearer: Bool, parameters: [String: String]) throws {
        let challenge = try #require(RegistryChallenge(values))
        #expect(challenge.isBearer == isBearer)
        #expect(challenge.parameters == parameters)
    }

    @Test func `other schemes are no challenge, and malformed ones end`() {
        #expect(RegistryChallenge(["Negotiate x", ""]) == nil)
        #expect(RegistryChallenge(["Bearer ,,,=,\"", "Bearer realm=\"\\"])?.isBearer == true)
    }

    @Test func `Docker's file is read, and never printed`() throws {
        let text = """
            {"auths": {"https://r.example/v2/": {"auth": "YW5uYTpnZWhlaW0="}, "s.example:5000": {"username": "a", "password": "b"},
            "t.example": {}, "u.example": {"auth": "!"}, "v.example": {"auth": "MDo=", "identitytoken": "geheim"},
            "w.example": {"username": "a:b", "password": "c"}}}
            """
        let logins = try #require(RegistryLogins(Array(text.utf8)))
        #expect(logins.login(for: "r.example") == .basic("Basic YW5uYTpnZWhlaW0="))
        #expect(logins.login(for: "s.example:5000") == .basic("Basic YTpi"))
        #expect(logins.login(for: "v.example") == .identity(Secret("geheim")))
        for host in ["t.example", "u.example", "w.example", "example", "s.example"] {
            #expect(logins.login(for: host) == nil)
        }
        #expect(!"\(logins)".contains("YW5u"))
        #expect(!"\(logins.login(for: "v.example").debugDescription)".contains("geheim"))
        for text in ["[]", "{", "{\"auths\": 1}", "{\"credHelpers\": []}"] {
            #expect(RegistryLogins(Array(text.utf8)) == nil)
        }
    }

    @Test func `a credential helper's answer wins over the file`() throws {
        let text = """
            {"auths": {"r.example": {"auth": "YW5uYTpnZWhlaW0="}}, "credsStore": "pass",
            "credHelpers": {"s.example:5000": "ecr-login", "t.example": 1}}
            """
        var logins = try #require(RegistryLogins(Array(text.utf8)))
        let reference = try RegistryReference("oci://r.example/docs")
        #expect(logins.helper(for: reference) == "pass")
        #expect(logins.helper(for: try RegistryReference("oci://s.example:5000/docs")) == "ecr-login")
        #expect(RegistryLogins().helper(for: reference) == nil)
        #expect(RegistryLogins(Array("{\"credsStore\": \"\"}".utf8))?.helper(for: reference) == nil)
        for answer in [
            "", "[]", "{}", "{\"Username\": \"a\"}", "{\"Username\": \"a:b\", \"Secret\": \"c\"}",
            "{\"Username\": \"<token>\", \"Secret\": \"\"}",
        ] {
            let isTaken = logins.add(answer: Array(answer.utf8), for: reference)
            #expect(!isTaken, "\(answer)")
        }
        #expect(logins.login(for: "r.example") == .basic("Basic YW5uYTpnZWhlaW0="))
        for (user, secret, login) in [
            ("a", "b:c", RegistryLogins.Login.basic("Basic YTpiOmM=")), ("<token>", "t", .identity(Secret("t"))),
        ] {
            let isTaken = logins.add(
                answer: Array("{\"Username\":\"\(user)\",\"Secret\":\"\(secret)\"}".utf8),
                for: reference
            )
            #expect(isTaken && logins.login(for: "r.example") == login)
        }
    }

    // MARK: Registries

    private static let zip = Array("PK not really".utf8)

    private static func manifest() -> [UInt8] {
        RegistryManifest(layer: RegistryManifest.digest(zip), size: Int64(zip.count)).bytes
    }

    private static func options() -> PackageDownload.Options {
        var options = PackageDownload.Options.patient(
            userAgent: "test",
            now: Timestamp(secondsSinceEpoch: 1_800_000_000)
        )
        options.pause = .milliseconds(1)
        options.retries = 1
        return options
    }

    private static func find(_ origin: TestOrigin, _ name: String = "docs:1", login: String? = nil) async -> Result<
        RegistryPull.Found, DeliveryError
    > {
        let authority = origin.base.dropFirst("http://".count)
        var logins = RegistryLogins()
        if let login {
            logins = RegistryLogins(Array("{\"auths\":{\"\(authority)\":{\"auth\":\"\(login)\"}}}".utf8)) ?? logins
        }
        do throws(DeliveryError) {
            let reference = try RegistryReference("oci://\(authority)/\(name)")
            return .success(try await RegistryPull.find(reference, logins: logins, options: options()))
        } catch {
            return .failure(error)
        }
    }

    private static func authorization(_ request: TestOrigin.Request) -> String? {
        request.fields.first { $0.lowercased().hasPrefix("authorization: ") }.map { String($0.dropFirst(15)) }
    }

    @Test func `a token is asked for with the login, and the blob with the token, but not where it redirects`()
        async throws
    {
        let layer = RegistryManifest.digest(Self.zip)
        try await TestOrigin.withOrigin(["/storage": [TestOrigin.Answer(200, [], body: Self.zip)]]) { storage in
            try await TestOrigin.withOrigin([:]) { origin in
                let challenge = "Bearer realm=\"\(origin.base)/token?x=1\",service=\"r\",scope=\"repository:docs:pull\""
                origin.set(
                    "/v2/docs/manifests/1",
                    TestOrigin.Answer(401, [("WWW-Authenticate", challenge)]),
                    TestOrigin.Answer(200, [], body: Self.manifest())
                )
                let token = "/token?x=1&service=r&scope=repository%3Adocs%3Apull"
                origin.set(token, .text("{\"token\":\"t0k3n\"}", type: "application/json"))
                origin.set("/v2/docs/blobs/\(layer)", .redirect(storage.base + "/storage", status: 307))
                let found = try await Self.find(origin, login: "YW5uYTpnZWhlaW0=").get()
                #expect(found.sha256 == layer.dropFirst(7))
                #expect(found.size == Int64(Self.zip.count))
                #expect(origin.targets == ["/v2/docs/manifests/1", token, "/v2/docs/manifests/1"])
                #expect(origin.requests.map(Self.authorization) == [nil, "Basic YW5uYTpnZWhlaW0=", "Bearer t0k3n"])
                var options = Self.options()
                options.sha256 = found.sha256
                options.expect(found)
                let scratch = try Scratch()
                let outcome = try await PackageDownload.fetch(found.url, into: scratch.path("d"), options: options)
                guard case .arrived(let package) = outcome else {
                    Issue.record("nothing arrived")
                    return
                }
                package.discard()
                #expect(origin.requests.last.flatMap(Self.authorization) == "Bearer t0k3n")
                #expect(storage.requests.map(Self.authorization) == [nil])
            }
        }
    }

    @Test func `an identity token is exchanged for a token`() async throws {
        try await TestOrigin.withOrigin([:]) { origin in
            let challenge = "Bearer realm=\"\(origin.base)/token\",service=\"r\",scope=\"repository:docs:pull\""
            origin.set(
                "/v2/docs/manifests/1",
                TestOrigin.Answer(401, [("WWW-Authenticate", challenge)]),
                TestOrigin.Answer(200, [], body: Self.manifest())
            )
            origin.set("/token", .text("{\"access_token\":\"t0k3n\"}", type: "application/json"))
            let authority = origin.base.dropFirst("http://".count)
            let reference = try RegistryReference("oci://\(authority)/docs:1")
            var logins = RegistryLogins()
            let isTaken = logins.add(
                answer: Array("{\"Username\":\"<token>\",\"Secret\":\"a&b\"}".utf8),
                for: reference
            )
            #expect(isTaken)
            _ = try await RegistryPull.find(reference, logins: logins, options: Self.options())
            #expect(origin.requests.map(\.method) == ["GET", "POST", "GET"])
            #expect(origin.targets == ["/v2/docs/manifests/1", "/token", "/v2/docs/manifests/1"])
            #expect(origin.requests.map(Self.authorization) == [nil, nil, "Bearer t0k3n"])
            let form =
                "service=r&scope=repository%3Adocs%3Apull&grant_type=refresh_token&client_id=afcache&refresh_token=a%26b"
            let length = origin.requests[1].fields.first { $0.lowercased().hasPrefix("content-length: ") }
            #expect(length.map { $0.dropFirst(16) } == "\(form.utf8.count)")
        }
    }

    @Test func `a user's credential for the registry's origin is a login, too`() async throws {
        let basic = TestOrigin.Answer(401, [("WWW-Authenticate", "Basic realm=x")])
        try await TestOrigin.withOrigin(["/v2/docs/manifests/1": [basic, .init(200, [], body: Self.manifest())]]) {
            origin in
            var options = Self.options()
            options.servers.credentials = [
                OriginCredential(for: try WebURL(origin.base), basic: try BasicCredentials("anna:geheim"))
            ]
            let reference = try RegistryReference("oci://\(origin.base.dropFirst("http://".count))/docs:1")
            _ = try await RegistryPull.find(reference, logins: RegistryLogins(), options: options)
            #expect(origin.requests.map(Self.authorization) == [nil, "Basic YW5uYTpnZWhlaW0="])
        }
    }

    @Test func `a registry that lies is refused`() async throws {
        let manifest = Self.manifest()
        let other = [("Docker-Content-Digest", Self.pinned)]
        let cases: [(answer: TestOrigin.Answer, name: String, code: DeliveryErrorCode, sentence: String)] = [
            (.init(404), "docs:1", .status(404), "no such artifact"),
            (.init(403), "docs:1", .status(403), "refuses access"),
            (.init(200, other, body: manifest), "docs:1", .digest, "the manifest has the digest"),
            (.init(200, [], body: manifest), "docs@" + Self.pinned, .digest, "the manifest has the digest"),
            (.init(200, [], body: Array("<html>".utf8)), "docs:1", .protocolViolation, "is not JSON"),
            (.init(200, [], body: Array(repeating: 0x20, count: 5 << 20)), "docs:1", .tooLarge, "is larger than"),
            (.init(302, [("Location", "http://127.0.0.1:1/")]), "docs:1", .status(302), "answered 302"),
            (.init(401), "docs:1", .status(401), "names no way to log in"),
            (.init(401, [("WWW-Authenticate", "Basic realm=x")]), "docs:1", .status(401), "wants a login"),
            (.init(401, [("WWW-Authenticate", "Bearer realm=x")]), "docs:1", .protocolViolation, "no https URL"),
            (
                .init(401, [("WWW-Authenticate", "Bearer realm=\"http://token.example/\"")]), "docs:1",
                .protocolViolation,
                "no https URL"
            ),
        ]
        for (answer, name, code, sentence) in cases {
            let path = "/v2/docs/manifests/" + String(name.dropFirst(5))
            try await TestOrigin.withOrigin([path: [answer]]) { origin in
                guard case .failure(let error) = await Self.find(origin, name) else {
                    Issue.record("\(sentence): it was taken")
                    return
                }
                #expect(error.code == code, "\(error)")
                #expect(error.message.contains(sentence), "\(error)")
            }
        }
    }

    @Test func `a login that is refused is tried once, and a token server that lies gets nothing more`() async throws {
        for body in ["", "{}", "{\"token\":\"\"}", "{\"token\":\"a\\nb\"}", "{\"token\":5}"] {
            try await TestOrigin.withOrigin(["/token?scope=repository%3Adocs%3Apull": [.text(body)]]) { origin in
                let challenge = ("WWW-Authenticate", "Bearer realm=\"\(origin.base)/token\"")
                origin.set("/v2/docs/manifests/1", TestOrigin.Answer(401, [challenge]))
                guard case .failure(let error) = await Self.find(origin, login: "YTpi") else {
                    Issue.record("\(body) was taken")
                    return
                }
                #expect(error.message.contains("token server refuses access"), "\(error)")
                #expect(origin.requests.count == 2)
            }
        }
        let basic = TestOrigin.Answer(401, [("WWW-Authenticate", "Basic realm=x")])
        try await TestOrigin.withOrigin(["/v2/docs/manifests/1": [basic]]) { origin in
            guard case .failure(let error) = await Self.find(origin, login: "YTpi") else {
                Issue.record("it was taken")
                return
            }
            #expect(error.code == .status(401))
            #expect(origin.requests.map(Self.authorization) == [nil, "Basic YTpi"])
        }
    }

    // MARK: Folders

    @Test(arguments: [
        ("oci-layout:a/b:1", "a/b", "1"), ("oci-layout:/a:b/c", "/a:b/c", "latest"), ("oci-layout:x", "x", "latest"),
    ])
    func `the name of a folder is read`(text: String, folder: String, tag: String) throws {
        let layout = try RegistryLayout(text)
        #expect(layout.folder == folder)
        #expect(layout.tag == tag)
    }

    @Test(arguments: ["oci-layout:", "oci-layout::1", "oci-layout:a:", "oci-layout:a:.x"])
    func `a name without folder or tag is refused`(text: String) {
        #expect(throws: DeliveryError.self) { try RegistryLayout(text) }
    }

    @Test func `a package is put into a folder, next to others, and found again`() throws {
        let scratch = try Scratch()
        try scratch.write(Self.zip, to: "p.zip")
        try scratch.write(Self.zip + [1], to: "q.zip")
        let name = "oci-layout:" + scratch.path("new/docs")
        func put(_ file: String, _ tag: String) throws {
            let contents = String(repeating: "0c", count: 32)
            let package = RegistryPush.Package(path: scratch.path(file), contents: contents, created: nil)
            let pushed = try RegistryLayout(name + ":" + tag).put(package)
            #expect(pushed.size == Int64(try scratch.read(file).count))
        }
        try put("p.zip", "1")
        try put("q.zip", "2")
        try put("q.zip", "1")
        try put("p.zip", "1")
        for (tag, file) in [("1", "p.zip"), ("2", "q.zip")] {
            let found = try RegistryLayout(name + ":" + tag).find()
            #expect(try Array(Data(contentsOf: URL(fileURLWithPath: found.path))) == scratch.read(file))
            #expect(found.path.hasSuffix(found.sha256))
        }
        let index = try JSONValue(parsing: scratch.read("new/docs/index.json"))
        #expect(index["manifests"]?.array?.count == 2)
        #expect(throws: DeliveryError.self) { try RegistryLayout(name + ":3").find() }
        // A manifest that was changed, and a malformed index.
        let digest = try #require(index["manifests"]?.array?.first?["digest"]?.string)
        try scratch.write(Array("{}".utf8), to: "new/docs/blobs/sha256/\(digest.dropFirst(7))")
        do throws(DeliveryError) {
            _ = try RegistryLayout(name + ":2").find()
            Issue.record("it was found")
        } catch {
            #expect(error.code == .digest)
        }
        try scratch.write(Array("[]".utf8), to: "new/docs/index.json")
        #expect(throws: DeliveryError.self) { try put("p.zip", "1") }
        #expect(try scratch.read("new/docs/index.json") == Array("[]".utf8))
    }

    private static func put(into scratch: Scratch, _ folder: String) throws -> String {
        try scratch.write(zip, to: "p.zip")
        let contents = String(repeating: "0c", count: 32)
        let package = RegistryPush.Package(path: scratch.path("p.zip"), contents: contents, created: nil)
        let name = "oci-layout:" + scratch.path(folder)
        _ = try RegistryLayout(name + ":1").put(package)
        return name
    }

    @Test func `the only artifact of a folder needs no tag`() throws {
        let scratch = try Scratch()
        let name = try Self.put(into: scratch, "l")
        let index = String(decoding: try scratch.read("l/index.json"), as: UTF8.self)
        let mark = try #require(index.firstRange(of: ",\"annotations\":{\"org.opencontainers.image.ref.name\":\"1\"}"))
        let plain = index.replacingCharacters(in: mark, with: "")
        try scratch.write(Array(plain.utf8), to: "l/index.json")
        #expect(try RegistryLayout(name).find().path.hasPrefix(scratch.path("l/blobs/sha256/")))
        #expect(throws: DeliveryError.self) { try RegistryLayout(name + ":2").find() }
        // One of several, or one with another tag, must be named.
        try scratch.write(Array(index.utf8), to: "l/index.json")
        #expect(throws: DeliveryError.self) { try RegistryLayout(name).find() }
    }

    @Test(arguments: ["blobs", "blobs/sha256"]) func `nothing is written where a link in a folder leads`(link: String)
        throws
    {
        let scratch = try Scratch()
        try scratch.write([], to: "elsewhere/x")
        try scratch.write([], to: "l/blobs/x")
        let path = scratch.path("l/" + link)
        if link == "blobs" { try FileManager.default.removeItem(atPath: path) }
        try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: scratch.path("elsewhere"))
        let error = #expect(throws: DeliveryError.self) { try Self.put(into: scratch, "l") }
        #expect(error?.message == "this must be a folder, and it is a link; remove it")
        #expect(try FileManager.default.contentsOfDirectory(atPath: scratch.path("elsewhere")) == ["x"])
    }

    @Test func `a push removes what killed ones have left in a folder`() throws {
        let scratch = try Scratch()
        // The highest process ID that Linux gives is 4,194,304.
        for name in ["l/.index.json.4999999.afcache-tmp-1", "l/blobs/sha256/.zip.4999999.afcache-tmp-2"] {
            try scratch.write([1], to: name)
        }
        try scratch.write([1], to: "l/blobs/sha256/.zip.1.afcache-tmp-3")
        _ = try Self.put(into: scratch, "l")
        #expect(
            try FileManager.default.contentsOfDirectory(atPath: scratch.path("l")).sorted() == [
                "blobs", "index.json", "oci-layout",
            ]
        )
        let left = try FileManager.default.contentsOfDirectory(atPath: scratch.path("l/blobs/sha256"))
        #expect(left.filter { $0.hasPrefix(".") } == [".zip.1.afcache-tmp-3"], "another process may still write it")
    }

    // MARK: Pushing

    private static func push(_ origin: TestOrigin, _ path: String) async -> Result<RegistryPush.Pushed, DeliveryError> {
        let package = RegistryPush.Package(path: path, contents: String(repeating: "0c", count: 32), created: nil)
        do throws(DeliveryError) {
            let reference = try RegistryReference("oci://\(origin.base.dropFirst("http://".count))/docs:1")
            return .success(
                try await RegistryPush.push(package, to: reference, logins: RegistryLogins(), options: options())
            )
        } catch {
            return .failure(error)
        }
    }

    /// Returns the error of a push that must fail.
    private static func refusal(_ origin: TestOrigin, _ path: String) async throws -> DeliveryError {
        let result = await push(origin, path)
        return try #require(result.failure, "it was pushed")
    }

    private static func registry(_ origin: TestOrigin, _ bytes: [UInt8]) -> String {
        let layer = RegistryManifest.digest(bytes)
        let config = RegistryManifest.digest(RegistryManifest.emptyConfig)
        origin.set("/v2/docs/blobs/\(layer)", TestOrigin.Answer(404))
        origin.set("/v2/docs/blobs/\(config)", TestOrigin.Answer(200))
        origin.set("/v2/docs/manifests/1", TestOrigin.Answer(201))
        return layer
    }

    @Test func `a package is sent in parts, and not if the registry has it`() async throws {
        let scratch = try Scratch()
        let bytes = [UInt8](repeating: 7, count: RegistryPush.partSize + 10)
        try scratch.write(bytes, to: "p.zip")
        try await TestOrigin.withOrigin([:]) { origin in
            let layer = Self.registry(origin, bytes)
            origin.set("/v2/docs/blobs/uploads/", TestOrigin.Answer(202, [("Location", "/up?state=a")]))
            origin.set("/up?state=a", TestOrigin.Answer(202, [("Location", "/up?state=b")]))
            origin.set("/up?state=b", TestOrigin.Answer(202, [("Location", "/up?state=c")]))
            origin.set("/up?state=c&digest=\(layer)", TestOrigin.Answer(201))
            let pushed = try await Self.push(origin, scratch.path("p.zip")).get()
            #expect(pushed.sent == Int64(bytes.count))
            #expect(origin.requests.map(\.method) == ["HEAD", "POST", "PATCH", "PATCH", "PUT", "HEAD", "PUT"])
            let ranges = origin.requests.compactMap { $0.fields.first { $0.lowercased().hasPrefix("content-range") } }
            #expect(ranges.map { $0.split(separator: " ").last } == ["0-4194303", "4194304-4194313"])
            #expect(scratch.names == ["p.zip"])
            origin.set("/v2/docs/blobs/\(layer)", TestOrigin.Answer(200))
            let again = try await Self.push(origin, scratch.path("p.zip")).get()
            #expect(again.sent == 0)
        }
    }

    @Test func `an interrupted push is resumed, and starts over if the registry has forgotten it`() async throws {
        let scratch = try Scratch()
        let bytes = [UInt8](repeating: 7, count: RegistryPush.partSize + 10)
        try scratch.write(bytes, to: "p.zip")
        try await TestOrigin.withOrigin([:]) { origin in
            let layer = Self.registry(origin, bytes)
            origin.set("/v2/docs/blobs/uploads/", TestOrigin.Answer(202, [("Location", "/up?state=a")]))
            origin.set("/up?state=a", TestOrigin.Answer(202, [("Location", "/up?state=b")]))
            origin.set("/up?state=b", TestOrigin.Answer(500))
            let error = try await Self.refusal(origin, scratch.path("p.zip"))
            #expect(error.code == .status(500))
            #expect(scratch.names == ["p.zip", "p.zip.push"])
            let before = origin.requests.count
            origin.set(
                "/up?state=b",
                TestOrigin.Answer(204, [("Range", "0-4194303"), ("Location", "/up?state=d")])
            )
            origin.set("/up?state=d", TestOrigin.Answer(202, [("Location", "/up?state=c")]))
            origin.set("/up?state=c&digest=\(layer)", TestOrigin.Answer(201))
            let second = try await Self.push(origin, scratch.path("p.zip")).get()
            #expect(second.sent == 10)
            #expect(origin.requests[before...].map(\.method) == ["HEAD", "GET", "PATCH", "PUT", "HEAD", "PUT"])
            #expect(scratch.names == ["p.zip"])
            // Forgotten while it runs: it starts over, but not forever.
            origin.set("/up?state=b", TestOrigin.Answer(404))
            let lost = try await Self.refusal(origin, scratch.path("p.zip"))
            #expect(lost.message.contains("lost the upload 3 times"), "\(lost)")
        }
    }

    @Test func `a part whose answer was lost isn't sent again, and another file by the note's name stays`() async throws
    {
        let scratch = try Scratch()
        let bytes = [UInt8](repeating: 7, count: RegistryPush.partSize + 10)
        try scratch.write(bytes, to: "p.zip")
        try scratch.write(Array("my own".utf8), to: "p.zip.push")
        try await TestOrigin.withOrigin([:]) { origin in
            let layer = Self.registry(origin, bytes)
            origin.set("/v2/docs/blobs/uploads/", TestOrigin.Answer(202, [("Location", "/up?state=a")]))
            origin.set(
                "/up?state=a",
                TestOrigin.Answer(416),
                TestOrigin.Answer(204, [("Range", "0-4194303"), ("Location", "/up?state=b")])
            )
            origin.set("/up?state=b", TestOrigin.Answer(202, [("Location", "/up?state=c")]))
            origin.set("/up?state=c&digest=\(layer)", TestOrigin.Answer(201))
            _ = try await Self.push(origin, scratch.path("p.zip")).get()
            #expect(origin.requests.map(\.method) == ["HEAD", "POST", "PATCH", "GET", "PATCH", "PUT", "HEAD", "PUT"])
            #expect(try scratch.read("p.zip.push") == Array("my own".utf8))
        }
    }

    @Test func `a refusal of a push says what to do`() async throws {
        let scratch = try Scratch()
        try scratch.write(Self.zip, to: "p.zip")
        try await TestOrigin.withOrigin([:]) { origin in
            let layer = Self.registry(origin, Self.zip)
            origin.set("/v2/docs/blobs/uploads/", TestOrigin.Answer(403))
            let refused = try await Self.refusal(origin, scratch.path("p.zip"))
            #expect(refused.code == .status(403) && refused.remedy == .logIn, "\(refused)")
            origin.set("/v2/docs/blobs/\(layer)", TestOrigin.Answer(200))
            origin.set("/v2/docs/manifests/1", TestOrigin.Answer(400))
            let manifest = try await Self.refusal(origin, scratch.path("p.zip"))
            #expect(manifest.message.contains("refused the manifest (status 400)"), "\(manifest)")
        }
    }
}

extension Result {
    /// The error, if this is one.
    fileprivate var failure: Failure? {
        if case .failure(let error) = self { error } else { nil }
    }
}
