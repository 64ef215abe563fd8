import AFCURL
import TestSupport
import Testing

@testable import AFCServer

/// docs/reference/serve.md, "Names of origins".
struct OriginNameTests {
    @Test(arguments: [
        ("https://docs.example", "docs-example"),
        ("https://intranet", "intranet"),
        ("https://my-docs.example", "my--docs-example"),
        ("https://a--b.example", "a----b-example"),
        ("http://docs.example", "docs-example---80"),
        ("http://localhost:3000", "localhost---3000"),
        ("https://localhost:8443", "localhost---s8443"),
        ("https://127.0.0.1", "127-0-0-1"),
        ("afcpkg://localhost", "localhost---f"),
        ("https://80.example", "80-example"),
        ("https://i.example", "i-example"),
        ("https://o", "o"),
        // An internationalized label can't begin a name, since the whole name would be read as one.
        ("https://bücher.example", "i---xn----bcher--kva-example"),
        ("https://www.bücher.example", "www-xn----bcher--kva-example"),
        ("http://bücher.example:81", "i---xn----bcher--kva-example---81"),
        ("https://under_score.example", "under_score-example"),
    ])
    func `an origin has one label`(_ origin: String, _ label: String) throws {
        let origin = try #require(PackagedOrigin(try WebURL(origin + "/")))
        #expect(OriginName.label(of: origin) == label)
        #expect(OriginName(label: label) == .origin(origin))
    }

    @Test(arguments: [
        "https://[2001:db8::1]", "https://docs.example.", "https://a-.example", "https://a.-b.example",
        "https://" + String(repeating: "long.", count: 13) + "example", "https://docs.example!",
        "https://" + String(repeating: "-a", count: 30) + ".example",
    ])
    func `other origins have the digest of their text`(_ text: String) throws {
        let origin = try #require(PackagedOrigin(try WebURL(text + "/")))
        let label = OriginName.label(of: origin)
        #expect(label.count == 44 && label.hasPrefix("o---"))
        let name = try #require(OriginName(label: label))
        #expect(name.means(origin))
        #expect(!name.means(try #require(PackagedOrigin(try WebURL("https://docs.example/")))))
    }

    @Test(arguments: [
        "", "-", "-a", "a-", "a---", "a---0", "a---080", "a---65536", "a---443s", "a---s443", "a---x", "---80",
        "a-----b",
        "i---a", "i---xn", "a---80---80", "a b", "a.b", "A", "xn----bcher--kva-example",
    ])
    func `nothing else is a label`(_ label: String) { #expect(OriginName(label: label) == nil) }

    @Test func `the label of a random origin means that origin`() throws {
        var generator = SeededGenerator(seed: 1)
        var labels: [String: PackagedOrigin] = [:]
        let letters = Array("ab0-._xno")
        for _ in 0..<20_000 {
            let host = String(
                (0..<Int.random(in: 1...20, using: &generator)).map { _ in
                    letters.randomElement(using: &generator) ?? "a"
                }
            )
            let scheme = ["http", "https", "afcpkg"].randomElement(using: &generator) ?? "http"
            let port = ["", ":80", ":443", ":3000", ":1"].randomElement(using: &generator) ?? ""
            guard let url = try? WebURL("\(scheme)://\(host)\(port)/"), let origin = PackagedOrigin(url) else {
                continue
            }
            let label = OriginName.label(of: origin)
            #expect(label.utf8.count <= 63)
            #expect(Authority(label)?.host == label, "\(origin.text)")
            #expect(labels.updateValue(origin, forKey: label) ?? origin == origin, "\(label)")
            switch OriginName(label: label) {
            case .origin(let meant): #expect(meant == origin, "\(label)")
            case .digest: #expect(OriginName(label: label)?.means(origin) == true)
            case nil: Issue.record("\(label) of \(origin.text) means nothing")
            }
        }
        #expect(labels.count > 1_000)
    }
}
