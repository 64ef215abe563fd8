import Testing

@testable import AFCDiscovery

struct HTMLReferencesTests {
    @Test(arguments: [
        ("<title> a &amp; b\n</title><title>c</title>", "a & b"), ("<title></title><title>c</title>", ""),
        ("<p>x", nil), ("<svg><title>a</title></svg>", nil), ("<template><title>a</title></template>", nil),
        ("<svg><title>a</title></svg><title>b</title>", "b"), ("<iframe srcdoc='<title>a</title>'></iframe>", nil),
    ])
    func `the first title of a page is its title`(document: String, title: String?) {
        #expect(references(document).title == title)
    }

    @Test(arguments: [
        ("<a href=u>", ["link a href u"]),
        ("<A HREF='u'>", ["link a href u"]),
        ("<a href=\"\">", ["link a href "]),
        ("<a href='a&amp;b&copy;&copy=1'>", ["link a href a&b©&copy=1"]),
        ("<a href=one href=two>", ["link a href one"]),
        ("<area href=u>", ["link area href u"]),
        ("<img src=u alt=v>", ["requisite img src u"]),
        ("<image src=u>", ["requisite image src u"]),
        (
            "<img src=a srcset='b 1x, c 2x'>",
            ["requisite img src a", "requisite img srcset b", "requisite img srcset c"]
        ),
        (
            "<picture><source srcset=a src=x><img src=b></picture>",
            ["requisite source srcset a", "requisite img src b"]
        ),
        (
            "<video src=a poster=b><source src=c srcset=x><track src=d></video>",
            ["requisite video src a", "requisite video poster b", "requisite source src c", "requisite track src d"]
        ),
        ("<audio src=a><source src=b></audio><source src=x>", ["requisite audio src a", "requisite source src b"]),
        ("<iframe src=u></iframe>", ["frame iframe src u"]),
        ("<frameset><frame src=u></frameset>", ["frame frame src u"]),
        ("<embed src=u>", ["requisite embed src u"]),
        ("<object data=u></object>", ["requisite object data u"]),
        ("<input type=IMAGE src=u><input type=text src=x><input src=x>", ["requisite input src u"]),
        ("<body background=u>", ["requisite body background u"]),
        (
            "<table background=a><tr background=b><td background=c><th background=d>",
            [
                "requisite table background a", "requisite tr background b", "requisite td background c",
                "requisite th background d",
            ]
        ),
        (
            "<colgroup background=a><col background=b>",
            ["requisite colgroup background a", "requisite col background b"]
        ),
        (
            "<astro-island uid=1 component-url=a renderer-url='b' props='{}' before-hydration-url=\"c\">",
            [
                "requisite astro-island component-url a", "requisite astro-island renderer-url b",
                "requisite astro-island before-hydration-url c",
            ]
        ),
        (
            "<astro-island client=only component-url=a before-hydration-url=\"\"></astro-island>",
            ["requisite astro-island component-url a"]
        ),
        ("<astro-island></astro-island><div component-url=a>", []),
        ("<noscript><img src=u></noscript>", ["requisite img src u"]),
        ("<script>import('./u')</script>", ["requisite script import() ./u"]),
        ("<script type=module>import './u'</script>", ["requisite script import ./u"]),
        (
            "<script type=importmap>{\"imports\":{\"a\":\"./u\",\"b/\":\"./v/\"}}</script>",
            ["requisite script importmap ./u"]
        ),
        ("<p style='background:url(u)'>", ["requisite p url() u"]),
        ("<x-y style='background:url(&quot;u&quot;)'>", ["requisite x-y url() u"]),
        ("<style>@import 'a'; b { c: url(d) }</style>", ["requisite style @import a", "requisite style url() d"]),
        ("<style type=text/CSS>b{c:url(d)}</style>", ["requisite style url() d"]),
    ])
    func `each element gives its URLs`(markup: String, expected: [String]) {
        #expect(lines(references(markup)) == expected)
    }

    @Test(arguments: [
        ("stylesheet", "requisite"), ("alternate stylesheet", "requisite"), ("STYLESHEET", "requisite"),
        ("icon", "requisite"), ("shortcut icon", "requisite"), ("apple-touch-icon", "requisite"),
        ("mask-icon", "requisite"), ("manifest", "requisite"), ("preload", "requisite"),
        ("modulepreload", "requisite"), ("prefetch", "prefetch"), ("next", "link"), ("prev", "link"),
        ("canonical", "link"), ("alternate", "link"), ("me\tnext\n", "link"),
        ("preconnect", nil), ("dns-prefetch", nil), ("pingback", nil), ("", nil),
    ])
    func `rel decides how a link element is used`(rel: String, kind: String?) {
        let expected = kind.map { ["\($0) link href u"] } ?? []
        #expect(lines(references("<link rel='\(rel)' href=u>")) == expected)
    }

