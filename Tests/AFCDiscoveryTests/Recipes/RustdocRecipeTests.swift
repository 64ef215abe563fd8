import Testing

@testable import AFCDiscovery

struct RustdocRecipeTests {
    private static let page95 = """
        <html><head><meta name="generator" content="rustdoc">\
        <meta name="rustdoc-vars" data-root-path="../" data-static-root-path="../static.files/" \
        data-current-crate="demo" data-themes="" data-resource-suffix="" data-rustdoc-version="1.95.0 (5 2026)" \
        data-channel="1.95.0" data-search-js="search-63.js" data-stringdex-js="stringdex-b8.js" \
        data-settings-js="settings-17.js" ></head></html>
        """
    private static let page81 = """
        <meta name=generator content=rustdoc>\
        <meta name=rustdoc-vars data-root-path=../../ data-static-root-path=/-/static/ data-themes=dim,sea \
        data-resource-suffix=-1.81 data-search-js=search-d2.js data-settings-js=settings-43.js>
        """
    private static let page60 = """
        <meta name="generator" content="rustdoc"><div id="rustdoc-vars" data-root-path="./" data-current-crate="demo" \
        data-themes="ayu,dark,light" data-resource-suffix="1.60.0"></div>
        """
    private static let page50 = """
        <meta name="generator" content="rustdoc"><div id="rustdoc-vars" data-root-path="./" \
        data-search-index-js="./search-index.js" data-search-js="./search.js"></div>
        """

    @Test(arguments: [
        (
            page95,
            [
                "/static.files/search-63.js", "/static.files/settings-17.js", "/static.files/stringdex-b8.js",
                "/search.index/root.js",
            ], []
        ),
        (
            page81, ["/-/static/search-d2.js", "/-/static/settings-43.js", "/search-index-1.81.js"],
            ["/dim.css", "/sea.css"]
        ),
        (page60, ["/demo/search1.60.0.js", "/demo/search-index1.60.0.js"], []),
        (page50, ["/demo/search.js", "/demo/search-index.js"], []),
        ("<meta name=generator content=rustdoc><p>rustdoc-vars", [], []),
        ("<div id=rustdoc-vars data-root-path=../>", [], []),
    ])
    func `a page names its scripts`(page: String, expected: [String], guesses: [String]) throws {
        let url = "http://d.example/demo/index.html"
        let found = try FoundByRecipes(.rustdoc, in: page, "text/html", as: .document, at: url)
        #expect(found.urls == expected.map { "http://d.example" + $0 })
        #expect(found.guesses == guesses.map { "http://d.example" + $0 })
    }

    private static let index = """
        var searchIndex = new Map(JSON.parse('[\\
        ["demo",{"t":"FIN","n":["D"],"D":"C`nBa","p":[]}],\\
        ["demo_macros",{"t":"","D":"a"}],\\
        ["old",{"t":""}],\\
        ["../x",{"D":"a"}]\\
        ]'));
        """

