import TestSupport
import Testing

/// The lines for a Makefile that docs/how-to/ci.md shows.
struct SiteMakefileTests {
    @Test(
        arguments: [
            (["good"], 0, "dist/good.zip: 13 entries"), (["bad", "good"], 2, "dist/bad.zip: error: "),
            ([], 2, "name files to check"),
        ] as [([String], Int32, String)]
    ) func `make checks the existing packages`(kept: [String], status: Int32, said: String) throws {
        let scratch = try Packages.made()
        for name in ["good", "bad", "a name"] where !kept.contains(name) {
            _ = try Program.run("rm", [scratch.path("dist/\(name).zip")])
        }
        let example = try #require(try Recipe.examples(in: "make").first)
        try scratch.write(Array(example.utf8), to: "Makefile")
        let variables = ["AFCACHE=" + Program.afcache]
        let result = try Program.run("make", variables, in: scratch.path, environment: ["MAKEFLAGS": ""])
        #expect(result.status == status, "\(result.errors)")
        #expect((result.text + result.errors).contains(said), "\(result.text)\(result.errors)")
    }
}
