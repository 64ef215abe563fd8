import Testing

@testable import AFCDiscovery

struct PagefindRecipeTests {
    private static let folder = "http://d.example/docs/pagefind/"

    // MARK: Scripts

    @Test(arguments: [
        ("pagefind.js", "fetch(`${this.basePath}pagefind-entry.json?ts=${Date.now()}`)", ["pagefind-entry.json"]),
        (
            "pagefind.js",
            "let e=`${b}pagefind-entry.json`;new Worker(`${b}pagefind-worker.js`)",
            ["pagefind-entry.json", "pagefind-worker.js"]
        ),
        ("pagefind-worker.js", "let e=`${b}pagefind-entry.json`,w='pagefind-worker.js'", ["pagefind-entry.json"]),
        ("pagefind-ui.js", "try{Q=await import(`${r}pagefind.js`)}catch{}", ["pagefind.js"]),
        ("pagefind-modular-ui.js", "await import(`${this.options.bundlePath}pagefind.js`)", ["pagefind.js"]),
        ("pagefind-component-ui.js", "await import(`${this.options.bundlePath}pagefind.js`)", ["pagefind.js"]),
        ("pagefind-highlight.js", "import(`${r}pagefind.js`)", []),
        ("pagefind.js", "export const search=1", []),
        ("other.js", "fetch(`pagefind-entry.json`)", []),
    ])
    func `scripts of the search name what they load`(name: String, script: String, expected: [String]) throws {
        let found = try FoundByRecipes(.pagefind, in: script, as: .module, at: Self.folder + name)
        #expect(found.urls == expected.map { Self.folder + $0 })
        #expect(found.guesses == [])
    }

    @Test func `an interface in another folder is a copy`() throws {
        let script = "import(`${r}pagefind.js`)"
        let found = try FoundByRecipes(.pagefind, in: script, at: "http://d.example/js/pagefind-ui.js?v=1")
        #expect(found.urls == [])
        #expect(found.guesses == ["http://d.example/js/pagefind.js"])
    }

