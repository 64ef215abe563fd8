import AFCCache
import AFCLinter
import AFCPlatform
import AFCText
import ArgumentParser

/// The options for findings that are already known.
struct LintBaselineOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp("Don't report the findings listed in this file.", valueName: "file"),
        completion: .file()
    )
    var baseline: String?

    @Flag(help: "Write the findings to the file named by '--baseline' instead of failing because of them.")
    var writeBaseline = false

    /// Reads a baseline.
    static func read(_ path: String) throws -> LintBaseline {
        guard !Path.isZip(path) else {
            throw ValidationError(
                "'--baseline': \(PrintableText.quoted(path)) is a zip; name another file for the findings"
            )
        }
        let bytes = try SmallFile.read(path, limit: LintBaseline.byteLimit)
        do throws(LintBaseline.Malformed) {
            return try LintBaseline(parsing: bytes)
        } catch {
            throw CacheError(.inputOutput, subject: path, message: error.message, remedy: .writeBaseline)
        }
    }

    /// Reads the baseline that will be replaced, or returns an empty one if there is none.
    static func older(_ path: String) throws -> LintBaseline {
        access(path, F_OK) == 0 ? try read(path) : LintBaseline()
    }

    /// Writes a baseline as a whole.
    static func write(_ baseline: LintBaseline, to path: String) throws {
        guard baseline.count <= LintBaseline.limit else {
            throw CacheError(
                .inputOutput,
                subject: path,
                message:
                    "there are \(baseline.count) findings, but a baseline has room for \(LintBaseline.limit); turn rules off instead"
            )
        }
        try WholeFile.write(Array(baseline.text.utf8), to: path)
    }
}
