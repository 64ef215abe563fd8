import Testing

@testable import AFCDiscovery

struct GatsbyRecipeTests {
    private static func page(_ mapping: String, path: String, prefix: String = "", generator: String = "Gatsby 5.1")
        -> String
    {
        """
        <meta name=generator content="\(generator)"><script id="gatsby-script-loader">/*<![CDATA[*/window.pagePath="\(path)";/*]]>*/</script>\
        <script id="gatsby-chunk-mapping">
        window.___chunkMapping=\(mapping);
        </script><script src="\(prefix)/webpack-runtime-1.js" async></script><script src="\(prefix)/app-2.js" async></script>
        """
    }

    private static let chunks = ["/app-2.js", "/component---src-pages-404-js-3.js"]

    @Test(arguments: [
        // As in release 5, as in releases 2 to 4, and below a path.
        (
            #""{\"app\":[\"/app-2.js\"],\"component---src-pages-404-js\":[\"/component---src-pages-404-js-3.js\"]}""#,
            "/", "", "index"
        ),
        (
            #"{"app":["/app-2.js"],"component---src-pages-404-js":["/component---src-pages-404-js-3.js","/x.js.map"]}"#,
            "/a/b/", "", "a/b"
        ),
        (
            #"{"app":["/app-2.js"],"component---src-pages-404-js":["/component---src-pages-404-js-3.js"]}"#,
            "/404.html", "/x", "404.html"
        ),
    ])
    func `a page names the chunks and its data`(mapping: String, path: String, prefix: String, folder: String) throws {
        let page = Self.page(mapping, path: path, prefix: prefix)
        let url = "http://d.example" + prefix + path
        let found = try FoundByRecipes(.gatsby, in: page, "text/html", as: .document, at: url)
        let data = ["/page-data/\(folder)/page-data.json", "/page-data/app-data.json"]
        #expect(found.urls == (Self.chunks + data).map { "http://d.example\(prefix)\($0)" })
        #expect(found.loads["http://d.example\(prefix)/app-2.js"] == .script)
        #expect(found.loads["http://d.example\(prefix)/page-data/app-data.json"] == .other)
    }

    @Test func `release 2 may have no data for the application`() throws {
        let page = Self.page(#"{"app":["/app-2.js"]}"#, path: "/", generator: "Gatsby 2.9.1")
        let found = try FoundByRecipes(.gatsby, in: page, "text/html", as: .document, at: "http://d.example/")
        #expect(found.urls == ["http://d.example/app-2.js", "http://d.example/page-data/index/page-data.json"])
    }

    @Test func `a page without such a script has no data`() throws {
        let page = Self.page(#"{"app":["/other.js"]}"#, path: "/")
        #expect(try FoundByRecipes(.gatsby, in: page, "text/html", as: .document, at: "http://d.example/").urls == [])
    }

    private static let data = """
        {"componentChunkName":"c","path":"/a/","result":{"data":{"slicesMap":{"no":"no"},"staticQueryHashes":["no"]}},\
        "staticQueryHashes":["12","34"],"slicesMap":{"header":"header-1"}}
        """

    @Test func `a page's data names queries and slices`() throws {
        let url = "http://d.example/x/page-data/a/page-data.json"
        let found = try FoundByRecipes(.gatsby, in: Self.data, "application/json", as: .other, at: url)
        #expect(
            found.urls
                == ["page-data/sq/d/12.json", "page-data/sq/d/34.json", "slice-data/header-1.json"].map {
                    "http://d.example/x/\($0)"
                }
        )
        let elsewhere = try FoundByRecipes(
            .gatsby,
            in: Self.data,
            "application/json",
            as: .other,
            at: "http://d.example/page-data.json"
        )
        #expect(elsewhere.urls == [])
    }

    @Test func `cut tables are read without a crash`() throws {
        let page = Array(Self.page(#""{\"app\":[\"/app-2.js\"]}""#, path: "/a/").utf8)
        for count in 0..<page.count {
            _ = try FoundByRecipes(
                .gatsby,
                in: Array(page[..<count]),
                "text/html",
                as: .document,
                at: "http://d.example/"
            )
        }
        let data = Array(Self.data.utf8)
        for count in 0..<data.count {
            let url = "http://d.example/page-data/a/page-data.json"
            let found = try FoundByRecipes(.gatsby, in: Array(data[..<count]), "application/json", as: .other, at: url)
            #expect(found.urls == [])
        }
    }
}
