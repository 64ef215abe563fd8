import Testing

@testable import AFCDiscovery

struct LiteralRecipeTests {
    @Test(arguments: [
        ("new Worker('w.js')", ["http://d.example/s/w.js"]),
        ("new SharedWorker(\"/w.js\", {type: 'module'})", ["http://d.example/w.js"]),
        ("importScripts('a.js', 'b.js')", ["http://d.example/s/a.js"]),
        ("navigator.serviceWorker.register(`/sw.js`)", ["http://d.example/sw.js"]),
        ("fetch('/data/list.json').then(f)", ["http://d.example/data/list.json"]),
        ("fetch('/a.json'), fetch('/a.json')", ["http://d.example/a.json"]),
        ("fetch('list.json')", []), ("fetch('/api/items')", []), ("fetch('/a/' + name + '.json')", []),
        ("fetch(`/a/${name}.json`)", []), ("prefetch('/a.json')", []), ("x.register('/sw.js')", []),
        ("fetch('/a.json'", ["http://d.example/a.json"]), ("fetch('", []), ("fetch(", []),
    ])
    func `a script's literals are guesses`(script: String, expected: [String]) throws {
        let found = try FoundByRecipes(.literals, in: script + ")", at: "http://d.example/s/app.js")
        #expect(found.guesses == expected)
        #expect(found.urls == [])
    }

    @Test func `a page's literals are relative to the page`() throws {
        let page = "<base href=/b/><script>fetch('list.json'); new Worker('w.js')</script>"
        let found = try FoundByRecipes(.literals, in: page, "text/html", as: .document, at: "http://d.example/a/")
        #expect(found.guesses == ["http://d.example/b/list.json", "http://d.example/b/w.js"])
        #expect(found.loads["http://d.example/b/w.js"] == .script)
    }

    @Test func `a script has a limited number of guesses`() throws {
        let script = (0..<100).map { "fetch('/\($0).json')" }.joined(separator: ";")
        let found = try FoundByRecipes(.literals, in: script, at: "http://d.example/app.js")
        #expect(found.guesses.count == 64)
    }
}
