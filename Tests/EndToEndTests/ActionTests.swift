import Foundation
import TestSupport
import Testing

/// The scripts of the action for GitHub, with the environment that a runner gives them.
struct ActionTests {
    @Test(
        arguments: [
            // Inputs; the exit code; what is said somewhere.
            (["FILES": "dist/good.zip"], 0, "dist/good.zip: 13 entries"),
            (["FILES": "dist/*.zip\n\n"], 1, "dist/bad.zip: 0 entries, 1 error"),
            (["FILES": "dist/*.zip", "FAIL_ON": "never"], 0, "dist/bad.zip: 0 entries, 1 error"),
            (["FILES": "**/manifest.afcache\ndist/good.zip"], 0, "deep/er/manifest.afcache: 1 entry"),
            (["FILES": "dist/a name.zip"], 0, "dist/a name.zip: 13 entries"),
            (["FILES": "dist/a*.zip"], 0, "dist/a name.zip: 13 entries"),
            (["FILES": "$(touch made)`touch made`; touch made.zip"], 11, "touch made"),
            (["FILES": "-x.zip"], 11, "cannot open '-x.zip'"),
            (["FILES": "none/*.zip"], 1, "nothing matches 'none/*.zip'"),
            (["FILES": "dist/good.zip", "ARGS": "--skip-bodies --quiet"], 0, "13 entries"),
            (["FILES": "dist/good.zip", "ARGS": "--frobnicate"], 64, "frobnicate"),
            (["FILES": "dist/good.zip", "FORMAT": "json; touch made"], 64, "json; touch made"),
            (["FILES": ""], 64, "files"),
        ] as [([String: String], Int32, String)]
    ) func `the step lints what the inputs name, and fails by its findings`(
        inputs: [String: String],
        status: Int32,
        said: String
    ) throws {
        let scratch = try Packages.made()
        let result = try lint(in: scratch, inputs: inputs)
        #expect(result.status == status, "\(result.errors)")
        #expect((result.text + result.errors).contains(said), "\(result.text)\(result.errors)")
        #expect(!scratch.names.contains("made"), "an input was taken for a script")
    }

    @Test func `an output gets what would go to the log, and the step still fails`() throws {
        let scratch = try Packages.made()
        let result = try lint(in: scratch, inputs: ["FILES": "dist/*.zip", "FORMAT": "json", "OUTPUT": "report.json"])
        #expect(result.status == 1)
        #expect(result.output.isEmpty)
        #expect(String(decoding: try scratch.read("report.json"), as: UTF8.self).hasPrefix("{\"version\":1,"))
    }

    @Test func `a program in PATH is used, and nothing is built`() throws {
        let scratch = try Scratch()
        let environment = ["GITHUB_ACTION_PATH": "/nonexistent", "GITHUB_OUTPUT": scratch.path("output")]
        let script = try Recipe.script("action.yml", "runs", "steps", "id=program", "run")
        let result = try Recipe.run(script, in: scratch, environment: environment)
        #expect(result.status == 0, "\(result.errors)")
        #expect(String(decoding: try scratch.read("output"), as: UTF8.self) == "found=true\n")
    }

    @Test func `without a program it is built from the action's sources, and the next step finds it`() throws {
        let scratch = try Scratch()
        let environment = [
            "GITHUB_ACTION_PATH": MainJobTests.root, "GITHUB_OUTPUT": scratch.path("output"),
            "GITHUB_PATH": scratch.path("path"), "HOME": scratch.path("home folder"), "MAKEFLAGS": "",
            // What takes minutes is left out: the program is there already.
            "PROGRAM": Program.afcache, "PATH": Recipe.systemPath,
        ]
        for step in ["program", "build", "path"] {
            let script = try Recipe.script("action.yml", "runs", "steps", "id=\(step)", "run")
            let result = try Recipe.run(script, in: scratch, environment: environment)
            #expect(result.status == 0, "\(step): \(result.errors)")
        }
        let output = String(decoding: try scratch.read("output"), as: UTF8.self)
        #expect(output.wholeMatch(of: try Regex("key=afcache-[0-9a-f]{64}\n")) != nil, "\(output)")
        let folder = String(decoding: try scratch.read("path"), as: UTF8.self).dropLast()
        #expect(try Program.run("\(folder)/afcache", ["--version"]).status == 0)
    }

