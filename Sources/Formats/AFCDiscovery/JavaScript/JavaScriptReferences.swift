/// What a script refers to: modules that it imports, and addresses relative to itself.
///
/// Found are `import … from "x"`, `import "x"`, `export … from "x"`, `import("x")`, and `new URL("x", import.meta.url)`,
/// also as a worker's. What is put together at run time can't be found without running it. In a classic script
/// only `import()` counts; the rest is a syntax error there.
struct JavaScriptReferences {
    /// By which grammar a script is read.
    enum Goal {
        case script, module
    }

    /// How a reference is written.
    enum Notation: String {
        case importDeclaration = "import"
        case exportDeclaration = "export"
        case importCall = "import()"
        case url = "new URL()"

        /// An address may be any reference, a module's specifier may not.
        var resolution: Reference.Resolution { self == .url ? .utf8Address : .specifier }
    }

    struct Found {
        var text: String
        var notation: Notation
        var loads: Destination
        var start: Int
    }

    /// Calls back for each reference until told to stop.
    ///
    /// - Parameters:
    ///   - bytes: The text.
    ///   - range: The part of it that is a script.
    ///   - goal: How it is read.
    ///   - found: Gets the reference; returns whether to go on.
    static func forEach(in bytes: ScanBuffer, _ range: Range<Int>, _ goal: Goal, _ found: (Found) -> Bool) {
        var walk = JavaScriptWalk(goal, JavaScriptTokenizer(bytes, range, hasHTMLComments: goal == .script))
        while let reference = walk.next() {
            guard !reference.text.isEmpty else { continue }
            guard found(reference) else { return }
        }
    }
}
