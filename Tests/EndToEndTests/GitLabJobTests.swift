import Foundation
import TestSupport
import Testing

/// The job for GitLab CI, in both shells that a runner may use.
struct GitLabJobTests {
    static let shells = [["bash", "--noprofile", "--norc", "-eo", "pipefail"], ["sh", "-e"]]

    @Test(arguments: shells)
    func `the job is built from its source once, and fails by its findings`(shell: [String]) throws {
        let scratch = try Packages.made()
        let source = try Scratch()
        var environment = [
            "CI_PROJECT_DIR": scratch.path, "AFCACHE_SOURCE": "file://" + source.path, "AFCACHE_REF": "main",
            "AFCACHE_FILES": "dist/good.zip deep/er/manifest.afcache", "AFCACHE_FAIL_ON": "error", "AFCACHE_ARGS": "",
            "MAKEFLAGS": "", "PROGRAM": Program.afcache, "PATH": Recipe.systemPath,
        ]
        try clone(into: source)
        let good = try Recipe.run(try script(), in: scratch, environment: environment, shell: shell)
        #expect(good.status == 0, "\(good.errors)")
        #expect(!good.text.contains("good.zip"), "a clean run has no second one for the log")
        #expect(scratch.names.contains("gl-code-quality-report.json"))
        // The program of this commit is there already: nothing could be built now.
        environment["PROGRAM"] = "/nonexistent"
        environment["AFCACHE_FILES"] = "dist/g*.zip dist/b*.zip"
        let bad = try Recipe.run(try script(), in: scratch, environment: environment, shell: shell)
        #expect(bad.status == 1, "\(bad.errors)")
        #expect(bad.text.contains("dist/bad.zip: error: "))
    }

    @Test(arguments: shells)
    func `the job is built in an image without make and curl`(shell: [String]) throws {
        let scratch = try Packages.made()
        let source = try Scratch()
        try clone(into: source)
        let image = try BareImage(without: ["curl", "make"])
        let environment = [
            "CI_PROJECT_DIR": scratch.path, "AFCACHE_SOURCE": "file://" + source.path, "AFCACHE_REF": "main",
            "AFCACHE_FILES": "dist/good.zip", "AFCACHE_FAIL_ON": "error", "AFCACHE_ARGS": "",
            "MAKEFLAGS": "", "PROGRAM": Program.afcache, "PATH": image.path,
        ]
        let result = try Recipe.run(try script(), in: scratch, environment: environment, shell: shell)
        #expect(result.status == 0, "\(result.errors)")
        #expect(try image.installed().contains("make"))
    }

    @Test func `a program in PATH is used`() throws {
        let scratch = try Packages.made()
        let environment = [
            "CI_PROJECT_DIR": scratch.path, "AFCACHE_SOURCE": "", "AFCACHE_REF": "main",
            "AFCACHE_FILES": "dist/g*.zip", "AFCACHE_FAIL_ON": "warning", "AFCACHE_ARGS": "--skip-bodies",
        ]
        let result = try Recipe.run(try script(), in: scratch, environment: environment)
        #expect(result.status == 0, "\(result.errors)")
        #expect(!scratch.names.contains(".afcache-program"))
    }

    /// What the runner makes of the job: all commands in one shell.
    private func script() throws -> String {
        let before = try Recipe.script("support/ci/gitlab.yml", "afcache-lint", "before_script")
        let script = try Recipe.script("support/ci/gitlab.yml", "afcache-lint", "script")
        return before + "\n" + script + "\n"
    }

    /// A repository of what installing needs, in one commit.
    private func clone(into source: Scratch) throws {
        for file in [
            "Makefile", "scripts/common", "scripts/setup", "support/systemd/afcache.service",
            "support/systemd/afcache.socket", "support/systemd/afcache-sync.service",
            "support/systemd/afcache-sync.timer", "support/desktop/afcache.desktop", "support/desktop/afcache.xml",
        ] {
            try source.write(Array(Data(contentsOf: URL(fileURLWithPath: Recipe.path(file)))), to: file)
        }
        _ = try Program.run("chmod", ["+x", source.path("scripts/setup")])
        try Repository.make(at: source.path)
    }
}