    @Test func `the index counts the descriptions of each crate`() throws {
        let found = try FoundByRecipes(.rustdoc, in: Self.index, at: "http://d.example/a/search-index1.81.js")
        let folder = "http://d.example/a/search.desc/"
        #expect(
            found.urls == [
                folder + "demo/demo-desc-0-1.81.js", folder + "demo/demo-desc-1-1.81.js",
                folder + "demo/demo-desc-2-1.81.js", folder + "demo_macros/demo_macros-desc-0-1.81.js",
            ]
        )
    }

    @Test func `an index has a limited number of descriptions`() throws {
        let crate = "[\"a\",{\"D\":\"" + String(repeating: "a", count: 70_000) + "\"}]\n"
        let found = try FoundByRecipes(.rustdoc, in: crate + crate, at: "http://d.example/search-index.js")
        #expect(found.urls.count == 65_536)
    }

    private static let root = """
        rr_('{"name":{"I":"AAAA","N":"BfBf","E":"OjAAAAAAAAA=","H":"xx3igE85y4ulxFdE"},"path":{"N":"a","H":"jsGwSv/J"},\
        "a/b":{"H":"jsGwSv/J"},"short":{"H":"jsGw"}}')
        """

    @Test func `the root of the index names the columns' files`() throws {
        let found = try FoundByRecipes(.rustdoc, in: Self.root, at: "http://d.example/search.index/root1.95.js")
        let folder = "http://d.example/search.index/"
        let expected = ["name/c71de2804f39.js", "name/cb8ba5c45744.js", "path/8ec1b04affc9.js"]
        #expect(found.urls == expected.map { folder + $0 })
        #expect(found.loads[folder + "path/8ec1b04affc9.js"] == .script)
    }

    /// The index of a crate with two structures, `Keeper` and `Light`, by rustdoc 1.95.
    private static let root95 = """
        rr_('{"normalizedName":{"I":"BQJAAAAjDwAUABUAIxAAFgAXACMMABEAEgBmaXAAACUAQAAAIhgAGgAbAG0JAA0ADgAFAcA\
        AAAELADABABgAGgAbAGx0BQHBAAAhDAARABIAAAoAaXIFA8AAAAEZAAQTAFEDAAYABwAQABYAFwAAAABjZHR5BQBAAAADGQBlCgA\
        hQQAADAARABIARwIAh6AwAAAACqBgAAAAGaAgAAAAGaAgAAAACqAwAAAACzChAwEZAAAAJQBAAAADEwBiDAARABIAUUAAAAMABgA\
        HABAAFgAXACBEcGVpZAAADAARABIABAHBeQAAI3JvbQ8AFAAVACNudG8QABYAFwBmafIAAgFyeW8A1gEAAAAHAw0CAQUBwAAAIw8\
        AFAAVACMQABYAFwBmaSUAQgAAIhgAGgAbAG0JAA0ADgBRQAAAAgAEAAUADwAUABUA+QIADm13AEN1bHQAAAsAAEZlcmVuY2UAABk\
        AMoACAaAgAAAAGWZzbvIAAQNlb3J5AAEKAAAAAAF0AAABAQAAANMYAAAAAgHyAAEAdQDWAgAAAAIBCgUBAENnaHQAAAgAEoABAaA\
        AAAAAC2l0AERlcGVyAAAKAPIAAQBlAAETAAAAAAJ0bwAA0wMAAAADAdMQAAAABgESgAECgAAMAFABoCAAAAAIbmRnAEZuZGJvb2s\
        AABMAEoABAaAAAAAACGF0AAJvbQAA0wIAAAACAdMPAAAABQESgAEBoFAAAAAZcmUkAENyb3cAACJ1dBgAGgAbAG0JAA0ADgASgW8\
        BAaAQAAAAE3JvAIFuAQHAAAAAAACgQAAAABN5ZACAiotrhcag+qs5OyITp90TaVX216ITAJk8cW1fCfye8E0OsDkqqEkA2sKdESl\
        EMgd2NUANjNyjnHZiRnAq1I6gEAAAABl2m1bGkFgrUOEkq0KgIAAAAAgVSQsfBYl2kN3ZK1t/oREVtBqgMAAAAAsUn/IBjqQDssp\
        OOM0/uRSoz2yjHQVc4Fo=","N":"Al","H":"Zw79PDfJ"}}')
        """
    /// The same by rustdoc 1.97.
    private static let root97 = """
        rr_('{"normalizedName":{"I":"FQPAAAAzDwAUABUAMxAAFgAXADMMABEAEgBmaXAAADUBwAAAMhgAGgAbAG0JAA0ADgAFAsA\
        AABELAEABABgAGgAbAGx0BQLBAAAxDAARABIAEAoAaXIFyMAGgAAAERkAFBMAYQMABgAHABAAFgAXABAAABWCwAAAExkACgAxwQA\
        ADAARABIARwIA/TChA8IAAAAKxQAAABnBAAAAGcEAAAAKwgAAAAsBGQAAADUBwAAAExMAYgwAEQASAGHAAAADAAYABwAQABYAFwA\
        wxHBlaWQAAAwAEQASAAQCwXkAADNyb20PABQAFQAzbnRvEAAWABcAZmnyAAKIcnkA1gEAAAAHAw0CAQUCwAAAMw8AFAAVADMQABY\
        AFwBmaTUBwgAAMhgAGgAbAG0JAA0ADgBhwAAAAgAEAAUADwAUABUA+QIADm13EMN1bHQAAAsAEMZlcmVuY2UAABkAMoACAcEAAAA\
        ZZnNu8gCCA29yeQABCgAAAABBdAEBAAAA4RgAAAAaAAAAAfIAkAAA4wIAAAAEAAAADwAAABQAAAABARDDZ2h0AAAIABKAhAHgAAA\
        AC3QQxGVwZXIAAAoA8gCCAAABEwAAADHAAAAMABEAEgAAQnRv4QMAAAAGAAAAAeEQAAAAFgAAAAEygAECwQAAAAhuZGcQxm5kYm9\
        vawAAEwASgIEB4AAAAAh0AEJvbeECAAAABAAAAAHhDwAAABQAAAABEoABgsQAAAAZcjQBw3JvdwAAMnV0GAAaABsAbQkADQAOABK\
        BbwGIwAAAABNyAIFuAQGgAAAAAMMAAAATeWQAgP2jHQX9XOBaWRyZz1QCbnBVonn4Poq2U0LZ/doVPGrkdS9ovc/aYc9TsSl05Ij\
        Ek0iZ1I+HcBHc8GLAAAAAGRv91D8JAnPch0fBAAAACDMzA0IFfYglLAgqbEHYAcIAAAALVvzZk2EtBQkrZGP2FrvM","N":"Al",\
        "H":"Dv08N8k="}}')
        """
    /// A node with one more below it that isn't in the text, among eleven that are; by rustdoc 1.95.
    private static let node95 = """
        rn_("BQBBAADH8PlpG6MrArAQ9WYAATZ68wABaeJjhgAAAQMA9Db2AAABANINAQABAgA7MAAAAQAACQAEAP3eAgDs5wIAu/YBAJj\
        +AQABAwA7MAAAAQEAHQAKAPcDAgAABAIAKQQCADIEAgA4BAIAPgQCAKcFAgCwBQIAtgUCALwFAgABBQA7MAAAAQAADwABAP35DwA\
        BAAA7MAAAAQAAGQACAF+ECwBQow0AUUUBAJonmyc6MDsw/DD9MAEFADowAAABAAAAAQALABAAAADeJt8mmCeZJ/Av8S84MDkwwDD\
        BMPow+zDzggIyNFFFAQCWJ5cnNjA3MPgw+TABBQA6MAAAAQAAAAEACwAQAAAA3CbdJpQnlSfuL+8vNDA1ML4wvzD2MPcw84ICNDj\
        vAcewcSLDAAGwQOgMAAGwMPuMAAElCBgBAQACsJEGOAABsEDquyVKdHb2WYYAAGxa0TEBAAEAAQABAAD0ZPUAAAEAXhEBAAEBAPS\
        J+wAAAQBREQEAAQEA9If7AAABAFERAQCzgQSwEPuLEVIxMzY4+wJwcgUBwAAAkRiHkfT4aXkFAcQBAJZ9HJfTIWVyAQMA7AjHAAA\
        hQQAAdNp12pr+BQFBAQAAxRYAxhZkc2oKBQFBAQAAwxYAxBZkc2kK84ICaGwBAM522sFFf/5xqOjjTsFXR30LIEUdXR48Umg5rHM\
        QzesA41pLmhE/kmP1nol5o+oXc6Zqz1ghhS884mDXw/0hmSytpjKwEN/0AAFpnUy7edywEPiPAAHBTy4JOzABAAMAAK0AAQBHABI\
        A5EUKAJxdAwCnhhcAT44vAC6nCgAptQIAUsACAGHDAgCOxgEAL8cBAOnJAQBy2gEAo9oJAOXiCgB68wEAffwXABD/CQCl/wEAAQB\
        EC0cA")
        """
    /// A node with eight such nodes, by rustdoc 1.97.
    private static let node97 = """
        rn_("scIAADiEBQLDAQCxtS+xuC8zNgUCwwEAtMFQtMRQc3UFAsMBALBBQrBEQnN184MCMzbzBAFz4dnBAADuwQAAIgmCWvF99mO\
        xygEA+SixzQEAFELhxAAAUtUFhcAAAGGgqaGpoqm4qbmpuqlho6mkqaWpu6m8qb2p+wNtb3KxwQAAJ2thxAAA08HUwdXB6MHpwer\
        BsccBAEkaYcEAAFSLVYtWi4qLi4uMi7HNAQARQvuOBQLHAQCwTEqwT0pzdQUCxAEAsF02sGA2c3XzgwJpbAFBnhm6AADzgQJzdmH\
        CAACdqZ6pn6m1qbapt6n7irHFAADA/QFD4yHqAAAz6gAAP+oAAEzqAABVVfOCAm1zAAABAKkAAAVSPYxpAAAAAAAAAfAAAAAAAAA\
        AIAAAAAD+8J8BNsUtfsvpAAAFUh0rW0PQVMFevAwphrpU83G/iFNXAmj6sXQOoucW02cdKdNFDFBTbfcMw6A6hVAyLkeHHx4Fys4\
        47LWztyBPp/2dIiUHvQ8x5WjvTWfNxXIRCyA/0qAZCuA2xi4AjGkAAAA=")
        """

    /// The files are those that rustdoc wrote.
    @Test(arguments: [
        ("root", root95, ["normalizedName/670efd3c37c9.js", "7690ddd92b5b.js"]),
        ("root", root97, ["normalizedName/0efd3c37c9.js", "7d88252c08.js"]),
        ("5036fed3bea1", node95, ["3f9263f59e89.js"]),
        (
            "62fa58c828", node97,
            [
                "5af17df663.js", "1d2b5b43d0.js", "0268fab174.js", "671d29d345.js", "0c50536df7.js", "0cc3a03a85.js",
                "50322e4787.js", "31e568ef4d.js",
            ]
        ),
    ])
    func `a search tree names the files of its nodes`(name: String, script: String, files: [String]) throws {
        let folder = "http://d.example/search.index/"
        let found = try FoundByRecipes(.rustdoc, in: script, at: "\(folder)\(name).js")
        #expect(found.urls == files.map { folder + $0 })
    }

    @Test(arguments: [
        // The length of the name doesn't fit the text, the text is cut, and the file isn't in the index.
        ("/search.index/5036fed3be.js", node95), ("/search.index/5036fed3bea1.js", "rn_(\"YcAAAMm3CbhfuDLLNdlD2mHA\")"),
        ("/5036fed3bea1.js", node95), ("/search.index/name.js", node95),
    ])
    func `what is no node names nothing`(path: String, script: String) throws {
        let found = try FoundByRecipes(.rustdoc, in: script, at: "http://d.example" + path)
        #expect(found.urls + found.guesses == [])
    }

    @Test(arguments: [("/root.js", root), ("/search.index/root.js", "rr_('{')"), ("/search.index/root.js", "rn_('')")])
    func `other scripts name nothing`(path: String, script: String) throws {
        let found = try FoundByRecipes(.rustdoc, in: script, at: "http://d.example" + path)
        #expect(found.urls + found.guesses == [])
    }

    @Test func `a cut text is read`() throws {
        for page in [Self.page95, Self.page81, Self.page60] {
            try readEveryPrefix(.rustdoc, of: page, "text/html", as: .document, at: "http://d.example/")
        }
        try readEveryPrefix(.rustdoc, of: Self.index, at: "http://d.example/search-index.js")
        try readEveryPrefix(.rustdoc, of: Self.root, at: "http://d.example/search.index/root.js")
        try readEveryPrefix(.rustdoc, of: Self.root97, at: "http://d.example/search.index/root.js")
        try readEveryPrefix(.rustdoc, of: Self.node95, at: "http://d.example/search.index/5036fed3bea1.js")
    }
}
