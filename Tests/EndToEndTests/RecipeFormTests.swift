import TestSupport
import Testing

/// The form of the recipes for CI services, by the services' own schemas.
struct RecipeFormTests {
    @Test(
        arguments: [
            ("github-actions", "action.yml"), ("github-workflows", "support/ci/github.yml"),
            ("gitlab-ci", "support/ci/gitlab.yml"),
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
            ("gitlab-ci", "support/ci/gitlab.yml", "afcache-lint/cache/paths=all"),
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

    @Test func `the workflow gives the action valid inputs, and all required ones`() throws {
        let inputs = try Recipe.script("action.yml", "inputs")
        for job in ["lint", "code-scanning"] {
            let given = try Recipe.script("support/ci/github.yml", "jobs", job, "steps", "1", "with")
            let names = given.matches(of: try Regex("'([a-z-]+)':", as: (Substring, Substring).self)).map(\.output.1)
            #expect(names.contains("files"))
            for name in names { #expect(inputs.contains("'\(name)': {"), "\(job)") }
        }
    }

    @Test func `each option in a recipe is an option of lint`() throws {
        let scripts = [
            try Recipe.script("action.yml", "runs", "steps", "id=lint", "run"),
            try Recipe.script("support/ci/gitlab.yml", "afcache-lint", "script"),
            try Recipe.script(".pre-commit-hooks.yaml", "0", "entry"),
            try Recipe.script(".pre-commit-hooks.yaml", "1", "entry"),
        ]
        let help = try Program.run(Program.afcache, ["lint", "--help"]).text
        for option in scripts.joined(separator: "\n").matches(
            of: try Regex(" (--[a-z-]+)", as: (Substring, Substring).self)
        ) {
            #expect(help.contains(option.output.1))
        }
    }
}
