import ArgumentParser
import Linter
import OfflineCache

/// Findings that are known already.
struct LintBaselineOptions: ParsableArguments {
    @Option(help: "Leave out the findings that this file lists.", completion: .file())
    var baseline: String?

    @Flag(help: "Write the findings into the baseline, and don't fail.")
    var writeBaseline = false

    /// The baseline of a file.
    static func read(_ path: String) throws -> LintBaseline {
        let bytes = try SmallFile.read(path, limit: LintBaseline.byteLimit)
        do throws(LintBaseline.Malformed) {
            return try LintBaseline(parsing: bytes)
        } catch {
            throw CacheError(.inputOutput, subject: path, message: error.message)
        }
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
