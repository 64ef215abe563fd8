import AFCHTTP
import AFCURL
import Testing

@testable import AFCExport

/// The paths of a ZIM file's entries, and the addresses that lead to them.
struct ZIMPlacesTests {
    /// URL, path of its entry, and address of the path, whose escapes a reader decodes once.
    private static let paths = [
        ("https://d.example/", "d.example/", "d.example/"),
        ("https://d.example/guide/a.html", "d.example/guide/a.html", "d.example/guide/a.html"),
        ("https://d.example/s?q=a&b", "d.example/s?q=a&b", "d.example/s%3Fq%3Da%26b"),
        ("http://localhost:8080/x:y", "localhost:8080/x:y", "localhost%3A8080/x%3Ay"),
        ("https://d.example/caf%C3%A9", "d.example/caf\u{E9}", "d.example/caf%C3%A9"),
        // What has a meaning or can't be seen keeps its escapes.
        ("https://d.example/a%2Fb", "d.example/a%2Fb", "d.example/a%252Fb"),
        ("https://d.example/a%20b%C3%A9", "d.example/a%20b%C3%A9", "d.example/a%2520b%25C3%25A9"),
        ("https://d.example/%00", "d.example/%00", "d.example/%2500"),
        ("https://d.example/%FF", "d.example/%FF", "d.example/%25FF"),
        ("https://d.example/%E2%80%AE", "d.example/%E2%80%AE", "d.example/%25E2%2580%25AE"),
        ("https://d.example//x", "d.example//x", "d.example//x"),
    ]

    @Test(arguments: paths)
    func `a path is that of the URL, and its address leads to it`(_ url: String, _ path: String, _ address: String)
        throws
    {
        #expect(ZIMPlaces.path(of: try WebURL(url)) == path)
        #expect(ZIMPlaces.address(of: path) == address)
    }

    @Test func `URLs that would have one path get two`() throws {
        let urls = try ["https://d.example/a", "http://d.example/a", "https://d.example/%61"].map { try WebURL($0) }
        let paths = ZIMPlaces(urls).paths
        #expect(paths[0] == "d.example/a" && Set(paths).count == 3)
        #expect(paths.dropFirst().allSatisfy { $0.hasPrefix("d.example/a~") && $0.utf8.count == 28 })
    }

    @Test(arguments: [("en", "eng"), ("de-AT", "deu"), ("ZH_tw", "zho"), ("gsw", "gsw"), ("x", nil), ("", nil)])
    func `a language has the code of three letters`(_ tag: String, _ code: String?) {
        #expect(ZIMMetadata.language(tag) == code)
    }

    @Test func `metadata keep to the lengths that readers show`() throws {
        let site = ExportedSite(
            title: String(repeating: "Tide \n", count: 30),
            number: 0,
            url: try WebURL("https://d.example/"),
            icon: "data:image/png;base64,AAAA",
            language: "en-GB",
            made: Timestamp(secondsSinceEpoch: 86_400),
            provenance: []
        )
        let metadata = ZIMMetadata([site], name: nil, software: "a/1", counts: [("text/css", 2), ("text/html", 1)])
        let values = Dictionary(uniqueKeysWithValues: metadata.entries.map { ($0.name, $0.value) })
        func text(_ name: String) -> String { String(decoding: values[name] ?? [], as: UTF8.self) }
        #expect(text("Title") == "Tide Tide Tide Tide Tide Tide…" && text("Description").count == 80)
        #expect(
            text("Counter") == "text/css=2;text/html=1" && text("Language") == "eng" && text("Date") == "1970-01-02"
        )
        #expect(text("Name") == "d.example_eng_all" && text("Source") == "https://d.example/")
        // An icon that isn't a PNG of the right size isn't taken.
        #expect(values["Illustration_48x48@1"]?.count == 166)
    }
}
