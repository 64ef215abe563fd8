/// SVG, within pages and in files of its own.
enum Drawings {
    static let part = Part(
        pages: [
            .page(
                "/svg.html",
                """
                <title>SVG</title><svg width=64 height=64><image href=/r/svg-image.png width=16 height=16 />
                <image xlink:href=/r/svg-xlink-image.png width=16 height=16 />
                <image href=/r/svg-both.png xlink:href=/d/svg-both.png width=16 height=16 />
                <use href=/r/svg-use.svg#part /><use xlink:href="/r/svg-xlink-use.svg#part"></use><use href=#local />
                <filter id=local><feImage href=/r/svg-feimage.png /></filter><rect filter=url(#local) width=16 height=16 />
                <rect filter="url(/r/svg-filter.svg#filter)" width=16 height=16 /><style>rect { cursor: url(/r/svg-style.png), auto }
                @import "/d/svg-style-import.css"; <![CDATA[ g > rect { cursor: url(/r/svg-style-cdata.png), auto } ]]></style>
                <g style="cursor: url(/r/svg-attribute.png), auto"><rect width=1 height=1 /></g><script href=/r/svg-script.js></script>
                <a href=/r/svg-link.html><text>x</text></a><title><![CDATA[<img src=/d/svg-title-cdata.png>]]></title>
                <![CDATA[<image href="/d/svg-cdata.png"/>]]><!-- <image href="/d/svg-comment.png"/> -->
                <textarea><image href=/r/svg-textarea.png width=16 height=16 /></textarea><text>url(/d/svg-text.png)</text>
                <foreignObject><img src=/r/svg-foreign.png><div style="background: url(/r/svg-foreign-style.png)">x</div></foreignObject>
                </svg><use href=/d/html-use.svg></use><feImage href=/d/html-feimage.png></feImage>
                <object data=/r/drawing.svg width=64 height=64></object>
                """
            )
        ],
        files: [
            File(
                path: "/r/drawing.svg",
                type: "image/svg+xml",
                text: """
                    <?xml version="1.0"?><?xml-stylesheet type="text/css" href="drawing-instruction.css"?>
                    <svg xmlns="http://www.w3.org/2000/svg" xmlns:l="http://www.w3.org/1999/xlink" xmlns:xlink="http://www.w3.org/1999/xlink"
                    width="64" height="64"><style>@import url(drawing-import.css); rect { fill: red; cursor: url('drawing-style.png'), auto }</style>
                    <defs><!-- <image href="/d/drawing-comment.png"/> --></defs><rect width="16" height="16"/>
                    <image href="drawing-image.png" width="16" height="16"/><image xlink:href="drawing-xlink.png" width="16" height="16"/>
                    <use href="drawing-use.svg#part"/><a href="/r/drawing-link.html"><text y="30">x</text></a>
                    <script href="drawing-script.js"/><text><![CDATA[<image href="/d/drawing-cdata.png"/>]]></text>
                    <metadata>http://docs.example/d/drawing-text.png</metadata></svg>
                    """
            )
        ],
        requisites: [
            "svg-image.png", "svg-xlink-image.png", "svg-both.png", "svg-use.svg", "svg-xlink-use.svg",
            "svg-feimage.png",
            "svg-filter.svg", "svg-style.png", "svg-style-cdata.png", "svg-attribute.png", "svg-script.js",
            "svg-textarea.png",
            "svg-foreign.png", "svg-foreign-style.png", "drawing.svg", "drawing-instruction.css", "drawing-import.css",
            "drawing-style.png", "drawing-image.png", "drawing-xlink.png", "drawing-use.svg", "drawing-script.js",
        ].map { "/r/" + $0 },
        links: ["/r/svg-link.html", "/r/drawing-link.html"],
        decoys: [
            "/d/svg-both.png", "/d/svg-title-cdata.png", "/d/svg-cdata.png", "/d/svg-comment.png", "/d/svg-text.png",
            "/d/html-use.svg", "/d/html-feimage.png", "/d/drawing-comment.png", "/d/drawing-cdata.png",
            "/d/drawing-text.png",
            "/d/svg-style-import.css",
        ]
    )
}
