import Foundation
import Testing

/// Reads the test data of the web platform; see Fixtures/README.md.
enum WebPlatformFixtures {
    /// The objects of a fixture; the texts between them are comments.
    static func load(_ name: String) throws -> [[String: Any]] {
        let items = try #require(JSONSerialization.jsonObject(with: data(name)) as? [Any])
        return items.compactMap { $0 as? [String: Any] }
    }

    /// How many escapes are half of a surrogate pair, which no text of Swift's can hold.
    static func countOfLoneSurrogates(in name: String) throws -> Int {
        let text = try String(decoding: data(name), as: UTF8.self)
        let paired = text.replacing(/\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}/, with: "")
        return paired.matches(of: /\\u[dD][89a-fA-F][0-9a-fA-F]{2}/).count
    }

    private static func data(_ name: String) throws -> Data {
        let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent("Fixtures")
        return try Data(contentsOf: folder.appendingPathComponent(name))
    }
}

/// One case of urltestdata.json.
struct URLCase: Sendable, CustomTestStringConvertible {
    var input: String
    var base: String?
    /// The parts by their names in JavaScript's URL; empty where parsing fails.
    var parts: [String: String]
    var fails: Bool

    var testDescription: String { "<\(input)> against <\(base ?? "nothing")>" }

    static func load() throws -> [URLCase] {
        try WebPlatformFixtures.load("urltestdata.json").map { item in
            URLCase(
                input: try #require(item["input"] as? String),
                base: item["base"] as? String,
                parts: item.compactMapValues { $0 as? String },
                fails: item["failure"] as? Bool ?? false
            )
        }
    }
}
