import Testing

@testable import AFCDiscovery

struct MarzipanoRecipeTests {
    private static func data(_ levels: String) -> String {
        """
        var APP_DATA = {"scenes": [{"id": "0-hall", "name": "Hall", "levels": [\(levels)], "faceSize": 900,
          "linkHotspots": [{"yaw": 0.1, "target": "1-roof"}]}], "name": "Lighthouse", "settings": {"size": 3}};
        """
    }

    private static let small = #"{"tileSize": 256, "size": 256, "fallbackOnly": true}"#

    private func found(_ text: String, at path: String = "/tour/data.js") throws -> [String] {
        let found = try FoundByRecipes(.marzipano, in: text, at: "http://d.example" + path)
        #expect(found.guesses == [])
        return found.urls.map { String($0.dropFirst("http://d.example/tour/".count)) }
    }

    @Test func `each level of a scene has six faces of tiles`() throws {
        let levels = #"\#(Self.small), {"tileSize": 512, "size": 512}, {"tileSize": 512, "size": 1000}"#
        let urls = try found(Self.data(levels))
        let faces = ["b", "d", "f", "l", "r", "u"]
        let first = faces.map { "tiles/0-hall/1/\($0)/0/0.jpg" }
        let second = faces.flatMap { face in
            ["0/0", "0/1", "1/0", "1/1"].map { "tiles/0-hall/2/\(face)/\($0).jpg" }
        }
        #expect(urls == ["tiles/0-hall/preview.jpg"] + first + second)
    }

    @Test(arguments: [
        (data(#"{"tileSize": 0, "size": 512}"#), ["tiles/0-hall/preview.jpg"]),
        (data(#"{"tileSize": 1, "size": 512}"#), ["tiles/0-hall/preview.jpg"]),
        (data(small), ["tiles/0-hall/preview.jpg"]), ("var other = {\"id\": \"a\"}", []),
    ])
    func `a level without a sensible size has no tiles`(text: String, expected: [String]) throws {
        #expect(try found(text) == expected)
    }

    @Test func `other scripts name nothing`() throws {
        #expect(try found(Self.data(Self.small), at: "/tour/other.js") == [])
    }

    @Test func `the number of tiles is limited`() throws {
        let level = #"{"tileSize": 1, "size": 60}"#
        let urls = try found(Self.data(Array(repeating: level, count: 9).joined(separator: ",")))
        #expect(urls.count == 1 + 4 * 6 * 3600)
    }
}
