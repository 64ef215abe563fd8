import AFCFiles
import AFCLinter
internal import AFCText
import ArgumentParser

/// The options for fixing findings and for showing the fixes.
struct FixOptions: ParsableArguments {
    @Flag(help: "Apply the safe fixes to the manifests, also inside packages, and report what is left.")
    var fix = false

    @Flag(
        help: """
            With '--fix' or '--diff', also apply fixes that change what AFCache 0.6 and 0.13 read: they add fields to \
            lines of two and three fields, and move a header to the first line.
            """
    )
    var unsafeFixes = false

    @Flag(help: "Show the fixes as a unified diff. Without '--fix', nothing is written or reported.")
    var diff = false

    /// The result for a file.
    enum Outcome: Equatable {
        /// There was nothing to do.
        case nothing
        /// The number of defects that were or would be fixed, and the number that need unsafe fixes.
        case fixed(Int, withheld: Int)
        /// The file can't be fixed and is unchanged.
        case refused

        /// The outcome as a part of the file's summary.
        var words: String? {
            switch self {
            case .nothing: nil
            case .fixed(let count, let withheld):
                (["\(count) fixed"] + (withheld > 0 ? ["\(withheld) more with '--unsafe-fixes'"] : [])).joined(
                    separator: ", "
                )
            case .refused: "not fixed"
            }
        }
    }

    func validate() throws {
        guard !unsafeFixes || fix || diff else {
            throw ValidationError("'--unsafe-fixes' needs '--fix' or '--diff'")
        }
    }

    /// True if only the diff is wanted.
    var isPreview: Bool { diff && !fix }

    /// Fixes a file, or shows what that would change, if the options ask for it.
    ///
    /// - Parameters:
    ///   - file: A package or a bare manifest.
    ///   - isColored: True to color the diff.
    /// - Returns: The result.
    /// - Throws: `FixRefusal` if the file can't be read or written.
    func run(on file: String, isColored: Bool) async throws -> Outcome {
        guard fix || diff else { return .nothing }
        let allowsUnsafe = unsafeFixes
        do throws(FixRefusal) {
            guard
                let plan = try await OffPool.run({ () throws(FixRefusal) in
                    try FileFix(file, allowsUnsafe: allowsUnsafe)
                })
            else {
                if isPreview { Console.complain("\(file): not a package that can be opened; 'afcache lint' says why") }
                return .refused
            }
            guard plan.isNeeded else {
                return plan.fix.withheld > 0 && fix ? .fixed(0, withheld: plan.fix.withheld) : .nothing
            }
            if diff {
                DiffText.show(UnifiedDiff(plan.manifest, plan.fix.bytes, label: plan.label), isColored: isColored)
            }
            if fix { try await OffPool.run { () throws(FixRefusal) in try plan.write() } }
            return .fixed(plan.fix.count, withheld: plan.fix.withheld)
        } catch {
            guard error.code != .inputOutput else { throw error }
            Console.complain("warning: cannot fix \(error)")
            return .refused
        }
    }
}
