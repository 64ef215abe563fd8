/// HTML: elements and attributes with addresses, and how addresses may be written.
enum Markup {
    static let images = Part(
        pages: [
            .page(
                "/images.html",
                """
                <title>Images <a href=/d/title.html></title><body background=/r/body-background.png>
                <img src=/r/img-src.png><IMG SRC='/r/img-upper.png'><img alt="a>b" src="/r/img-quoted.png">
                <img src=/r/img-twice.png src=/d/img-second-src.png><image src=/r/image-element.png>
                <img src=/r/img-srcset-src.png srcset="/r/img-srcset-comma,1x.png 1x, /r/img-srcset-comma,2x.png 2x">
                <img srcset="/r/img-srcset-w1.png 100w,/r/img-srcset-w2.png 200w" sizes=100px>
                <img srcset="/d/srcset-invalid.png 1w 2w, /r/img-srcset-plain.png">
                <img srcset="/d/img-srcset-paren.png (a, /d/srcset-paren.png 1x), /r/img-srcset-after.png 1x">
                <img loading=lazy src=/r/img-lazy.png><img data-src=/d/data-src.png longdesc=/d/longdesc.html>
                <picture><source srcset=/r/picture-source.png media="(min-width:1px)" src=/d/picture-source-src.png>
                <source srcset="/r/picture-avif.png 1x" type=image/avif><img src=/r/picture-img.png></picture>
                <source srcset=/d/source-alone.png src=/d/source-alone-src.png>
                <form action="/l/form-action.html?dropped=1"><input type=Image src=/r/input-image.png><input src=/d/input-text.png>
                <button formaction=/l/formaction.html>x</button></form>
                <form method=POST action=/d/form-post.html><button formaction=/d/formaction-post.html>x</button></form>
                <table background=/r/table-background.png><tbody background=/r/tbody-background.png>
                <tr background=/r/tr-background.png><td background=/r/td-background.png>x<th background=/r/th-background.png>y
                </table><div background=/d/div-background.png style="background:url(/r/style-attribute.png)">x</div>
                <p style="background:url(&quot;/r/style-attribute-quoted.png&quot;)">x
                <p style="--a: '/d/style-string.png'; content: 'url(/d/style-string-url.png)'">x
                <noscript><img src=/r/noscript-img.png><!-- <img src=/d/noscript-comment.png> --></noscript>
                <div><template shadowrootmode=open><img src=/r/shadow-root.png></template></div>
                <template><img src=/d/template.png><a href=/d/template.html>x</a></template>
                <!-- <img src=/d/comment.png> -- <img src=/d/comment-2.png> --><textarea><img src=/d/textarea.png></textarea>
                <xmp><img src=/d/xmp.png></xmp><noembed><img src=/d/noembed.png></noembed>
                <iframe><img src=/d/iframe-content.png></iframe>&lt;img src=/d/text.png&gt; http://{host}/d/text.html
                <blockquote cite=/d/cite.html>x</blockquote><q cite=/d/q-cite.html>x</q><p title="<img src=/d/title.png>">x
                <img src="data:image/svg+xml,<svg xmlns='http://www.w3.org/2000/svg'><image href='/d/data-url.png'/></svg>">
                <svg><image href="/r/svg-in-html.png" width=16 height=16 /><desc><img src=/r/svg-desc.png></desc></svg>
                """
            )
        ],
        requisites: [
            "/r/body-background.png", "/r/img-src.png", "/r/img-upper.png", "/r/img-quoted.png", "/r/img-twice.png",
            "/r/image-element.png", "/r/img-srcset-src.png", "/r/img-srcset-comma,1x.png", "/r/img-srcset-comma,2x.png",
            "/r/img-srcset-w1.png", "/r/img-srcset-w2.png", "/r/img-srcset-plain.png", "/r/img-srcset-after.png",
            "/r/img-lazy.png", "/r/picture-source.png", "/r/picture-avif.png", "/r/picture-img.png",
            "/r/input-image.png",
            "/r/table-background.png", "/r/tbody-background.png", "/r/tr-background.png", "/r/td-background.png",
            "/r/th-background.png", "/r/style-attribute.png", "/r/style-attribute-quoted.png", "/r/noscript-img.png",
            "/r/shadow-root.png", "/r/svg-in-html.png", "/r/svg-desc.png",
        ],
        links: ["/l/form-action.html", "/l/formaction.html"],
        decoys: [
            "/d/title.html", "/d/img-second-src.png", "/d/srcset-invalid.png", "/d/srcset-paren.png",
            "/d/longdesc.html", "/d/picture-source-src.png", "/d/source-alone.png", "/d/source-alone-src.png",
            "/d/form-post.html", "/d/input-text.png", "/d/formaction-post.html", "/d/div-background.png",
            "/d/style-string.png",
            "/d/style-string-url.png", "/d/noscript-comment.png", "/d/template.html",
            "/d/comment.png",
            "/d/comment-2.png", "/d/textarea.png", "/d/xmp.png", "/d/noembed.png", "/d/iframe-content.png",
            "/d/text.png",
            "/d/text.html", "/d/cite.html", "/d/q-cite.html", "/d/title.png", "/d/data-url.png",
            "/d/img-srcset-paren.png",
        ]
    )

