import AFCCache
import AFCDelta
import AFCFiles
import AFCHTTP
import AFCPackageFile
import AFCPackageFormat
import AFCPlatform
import AFCText
import ArgumentParser

struct PatchCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "patch",
        abstract: "Make a patch that leads from one package to another.",
        discussion: """
            The patch contains what the new package has and the old one doesn't: new bodies, and for each changed body the \
            difference from the old one. 'afcache load' and 'afcache sync' take a patch instead of the package, and check \
            its result as they check a package. A patch loads only into a cache that holds the old package's bodies.

              afcache patch docs-1.zip docs-2.zip -o docs-1-2.zip
              afcache load docs-1-2.zip --name docs --cache cache
            """
    )

    @Argument(help: "The package that is already in the caches.", completion: .file(extensions: ["zip"]))
    var old: String

    @Argument(help: "The package to load next.", completion: .file(extensions: ["zip"]))
    var new: String

    @OptionGroup var result: NewFileOptions

    @OptionGroup var format: JSONOption

    @OptionGroup var verbosity: VerbosityOptions

    func validate() throws { try NewFileOptions.requireNoTerminal(result.output, "a patch", "patch.zip") }

    func run() async throws {
        let target = try result.target(
            of: [old, new],
            refusal: "the patch can't replace one of the packages"
        )
        var options = PatchWriter.Options(
            generator: "afcache/\(AFCacheCommand.version)",
            workers: ParallelWork.processors
        )
        let shown = PrintableText.quoted(result.output)
        options.onProgress = { done, all in Console.progress("\(shown): \(done) of \(all) members") }
        defer { Console.endProgress() }
        let (old, new, output) = (old, new, result.output)
        let flag = CancellationFlag()
        let chosen = options
        let summary = try await withTaskCancellationHandler {
            try await OffPool.run { () throws(PatchError) in
                try PatchWriter.write(from: old, to: new, as: output, options: chosen, cancellation: flag)
            }
        } onCancel: {
            flag.cancel()
        }
        Console.endProgress()
        // Nothing may follow the patch in a pipe.
        let print = target.isStream ? Console.complain : Console.print
        print(format.json ? document(summary).serialized : line(summary))
        Console.flush()
        if let warning = try Self.warning(of: summary, from: old, to: new) { Console.complain("warning: \(warning)") }
    }

    /// Returns a warning if nobody would want the patch: between equal or unrelated packages, or to an older one.
    private static func warning(of summary: PatchWriter.Summary, from old: String, to new: String) throws -> String? {
        let (first, second) = (PrintableText.quoted(old), PrintableText.quoted(new))
        if summary.oldDigest == summary.newDigest {
            return "\(first) and \(second) have the same contents, so nobody needs the patch"
        }
        let times = try [old, new].map { try PackageReader(path: $0).index.info?.created }
        if let before = times[0], let after = times[1], after < before {
            return "the new package, \(second), was made before the old one, \(first); the old package is named first"
        }
        guard summary.kept == 0, summary.patched == 0, summary.whole > 0 else { return nil }
        return "\(first) and \(second) have nothing in common, so the patch is as large as the package"
    }

    private func line(_ summary: PatchWriter.Summary) -> String {
        let share = Double(summary.patchBytes) * 100 / Double(max(1, summary.packageBytes))
        let tenths = Int((share * 10).rounded())
        return "wrote \(Path.shown(result.output)): \(Quantity.bytes(summary.patchBytes)), "
            + "\(tenths / 10).\(tenths % 10) % of the new package; \(summary.kept) kept, \(summary.patched) patched, "
            + "\(summary.whole) whole"
    }

    private func document(_ summary: PatchWriter.Summary) -> JSONValue {
        func number(_ value: Int64) -> JSONValue { .number(String(value)) }
        return .object([
            ("version", .number("1")), ("patch", .string(result.output)), ("oldDigest", .string(summary.oldDigest)),
            ("newDigest", .string(summary.newDigest)), ("kept", number(Int64(summary.kept))),
            ("patched", number(Int64(summary.patched))), ("patchedBytes", number(summary.patchedBytes)),
            ("whole", number(Int64(summary.whole))), ("wholeBytes", number(summary.wholeBytes)),
            ("metadataBytes", number(summary.tableBytes)), ("packageBytes", number(summary.packageBytes)),
            ("patchBytes", number(summary.patchBytes)),
        ])
    }
}
