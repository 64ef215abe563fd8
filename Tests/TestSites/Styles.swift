/// CSS: addresses, imports and what only looks like them.
enum Styles {
    static let part = Part(
        pages: [
            .page(
                "/css.html",
                """
                <title>CSS</title><link rel=stylesheet href=/r/css/sheet.css>
                <style>div { display: inline-block; width: 20px; height: 20px }</style>
                \((1...30).map { "<div class=c\($0)></div>" }.joined())<div class=i1></div><div class=i2></div><p class=nested><span>x</span></p><p class=font>x</p>
                """
            )
        ],
        files: [
            File(path: "/r/css/sheet.css", type: "text/css", text: sheet),
            File(
                path: "/r/css/import-string.css",
                type: "text/css",
                text: "@import 'import-nested.css'; .i1 { background: url(../css/imported.png) }"
            ),
            // Nested imports may lead back.
            File(path: "/r/css/import-nested.css", type: "text/css", text: "@import 'import-string.css';"),
            File(path: "/r/css/untyped", text: ".i2 { background: url(untyped.png) }"),
        ],
        requisites: [
            "sheet.css", "import-string.css", "import-nested.css", "imported.png", "import-url.css",
            "import-url-quoted.css",
            "import-layer.css", "import-supports.css", "import-media.css", "import-comment.css", "import-escape.css",
            "untyped", "untyped.png", "url.png", "url-double.png", "url-single.png", "url-space.png", "url-upper.png",
            "url-escape.png", "url-paren).png", "url-name-escape.png", "url-a%20b.png", "url-line-end.png",
            "url-list-1.png",
            "url-list-2.png", "url-property.png", "image-set-string-1x.png", "image-set-string-2x.png",
            "image-set-url.png",
            "webkit-image-set.png", "media.png", "supports.png", "layer.png", "nested.png", "nested-media.png",
            "cursor.png",
            "list.png", "border.png", "content.png", "mask.png", "font.woff2", "font-old.woff2", "after-string.png",
            "unclosed.png",
        ].map { "/r/css/" + $0 },
        decoys: [
            "namespace", "comment.png", "string.png", "selector.png", "import-late.css", "import-in-block.css",
            "bad-url.png",
            "bad-string.png", "format.png", "supports-prelude.png", "import-comment.css", "local.png", "not-a-url.png",
        ].map { "/d/css/" + $0 }
    )

    private static let sheet = #"""
        @charset "utf-8";
        @layer a, b;
        /* @import "/d/css/import-comment.css"; */
        @import "import-string.css";
        @import url(import-url.css);
        @import url("import-url-quoted.css") screen;
        @import "import-layer.css" layer(a);
        @import "import-supports.css" layer supports(background: url(/d/css/supports-prelude.png)) screen;
        @import/**/'import-media.css' (min-width: 1px);
        @import /* "/d/css/import-comment.css" */ "import-comment.css";
        @\69mport 'import-escape.css';
        @import 'untyped';
        @namespace svg url(/d/css/namespace);
        .c1 { background: url(url.png) }
        .c2 { background: url("url-double.png") }
        .c3 { background: url('url-single.png') }
        .c4 { background: url(  url-space.png  ) }
        .c5 { background: URL(url-upper.png) }
        .c6 { background: url(url-\65scape.png) }
        .c7 { background: url(url-paren\).png) }
        .c8 { background: u\72l(url-name-escape.png) }
        .c9 { background: url("url-a b.png") }
        .c10 { background: url("url-\
        line-end.png") }
        .c11 { background: url(url-list-1.png), linear-gradient(red, blue), url(url-list-2.png) }
        .c12 { --image: url(url-property.png); background: var(--image) }
        .c13 { background: image-set("image-set-string-1x.png" 1x, 'image-set-string-2x.png' type("/d/css/format.png") 2x) }
        .c14 { background: image-set(url(image-set-url.png) 1x) }
        .c15 { background: -webkit-image-set(url(webkit-image-set.png) 1x) }
        @media (min-width: 1px) { .c16 { background: url(media.png) } }
        @supports (display: grid) { .c17 { background: url(supports.png) } }
        @supports (background: url(/d/css/supports-prelude.png)) { }
        @layer b { .c18 { background: url(layer.png) } }
        .nested { & span { background: url(nested.png) } @media screen { background: url(nested-media.png) } }
        .c19 { cursor: url(cursor.png), auto }
        .c20 { display: list-item; list-style: url(list.png) }
        .c21 { border: 1px solid; border-image: url(border.png) 1 }
        .c22::before { content: url(content.png) }
        .c23 { mask: url(mask.png); width: 16px; height: 16px }
        @font-face { font-family: f; src: local("/d/css/local.png"), url(font.woff2) format("woff2"), url("font-old.woff2") }
        .font { font-family: f }
        /* url(/d/css/comment.png) */
        .c24::after { content: "url(/d/css/string.png)" }
        .c25[title="url(/d/css/selector.png)"] { }
        .c25::after { content: "\"url(/d/css/string.png)"; background: url(after-string.png) }
        .c26 { background: url(/d/css/bad-url.png x) }
        .c27 { background: not-url(/d/css/not-a-url.png) }
        .c28 { background: url(#part), url() }
        @import "/d/css/import-late.css";
        @media screen { @import "/d/css/import-in-block.css"; }
        .c29 { content: "/d/css/bad-string.png
        }
        .c30 { background: url(unclosed.png
        """#
}
