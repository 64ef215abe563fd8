import Foundation
import TestSupport
import Testing

/// The names in texts: commands, options, files, test suites and HTTP fields.
struct NamesTests {
    private static let script = MainJobTests.root + "/scripts/check_names.py"

    private static func findings(_ folder: String) throws -> [String] {
        let result = try Program.run("python3", [script, Program.afcache, folder])
        #expect(result.errors.isEmpty, "\(result.errors)")
        #expect(result.status == (result.text.isEmpty ? 0 : 1))
        return result.text.split(separator: "\n").map(String.init)
    }

    @Test func `everything that a text names exists`() throws {
        #expect(try Self.findings(MainJobTests.root) == [])
    }

    @Test func `a wrong name is found with its file and line`() throws {
        let scratch = try Scratch()
        let texts = [
            "README.md": """
            Call `afcache sign x.zip`, `serve --offline` or `load --frob`, and see `--no-such-option`.
            It is in docs/none.md; NoSuchTests hold it. The No-Such-Field is sent, and so is a Warning field.

                afcache pack https://docs.example/ --dept 2       follows links
                curl --proxy-user u:p http://docs.example/ && afcache cache forget docs

            ```
            afcache help frobnicate
            ```
            """,
            "scripts/run": """
            # afcache is fine here
            "$afcache" lod x.zip
            afcache load x.zip --cash cache
            """,
            "scripts/run.py": "run(afcache, \"load\", package, \"--cash\", store)",
            "Sources/Words.swift": """
            /// See `afcache cache mend`.
            let words = "it don't work; use '--mend'"
            """,
            "Sources/Program/Two.swift": """
                @Option(name: [.customShort("f"), .customLong("frob")], help: "A frob (\"x\").")
                var frobnicator: String?

                @Flag(help: "Frob.") var frob = false
                @Flag var unique = false
            """,
            "Sources/Program/Three.swift": """
                @Flag(inversion: .prefixedNo, help: "Whether to have two.")
                var someURL = true
                @OptionGroup var group: Group
                @Flag var someURL = true
            """,
            "Tests/EndToEndTests/Help/x.txt": "  afcache pack --frob x\n\nSee 'afcache pakc'.\n",
        ]
        for (name, text) in texts { try scratch.write(Array(text.utf8), to: name) }
        #expect(
            try Set(Self.findings(scratch.path)) == [
                "README.md:1: there is no command 'afcache sign'",
                "README.md:1: 'afcache serve' has no option '--offline'",
                "README.md:1: 'afcache load' has no option '--frob'",
                "README.md:1: no command has an option '--no-such-option'",
                "README.md:2: there is no file 'docs/none.md'",
                "README.md:2: there is no test suite 'NoSuchTests'",
                "README.md:2: no source has a field 'No-Such-Field'",
                "README.md:2: no source has a field 'Warning'",
                "README.md:4: 'afcache pack' has no option '--dept'",
                "README.md:5: there is no command 'afcache cache forget'",
                "README.md:8: there is no command 'afcache frobnicate'",
                "scripts/run:2: there is no command 'afcache lod'",
                "scripts/run:3: 'afcache load' has no option '--cash'",
                "scripts/run.py:1: 'afcache load' has no option '--cash'",
                "Sources/Words.swift:1: there is no command 'afcache cache mend'",
                "Sources/Words.swift:2: no command has an option '--mend'",
                "Sources/Program/Two.swift:4: '--frob' is declared in 2 places; share it, or give a reason in check_names.py",
                "Sources/Program/Three.swift:4: '--some-url' is declared in 2 places; share it, or give a reason in "
                    + "check_names.py",
                "Tests/EndToEndTests/Help/x.txt:1: 'afcache pack' has no option '--frob'",
                "Tests/EndToEndTests/Help/x.txt:3: there is no command 'afcache pakc'",
            ]
        )
    }
}
