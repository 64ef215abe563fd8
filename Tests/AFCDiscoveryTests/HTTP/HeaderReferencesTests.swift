import AFCURL
import Testing

@testable import AFCDiscovery

struct HeaderReferencesTests {
    private func lines(_ link: [String], _ refresh: String? = nil) throws -> [String] {
        let url = try WebURL("http://docs.example/a/b?c")
        return HeaderReferences.references(link: link, refresh: refresh, url: url).map {
            let mark = $0.reference.isNofollow ? " nofollow" : ""
            return "\($0.kind) \($0.reference.loads) \($0.url.description.dropFirst(19))\(mark)"
        }
    }

    /// RFC 8288 §3.
    @Test(arguments: [
        ("<x>; rel=next", ["link document /a/x"]), ("</x>;rel=\"next\"", ["link document /x"]),
        ("</x> ; REL = Next", ["link document /x"]), ("<//docs.example/x>; rel=\"me next\"", ["link document /x"]),
        ("</x,y;z>; rel=next", ["link document /x,y;z"]),
        ("</x>; title=\"a, <b>; rel=y\"; rel=next, </y>; rel=prev", ["link document /x", "link document /y"]),
        ("</x>; title=\"a\\\", </z>; rel=next\"; rel=prev", ["link document /x"]),
        ("</x>; rel=next; rel=stylesheet", ["link document /x"]), ("</x>;title;rel=next", ["link document /x"]),
        ("</x>; title*=UTF-8''%e2%82%ac; rel=next", ["link document /x"]),
        (",, </x>; rel=next ,", ["link document /x"]),
        ("junk \"a,b\", </x>; rel=next", ["link document /x"]),
        (
            "</x>; rel=next junk, </y>; rel=next",
            [
                "link document /x", "link document /y",
            ]
        ),
        ("</x>; rel=next; anchor=\"\"", ["link document /x"]), ("</x>; rel=next; anchor=\"#y\"", ["link document /x"]),
        ("</x>; rel=next; anchor=\"http://docs.example/a/b?c\"", ["link document /x"]),
        ("<>; rel=canonical", ["link document /a/b?c"]), ("</x>; rel=\"next nofollow\"", ["link document /x nofollow"]),
        ("</x>; rel=stylesheet", ["requisite style /x"]), ("</x>; rel=preload; as=font", ["requisite font /x"]),
        ("</x>; rel=preload; as=script", ["requisite script /x"]), ("</x>; rel=modulepreload", ["requisite module /x"]),
        ("</x>; rel=prefetch", ["prefetch other /x"]), ("</x>; rel=icon", ["requisite image /x"]),
        ("</x>; rel=manifest", ["requisite manifest /x"]),
        ("</x>; rel=alternate; type=\"application/atom+xml\"", ["link feed /x"]),
        ("</x>; rel=sitemap", ["link sitemap /x"]),
        (
            "</x>; rel=preload; as=image; imagesrcset=\"/y 1x, /z,1.png 2x\"",
            [
                "requisite image /x", "requisite image /y", "requisite image /z,1.png",
            ]
        ),
    ])
    func `links are found`(field: String, expected: [String]) throws {
        #expect(try lines([field]) == expected)
    }

    @Test(arguments: [
        "", "</x>", "</x>; rel", "</x>; rel=\"\"", "</x>; rel=unknown", "/x; rel=next", "</x; rel=next", "<x",
        "</x>; rel=next; anchor=\"/other\"", "</x>; rel=next; anchor=\"http://[\"", "</x>; rev=next",
        "</x>, ; rel=next", "</x>; rel=preconnect", "</x>; rel=dns-prefetch", "<data:,x>; rel=stylesheet",
        "<mailto:a@b.example>; rel=author", "<>; rel=stylesheet", "</x>; rel=stylesheet; type=\"text/less\"",
        "<ftp://docs.example/x>; rel=next", "\"</x>; rel=next\"",
    ])
    func `links that don't belong to this document are ignored`(field: String) throws {
        #expect(try lines([field]).isEmpty)
    }

    @Test func `several lines and several links form one list`() throws {
        let found = try lines(["</x>; rel=next, </y>; rel=icon", "</z>; rel=prev"], "0;url=w")
        #expect(found == ["link document /x", "requisite image /y", "link document /z", "redirect document /a/w"])
    }

    /// HTML §4.2.5.3.
    @Test(arguments: [
        ("0; url=/x", "/x"), ("5;URL='/x y'", "/x%20y"), ("0, /x", "/x"), ("0;url=\"/x\" z", "/x"), (".5 url=/x", "/x"),
        ("0;  url = /x", "/x"), ("0", nil), ("url=/x", nil), ("0;javascript:x", nil), ("", nil),
    ])
    func `a Refresh field is followed`(field: String, expected: String?) throws {
        #expect(try lines([], field) == (expected.map { ["redirect document \($0)"] } ?? []))
    }

    @Test func `many links are read in linear time`() throws {
        let url = try WebURL("http://docs.example/")
        var limits = DiscoveryLimits()
        limits.references = 10
        for text in ["<", "<,", "</x>;", "</x>; rel=next,", "\"", "</x>;a=\"", ";", ",<x"] {
            let field = String(repeating: text, count: 100_000)
            #expect(HeaderReferences.references(link: [field], refresh: field, url: url, limits: limits).count <= 10)
        }
    }
}
