import Foundation
import TestOrigin
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

    @Test(arguments: ["action.yml", "actions/pack/action.yml"])
    func `a program in PATH is used, and nothing is downloaded`(action: String) throws {
        let scratch = try Scratch()
        let environment = [
            "GITHUB_ACTION_PATH": "/nonexistent", "GITHUB_OUTPUT": scratch.path("output"),
            "GITHUB_PATH": scratch.path("path"), "AFCACHE_PARTS": "https://docs.example/\ndocs.zip\n\n",
        ]
        let result = try Recipe.run(try step("program", of: action), in: scratch, environment: environment)
        #expect(result.status == 0, "\(result.errors)")
        #expect(!scratch.names.contains("path"))
    }

    @Test(arguments: ["", "actions/pack/"])
    func `without a program, the next step finds that of the release`(folder: String) throws {
        let scratch = try Scratch()
        let version = try version()
        try makeRelease(version, in: scratch)
        let environment = [
            "GITHUB_ACTION_PATH": MainJobTests.root + "/" + folder, "GITHUB_OUTPUT": scratch.path("output"),
            "GITHUB_PATH": scratch.path("path"), "HOME": scratch.path("home folder"), "PATH": Recipe.systemPath,
            "RELEASES": "file://\(scratch.path(""))", "TAG": "v\(version)", "AFCACHE_PARTS": "",
        ]
        let script = try step("program", of: folder + "action.yml")
        let result = try Recipe.run(script, in: scratch, environment: environment)
        #expect(result.status == 0, "\(result.errors)")
        let found = String(decoding: try scratch.read("path"), as: UTF8.self).dropLast()
        #expect(try Program.run("\(found)/afcache", ["--version"]).status == 0)
    }

    @Test(arguments: ["action.yml", "actions/pack/action.yml"])
    func `without a program and a release, the step fails`(action: String) throws {
        let scratch = try Scratch()
        let environment = [
            "GITHUB_ACTION_PATH": MainJobTests.root + "/" + action.dropLast("action.yml".count),
            "GITHUB_OUTPUT": scratch.path("output"), "GITHUB_PATH": scratch.path("path"), "HOME": scratch.path("home"),
            "PATH": Recipe.systemPath, "RELEASES": "file:///nonexistent", "TAG": "v9.9.9", "AFCACHE_PARTS": "",
        ]
        let result = try Recipe.run(try step("program", of: action), in: scratch, environment: environment)
        #expect(result.status == 1)
        #expect(result.errors.contains("cannot download 'file:///nonexistent/v9.9.9/SHA256SUMS'"), "\(result.errors)")
    }

    @Test func `the key of the kept package depends on the inputs`() throws {
        var keys: Set<String> = []
        let inputs = [
            "http://a.example/\na.zip\n\n", "http://b.example/\na.zip\n\n", "http://a.example/\na.zip\n-q\n",
        ]
        for parts in inputs {
            let scratch = try Scratch()
            let environment = [
                "GITHUB_ACTION_PATH": "/nonexistent", "GITHUB_OUTPUT": scratch.path("output"),
                "GITHUB_PATH": scratch.path("path"), "AFCACHE_PARTS": parts,
            ]
            let script = try step("program", of: "actions/pack/action.yml")
            #expect(try Recipe.run(script, in: scratch, environment: environment).status == 0)
            let output = String(decoding: try scratch.read("output"), as: UTF8.self)
            #expect(output.wholeMatch(of: try Regex("key=afcache-pack-[0-9a-f]{64}\n")) != nil, "\(output)")
            keys.insert(output)
        }
        #expect(keys.count == 3)
    }

    @Test func `the step for packing packs, and then asks only what has changed`() async throws {
        let scratch = try Scratch()
        let page = TestOrigin.Answer(200, [("ETag", "\"1\""), ("Content-Type", "text/html")], body: Array("<p>".utf8))
        try await TestOrigin.withOrigin(["/a": [page, .init(304)], "/b": [page, .init(304)]]) { origin in
            let environment = [
                "AFCACHE_URLS": "\n\(origin.base)/a\n\n\(origin.base)/b\n", "AFCACHE_OUTPUT": "a name.zip",
                "AFCACHE_ARGS": "--scope page --quiet",
            ]
            let script = try step("pack", of: "actions/pack/action.yml")
            for night in 1...2 {
                let result = try Recipe.run(script, in: scratch, environment: environment)
                #expect(result.status == 0, "night \(night): \(result.text)\(result.errors)")
                let list = try Program.run(Program.afcache, ["ls", "a name.zip"], in: scratch.path).text
                #expect(list.contains("/a\n") && list.contains("/b\n"), "\(list)")
            }
            let requests = origin.requests.filter { $0.target == "/a" }
            #expect(requests.count == 2)
            #expect(requests.last?.fields.contains { $0.lowercased() == "if-none-match: \"1\"" } == true, "\(requests)")
        }
    }

    @Test(
        arguments: [
            // The version that the release claims to be, its tag, damage; the complaint, or nil if the program is used.
            ("", "", false, nil), ("", "main", false, "'main' is not the tag of a release"),
            ("", "v0", false, nil), ("", "v0.2", false, nil), ("", "v0.2.0.1", false, "is not the tag of a release"),
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

    @Test func `a release is used in an image without curl`() throws {
        let scratch = try Scratch()
        let image = try BareImage(without: ["curl"])
        let version = try version()
        try makeRelease(version, in: scratch)
        let result = try download("v\(version)", in: scratch, path: image.path)
        #expect(result.status == 0, "\(result.errors)")
        #expect(result.text.hasSuffix("/bin\n"))
        #expect(try image.installed() == ["curl"])
    }

    @Test func `a release isn't used where curl can't be installed`() throws {
        let scratch = try Scratch()
        let image = try BareImage(without: ["curl"], installs: false)
        let version = try version()
        try makeRelease(version, in: scratch)
        let result = try download("v\(version)", in: scratch, path: image.path)
        #expect(result.status == 1)
        #expect(result.errors.contains("there is no curl to download with"), "\(result.errors)")
    }

    private func version() throws -> String {
        try Program.run(Program.afcache, ["--version"]).text.trimmingCharacters(in: .whitespacesAndNewlines)
    }

    /// Makes the files of a release in the folder of its tag; `damage` is run at their end.
    private func makeRelease(
        _ version: String,
        in scratch: Scratch,
        damage: String = ""
    ) throws {
        let make = """
            name=afcache-\(version)-$(uname | tr A-Z a-z)-$(uname -m)
            mkdir -p $name/bin v\(version) && ln -s \(Program.afcache) $name/bin/afcache
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
        return try Recipe.run(try step("lint", of: "action.yml"), in: scratch, environment: environment)
    }

    private func step(_ name: String, of action: String) throws -> String {
        try Recipe.script(action, "runs", "steps", "id=\(name)", "run")
    }
}
