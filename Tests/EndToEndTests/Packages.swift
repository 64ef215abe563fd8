import TestSupport

/// What a project has whose packages are checked: good and bad ones.
enum Packages {
    static let manifest = "https://d.example/site.css ; Tue, 14 Nov 2023 22:13:20 GMT ; NULL ; text/css\n"

    /// A folder with `dist/good.zip`, `dist/a name.zip`, `dist/bad.zip`, and a good manifest deep in another folder.
    static func made() throws -> Scratch {
        let scratch = try Scratch()
        try scratch.write(Array(manifest.utf8), to: "deep/er/manifest.afcache")
        try scratch.write([], to: "dist/empty")
        let arguments = ["pack", "--folder", MainJobTests.site, "--base-url", "https://demo.example", "-o"]
        let environment = ["SOURCE_DATE_EPOCH": "1700000000"]
        _ = try Program.run(
            Program.afcache,
            arguments + [scratch.path("dist/good.zip")],
            environment: environment
        )
        let bytes = try scratch.read("dist/good.zip")
        try scratch.write(bytes, to: "dist/a name.zip")
        try scratch.write(Array(bytes.prefix(100)), to: "dist/bad.zip")
        return scratch
    }
}
