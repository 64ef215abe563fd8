import Foundation
import Testing
import URLStandard

/// The whole of the web platform's URL tests; see Fixtures/README.md.
struct WebPlatformTests {
    struct Case: Sendable, CustomStringConvertible {
        var input: String
        var base: String?
        var expected: [String: String]
        var fails: Bool
        var description: String { "<\(input)> against <\(base ?? "nothing")>" }
    }

    static func load(_ name: String) throws -> [[String: Any]] {
        let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent("Fixtures")
        let data = try Data(contentsOf: folder.appendingPathComponent(name))
        let items = try #require(JSONSerialization.jsonObject(with: data) as? [Any])
        return items.compactMap { $0 as? [String: Any] }
    }

    static let urlCases: [Case] = {
        guard let items = try? load("urltestdata.json") else { return [] }
        return items.compactMap { item in
            guard let input = item["input"] as? String else { return nil }
            var expected: [String: String] = [:]
            for (key, value) in item { expected[key] = value as? String }
            return Case(
                input: input,
                base: item["base"] as? String,
                expected: expected,
                fails: item["failure"] as? Bool ?? false
            )
        }
    }()

    @Test func `the test data is there`() {
        #expect(Self.urlCases.count > 850)
    }

    @Test func `every URL parses as the web platform's tests say`() throws {
        for item in Self.urlCases {
            var base: WebURL?
            var isFailure = false
            var result: (url: WebURL, fragment: String?)?
            do throws(WebURL.ParseError) {
                base = try item.base.map { text throws(WebURL.ParseError) in try WebURL(text) }
                result = try WebURL.parseWithFragment(item.input, base: base)
            } catch {
                isFailure = true
            }
            #expect(isFailure == item.fails, "\(item)")
            guard let (url, fragment) = result, !item.fails else { continue }
            let expected = item.expected
            #expect(url.description + (fragment.map { "#" + $0 } ?? "") == expected["href"], "\(item)")
            #expect(url.scheme + ":" == expected["protocol"], "\(item)")
            #expect(url.username == expected["username"], "\(item)")
            #expect(url.password == expected["password"], "\(item)")
            #expect(url.host ?? "" == expected["hostname"], "\(item)")
            #expect(url.port.map(String.init) ?? "" == expected["port"], "\(item)")
            #expect(url.path == expected["pathname"], "\(item)")
            let query = url.query ?? ""
            #expect((query.isEmpty ? "" : "?" + query) == expected["search"], "\(item)")
            let hash = fragment ?? ""
            #expect((hash.isEmpty ? "" : "#" + hash) == expected["hash"], "\(item)")
            let again = try WebURL(url.description)
            #expect(again == url, "\(item) parses to itself")
        }
    }

    @Test func `every domain maps to ASCII as the web platform's tests say`() throws {
        var differing: [String] = []
        for item in try Self.load("toascii.json") {
            guard let input = item["input"] as? String else { continue }
            let output = item["output"] as? String
            let host = try? WebURL("https://\(input)/x").host
            if host != output { differing.append(input) }
        }
        #expect(differing.isEmpty)
    }
}