    @Test(arguments: [
        ("<script src=u></script>", true),
        ("<script src=u type=''></script>", true),
        ("<script src=u type=module></script>", true),
        ("<script src=u type=' Text/JavaScript '></script>", true),
        ("<script src=u language=JavaScript></script>", true),
        ("<script src=u type=text/template></script>", false),
        ("<script src=u language=vbscript></script>", false),
    ])
    func `data blocks are not scripts`(markup: String, isLoaded: Bool) {
        #expect(lines(references(markup)) == (isLoaded ? ["requisite script src u"] : []))
    }

    @Test(arguments: [
        "text <a href= is no tag", "<textarea><img src=x></textarea>", "<title><a href=x></title>",
        "<!-- <img src=x> -->", "<!-- a -- <img src=x> -->", "<script>document.write('<img src=x>')</script>",
        "<script><!--\n<script><img src=x></script><img src=x>--></script>", "<xmp><img src=x></xmp>",
        "<noembed><img src=x></noembed>", "<noframes><a href=x></noframes>", "<iframe><img src=x></iframe>",
        "<plaintext><img src=x>", "<![CDATA[<img src=x", "<img src=''>", "<img src=' '>", "<p data-src=x>",
        "<img src='data:image/gif;base64,R0lGODlhAQABAAAAACw='>", "<a href=' JavaScript:void(0)'>",
        "<a href=mailto:someone@mail.example>", "<p title='<img src=x>'>", "<img title=\"a>b\" alt='<img src=x>' ",
        "<form method=post action=x>", "<a ping=x>", "<blockquote cite=x>", "<link href=x>", "<link rel=stylesheet>",
        "<link rel=stylesheet type=text/less href=x>", "<style type=text/less>a{b:url(x)}</style>",
        "<style>/* url(x) */</style>", "<p style='a: \"url(x)\"'>", "<?php echo '<img src=x'?>",
        "<svg><use href='#x'/></svg>",
        "<svg fill='url(#x)'></svg>", "<use href=x>", "<meta http-equiv=refresh content=5>", "<meta name=x content=y>",
        "<img srcset='x 1w 2w'>",
    ])
    func `text that isn't a reference is ignored`(markup: String) {
        #expect(lines(references(markup)).isEmpty)
    }

    @Test(arguments: [
        ("<meta http-equiv=refresh content='5; url=u'>", ["redirect meta content u"]),
        ("<meta http-equiv=Refresh content=\"0;URL='u v'\">", ["redirect meta content u v"]),
        ("<meta http-equiv=refresh content='0, u'>", ["redirect meta content u"]),
        (
            "<link rel=preload as=image href=a imagesrcset='b 1x'>",
            ["requisite link href a", "requisite link imagesrcset b"]
        ),
        ("<link rel=preload as=image imagesrcset='b 1x'>", ["requisite link imagesrcset b"]),
    ])
    func `refresh and preload are understood`(markup: String, expected: [String]) {
        #expect(lines(references(markup)) == expected)
    }

    @Test(arguments: [
        (
            "<svg><image href=a /><use xlink:href=b></use><feImage href=c /><a xlink:href=d></a><script href=e /></svg>",
            [
                "requisite image href a", "requisite use xlink:href b", "requisite feimage href c",
                "link a xlink:href d",
                "requisite script href e",
            ]
        ),
        ("<svg><image href=a xlink:href=x /></svg>", ["requisite image href a"]),
        ("<svg><style>a{b:url(c)}</style></svg>", ["requisite style url() c"]),
        ("<svg><style><![CDATA[a>b{c:url(d&e)}]]></style></svg>", ["requisite style url() d&e"]),
        ("<svg><style>a{b:url(&#x63;)}</style></svg>", ["requisite style url() c"]),
        ("<svg><rect fill='url(a.svg#b)'/></svg>", ["requisite rect url() a.svg#b"]),
        ("<svg><title><img src=a></title></svg>", ["requisite img src a"]),
        (
            "<svg><foreignObject><img src=a><style>b{c:url(d)}</style></foreignObject><image href=e /></svg>",
            ["requisite img src a", "requisite style url() d", "requisite image href e"]
        ),
        ("<svg><p><img src=a><image href=x>", ["requisite img src a"]),
        ("<svg/><image href=x src=a>", ["requisite image src a"]),
        ("<math><mi><img src=a></mi></math>", ["requisite img src a"]),
        ("<svg><![CDATA[<img src=x>]]><image href=a /></svg>", ["requisite image href a"]),
        ("<svg><textarea><image href=a /></textarea></svg>", ["requisite image href a"]),
        (
            "<svg><image><animate attributeName=href values='a; b' to=c /><set attributeName=xlink:href to=d /></image></svg>",
            [
                "requisite animate to c", "requisite animate values a", "requisite animate values b",
                "requisite set to d",
            ]
        ),
        ("<svg><rect><set attributeName=width to=x /></rect></svg>", []),
        ("<svg><script>import('./a<!---->b')</script></svg>", ["requisite script import() ./ab"]),
        ("<svg><script type=module><![CDATA[import './a']]></script></svg>", ["requisite script import ./a"]),
    ])
    func `inline SVG and MathML follow the rules of foreign content`(markup: String, expected: [String]) {
        #expect(lines(references(markup)) == expected)
    }

