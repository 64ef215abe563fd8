extension Markup {
    static let head = Part(
        pages: [
            .page(
                "/head.html",
                """
                <title>Head</title><link rel=stylesheet href=/r/link-stylesheet.css><link rel="alternate stylesheet" title=x
                href=/r/link-alternate-stylesheet.css><link rel=stylesheet media=print href=/r/link-print.css>
                <link rel=stylesheet type=text/less href=/d/link-less.css><link rel="Shortcut Icon" href=/r/link-icon.png>
                <link rel=apple-touch-icon href=/r/link-touch-icon.png><link rel=mask-icon href=/r/link-mask-icon.svg>
                <link rel=preload as=image href=/r/link-preload.png imagesrcset="/r/link-preload,1x.png 1x, /r/link-preload-2x.png 2x">
                <link rel=preload as=font crossorigin href=/r/link-preload-font.woff2>
                <link rel=preload as=style href=/r/link-preload-style.css><link rel=modulepreload href=/r/link-modulepreload.js>
                <link rel=prefetch href=/r/link-prefetch.html><link rel=next href=/r/link-next.html>
                <link rel=prev href=/r/link-prev.html><link rel=canonical href=/r/link-canonical.html>
                <link rel=alternate hreflang=de href=/r/link-alternate.html><link rel="me author" href=/r/link-author.html>
                <link rel=preconnect href=/d/preconnect.html><link rel=dns-prefetch href=/d/dns-prefetch.html>
                <link rel=pingback href=/d/pingback.html><link href=/d/link-without-rel.css>
                <link rel=profile href=/d/link-profile.html><meta property=og:image content=/d/og-image.png>
                <meta name=twitter:image content=/d/twitter-image.png><meta name=msapplication-TileImage content=/d/tile.png>
                <style>@import "/r/style-import.css"; p { background: url(/r/style-block.png) } /* url(/d/style-comment.png) */
                </style><style type=text/less>p { background: url(/d/style-less.png) }</style>
                <style>p::after { content: "</styl url(/d/style-string.png)"; background: url(/r/style-after-string.png) }</style>
                <p>A paragraph
                """
            )
        ],
        files: [
            File(
                path: "/r/link-modulepreload.js",
                type: "text/javascript",
                text: "import '/r/link-modulepreload-import.js'"
            )
        ],
        requisites: [
            "/r/link-stylesheet.css", "/r/link-alternate-stylesheet.css", "/r/link-print.css", "/r/link-icon.png",
            "/r/link-touch-icon.png", "/r/link-mask-icon.svg", "/r/link-preload.png", "/r/link-preload,1x.png",
            "/r/link-preload-2x.png", "/r/link-preload-font.woff2", "/r/link-preload-style.css",
            "/r/link-modulepreload.js",
            "/r/link-modulepreload-import.js", "/r/style-import.css", "/r/style-block.png", "/r/style-after-string.png",
        ],
        links: [
            "/r/link-prefetch.html", "/r/link-next.html", "/r/link-prev.html", "/r/link-canonical.html",
            "/r/link-alternate.html", "/r/link-author.html",
        ],
        decoys: [
            "/d/link-less.css", "/d/preconnect.html", "/d/dns-prefetch.html", "/d/pingback.html",
            "/d/link-without-rel.css",
            "/d/link-profile.html", "/d/og-image.png", "/d/twitter-image.png", "/d/tile.png", "/d/style-comment.png",
            "/d/style-less.png",
        ]
    )

    static let addresses = Part(
        pages: [
            .page(
                "/addresses.html",
                """
                <title>Addresses</title><a href=/r/a-href.html>x</a><A HREF='/r/a-upper.html'>x</A><a href=r/a-relative.html>x</a>
                <a href="/r/a-tab\t.html">x</a><a href=" /r/a-line\n-end.html ">x</a><a href="\\r\\a-backslash.html">x</a>
                <a href="/r/a space.html">x</a><a href="/r/a-é.html?é">x</a><a href=/r/x/../a-dots.html>x</a>
                <a href=//{host}/r/a-network-path.html>x</a><a href={origin}/r/a-absolute.html>x</a>
                <a href=http:/r/a-scheme-relative.html>x</a><a href="/r/a-entity.html?a=1&amp;b=2&copy=3">x</a>
                <a href=/r/a-fragment.html#part>x</a><a href="#part">x</a><a href="">x</a><a href=?only-query>x</a>
                <a href="/r/a-percent-%7e%zz.html">x</a><a href="/r/a-pipe|.html">x</a><a href=/r/&#97;-numeric.html>x</a>
                <a href=/r/a-nofollow.html rel=nofollow>x</a><a href=/r/a-ping.html ping=/d/ping.html>x</a>
                <a href="javascript:location='/d/javascript.html'">x</a><a href="mailto:a@docs.example?body=/d/mailto.html">x</a>
                <a href="data:text/html,<a href=/d/data.html>">x</a><a href="about:blank">x</a><a href="ftp://{host}/d/ftp.html">x</a>
                <a name=/d/a-name.html data-href=/d/data-href.html title="href=/d/a-title.html">x</a>
                <map name=m><area href=/r/area.html coords="0,0,1,1"></map><svg><a href=/r/svg-a.html>x</a>
                <a xlink:href=/r/svg-xlink-a.html>y</a></svg><math><mi href=/d/math.html>x</mi></math>
                """
            ),
            .page(
                "/base.html",
                """
                <title>Base</title><template><base href=/d/></template><base target=_self><base href=/r/base/><base href=/d/>
                <img src=base-img.png><a href=base-a.html>x</a>
                """
            ),
            .page("/refresh.html", "<title>x</title><meta http-equiv=refresh content=\"0;url=/r/refresh.html\">"),
            .page(
                "/refresh-quoted.html",
                "<title>x</title><meta http-equiv=Refresh content=\"0; URL='/r/refresh-quoted.html' /d/refresh.html\">"
            ),
            File(
                path: "/plain.txt",
                type: "text/plain",
                text: "<!DOCTYPE html><img src=/d/plain.png><a href=/d/plain.html> http://{host}/d/plain-url.html"
            ),
        ],
        requisites: ["/r/base/base-img.png"],
        links: [
            "/r/a-href.html", "/r/a-upper.html", "/r/a-relative.html", "/r/a-tab.html", "/r/a-line-end.html",
            "/r/a-backslash.html", "/r/a%20space.html", "/r/a-%C3%A9.html?%C3%A9", "/r/a-dots.html",
            "/r/a-network-path.html",
            "/r/a-absolute.html", "/r/a-scheme-relative.html", "/r/a-entity.html?a=1&b=2&copy=3", "/r/a-fragment.html",
            "/addresses.html?only-query", "/r/a-percent-%7e%zz.html", "/r/a-pipe|.html", "/r/a-numeric.html",
            "/r/a-nofollow.html", "/r/a-ping.html", "/r/area.html", "/r/svg-a.html", "/r/svg-xlink-a.html",
            "/r/base/base-a.html", "/r/refresh.html", "/r/refresh-quoted.html",
        ],
        decoys: [
            "/d/ping.html", "/d/javascript.html", "/d/mailto.html", "/d/data.html", "/d/ftp.html", "/d/a-name.html",
            "/d/a-title.html", "/d/math.html", "/d/base-img.png", "/d/base-a.html",
            "/d/refresh.html",
            "/d/plain.png", "/d/plain.html", "/d/plain-url.html",
        ]
    )

    static let encodings = Part(
        pages: [
            File(
                path: "/latin1.html",
                type: "text/html",
                text:
                    "<meta charset=latin1><title>é</title><img src=\"/r/latin1-é.png?é\"><a href=/r/latin1-é.html>x</a>",
                encode: { $0.unicodeScalars.map { UInt8(truncatingIfNeeded: $0.value) } }
            ),
            File(
                path: "/utf16.html",
                type: "text/html",
                text: "\u{FEFF}<!DOCTYPE html><title>é</title><img src=\"/r/utf16-é.png?é\">",
                encode: { $0.utf16.flatMap { [UInt8($0 & 0xFF), UInt8($0 >> 8)] } }
            ),
            File(path: "/untyped", text: "<!DOCTYPE html><title>x</title><img src=/r/untyped.png>"),
            File(
                path: "/page.xhtml",
                type: "application/xhtml+xml",
                text: """
                    <?xml version="1.0"?><?xml-stylesheet href="/r/xhtml-instruction.css" type="text/css"?>
                    <?other a > <img src="/d/xhtml-instruction.png"/> ?>
                    <!DOCTYPE html [<!ENTITY x "<img src='/d/xhtml-entity.png'/>"> <!-- ]><img src="/d/xhtml-doctype.png"/> -->]>
                    <html xmlns="http://www.w3.org/1999/xhtml"><head><title/><style><![CDATA[p > b, p { background: url(/r/xhtml-style.png) }]]>
                    </style></head><body><p><img src="/r/xhtml-img.png?a=1&amp;b=2"/></p><textarea><img src="/r/xhtml-textarea.png"/></textarea>
                    <![CDATA[<img src="/d/xhtml-cdata.png"/>]]><!-- <img src="/d/xhtml-comment.png"/> --></body></html>
                    """
            ),
        ],
        requisites: [
            "/r/latin1-%C3%A9.png?%E9", "/r/utf16-%C3%A9.png?%C3%A9", "/r/untyped.png", "/r/xhtml-instruction.css",
            "/r/xhtml-style.png", "/r/xhtml-img.png?a=1&b=2", "/r/xhtml-textarea.png",
        ],
        links: ["/r/latin1-%C3%A9.html"],
        decoys: [
            "/d/xhtml-instruction.png", "/d/xhtml-entity.png", "/d/xhtml-doctype.png", "/d/xhtml-cdata.png",
            "/d/xhtml-comment.png",
        ]
    )
}
