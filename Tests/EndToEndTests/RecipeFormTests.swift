import TestSupport
import Testing

/// The form of the recipes for CI services, by the services' own schemas.
struct RecipeFormTests {
    @Test(
        arguments: [
            ("github-actions", "action.yml"), ("github-actions", "actions/pack/action.yml"),
            ("github-workflows", "support/ci/github.yml"), ("github-workflows", "support/ci/github-nightly.yml"),
            ("github-workflows", ".github/workflows/test.yml"), ("github-workflows", ".github/workflows/nightly.yml"),
            ("github-workflows", ".github/workflows/release.yml"), ("gitlab-ci", "support/ci/gitlab.yml"),
        ]
    ) func `a recipe is valid by the service's schema`(schema: String, recipe: String) throws {
        #expect(try Recipe.violations(of: schema, in: Recipe.path(recipe)).isEmpty)
    }

    @Test(
        arguments: [
            ("github-actions", "action.yml", "runs/steps/0/shell"), ("github-actions", "action.yml", "description"),
            ("github-workflows", "support/ci/github.yml", "on"),
            ("github-workflows", "support/ci/github.yml", "jobs/lint/runs-on"),
            ("gitlab-ci", "support/ci/gitlab.yml", "afcache-lint/artifacts/when=sometimes"),
        ]
    ) func `a recipe with missing or forbidden keys isn't valid`(
        schema: String,
        recipe: String,
        change: String
    ) throws {
        #expect(try !Recipe.violations(of: schema, in: Recipe.path(recipe), after: change).isEmpty)
    }

    @Test func `the examples for YAML are valid, too`() throws {
        let scratch = try Scratch()
        let examples = try Recipe.examples(in: "yaml")
        try #require(examples.count == 3)
        let workflow = try scratch.write(Array(("on: push\n" + examples[0]).utf8), to: "workflow.yml")
        #expect(try Recipe.violations(of: "github-workflows", in: workflow).isEmpty)
        let gitlab = try scratch.write(Array(examples[1].utf8), to: "gitlab.yml")
        #expect(try Recipe.violations(of: "gitlab-ci", in: gitlab).isEmpty)
        let config = try scratch.write(Array(examples[2].utf8), to: "pre-commit.yml")
        #expect(try Program.run("pre-commit", ["validate-config", config]).status == 0)
    }

    @Test(
        arguments: [
            // The action, its required input; a workflow, and the place of the step that uses the action.
            ("action.yml", "files", "support/ci/github.yml", "lint", "1"),
            ("action.yml", "files", "support/ci/github.yml", "code-scanning", "1"),
            ("action.yml", "files", "support/ci/github-nightly.yml", "pack", "1"),
            ("actions/pack/action.yml", "urls", "support/ci/github-nightly.yml", "pack", "0"),
        ]
    ) func `a workflow gives the action valid inputs, and the required one`(
        action: String,
        required: String,
        workflow: String,
        job: String,
        step: String
    ) throws {
        let inputs = try Recipe.script(action, "inputs")
        let given = try Recipe.script(workflow, "jobs", job, "steps", step, "with")
        let names = given.matches(of: try Regex("'([a-z-]+)':", as: (Substring, Substring).self)).map(\.output.1)
        #expect(names.contains { $0 == required })
        for name in names { #expect(inputs.contains("'\(name)': {"), "\(job)") }
    }

    @Test func `each option in a recipe is an option of its command`() throws {
        let lint = [
            try Recipe.script("action.yml", "runs", "steps", "id=lint", "run"),
            try Recipe.script("support/ci/gitlab.yml", "afcache-lint", "script"),
            try Recipe.script(".pre-commit-hooks.yaml", "0", "entry"),
            try Recipe.script(".pre-commit-hooks.yaml", "1", "entry"),
        ]
        let pack = [
            try Recipe.script("actions/pack/action.yml", "runs", "steps", "id=pack", "run"),
            try Recipe.script("support/ci/github-nightly.yml", "jobs", "pack", "steps", "0", "with", "args"),
        ]
        for (command, scripts) in [("lint", lint), ("pack", pack)] {
            let help = try Program.run(Program.afcache, [command, "--help"]).text
            let options = scripts.joined(separator: "\n")
                .matches(of: try Regex("(?:^| )(--[a-z-]+)", as: (Substring, Substring).self))
            try #require(!options.isEmpty)
            for option in options { #expect(help.contains(option.output.1), "\(command)") }
        }
    }
}
