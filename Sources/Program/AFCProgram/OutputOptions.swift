import AFCCache
import AFCFiles
import AFCText
import ArgumentParser

/// The options of a command that makes a file of others, which replaces an existing one only if the user says so.
struct NewFileOptions: ParsableArguments {
    @Option(
        name: [.customShort("o", allowingJoined: true), .long],
        help: ArgumentHelp("The file to write; '-' is standard output.", valueName: "file"),
        completion: .file(),
        transform: Path.output
    )
    var output: String

    @Flag(help: "Replace an existing file.")
    var overwrite = false

    func validate() throws { try Self.require(output) }

    /// Throws a usage error if a file's name is empty.
    static func require(_ output: String?) throws {
        guard output != "" else { throw ValidationError("'--output' is empty; name a file") }
    }

    /// Throws a usage error if a file that the command reads would be replaced.
    ///
    /// - Parameters:
    ///   - output: The path of what is written.
    ///   - inputs: The paths of the files, by the options that name them.
    /// - Throws: `ValidationError`.
    static func require(_ output: String, isNone inputs: KeyValuePairs<String, [String?]>) throws {
        for (option, paths) in inputs {
            for path in paths.compactMap(\.self) where Path.isSameFile(path, output) {
                throw ValidationError(
                    "\(PrintableText.quoted(output)) is the file of '\(option)'; name another file with '-o'"
                )
            }
        }
    }

    /// Throws a usage error if a file that isn't text would go to a terminal.
    static func requireNoTerminal(_ output: String, _ kind: String = "a package", _ example: String = "site.zip") throws
    {
        guard output != Path.standardOutput || !Console.resultIsTerminal else {
            throw ValidationError(
                "\(kind) isn't text for a terminal; redirect it, as in '-o - > \(example)', or name a file"
            )
        }
    }

    /// Opens the place of the new file, and checks that it may be written there.
    ///
    /// - Parameters:
    ///   - sources: The paths of the files that it is made of, none of which may be replaced.
    ///   - refusal: The sentence for a source that would be replaced.
    /// - Returns: The place.
    /// - Throws: `ValidationError` if the file must not be replaced, and ``CacheError`` if it can't be written.
    func target(of sources: [String], refusal: String) throws -> OutputTarget {
        let target: OutputTarget
        do throws(FileError) {
            target = try OutputTarget(output)
        } catch {
            throw CacheError(.inputOutput, subject: output, message: error.message)
        }
        guard target.isReplacing else { return target }
        for source in sources {
            // A source that can't be opened is reported when it is read.
            if Path.isSameFile(source, output) {
                throw ValidationError("\(refusal); name another file with '-o'")
            }
        }
        guard overwrite else {
            let name = PrintableText.quoted(output)
            throw ValidationError(
                "\(name) already exists; name another file with '-o', or replace it with '--overwrite'"
            )
        }
        return target
    }
}

/// The options for where a package of a site goes, which may replace an older one.
struct PackageOutputOptions: ParsableArguments {
    @Option(
        name: [.customShort("o", allowingJoined: true), .long],
        help: ArgumentHelp(
            """
            The package to write; '-' is standard output. An older package of the site is replaced. (default: \
            \(Self.defaultName))
            """,
            valueName: "file"
        ),
        completion: .file(extensions: ["zip"]),
        transform: Path.output
    )
    var output = Self.defaultName

    private static let defaultName = "afcache-archive.zip"

    @Flag(
        help: """
            Replace any file where the command writes one. Without this option, it only replaces an older file of the \
            same kind.
            """
    )
    var overwrite = false

    func validate() throws {
        try NewFileOptions.require(output)
        try NewFileOptions.requireNoTerminal(output)
    }
}

/// The option for a result that otherwise goes to standard output.
struct ResultFileOption: ParsableArguments {
    @Option(
        name: [.customShort("o", allowingJoined: true), .long],
        help: ArgumentHelp("Write the result to this file instead of standard output.", valueName: "file"),
        completion: .file(),
        transform: Path.output
    )
    var output: String?

    func validate() throws { try NewFileOptions.require(output) }
}

/// The option of commands whose results CI services read.
struct JUnitOption: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "Write the result as JUnit's XML, with a test case for each page or site.",
            valueName: "file"
        ),
        completion: .file(extensions: ["xml"])
    )
    var junit: String?
}

/// The option of commands whose result is one JSON document.
struct JSONOption: ParsableArguments {
    @Flag(help: "Print the result as JSON (one document).")
    var json = false
}

/// The option of commands whose results are a list of JSON objects.
struct JSONLinesOption: ParsableArguments {
    @Flag(help: "Print the results as JSON (one object per line).")
    var json = false
}
