/// Fields of responses, and redirects.
enum Fields {
    static let part = Part(
        pages: [
            .page(
                "/fields.html",
                "<title>Fields</title><p>A page",
                fields: [
                    (
                        name: "Link",
                        value: "</r/field-style.css>; rel=stylesheet, </r/field,comma.css>;rel=\"preload\";as=style"
                    ),
                    (
                        name: "Link",
                        value:
                            "<r/field-preload.png>; rel=preload; as=image; title=\"a, </d/field-title>; rel=preload; as=image\""
                    ),
                    (
                        name: "Link",
                        value: "</r/field-module.js>; rel=modulepreload, </r/field-next.html>; rel=next; rel=stylesheet"
                    ),
                    (name: "Link", value: "</d/field-anchor.png>; rel=preload; as=image; anchor=\"/other\""),
                    (
                        name: "Link",
                        value: "</d/field-preconnect>; rel=preconnect, </d/field-unknown>; rel=unknown, </d/field-none>"
                    ),
                ]
            ),
            .page(
                "/refresh-field.html",
                "<title>Refresh</title><p>A page",
                fields: [(name: "Refresh", value: "0; url=\"/r/field-refresh.html\"")]
            ),
            .page(
                "/redirects.html",
                """
                <title>Redirects</title><a href=/r/redirect-301>x</a><a href=/r/redirect-302>x</a><a href=/r/redirect-303>x</a>
                <a href=/r/redirect-307>x</a><a href=/r/redirect-308>x</a><a href=/r/redirect-chain>x</a>
                <img src=/r/redirect-image>
                """
            ),
        ],
        files: [
            redirect("/r/redirect-301", 301, "/r/redirected-301.html"),
            redirect("/r/redirect-302", 302, "redirected-302.html"),
            redirect("/r/redirect-303", 303, "../r/redirected-303.html"),
            redirect("/r/redirect-307", 307, "{origin}/r/redirected-307.html"),
            redirect("/r/redirect-308", 308, "//{host}/r/redirected-308.html"),
            redirect("/r/redirect-chain", 301, "?2"),
            redirect("/r/redirect-chain?2", 302, "/r/redirected-chain.html"),
            redirect("/r/redirect-image", 302, "/r/redirected.png"),
            File(
                path: "/r/field-module.js",
                type: "text/javascript",
                text: "import './field-module-import.js'"
            ),
        ],
        requisites: [
            "/r/field-style.css", "/r/field,comma.css", "/r/field-preload.png", "/r/field-module.js",
            "/r/field-module-import.js",
            "/r/redirect-image", "/r/redirected.png",
        ],
        links: [
            "/r/field-next.html", "/r/field-refresh.html", "/r/redirect-301", "/r/redirect-302", "/r/redirect-303",
            "/r/redirect-307", "/r/redirect-308", "/r/redirect-chain", "/r/redirect-chain?2", "/r/redirected-301.html",
            "/r/redirected-302.html", "/r/redirected-303.html", "/r/redirected-307.html", "/r/redirected-308.html",
            "/r/redirected-chain.html",
        ],
        decoys: [
            "/d/field-title", "/d/field-anchor.png", "/d/field-preconnect", "/d/field-unknown", "/d/field-none",
            "/d/redirect-body.html",
        ]
    )

    private static func redirect(_ path: String, _ status: Int, _ location: String) -> File {
        File(
            path: path,
            status: status,
            type: "text/html",
            fields: [(name: "Location", value: location)],
            text: "<a href=/d/redirect-body.html>x</a>"
        )
    }
}
