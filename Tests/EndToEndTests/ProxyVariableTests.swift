import TestOrigin
import TestSupport
import Testing

/// The proxies that the environment names, by the built program.
struct ProxyVariableTests {
    private static let site = "http://docs.example/"
    private static let routes: [String: [TestOrigin.Answer]] = [
        site: [.html("<p>one</p><img src=http://cdn.example/a.png>")],
        "http://cdn.example/a.png": [TestOrigin.Answer(200, [("Content-Type", "image/png")], body: [1, 2, 3])],
    ]

    private func pack(
        _ scratch: Scratch,
        _ options: [String] = [],
        environment: [String: String]
    ) throws -> ProgramResult {
        let words = ["pack", Self.site, "--foreign-requisites", "-o", scratch.path("p.zip")] + options
        return try Program.run(Program.afcache, words, environment: environment)
    }

    @Test func `pack and record go through the proxy of the environment`() async throws {
        try await TestOrigin.withOrigin(Self.routes) { proxy in
            let scratch = try Scratch()
            let login = proxy.base.replacing("http://", with: "http://anna:secret@")
            let packed = try pack(scratch, environment: ["http_proxy": login])
            #expect(packed.text.hasPrefix("packed "), "\(packed.errors)")
            #expect(proxy.requests.map(\.target).contains(Self.site))
            #expect(proxy.requests.map(\.target).contains("http://cdn.example/a.png"))
            #expect(proxy.requests.allSatisfy { $0.fields.contains("Proxy-Authorization: Basic YW5uYTpzZWNyZXQ=") })

            let before = proxy.requests.count
            let words = ["record", "-o", scratch.path("r.zip"), "--", "curl", "-s", Self.site]
            let recorded = try Program.run(Program.afcache, words, environment: ["all_proxy": proxy.base])
            #expect(recorded.status == 0 && recorded.text.contains("<p>one</p>"), "\(recorded.errors)")
            #expect(proxy.requests.dropFirst(before).map(\.target) == [Self.site])
        }
    }

    @Test(arguments: [
        ["http_proxy": "", "https_proxy": "http://127.0.0.1:1"], ["no_proxy": ".example"], ["no_proxy": "*"],
    ])
    func `what no_proxy names, and another scheme, are asked directly`(variables: [String: String]) async throws {
        try await TestOrigin.withOrigin(Self.routes) { proxy in
            let scratch = try Scratch()
            let environment = ["http_proxy": proxy.base].merging(variables) { $1 }
            let packed = try pack(scratch, environment: environment)
            #expect(packed.status == 6 && packed.errors.contains("could not be resolved"), "\(packed.errors)")
            #expect(proxy.requests.isEmpty)
        }
    }

    @Test func `the option comes before the environment`() async throws {
        try await TestOrigin.withOrigin(Self.routes) { proxy in
            let scratch = try Scratch()
            let environment = ["http_proxy": "http://127.0.0.1:1", "no_proxy": "*"]
            let packed = try pack(scratch, ["--proxy", proxy.base], environment: environment)
            #expect(packed.text.hasPrefix("packed "), "\(packed.errors)")
        }
    }

    @Test func `a proxy of another form is refused, without showing it`() throws {
        let scratch = try Scratch()
        let packed = try pack(scratch, environment: ["http_proxy": "socks5://anna:secret@127.0.0.1:1"])
        #expect(packed.status == 64 && packed.errors.contains("the variable http_proxy must be of the form"))
        #expect(!packed.errors.contains("secret"))
        #expect(scratch.names.isEmpty)
    }
}
