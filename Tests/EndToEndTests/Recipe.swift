import AFCText
import Foundation
import TestSupport
import Testing

/// The recipes for CI services, read by Debian's Python: the services read YAML, and so do its modules.
enum Recipe {
    /// The path of a file in the sources.
    static func path(_ file: String) -> String { MainJobTests.root + "/" + file }

    /// A script that a recipe has somewhere.
    ///
    /// - Parameters:
    ///   - file: The recipe.
    ///   - keys: What leads to the script: names, numbers of elements, and `name=value` for the element that has it.
    /// - Returns: The script; a list of commands is joined by line ends, as GitLab does.
    /// - Throws: Where there is none.
    static func script(_ file: String, _ keys: String...) throws -> String {
        let program = """
            import sys, yaml
            value = yaml.safe_load(open(sys.argv[1]))
            for key in sys.argv[2:]:
                if "=" in key:
                    name, wanted = key.split("=")
                    value = [element for element in value if element.get(name) == wanted][0]
                else:
                    value = value[int(key)] if isinstance(value, list) else value[key]
            sys.stdout.write("\\n".join(value) if isinstance(value, list) else str(value))
            """
        let result = try python(program, [path(file)] + keys)
        try #require(result.status == 0, "\(result.errors)")
        return result.text
    }

    /// What a schema says against a document, one line each; after a change: `key/key` is taken away,
    /// `key/key=text` is set.
    static func violations(of schema: String, in document: String, after change: String = "") throws -> String {
        let program = """
            import json, sys, yaml, jsonschema
            def named(value):
                # YAML 1.1 takes the key 'on' for a truth value; the services don't.
                if isinstance(value, dict):
                    return {"on" if key is True else key: named(item) for key, item in value.items()}
                return [named(item) for item in value] if isinstance(value, list) else value
            schema = json.load(open(sys.argv[1]))
            document = named(yaml.safe_load(open(sys.argv[2])))
            for path in filter(None, sys.argv[3:]):
                path, isSet, text = path.partition("=")
                *parents, last = [int(key) if key.isdigit() else key for key in path.split("/")]
                parent = document
                for key in parents:
                    parent = parent[key]
                del parent[last]
                if isSet:
                    parent[last] = text
            checker = jsonschema.validators.validator_for(schema)
            checker.check_schema(schema)
            for violation in checker(schema).iter_errors(document):
                print(list(violation.absolute_path), violation.message[:200])
            """
        let result = try python(program, [path("Fixtures/schemas/ci/\(schema).json"), document, change])
        try #require(result.status == 0, "\(result.errors)")
        return result.text
    }

    /// The examples of docs/how-to/ci.md in a language, in their order.
    static func examples(in language: String) throws -> [String] {
        let page = try String(contentsOfFile: path("docs/how-to/ci.md"), encoding: .utf8)
        return page.components(separatedBy: "```" + language + "\n").dropFirst()
            .compactMap { $0.components(separatedBy: "```\n").first }
    }

    /// Runs a script as a service does, with the program in PATH unless the environment has another.
    static func run(
        _ script: String,
        in scratch: Scratch,
        environment: [String: String],
        shell: [String] = ["bash", "--noprofile", "--norc", "-eo", "pipefail"]
    ) throws -> ProgramResult {
        let file = try scratch.write(Array(script.utf8), to: ".recipe/script")
        let program = (Program.afcache as NSString).deletingLastPathComponent
        var environment = environment
        environment["PATH"] = environment["PATH"] ?? program + ":" + systemPath
        return try Program.run(shell[0], shell.dropFirst() + [file], in: scratch.path, environment: environment)
    }

    /// The test's own PATH.
    static var systemPath: String { ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin" }

    private static func python(_ program: String, _ arguments: [String]) throws -> ProgramResult {
        try Program.run("/usr/bin/python3", ["-W", "ignore", "-c", program] + arguments)
    }
}