    static let media = Part(
        pages: [
            .page(
                "/media.html",
                """
                <title>Media</title><video src=/r/video-src.webm poster=/r/video-poster.png width=32 height=32></video>
                <video><source src=/r/video-source.webm type=video/webm srcset=/d/video-srcset.png>
                <track default src=/r/track.vtt></video>
                <audio src=/r/audio-src.wav preload=auto></audio><audio preload=auto><source src=/r/audio-source.wav></audio>
                <astro-island component-url=/r/island.js renderer-url=/r/island-renderer.js
                before-hydration-url="/r/island-before.js"></astro-island><x-island component-url=/d/island.js></x-island>
                <embed src=/r/embed.svg width=16 height=16><object data=/r/object.svg></object>
                <object data=/r/object-page.html><img src=/r/object-fallback.png></object>
                <script src=/r/script-src.js></script><script type=text/template src=/d/script-template.js></script>
                <script type="text/javascript" src=/r/script-typed.js></script>
                <script>'<img src=/d/script-string.png>'; '</a href=/d/script-string.html>'</script>
                <script><!-- <script> </script> <img src=/d/script-escaped.png> --></script>
                <script type=application/json>{"src": "/d/script-json.png", "x": "<img src=/d/script-json-2.png>"}</script>
                """
            )
        ],
        files: [
            .page("/r/object-page.html", "<title>x</title><img src=/r/object-page-img.png>"),
            File(
                path: "/r/script-src.js",
                type: "text/javascript",
                text: "'/d/script-file.png'; // import('/d/script-comment.js')"
            ),
        ],
        requisites: [
            "/r/video-src.webm", "/r/video-poster.png", "/r/video-source.webm", "/r/track.vtt", "/r/audio-src.wav",
            "/r/island.js", "/r/island-renderer.js", "/r/island-before.js",
            "/r/audio-source.wav", "/r/embed.svg", "/r/object.svg", "/r/object-page.html", "/r/object-page-img.png",
            "/r/object-fallback.png", "/r/script-src.js", "/r/script-typed.js",
        ],
        decoys: [
            "/d/video-srcset.png", "/d/script-string.png", "/d/script-string.html",
            "/d/script-escaped.png", "/d/script-json.png", "/d/script-json-2.png", "/d/script-file.png",
            "/d/script-comment.js", "/d/island.js",
        ]
    )

    static let frames = Part(
        pages: [
            .page(
                "/frames.html",
                """
                <title>Frames</title><iframe src=/r/iframe.html></iframe><iframe src=/d/iframe-src.html srcdoc="<img
                src=/r/srcdoc.png><iframe srcdoc='&lt;img src=/r/srcdoc-nested.png>'></iframe>&lt;!-- <img src=/d/srcdoc.png> -->"></iframe>
                """
            ),
            File(
                path: "/frameset.html",
                type: "text/html",
                text: """
                    <html><head><title>x</title></head><frameset cols="50%,50%"><frame src=/r/frame-1.html><frame
                    src=/r/frame-2.html><noframes><a href=/d/noframes.html>x</a></noframes></frameset></html>
                    """
            ),
        ],
        files: [
            .page("/r/iframe.html", "<title>x</title><img src=iframe-img.png><a href=/r/iframe-link.html>x</a>"),
            .page("/r/frame-1.html", "<title>x</title><img src=frame-img.png>"),
        ],
        requisites: [
            "/r/iframe.html", "/r/iframe-img.png", "/r/srcdoc.png", "/r/srcdoc-nested.png", "/r/frame-1.html",
            "/r/frame-img.png", "/r/frame-2.html",
        ],
        links: ["/r/iframe-link.html"],
        decoys: ["/d/iframe-src.html", "/d/srcdoc.png", "/d/noframes.html"]
    )
}
