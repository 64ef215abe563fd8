/// Scripts that load others, and texts in scripts that only look as if they did.
enum Modules {
    static let part = Part(
        pages: [
            .page(
                "/modules.html",
                """
                <title>Modules</title><script type=module src=/r/js/main.js></script>
                <script type=module>import '/r/js/inline.js'; import x from "./r/js/inline-relative.js"; '<\\/script>'.length
                </script><script type=module src=/r/js/wrong-type.txt></script>
                """
            ),
            .page(
                "/importmap.html",
                """
                <title>Import map</title><script type=importmap>{"imports": {"lib": "/r/js/mapped.js", "dir/": "/r/js/dir/",
                "/d/js/remapped.js": "/r/js/remapped.js", "bad": "d/js/bare.js", "none": null},
                "scopes": {"/": {"scoped": "./r/js/scoped.js"}}, "x": "/d/js/map-other.js"}</script>
                <script type=module>import 'lib'; import 'dir/entry.js'; import '/d/js/remapped.js'; import 'scoped';
                import('unknown/d/js/unknown.js').catch(() => 0)</script>
                """
            ),
            .page(
                "/classic.html",
                """
                <title>Classic</title><script src=/r/js/classic.js></script><script>import('./r/js/classic-inline.js')
                // import('/d/js/inline-comment.js')
                </script><script nomodule src=/r/js/nomodule.js></script>
                <script type=text/plain>import('/d/js/data-block.js')</script>
                """
            ),
        ],
        files: [
            File(path: "/r/js/main.js", type: "text/javascript", text: main),
            File(path: "/r/js/side-effect.js", type: "application/javascript", text: "import '../js/nested.js'"),
            File(path: "/r/js/classic.js", type: "text/plain", text: classic),
            File(
                path: "/r/js/named.js",
                type: "text/javascript",
                text: "const a = 1; export default a; export { a as 'odd name' }"
            ),
            File(path: "/r/js/worker.js", type: "text/javascript", text: "import('./worker-import.js')"),
            File(path: "/r/js/worker-module.js", type: "text/javascript", text: "import './worker-module-import.js'"),
            File(path: "/r/js/wrong-type.txt", type: "text/plain", text: "import '/d/js/wrong-type.js'"),
        ],
        requisites: [
            "main.js", "inline.js", "inline-relative.js", "side-effect.js", "nested.js", "default.js", "named.js",
            "namespace.js",
            "minified.js", "export-all.js", "export-named.js", "dynamic.js", "dynamic-template.js", "dynamic-nested.js",
            "escape.js", "data.json", "sheet.css", "asset.png", "worker.js", "worker-import.js", "worker-module.js",
            "worker-module-import.js", "after-regex.js", "after-division.js", "in-template.js", "mapped.js",
            "dir/entry.js",
            "remapped.js", "scoped.js", "classic.js", "classic-dynamic.js", "classic-inline.js", "nomodule.js",
            "wrong-type.txt",
        ].map { "/r/js/" + $0 },
        decoys: [
            "string.js", "double.js", "template.js", "line-comment.js", "block-comment.js", "regex.js",
            "regex-class.js",
            "method.js", "bare.js", "map-other.js", "unknown.js", "inline-comment.js",
            "data-block.js", "classic-static.js", "html-comment.js", "wrong-type.js",
            "remapped.js", "key.js",
        ].map { "/d/js/" + $0 } + ["/dir/entry.js", "/lib", "/r/js/bare-name.js", "/r/js/dir/"]
    )

    private static let main = #"""
        import './side-effect.js';
        import a from "./default.js";
        import { default as b, 'odd name' as c } from './named.js';
        import * as d from /* why */ './namespace.js';
        import{default as e}from"./minified.js";export*from'./export-all.js';
        export { default as f } from './export-named.js';
        import data from './data.json' with { type: 'json' };
        import sheet from './sheet.css' with { type: 'css' };
        import '\u002e/escape.js';
        const x = 4, y = 2, g = 1, o = { import: '/d/js/key.js', method() {} };
        import('./dynamic.js').then(() => import(`./dynamic-template.js`));
        if (x) { (() => { import('./dynamic-nested.js') })() }
        const asset = new URL('asset.png', import.meta.url);
        document.body.append(Object.assign(new Image(), { src: asset }));
        new Worker(new URL('./worker.js', import.meta.url));
        new Worker(new URL('./worker-module.js', import.meta.url), { type: 'module' });
        const texts = ['import("/d/js/string.js")', "import '/d/js/double.js'", `import('/d/js/template.js')`];
        // import '/d/js/line-comment.js'
        /* import '/d/js/block-comment.js' */
        const re = /import('\/d\/js\/regex.js')/, cl = /[/]import('\/d\/js\/regex-class.js')/;
        if (x) /'/.test(y); import('./after-regex.js');
        const division = x / y / g; '/'; import('./after-division.js');
        const t = `${'`'} ${ import('./in-template.js') } import('/d/js/template.js')`;
        o.import?.('/d/js/method.js');
        const no = '/d/js/'; (() => { import(no + 'computed.js'); import(`${no}interpolated.js`); });
        (() => fetch('/d/js/fetch.js'));
        (() => new URL('/d/js/url-without-base.js', location));
        (() => import('bare-name.js'));
        """#

    private static let classic = """
        <!-- import('/d/js/html-comment.js')
        import('./classic-dynamic.js');
        var s = "import '/d/js/classic-static.js'";
        """
}
