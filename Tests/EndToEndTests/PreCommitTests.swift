import Foundation
import TestSupport
import Testing

/// The hooks, run by pre-commit itself with the configuration that docs/how-to/ci.md shows.
struct PreCommitTests {
    @Test func `pre-commit accepts the hooks`() throws {
        let result = try Program.run("pre-commit", ["validate-manifest", Recipe.path(".pre-commit-hooks.yaml")])
        #expect(result.status == 0, "\(result.text)")
    }

    @Test func `good packages and manifests pass`() throws {
        let scratch = try Packages.made()
        try FileManager.default.removeItem(atPath: scratch.path("dist/bad.zip"))
        let result = try run(in: scratch)
        #expect(result.status == 0, "\(result.text)\(result.errors)")
        #expect(result.text.matches(of: try Regex("(?m)^afcache lint, [a-z]+\\.+Passed$")).count == 2, "\(result.text)")
    }

    @Test func `a bad package fails, a bad zip elsewhere doesn't`() throws {
        let scratch = try Packages.made()
        try scratch.write(Array("no zip".utf8), to: "other/bad.zip")
        let result = try run(in: scratch)
        #expect(result.status == 1)
        #expect(result.text.contains("dist/bad.zip: error: "))
        #expect(!result.text.contains("other/bad.zip"))
        #expect(try Regex("(?m)^afcache lint, manifests\\.+Passed$").firstMatch(in: result.text) != nil)
    }

    @Test(
        arguments: [
            // An error, and a warning, which the configuration asks for.
            "no url ; NULL ; NULL ; text/html\n",
            "http://d.example/ ; nonsense ; NULL ; text/html\n",
        ]
    ) func `a bad manifest fails, whatever its name`(manifest: String) throws {
        let scratch = try Packages.made()
        try FileManager.default.removeItem(atPath: scratch.path("dist/bad.zip"))
        try scratch.write(Array(manifest.utf8), to: "lists/news of today.afcache")
        let result = try run(in: scratch)
        #expect(result.status == 1)
        #expect(result.text.contains("lists/news of today.afcache:1:"), "\(result.text)")
    }

    @Test func `the hooks are skipped if there is nothing to check`() throws {
        let scratch = try Scratch()
        try scratch.write(Array("text".utf8), to: "readme")
        let result = try run(in: scratch)
        #expect(result.status == 0)
        #expect(result.text.matches(of: try Regex("Skipped")).count == 2, "\(result.text)")
    }

    /// Runs the hooks over all that is in a folder, from a repository that has only their files.
    ///
    /// They install a wheel whose program starts that of the test; pip takes it from a folder, and builds with the
    /// setuptools of the hooks' own environment.
    private func run(in scratch: Scratch) throws -> ProgramResult {
        let hooks = try Scratch()
        for name in [".pre-commit-hooks.yaml", "pyproject.toml"] {
            try hooks.write(Array(Data(contentsOf: URL(fileURLWithPath: Recipe.path(name)))), to: name)
        }
        let wheels = try wheels()
        let commit = try Repository.make(at: hooks.path)
        let example = try #require(try Recipe.examples(in: "yaml").last)
        let config = example.replacingOccurrences(of: "https://git.example/afcache", with: hooks.path)
            .replacingOccurrences(of: "v0.2.0", with: commit)
        try scratch.write(Array(config.utf8), to: ".pre-commit-config.yaml")
        try Repository.make(at: scratch.path)
        var environment = Repository.environment
        environment["PRE_COMMIT_HOME"] = hooks.path("home")
        environment["PATH"] = Recipe.systemPath
        environment["PIP_NO_INDEX"] = "1"
        environment["PIP_FIND_LINKS"] = wheels.path
        // pip reads this as the value of the option's opposite: false means no isolation.
        environment["PIP_NO_BUILD_ISOLATION"] = "false"
        return try Program.run(
            "pre-commit",
            ["run", "--all-files", "--color", "never"],
            in: scratch.path,
            environment: environment
        )
    }

    private func wheels() throws -> Scratch {
        let scratch = try Scratch()
        let version = try Program.run(Program.afcache, ["--version"]).text.trimmingCharacters(in: .newlines)
        try scratch.write(Array("#!/bin/sh\nexec '\(Program.afcache)' \"$@\"\n".utf8), to: "stage/bin/afcache")
        for name in ["LICENSE", "THIRD-PARTY.txt", "share/man/man1/afcache.1"] {
            try scratch.write(Array("text".utf8), to: "stage/\(name)")
        }
        let result = try Program.run(
            Recipe.path("scripts/wheel.py"),
            [scratch.path("stage"), version, "x86_64", scratch.path],
            environment: ["SOURCE_DATE_EPOCH": "1700000000", "PATH": Recipe.systemPath]
        )
        try #require(result.status == 0, "\(result.errors)")
        return scratch
    }
}
