import AFCURL
import TestSupport
import Testing

@testable import AFCTrial

struct TemplateChoiceTests {
    private func url(_ path: String) throws -> WebURL { try WebURL("https://docs.example" + path) }

    @Test(
        arguments: [
            ("/a/1.html", "/a/2.html", true), ("/2024/x.html", "/2025/y.html", true), ("/a/x", "/b/x", false),
            ("/a/x.html", "/a/x.php", false), ("/a/x", "/a/b/x", false), ("/a/b/c/d/x", "/a/b/c/d/e/x", true),
            ("/a/x", "/a/y?z=1", false), ("/", "/index.html", false),
        ]
    )
    func `URLs with the same first folder, depth and suffix have the same shape`(
        one: String,
        other: String,
        isSame: Bool
    ) throws {
        #expect((TemplateChoice.shape(of: try url(one)) == TemplateChoice.shape(of: try url(other))) == isSame)
    }

    @Test func `a page of each template comes first, and then second ones of the largest`() throws {
        var pages: [(url: WebURL, skeleton: String)] = []
        for number in 0..<50 { pages.append((try url("/a/\(number)"), "article")) }
        for number in 0..<5 { pages.append((try url("/a/list\(number)"), "list")) }
        pages.append((try url("/a/only"), "only"))
        let chosen = TemplateChoice.choose(pages, count: 5, without: [])
        #expect(chosen.map(\.pages) == [50, 5, 1, 50, 5])
        #expect(chosen.map(\.template) == [1, 2, 3, 1, 2])
        #expect(Set(chosen.map(\.url)).count == 5)
        #expect(TemplateChoice.choose(pages.reversed(), count: 5, without: []) == chosen)
    }

    @Test func `the template of a start page comes last`() throws {
        let start = try url("/a/0")
        var pages: [(url: WebURL, skeleton: String)] = []
        for number in 0..<9 { pages.append((try url("/a/\(number)"), "article")) }
        pages.append((try url("/a/other"), "other"))
        let chosen = TemplateChoice.choose(pages, count: 3, without: [start])
        #expect(chosen.first?.url == (try url("/a/other")))
        #expect(chosen.count == 3)
        #expect(!chosen.contains { $0.url == start })
        #expect(TemplateChoice.choose([(start, "x")], count: 3, without: [start]).isEmpty)
        #expect(TemplateChoice.choose(pages, count: 0, without: []).isEmpty)
    }

    @Test func `a page with a shorter URL isn't opened under the longer one`() throws {
        let pages = try ["/", "/index.html", "/a", "/a.html", "/b.html", "/c/index.html", "/d/", "/d/x.html"].map(url)
        let paths = TemplateChoice.withoutTwins(pages).map(\.path)
        #expect(paths == ["/", "/a", "/b.html", "/c/index.html", "/d/", "/d/x.html"])
    }

    @Test func `a sample has pages of each shape`() throws {
        var pages: [WebURL] = []
        for number in 0..<1000 { pages.append(try url("/a/\(number)")) }
        for number in 0..<3 { pages.append(try url("/b/\(number)")) }
        let sample = TemplateChoice.sample(pages, limit: 10)
        #expect(sample.count == 10)
        #expect(sample.count { $0.path.hasPrefix("/b/") } == 3)
        var random = SeededGenerator(seed: 1)
        #expect(sample == TemplateChoice.sample(pages.shuffled(using: &random), limit: 10))
        #expect(TemplateChoice.sample(pages, limit: 2000).count == 1003)
    }

    @Test(
        arguments: [
            ("<body class='post id-12'><h1>A</h1>", "<body class='post id-99'><h1>B</h1>", true),
            ("<body><h1>A</h1><p>x", "<body><h1>A</h1><ul><li>x", false),
            ("<script src=/a.1f2e3d.js></script><body>", "<script src=/a.9c8b7a.js></script><body>", true),
            ("<script src=/a.js></script><body>", "<script src=/b.js></script><body>", false),
            ("<script>'<p>'</script><body>", "<script>'<ul>'</script><body>", true),
            ("<!-- <body><p> --><body><b>", "<body><b>", true),
            ("<link rel=stylesheet href=a.css><body>", "<link rel=stylesheet href=b.css><body>", false),
            ("<link rel=icon href=a.png><body>", "<link rel=icon href=b.png><body>", true),
        ]
    )
    func `pages of one template have the same skeleton`(one: String, other: String, isSame: Bool) {
        #expect((PageSkeleton(one.utf8).text == PageSkeleton(other.utf8).text) == isSame)
    }

    @Test(arguments: ["", "<", "<a", "<a b", "<a b=", "<a b='", "<a =", "<script", "<!--", "<body><a b=\"c"])
    func `the end of a page may come anywhere`(page: String) {
        #expect(PageSkeleton(page.utf8).text.utf8.count < 100)
    }
}
