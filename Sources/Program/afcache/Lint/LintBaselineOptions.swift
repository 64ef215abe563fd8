import AFCCache
import AFCLinter
import AFCPlatform
import AFCText
import ArgumentParser

/// Findings that are known already.
struct LintBaselineOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp("Leave out the findings that this file lists.", valueName: "file"),
        completion: .file()
    )
    var baseline: String?

    @Flag(help: "Write the findings into the baseline, and don't fail.")
    var writeBaseline = false

    /// The baseline of a file.
    static func read(_ path: String) throws -> LintBaseline {
        let bytes = try SmallFile.read(path, limit: LintBaseline.byteLimit)
        do throws(LintBaseline.Malformed) {
            return try LintBaseline(parsing: bytes)
        } catch {
            throw CacheError(.inputOutput, subject: path, message: error.message, remedy: .writeBaseline)
        }
    }

    /// The baseline that is to be replaced; an empty one where there is none.
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
                    "there are \(baseline.count) findings, and a baseline holds \(LintBaseline.limit); switch rules off instead"
            )
        }
        try WholeFile.write(Array(baseline.text.utf8), to: path)
    }
}
