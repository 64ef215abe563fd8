import AFCCaching
import AFCCredentials
import AFCOrigin
import AFCURL
import HTTPTypes
import Synchronization
import TestOrigin
import Testing

@testable import AFCCrawlRules
@testable import AFCCrawler
@testable import AFCPackager

/// Whole crawls of two origins on this machine, and what is left of the secrets in what they leave behind.
struct AccessSecrecyTests {
    private typealias Answer = TestOrigin.Answer

    // The Base64 of "user:s3cr3t-password", by `base64`.
    private static let basic = "dXNlcjpzM2NyM3QtcGFzc3dvcmQ="
    private static let secrets = ["s3cr3t", basic]

    private func sources(_ folder: String, _ origin: String) throws -> AccessSources {
        try write("\(origin) basic user:s3cr3t-password\n", to: folder + "/credentials")
        try write("X-Token: s3cr3t-token\n", to: folder + "/fields")
        try write("news.example\tFALSE\t/\tFALSE\t0\tlogin\ts3cr3t-login\n", to: folder + "/cookies.txt")
        _ = try run("sh", "-c", "chmod 600 \(folder)/*")
        var sources = AccessSources(environment: [:])
        sources.credentialsFile = folder + "/credentials"
        sources.headers = ["@" + folder + "/fields"]
        sources.cookieFiles = [folder + "/cookies.txt"]
        return sources
    }

    @Test func `secrets reach the origin they are for, and nothing else`() async throws {
        let fields = [
            ("Content-Type", "text/html"), ("Vary", "Authorization, Cookie, X-Token, User-Agent"),
            ("Set-Cookie", "session=s3cr3t-session; Path=/"),
        ]
        try await TestOrigin.withOrigin([:]) { other in
            let away = "http://other.example:\(other.port)"
            let page = "<img src=\"/i\"><img src=\"/moved\"><img src=\"\(away)/i\"><img src=\"/broken\">"
            let routes: [String: [Answer]] = [
                "/": [Answer(200, fields, body: Array(page.utf8))], "/i": [.text("i", type: "image/png")],
                "/moved": [.redirect(away + "/moved")], "/broken": [.reset],
            ]
            other.set("/i", .text("i", type: "image/png"))
            try await TestOrigin.withOrigin(routes) { origin in
                try await withScratchFolder { folder in
                    let home = "http://news.example:\(origin.port)"
                    let now = AccessCookieTests.now
                    var options = CrawlOptions(seeds: [try WebURL(home + "/")], now: { now })
                    options.access = try sources(folder, home).access(for: options.seeds, now: now).options
                    options.scope.allowsPrivate = true
                    options.scope.takesForeignRequisites = true
                    options.retries.backoff = .milliseconds(1)
                    var fetching = HTTPFetcher.Options.patient()
                    fetching.localNames = ["news.example", "other.example"]
                    let output = Packaging.Output(path: folder + "/out.zip", created: now, generator: "afcache/0.1.0")
                    let said = Mutex("")
                    let (_, report) = try await Packaging.pack(options, fetching: fetching, to: output) { event in
                        var text = "\(event)"
                        dump(event, to: &text)
                        said.withLock { $0 += text }
                    }
                    #expect(report.fetched == 3)

                    for request in origin.requests {
                        #expect(request.fields.contains("Authorization: Basic \(Self.basic)"), "\(request.target)")
                        #expect(request.fields.contains("X-Token: s3cr3t-token"), "\(request.target)")
                        let hasSession = request.target != "/robots.txt" && request.target != "/"
                        let cookies = hasSession ? "login=s3cr3t-login; session=s3cr3t-session" : "login=s3cr3t-login"
                        #expect(request.fields.contains("Cookie: " + cookies), "\(request.target)")
                    }
                    #expect(Set(other.targets).isSuperset(of: ["/i", "/moved"]))
                    for request in other.requests { expectNoSecret(in: "\(request)", "\(request.target)") }

                    var texts = ["events": said.withLock { $0 }, "options": "\(options)"]
                    dump(options, to: &texts["options", default: ""])
                    texts["report"] = String(decoding: report.json() + report.html(), as: UTF8.self)
                    dump(report, to: &texts["report", default: ""])
                    texts["zip"] = String(decoding: try run("cat", output.path), as: UTF8.self)
                    texts["members"] = String(decoding: try run("unzip", "-p", output.path), as: UTF8.self)
                    for (name, text) in texts { expectNoSecret(in: text, name) }
                    #expect(texts["members"]?.contains("afcache/0.1.0") == true)
                    let left = try run(
                        "sh",
                        "-c",
                        "rm \(folder)/credentials \(folder)/fields \(folder)/cookies.txt; ls -A \(folder)"
                    )
                    #expect(String(decoding: left, as: UTF8.self) == "out.zip\n")
                }
            }
        }
    }

    @Test func `the descriptions of values with secrets don't contain them`() throws {
        let url = try WebURL("https://docs.example/")
        let basic = try BasicCredentials("user:s3cr3t-password")
        let proxy = try OriginProxy("http://proxy.example:1", credentials: basic)
        var options = AccessOptions()
        options.credentials = [OriginCredential(for: url, basic: basic)]
        options.fields[.authorization] = "s3cr3t"
        options.cookies.take(["a=s3cr3t"], from: url, now: AccessCookieTests.now)
        let bearer = try #require(OriginCredential(for: url, bearer: "s3cr3t"))
        var fetching = HTTPFetcher.Options.patient()
        fetching.access.proxies = ProxyRules(all: proxy)
        let values: [Any] = [
            Secret("s3cr3t"), basic, bearer, proxy, options, options.credentials, options.cookies, fetching,
        ]
        for value in values {
            var text = "\(value)" + String(reflecting: value)
            dump(value, to: &text)
            expectNoSecret(in: text, "\(type(of: value))")
        }
        #expect("\(options)" == "1 fields, 1 credentials, 1 cookies")
    }

    private func expectNoSecret(in text: String, _ name: String) {
        for secret in Self.secrets { #expect(!text.contains(secret), "\(name)") }
    }
}
