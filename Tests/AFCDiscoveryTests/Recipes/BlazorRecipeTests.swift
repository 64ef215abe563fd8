import Testing

@testable import AFCDiscovery

struct BlazorRecipeTests {
    private func found(_ texts: [String], at path: String) throws -> [String] {
        // Texts are in UTF-16, with their length before and a byte after them.
        let wide = texts.map { "\u{21}" + $0.map { "\($0)\0" }.joined() + "\u{1}" }.joined()
        let found = try FoundByRecipes(
            .blazor,
            in: "MZ\0\u{90}" + wide + "\0\0",
            "application/wasm",
            as: .other,
            at: "http://d.example/app/" + path
        )
        #expect(found.urls.isEmpty)
        return found.guesses.map { String($0.dropFirst("http://d.example/app/".count)) }
    }

    @Test(arguments: [
        (["./Components/Menu.razor.js", "import"], ["Components/Menu.razor.js"]),
        (["./_content/Lib/a.js", "_content/Lib/a.js"], ["_content/Lib/a.js"]),
        (["sample-data/weather.json"], ["sample-data/weather.json"]),
        (["<img src=\"images/A - b.png\"><a href=\"docs/c.pdf\">c</a>"], ["images/A%20-%20b.png", "docs/c.pdf"]),
        (
            [
                "weather.json", "a b/c.js", "/root/a.js", "https://e.example/a.js", "../up/a.js", "x/y.razor",
                "{0}/a.js",
            ], []
        ),
        (["text/html; a/b.js", "a/b.js?c", ".js", "a/.js"], []),
    ])
    func `texts of an assembly are addresses relative to the application`(texts: [String], expected: [String]) throws {
        #expect(try found(texts, at: "_framework/App.Client.a1b2c3.wasm") == expected)
        #expect(try found(texts, at: "_framework/_bin/App.Client.dll") == expected)
        #expect(try found(texts, at: "_framework/System.Text.Json.wasm") == [])
        #expect(try found(texts, at: "other/App.Client.wasm") == [])
    }
}