    @Test(arguments: [
        (#"new UI({baseUrl:"/",bundlePath:"/pagefind/",showImages:!1})"#, ["/pagefind/pagefind.js"], []),
        (#"new UI({ bundlePath: '/docs/pagefind/' })"#, ["/docs/pagefind/pagefind.js"], []),
        (#"{bundlePath:"/docs/".replace(/\/$/,"")+"/pagefind/",x:1}"#, ["/docs/pagefind/pagefind.js"], []),
        (#"{bundlePath: '/'.replace(/\/$/, '') + '/_pagefind/'}"#, ["/_pagefind/pagefind.js"], []),
        (#"{bundlePath:`/docs`.replace(/\/$/,``)+`/pagefind/`}"#, ["/docs/pagefind/pagefind.js"], []),
        (#"{bundlePath:"/search/"}"#, [], ["/search/pagefind.js"]),
        (#"{bundlePath:"./pagefind/"}"#, [], []),
        (#"{bundlePath:base+"/pagefind/",otherbundlePath:"/pagefind/",Path:"/pagefind/"}"#, [], []),
        (#"import((0,a.addBasePath)("/_pagefind/pagefind.js"))"#, [], ["/_pagefind/pagefind.js"]),
        (
            #"const p = '/search/pagefind.js', q = `${b}/pagefind.js`, r = "//x/pagefind.js""#, [],
            ["/search/pagefind.js"]
        ),
        (#"x="/pagefind.js?v=1",y="see /a/pagefind.js",z="/a/pagefind.js.map""#, [], []),
    ])
    func `a site's script passes the folder`(script: String, urls: [String], guesses: [String]) throws {
        let found = try FoundByRecipes(.pagefind, in: script, at: "http://d.example/assets/a.js")
        #expect(found.urls == urls.map { "http://d.example" + $0 })
        #expect(found.guesses == guesses.map { "http://d.example" + $0 })
        #expect(found.loads.values.allSatisfy { $0 == .module })
        let page = "<p>bundlePath:\"/no/\"</p><script>\(script)</script><script type=text/plain>\(script)</script>"
        let inPage = try FoundByRecipes(.pagefind, in: page, "text/html", as: .document, at: "http://d.example/a/b")
        #expect(inPage.urls == found.urls)
        #expect(inPage.guesses == found.guesses)
    }

    @Test func `a path in a script of Next is below the site's base`() throws {
        let script = #"f("/_pagefind/pagefind.js"),g("/b/_pagefind/pagefind.js")"#
        let url = "http://d.example/b/_next/static/chunks/a.js"
        let expected = "http://d.example/b/_pagefind/pagefind.js"
        #expect(Set(try FoundByRecipes(.pagefind, in: script, at: url).guesses) == [expected])
    }

    // MARK: Data

    private static let entry = """
        {"version":"1.4.0","languages":{"en":{"hash":"en_0a1b2c","wasm":"en","page_count":3},"tlh":{"hash":"tlh_1",\
        "wasm":null,"page_count":1}},"hash":"no","include_characters":["_"]}
        """

    @Test(arguments: [
        (entry, ["pagefind.en_0a1b2c.pf_meta", "wasm.en.pagefind", "pagefind.tlh_1.pf_meta", "wasm.unknown.pagefind"]),
        (#"{"languages":{"de":{"hash":"de_1","wasm":"de"}}}"#, ["pagefind.de_1.pf_meta", "wasm.de.pagefind"]),
        (#"{"languages":{"de":{"hash":"../x","wasm":""}}}"#, []),
        (#"{"languages":{"de":{"hash":"de_1"}}"#, []),
        ("{}", []),
    ])
    func `the entry names the tables and programs of languages`(entry: String, expected: [String]) throws {
        let url = Self.folder + "pagefind-entry.json"
        let found = try FoundByRecipes(.pagefind, in: entry, "application/json", as: .other, at: url)
        #expect(found.urls == expected.map { Self.folder + $0 })
    }

    private static func text(_ text: String) -> [UInt8] { [0x60 + UInt8(text.utf8.count)] + text.utf8 }

    /// The table of two pages, an index of one part, a filter and a sort order.
    private static var table: [UInt8] {
        var bytes: [UInt8] = Array("pagefind_dcd".utf8) + [0x86] + text("1.4.0") + [0x82]
        bytes += [0x82] + text("en_1111111") + [0x19, 0x01, 0x34] + [0x82] + text("en_2222222") + [0x18, 0xFF]
        bytes += [0x81, 0x83] + text("aa") + text("zz") + text("en_3333333")
        bytes += [0x81, 0x82] + text("author") + text("en_4444444")
        bytes += [0x81, 0x82] + text("date") + [0x82, 0x00, 0x01]
        return bytes + [0x81] + text("title")
    }
    private static let tableFiles = [
        "fragment/en_1111111.pf_fragment", "fragment/en_2222222.pf_fragment", "index/en_3333333.pf_index",
        "filter/en_4444444.pf_filter",
    ]

    private func files(_ table: [UInt8]) throws -> [String] {
        let url = Self.folder + "pagefind.en_0a1b2c.pf_meta"
        let found = try FoundByRecipes(.pagefind, in: table, "application/octet-stream", as: .other, at: url)
        #expect(found.guesses == [])
        return found.urls.map { String($0.dropFirst(Self.folder.utf8.count)) }
    }

    @Test func `the table names fragments, indexes and filters`() throws {
        #expect(try files(Self.table) == Self.tableFiles)
        // Without the signature, it is another file.
        #expect(try files(Array(Self.table.dropFirst(12))) == [])
    }

    @Test func `arrays may have an indefinite length, and a text a long one`() throws {
        var table = Array("pagefind_dcd".utf8) + [0x9F] + Self.text("1.0.0") + [0x9F, 0x9F]
        table += [0x78, 0x0A] + Array("en_1111111".utf8) + [0x01, 0xFF, 0x9F, 0x79, 0x00, 0x0A]
        table += Array("en_2222222".utf8) + [0xFB, 0, 0, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF, 0x80, 0xFF]
        #expect(try files(table) == Array(Self.tableFiles.prefix(2)))
    }

    @Test(
        arguments: [
            [0x9B, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF],
            [0x7B, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF],
            [0xFF], [0x9F, 0xFF, 0xFF], [0x81, 0xFF], [0xA1, 0x01, 0x02], [0x41, 0x00], [0xC0, 0x60],
            [0x7F, 0x60, 0xFF],
            [0x1F], [0x1C], [0x5F], [0x99], [], Array(repeating: 0x81, count: 100_000),
            Array(repeating: 0x9F, count: 100_000),
        ] as [[UInt8]]
    )
    func `other CBOR ends the walk`(bytes: [UInt8]) throws {
        #expect(try files(Array("pagefind_dcd".utf8) + bytes) == [])
    }

    @Test func `cut and mangled data is read without a crash`() throws {
        let entry = Array(Self.entry.utf8)
        for end in entry.indices.dropLast() {
            let url = Self.folder + "pagefind-entry.json"
            let found = try FoundByRecipes(.pagefind, in: Array(entry[..<end]), "application/json", as: .other, at: url)
            #expect(found.urls == [])
        }
        let table = Self.table
        for end in table.indices {
            let found = try files(Array(table[..<end]))
            #expect(Self.tableFiles.starts(with: found))
            var mangled = table
            mangled[end] ^= 0xA5
            _ = try files(mangled)
        }
    }

    @Test func `a cut script is read without a crash`() throws {
        let script = #"a({bundlePath:"/docs/".replace(/\/$/,"") + "/pagefind/",b:"/_pagefind/pagefind.js"})"#
        for end in script.indices {
            _ = try FoundByRecipes(.pagefind, in: String(script[..<end]), at: "http://d.example/a.js")
        }
    }
}
