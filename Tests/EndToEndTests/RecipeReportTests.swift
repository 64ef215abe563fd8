import Foundation
import TestSupport
import Testing

/// What the recipes hand to the services, in the formats that these read.
struct RecipeReportTests {
    @Test func `the action writes workflow commands by default`() throws {
        let scratch = try Packages.made()
        let result = try act(in: scratch, inputs: ["files": "dist/*.zip"])
        #expect(result.status == 1, "\(result.errors)")
        let lines = result.text.split(separator: "\n")
        // https://docs.github.com/actions/reference/workflows-and-actions/workflow-commands
        let command = try Regex("::(error|warning|notice) file=[^,:]+(,(line|endLine|col|endColumn|title)=[^,:]+)*::.+")
        for line in lines { #expect(line.wholeMatch(of: command) != nil, "\(line)") }
        #expect(
            lines.contains { $0.hasPrefix("::error file=dist/bad.zip,") || $0.hasPrefix("::error file=dist/bad.zip::") }
        )
    }

    @Test func `the workflow's second job uploads what the action wrote: SARIF with paths below the sources`() throws {
        let scratch = try Packages.made()
        let steps = ["support/ci/github.yml", "jobs", "code-scanning", "steps"]
        var inputs: [String: String] = [:]
        for input in ["files", "format", "output", "fail-on"] {
            inputs[input] = try Recipe.script(steps[0], steps[1], steps[2], steps[3], "1", "with", input)
        }
        let result = try act(in: scratch, inputs: inputs)
        #expect(result.status == 0, "\(result.errors)")
        let uploaded = try Recipe.script(steps[0], steps[1], steps[2], steps[3], "2", "with", "sarif_file")
        let report = try #require(try object(scratch.read(uploaded)) as? [String: Any])
        #expect(report["version"] as? String == "2.1.0")
        let run = try #require((report["runs"] as? [[String: Any]])?.first)
        let results = try #require(run["results"] as? [[String: Any]])
        let places = results.filter { $0["level"] as? String == "error" }
            .flatMap { $0["locations"] as? [[String: Any]] ?? [] }
            .compactMap { ($0["physicalLocation"] as? [String: Any])?["artifactLocation"] as? [String: Any] }
        #expect(Set(places.compactMap { $0["uri"] as? String }) == ["dist/bad.zip"])
    }

    @Test(arguments: GitLabJobTests.shells)
    func `the job leaves a report of code quality, and its text in the log`(shell: [String]) throws {
        let scratch = try Packages.made()
        let script = try Recipe.script("support/ci/gitlab.yml", "afcache-lint", "script") + "\n"
        let file = try Recipe.script("support/ci/gitlab.yml", "afcache-lint", "artifacts", "reports", "codequality")
        var environment = ["AFCACHE_FILES": "dist/b*.zip", "AFCACHE_FAIL_ON": "error", "AFCACHE_ARGS": ""]
        let bad = try Recipe.run(script, in: scratch, environment: environment, shell: shell)
        #expect(bad.status == 1, "\(bad.errors)")
        #expect(bad.text.contains("dist/bad.zip: error: "))
        let findings = try #require(try object(scratch.read(file)) as? [[String: Any]])
        #expect(!findings.isEmpty)
        // https://docs.gitlab.com/ci/testing/code_quality/#code-quality-report-format
        for finding in findings {
            for key in ["description", "check_name", "fingerprint"] {
                #expect((finding[key] as? String)?.isEmpty == false)
            }
            let severity = try #require(finding["severity"] as? String)
            #expect(["info", "minor", "major", "critical", "blocker"].contains(severity))
            let location = try #require(finding["location"] as? [String: Any])
            #expect(location["path"] as? String == "dist/bad.zip")
            #expect(((location["lines"] as? [String: Any])?["begin"] as? Int ?? 0) >= 1)
        }
        #expect(Set(findings.compactMap { $0["fingerprint"] as? String }).count == findings.count)
        environment["AFCACHE_FILES"] = "dist/g*.zip deep/er/manifest.afcache"
        let good = try Recipe.run(script, in: scratch, environment: environment, shell: shell)
        #expect(good.status == 0, "\(good.errors)")
        #expect(good.output.isEmpty)
        #expect(try object(scratch.read(file)) is [Any])
    }

    /// Runs the action's last step with its own defaults for what isn't given.
    private func act(in scratch: Scratch, inputs: [String: String]) throws -> ProgramResult {
        var environment: [String: String] = [:]
        for input in ["files", "fail-on", "format", "output", "args"] {
            let variable = "AFCACHE_" + input.uppercased().replacingOccurrences(of: "-", with: "_")
            environment[variable] = try inputs[input] ?? Recipe.script("action.yml", "inputs", input, "default")
        }
        let script = try Recipe.script("action.yml", "runs", "steps", "id=lint", "run")
        return try Recipe.run(script, in: scratch, environment: environment)
    }

    private func object(_ bytes: [UInt8]) throws -> Any { try JSONSerialization.jsonObject(with: Data(bytes)) }
}
