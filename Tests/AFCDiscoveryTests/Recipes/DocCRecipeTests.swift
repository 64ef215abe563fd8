import Testing

@testable import AFCDiscovery

struct DocCRecipeTests {
    private static func page(_ base: String, scripts: String? = nil) -> String {
        """
        <!doctype html><title>Documentation</title><script>var baseUrl = "\(base)"</script>\
        <script defer="defer" src="\(scripts ?? base)js/chunk-vendors.1.js"></script>\
        <script defer="defer" src="\(scripts ?? base)js/index.2.js"></script><div id="app"></div>
        """
    }

    private static func found(_ text: String, _ type: String = "text/html", at path: String) throws -> FoundByRecipes {
        let loads: Destination = type == "text/html" ? .document : .other
        return try FoundByRecipes(.docC, in: text, type, as: loads, at: "http://d.example" + path)
    }

    @Test(arguments: [
        ("/", "/documentation/lamp/", "/data/documentation/lamp.json"),
        ("/b/c/", "/b/c/documentation/lamp/init(a:)/", "/b/c/data/documentation/lamp/init(a:).json"),
        ("/b/", "/b/tutorials/lamp", "/b/data/tutorials/lamp.json"),
        ("/b/", "/b/documentation/", "/b/data/documentation.json"),
        ("/b/", "/b/", nil), ("/b/", "/documentation/lamp/", nil), ("/b/", "/b/documentations/", nil),
    ])
    func `a page names its data by its path`(base: String, path: String, data: String?) throws {
        let found = try Self.found(Self.page(base), at: path)
        let expected = [base + "theme-settings.json", base + "index/index.json"] + (data.map { [$0] } ?? [])
        #expect(found.guesses == expected.map { "http://d.example" + $0 })
        #expect(found.urls == [])
    }

    @Test(arguments: [Self.page("/", scripts: "/other/"), "<script>var base = '/'</script>", Self.page("//e.example/")])
    func `other pages have no such data`(page: String) throws {
        #expect(try Self.found(page, at: "/documentation/lamp/").guesses == [])
    }

    private static let data = #"""
        {"kind":"symbol","url":"\/documentation\/no","references":{
        "doc://d/documentation/Lamp/Wick":{"type":"topic","url":"\/documentation\/lamp\/wick"},
        "doc://d/tutorials/Lamp":{"type":"topic","url":"/tutorials/lamp#Trim"},
        "doc://other":{"type":"topic","url":"https://e.example/documentation/x"},"x":{"type":"topic","url":"//e.example/x"},
        "lens.zip":{"type":"download","url":"/downloads/d/lens.zip"},"y":{"type":"link","url":"/elsewhere"},
        "lens":{"type":"image","variants":[{"url":"/images/d/lens.png","traits":["1x"]},{"url":"/images/d/lens@2x.png"}]},
        "gale":{"type":"video","poster":"lens","variants":[{"url":"\/videos\/d\/gale.mp4"}]}}}
        """#

    @Test(arguments: ["", "/b"])
    func `data names pages with their data, pictures and downloads`(base: String) throws {
        let found = try Self.found(Self.data, "application/json", at: base + "/data/documentation/lamp.json")
        let files = ["/images/d/lens.png", "/images/d/lens@2x.png", "/videos/d/gale.mp4"]
        let pages = ["/documentation/lamp/wick", "/tutorials/lamp"]
        let certain = files + ["/downloads/d/lens.zip"] + pages
        #expect(Set(found.urls) == Set(certain.map { "http://d.example" + base + $0 }))
        #expect(found.guesses == pages.map { "http://d.example\(base)/data\($0).json" })
        #expect(found.loads["http://d.example\(base)/tutorials/lamp"] == .document)
    }

    @Test(arguments: ["/documentation/lamp.json", "/data/documentations/lamp.json", "/data/lamp.json"])
    func `other JSON isn't read`(path: String) throws {
        #expect(try Self.found(Self.data, "application/json", at: path).urls == [])
    }

    @Test func `data that isn't JSON names nothing`() throws {
        #expect(try Self.found(Self.data + "}", "application/json", at: "/data/documentation/lamp.json").urls == [])
    }
}
