import Foundation
import TestSupport
import Testing

/// The job for GitLab CI, in both shells that a runner may use.
struct GitLabJobTests {
    static let shells = [["bash", "--noprofile", "--norc", "-eo", "pipefail"], ["sh", "-e"]]

    @Test(arguments: shells)
    func `the job takes the release's program, and fails by its findings`(shell: [String]) throws {
        let scratch = try Packages.made()
        let release = try release()
        let files = "dist/good.zip deep/er/manifest.afcache"
        var environment = environment(release: "file://" + release.path, files: files)
        environment["PATH"] = Recipe.systemPath
        defer { withExtendedLifetime(release) {} }
        let good = try Recipe.run(try script(), in: scratch, environment: environment, shell: shell)
        #expect(good.status == 0, "\(good.errors)")
        #expect(!good.text.contains("good.zip"), "a clean run has no second one for the log")
        #expect(scratch.names.contains("gl-code-quality-report.json"))
        environment["AFCACHE_FILES"] = "dist/g*.zip dist/b*.zip"
        let bad = try Recipe.run(try script(), in: scratch, environment: environment, shell: shell)
        #expect(bad.status == 1, "\(bad.errors)")
        #expect(bad.text.contains("dist/bad.zip: error: "))
    }

    @Test(arguments: shells)
    func `the job gets its program in an image without curl`(shell: [String]) throws {
        let scratch = try Packages.made()
        let image = try BareImage(without: ["curl"])
        // The folder of the release is removed with its value.
        let release = try release()
        var environment = environment(release: "file://" + release.path, files: "dist/good.zip")
        environment["PATH"] = image.path
        let result = try withExtendedLifetime(release) {
            try Recipe.run(try script(), in: scratch, environment: environment, shell: shell)
        }
        #expect(result.status == 0, "\(result.errors)")
        #expect(try image.installed() == ["curl"])
    }

    @Test(arguments: shells)
    func `a damaged release isn't used`(shell: [String]) throws {
        let scratch = try Packages.made()
        let release = try release(damage: "for archive in *.tar.gz; do echo x >>$archive; done")
        var environment = environment(release: "file://" + release.path, files: "dist/good.zip")
        environment["PATH"] = Recipe.systemPath
        let result = try withExtendedLifetime(release) {
            try Recipe.run(try script(), in: scratch, environment: environment, shell: shell)
        }
        #expect(result.status != 0)
        #expect(result.errors.contains("did NOT match"), "\(result.errors)")
        #expect(!scratch.names.contains("gl-code-quality-report.json"))
    }

    @Test func `a program in PATH is used`() throws {
        let scratch = try Packages.made()
        var environment = environment(release: "", files: "dist/g*.zip")
        environment["AFCACHE_FAIL_ON"] = "warning"
        environment["AFCACHE_ARGS"] = "--skip-bodies"
        let result = try Recipe.run(try script(), in: scratch, environment: environment)
        #expect(result.status == 0, "\(result.errors)")
    }

    /// What the runner makes of the job: all commands in one shell.
    private func script() throws -> String {
        let before = try Recipe.script("support/ci/gitlab.yml", "afcache-lint", "before_script")
        let script = try Recipe.script("support/ci/gitlab.yml", "afcache-lint", "script")
        return before + "\n" + script + "\n"
    }

    private func environment(release: String, files: String) -> [String: String] {
        ["AFCACHE_RELEASE": release, "AFCACHE_FILES": files, "AFCACHE_FAIL_ON": "error", "AFCACHE_ARGS": ""]
    }

    /// The files of a release, whose program is that of the test; `damage` is run at their end.
    private func release(damage: String = "") throws -> Scratch {
        let scratch = try Scratch()
        let make = """
            name=afcache-0.0.0-linux-$(uname -m)
            mkdir -p $name/bin && ln -s \(Program.afcache) $name/bin/afcache
            tar -czf $name.tar.gz $name && sha256sum *.tar.gz >SHA256SUMS
            echo "$(printf x | sha256sum | cut -c 1-64)  afcache_0.0.0_amd64.deb" >>SHA256SUMS
            \(damage)
            """
        let result = try Recipe.run(make, in: scratch, environment: ["PATH": Recipe.systemPath])
        try #require(result.status == 0, "\(result.errors)")
        return scratch
    }
}