    @Test(arguments: [
        (
            "<?xml-stylesheet href='a&amp;b' type='text/css'?><svg xmlns='http://www.w3.org/2000/svg'/>",
            ["requisite ?xml-stylesheet href a&b"]
        ),
        ("<svg:svg><svg:image xlink:href='a'/></svg:svg>", ["requisite image xlink:href a"]),
        (
            "<svg><title/><image href='a'/><script/><image href='b'/></svg>",
            ["requisite image href a", "requisite image href b"]
        ),
        ("<html><style/><img src='a'/><a href='b'/></html>", ["requisite img src a", "link a href b"]),
        (
            "<svg><style><![CDATA[a{b:url(c)}]]></style><a xlink:href='d'/></svg>",
            ["requisite style url() c", "link a xlink:href d"]
        ),
    ])
    func `in XML only markup is searched`(markup: String, expected: [String]) {
        #expect(lines(references(markup, .xml)) == expected)
    }

    @Test func `the first base with an address counts`() {
        let result = references("<template><base href=x></template><base target=y><base href=one><base href=two>")
        #expect(result.baseHref == "one")
    }

    @Test func `a directive may name this crawler`() {
        let markup = "<meta name=AFcache content=nofollow><meta name=otherbot content=noindex>"
        #expect(references(markup).isNofollow && !references(markup).isNoindex)
        let renamed = Array(markup.utf8).withUnsafeBufferPointer { HTMLReferences(utf8: $0, productToken: "OtherBot") }
        #expect(!renamed.isNofollow && renamed.isNoindex)
    }

    @Test(arguments: [
        ("<a href=u>", Destination.document), ("<iframe src=u>", .document), ("<img src=u>", .image),
        ("<video src=u>", .media), ("<embed src=u>", .document),
        ("<video poster=u>", .image), ("<track src=u>", .media), ("<object data=u>", .document),
        ("<script src=u></script>", .script),
        ("<script src=u type=module></script>", .module), ("<link rel=stylesheet href=u>", .style),
        ("<link rel=icon href=u>", .image),
        ("<link rel=manifest href=u>", .manifest), ("<link rel=modulepreload href=u>", .module),
        ("<link rel=sitemap href=u>", .sitemap),
        ("<link rel=preload as=font href=u>", .font), ("<link rel=preload as=script href=u>", .script),
        ("<link rel=preload as=fetch href=u>", .other), ("<link rel=prefetch as=document href=u>", .document),
        ("<link rel=alternate type=application/rss+xml href=u>", .feed), ("<link rel=alternate href=u>", .document),
        ("<style>@import 'u'</style>", .style), ("<style>a{b:url(u)}</style>", .image),
        ("<style>@font-face{a:b;src:url(u)}</style>", .font), ("<style>@font-face{}a{b:url(u)}</style>", .image),
        ("<svg><use href=u /></svg>", .image), ("<svg><script href=u type=module /></svg>", .module),
        ("<meta http-equiv=refresh content='0;url=u'>", .document),
    ])
    func `a reference has the kind of its resource`(markup: String, loads: Destination) {
        #expect(references(markup).references.map(\.loads) == [loads])
    }

    @Test func `robots and nofollow are noted`() {
        let result = references("<meta name=Robots content='NoIndex, nofollow'><a rel='me nofollow' href=a><a href=b>")
        #expect(result.isNofollow && result.isNoindex)
        #expect(result.references.map(\.isNofollow) == [true, false])
        #expect(references("<meta name=robots content=none>").isNofollow)
        #expect(!references("<meta name=robots content='index,follow'>").isNofollow)
    }

    @Test func `the content of a template is inert unless it is a shadow root`() {
        let result = references(
            "<template><img src=a></template><img src=b><template shadowrootmode=open><img src=c></template>"
        )
        #expect(result.references.map(\.isInert) == [true, false, false])
    }

    @Test func `a document in srcdoc replaces src`() {
        let inner = "<img src=a><iframe srcdoc='&lt;img src=x>'></iframe>".replacing("'", with: "&#39;")
        let result = references("<iframe src=y srcdoc=\"<base href=/b/>\(inner)\"></iframe><a href=c>")
        #expect(lines(result) == ["requisite img src a", "requisite img src x", "link a href c"])
        #expect(result.references.map(\.bases) == [["/b/"], ["/b/"], []])
        #expect(result.baseHref == nil)
        var limits = DiscoveryLimits()
        limits.srcdocDepth = 1
        #expect(lines(references("<iframe srcdoc=\"\(inner)\"></iframe>", .html, limits)) == ["requisite img src a"])
    }

    @Test func `offsets point to the text`() {
        let markup = "é<a href=\"one\">x</a><style>b{c:url(two)}</style>"
        let bytes = Array(markup.utf8)
        let found = references(markup).references.map { String(decoding: bytes[$0.offset...].prefix(7), as: UTF8.self) }
        #expect(found == ["one\">x<", "url(two"])
    }
}