    @Test(
        arguments: [
            // The version that the release claims to be, its tag, damage; the complaint, or nil if the program is used.
            ("", "", false, nil), ("", "main", false, "'main' is not the tag of a release"),
            ("", "v0", false, nil), ("", "v0.1", false, nil), ("", "v0.1.0.1", false, "is not the tag of a release"),
            ("", "v1", false, "'v1' is not a tag of these sources, whose version is"),
            ("", "v0.", false, "is not the tag"),
            ("", "v0.10", false, "'v0.10' is not a tag of these sources"),
            ("", "v9.9.9", false, "cannot download"), ("9.9.9", "v9.9.9", false, "contains version"),
            ("", "", true, "doesn't match its checksum"),
        ] as [(String, String, Bool, String?)]
    ) func `the release of the action's tag is used if it is intact and runs`(
        claim: String,
        tag: String,
        isDamaged: Bool,
        complaint: String?
    ) throws {
        let scratch = try Scratch()
        let version = try claim.isEmpty ? version() : claim
        try makeRelease(version, in: scratch, damage: isDamaged ? "echo x >>$name.tar.gz" : "")
        let result = try download(tag.isEmpty ? "v\(version)" : tag, in: scratch, path: Recipe.systemPath)
        #expect(result.status == (complaint == nil ? 0 : 1), "\(result.errors)")
        if let complaint {
            #expect(result.errors.contains(complaint), "\(result.errors)")
        } else {
            #expect(try Program.run(result.text.dropLast() + "/afcache", ["--version"]).text == "\(version)\n")
        }
    }

    @Test func `a release is used in an image without curl and without the libraries of the program`() throws {
        let scratch = try Scratch()
        let image = try BareImage(without: ["curl"])
        let version = try version()
        // The program runs once its libraries are installed.
        try makeRelease(version, in: scratch, program: image.program(thatNeeds: "libzip4"), depends: "libc6, libzip4")
        let result = try download("v\(version)", in: scratch, path: image.path)
        #expect(result.status == 0, "\(result.errors)")
        #expect(result.text.hasSuffix("/bin\n"))
        #expect(try image.installed() == ["curl", "libc6, libzip4"])
    }

    @Test(arguments: [
        (["curl"], "there is no curl to download with"), (["libzip4"], "the program of 'afcache-"),
    ]) func `a release isn't used where what it needs can't be installed`(missing: [String], complaint: String) throws {
        let scratch = try Scratch()
        let image = try BareImage(without: missing, installs: false)
        let version = try version()
        try makeRelease(version, in: scratch, program: image.program(thatNeeds: "libzip4"), depends: "libzip4")
        let result = try download("v\(version)", in: scratch, path: image.path)
        #expect(result.status == 1)
        #expect(result.errors.contains(complaint), "\(result.errors)")
    }

    @Test func `the program is built in an image without make and curl`() throws {
        let scratch = try Scratch()
        let image = try BareImage(without: ["curl", "make"])
        let environment = [
            "GITHUB_ACTION_PATH": MainJobTests.root, "GITHUB_OUTPUT": scratch.path("output"),
            "GITHUB_PATH": scratch.path("path"), "HOME": scratch.path("home"), "MAKEFLAGS": "",
            "PROGRAM": Program.afcache, "PATH": image.path, "RELEASES": "file:///nonexistent", "TAG": "v9.9.9",
        ]
        for step in ["program", "build", "path"] {
            let script = try Recipe.script("action.yml", "runs", "steps", "id=\(step)", "run")
            let result = try Recipe.run(script, in: scratch, environment: environment)
            #expect(result.status == 0, "\(step): \(result.errors)")
        }
        #expect(try image.installed().contains("make"))
        #expect(FileManager.default.isExecutableFile(atPath: scratch.path("home/.cache/afcache-program/bin/afcache")))
    }

    private func version() throws -> String {
        try Program.run(Program.afcache, ["--version"]).text.trimmingCharacters(in: .whitespacesAndNewlines)
    }

    /// Makes the files of a release in the folder of its tag; `damage` is run at their end.
    private func makeRelease(
        _ version: String,
        in scratch: Scratch,
        program: String = Program.afcache,
        depends: String = "",
        damage: String = ""
    ) throws {
        let make = """
            name=afcache-\(version)-$(uname | tr A-Z a-z)-$(uname -m)
            mkdir -p $name/bin $name/share/afcache v\(version) && ln -s \(program) $name/bin/afcache
            \(depends.isEmpty ? "" : "echo '\(depends)' >$name/share/afcache/debian-depends")
            tar -czf v\(version)/$name.tar.gz $name && cd v\(version) && sha256sum *.tar.gz >SHA256SUMS
            \(damage)
            """
        let result = try Recipe.run(make, in: scratch, environment: ["PATH": Recipe.systemPath])
        try #require(result.status == 0, "\(result.errors)")
    }

    private func download(_ tag: String, in scratch: Scratch, path: String) throws -> ProgramResult {
        try Recipe.run(
            "\(MainJobTests.root)/scripts/download-release \"$RELEASES\" \"$TAG\" \"$HOME/r\"",
            in: scratch,
            environment: [
                "RELEASES": "file://\(scratch.path(""))", "TAG": tag, "HOME": scratch.path("home"), "PATH": path,
            ]
        )
    }

    private func lint(in scratch: Scratch, inputs: [String: String]) throws -> ProgramResult {
        var environment = [
            "AFCACHE_FAIL_ON": "error", "AFCACHE_FORMAT": "text", "AFCACHE_OUTPUT": "", "AFCACHE_ARGS": "",
        ]
        for input in inputs { environment["AFCACHE_" + input.key] = input.value }
        let script = try Recipe.script("action.yml", "runs", "steps", "id=lint", "run")
        return try Recipe.run(script, in: scratch, environment: environment)
    }
}
