/// Finds the references of a script: imported modules, and addresses relative to the script.
///
/// It finds `import … from "x"`, `import "x"`, `export … from "x"`, `import("x")`, and `new URL("x", import.meta.url)`,
/// also for workers. Addresses composed at run time can't be found without running the script. In a classic script only
/// `import()` counts, because the others are syntax errors there.
struct JavaScriptReferences {
    /// The grammar of a script.
    enum Goal {
        case script, module
    }

    /// The notation of a reference.
    enum Notation: String {
        case importDeclaration = "import"
        case exportDeclaration = "export"
        case importCall = "import()"
        case url = "new URL()"

        /// True if the script may never load what it names, as for the fallbacks that bundlers write.
        var isConditional: Bool { self == .importCall || self == .url }

        /// An address may be any reference, but a module specifier may not.
        var resolution: Reference.Resolution { self == .url ? .utf8Address : .specifier }
    }

    struct Found {
        var text: String
        var notation: Notation
        var loads: Destination
        var start: Int
    }

    /// Calls a closure for each reference until it returns false.
    ///
    /// - Parameters:
    ///   - bytes: The text.
    ///   - range: The part of the text that is a script.
    ///   - goal: The grammar to use.
    ///   - found: Takes the reference; returns true to continue.
    static func forEach(in bytes: ScanBuffer, _ range: Range<Int>, _ goal: Goal, _ found: (Found) -> Bool) {
        var walk = JavaScriptWalk(goal, JavaScriptTokenizer(bytes, range, hasHTMLComments: goal == .script))
        while let reference = walk.next() {
            guard !reference.text.isEmpty else { continue }
            guard found(reference) else { return }
        }
    }
}
