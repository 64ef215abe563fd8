import AFCFiles
public import AFCPackageFile
import AFCText
import AFCZip
public import ArgumentParser

struct MergeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "merge",
        abstract: "Make one package of several.",
        discussion: """
            The new package has each URL that one of the packages has. Bodies are copied as they are, and checked. If \
            several packages have a URL, the response that was modified last is taken, and that of the later package if \
            one doesn't say when, or both say the same. Signatures aren't kept; what else is left out is listed.

              afcache merge library.zip tutorial.zip -o docs.zip
              afcache merge docs.zip corrections.zip -o new.zip --prefer last
              afcache merge part-*.zip -o whole.zip --prefer fail --sign docs-key
            """
    )

    @Argument(help: "The packages to merge, two or more.", completion: .file(extensions: ["zip"]))
    var packages: [String]

    @OptionGroup var result: NewFileOptions

    @Option(
        help: """
            Which response to take if several packages have a URL; with 'fail', no package is written if two of them \
            differ.
            """
    )
    var prefer: PackageMerge.Preference = .newest

    @OptionGroup var naming: PackageNameOption

    @OptionGroup var form: PackageFormOptions

    @OptionGroup var signing: SigningOption

    @OptionGroup var format: JSONOption

    @OptionGroup var verbosity: VerbosityOptions

    func validate() throws {
        guard packages.count > 1 else {
            let pattern = packages.first.flatMap { $0.contains("*") ? $0 : nil }
            throw ValidationError(
                "name two packages or more to merge"
                    + (pattern.map { "; write the pattern without quotes: \(PrintableText.escaped($0))" } ?? "")
            )
        }
        try NewFileOptions.requireNoTerminal(result.output)
        try NewFileOptions.require(result.output, isNone: ["--sign": signing.sign])
        try form.requireSidecar(naming, signing)
    }

    func run() async throws {
        let target = try result.target(of: packages, refusal: "the new package can't replace one of the others")
        var options = try form.writing(signing)
        let (paths, preference) = (packages, prefer)
        var merge = try await OffPool.run { () throws(PackageError) in
            try PackageMerge(of: paths, preferring: preference)
        }
        guard prefer != .fail || merge.conflicts == 0 && merge.differingFiles.isEmpty else { return try refuse(merge) }
        // The new package is as old as the newest part of it; its signature isn't.
        options.signed = try Clock.pinned() ?? options.created
        options.created = try Clock.pinned() ?? merge.created ?? options.created
        merge.created = options.created
        merge.describe(&options)
        if let name = naming.name { options.name = name }
        let summary = try await PackageWriter.write(merge, to: result.output, options: options)
        show(merge, summary, target)
    }

    private func refuse(_ merge: PackageMerge) throws {
        for url in merge.firstConflicts { Console.complain("different responses: \(url)") }
        if merge.conflicts > merge.firstConflicts.count { Console.complain("and others") }
        for name in merge.differingFiles.prefix(10) {
            Console.complain("different files: \(PrintableText.escaped(name))")
        }
        let count = merge.conflicts + merge.differingFiles.count
        Console.complain(
            "error: the packages differ in \(Quantity.count(count, "place")), so no package was written; another '--prefer' "
                + "chooses one of them"
        )
        throw ExitStatus.nothingToPack.code
    }

    private func show(_ merge: PackageMerge, _ summary: PackageWriter.Summary, _ target: OutputTarget) {
        defer { Console.flush() }
        // Nothing may follow the package in a pipe.
        let print = target.isStream ? Console.complain : Console.print
        guard !format.json else { return print(document(merge, summary).serialized) }
        for one in merge.leftOut {
            Console.note("note: left out: of \(PrintableText.quoted(one.package)), \(one.reason)")
        }
        let redirects = summary.redirects > 0 ? ", \(Quantity.count(summary.redirects, "redirect"))" : ""
        let conflicts =
            merge.conflicts > 0 ? "; \(Quantity.count(merge.conflicts, "URL")) had different responses" : ""
        print(
            "merged \(packages.count) packages as \(PrintableText.quoted(result.output)): "
                + "\(Quantity.count(summary.resources, "resource"))\(redirects), "
                + "\(Quantity.bytes(summary.bodyBytes)) in \(Quantity.bytes(summary.packageBytes))\(conflicts)"
        )
    }

    private func document(_ merge: PackageMerge, _ summary: PackageWriter.Summary) -> JSONValue {
        func number(_ value: Int64) -> JSONValue { .number(String(value)) }
        return .object([
            ("version", .number("1")), ("package", .string(result.output)),
            ("resources", number(Int64(summary.resources))), ("redirects", number(Int64(summary.redirects))),
            ("bodyBytes", number(summary.bodyBytes)), ("packageBytes", number(summary.packageBytes)),
            ("conflicts", number(Int64(merge.conflicts))),
            (
                "leftOut",
                .array(
                    merge.leftOut.map {
                        .object([("package", .string($0.package)), ("reason", .string($0.reason))])
                    }
                )
            ),
        ])
    }
}

extension PackageMerge.Preference: ExpressibleByArgument {}
