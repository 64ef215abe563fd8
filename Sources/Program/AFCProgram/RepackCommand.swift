import AFCCache
import AFCCaching
import AFCFiles
import AFCPackageFile
import AFCPackageFormat
import AFCText
import AFCURL
import AFCZip
import ArgumentParser

struct RepackCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "repack",
        abstract: "Rebuild an old or damaged package from its intact resources.",
        discussion: """
            The new package gets each resource whose body is intact; the old package isn't changed. Names with backslashes, \
            with './' or in Latin-1 are understood, and so is a package that was zipped together with its folder. If \
            something is left out, it is listed, one line each, and the exit code is 5.

              afcache repack old.zip -o new.zip
              afcache repack changed.zip -o new.zip --edited      after an edit by hand
              afcache repack old.zip -o new.zip --dialect five    for AFCache 0.13
              afcache repack old.zip -o new.zip --json
            """
    )

    @Argument(help: "The package to rebuild.", completion: .file(extensions: ["zip"]))
    var package: String

    @OptionGroup var result: NewFileOptions

    @Flag(
        help: """
            Somebody has edited the package on purpose: take bodies that differ from their records, and leave out records \
            without a line in the manifest.
            """
    )
    var edited = false

    @OptionGroup var naming: PackageNameOption

    @OptionGroup var form: PackageFormOptions

    @OptionGroup var signing: SigningOption

    @OptionGroup var format: JSONOption

    @OptionGroup var verbosity: VerbosityOptions

    func validate() throws {
        try NewFileOptions.requireNoTerminal(result.output)
        try NewFileOptions.require(result.output, isNone: ["--sign": signing.sign])
        try form.requireSidecar(naming, signing)
    }

    func run() async throws {
        let target = try result.target(
            of: [package],
            refusal: "the new package can't replace the old one"
        )
        var options = try form.writing(signing)
        let salvage = try await salvaged()
        // The new package is as old as its contents; its signature isn't.
        options.signed = try Clock.pinned() ?? options.created
        options.adopt(salvage, created: try Clock.pinned())
        options.name = naming.name ?? options.name
        for note in salvage.notes { Console.note("note: \(note)") }
        guard salvage.resources.contains(where: { $0.entry != nil }) else {
            tell(salvage, nil, target)
            let name = PrintableText.quoted(package)
            Console.complain("error: cannot repack \(name): none of its resources is intact, so no package was written")
            throw ExitStatus.nothingToPack.code
        }
        let summary = try await PackageWriter.write(salvage.resources, to: result.output, options: options)
        tell(salvage, summary, target)
        if !salvage.leftOut.isEmpty { throw ExitStatus.incomplete.code }
    }

    private func salvaged() async throws -> PackageSalvage {
        let (path, dialect, edited) = (package, form.dialect, edited ? try Clock.pinned() ?? Clock.now : nil)
        return try await OffPool.run { () throws(PackageError) in
            try PackageSalvage(path: path, dialect: dialect, edited: edited)
        }
    }

    // MARK: Results

    private func tell(_ salvage: PackageSalvage, _ summary: PackageWriter.Summary?, _ target: OutputTarget) {
        // Nothing may follow the package in a pipe.
        let print = target.isStream && summary != nil ? Console.complain : Console.print
        defer { Console.flush() }
        guard !format.json else { return print(document(salvage, summary).serialized) }
        for thing in salvage.leftOut {
            let subject = thing.kind == .resource ? PrintableText.quoted(thing.subject) : words(of: thing)
            print("left out: \(subject): \(thing.reason)")
        }
        guard let summary else { return }
        let redirects = summary.redirects > 0 ? ", \(Quantity.count(summary.redirects, "redirect"))" : ""
        let edited = salvage.edited.isEmpty ? "" : ", \(salvage.edited.count) edited"
        let leftOut = salvage.leftOut.isEmpty ? "" : ", \(salvage.leftOut.count) left out"
        print(
            "repacked \(PrintableText.quoted(package)) as \(PrintableText.quoted(result.output)): "
                + "\(Quantity.count(summary.resources, "resource"))\(redirects)\(edited)\(leftOut), "
                + "\(Quantity.bytes(summary.bodyBytes)) in \(Quantity.bytes(summary.packageBytes))"
        )
    }

    private func words(of thing: PackageSalvage.LeftOut) -> String {
        switch thing.kind {
        case .line: "\(thing.subject) of the manifest"
        case .member, .signature: "member \(PrintableText.quoted(thing.subject))"
        case .record, .resource: PrintableText.quoted(thing.subject)
        }
    }

    private func document(_ salvage: PackageSalvage, _ summary: PackageWriter.Summary?) -> JSONValue {
        let leftOut = salvage.leftOut.map { thing in
            JSONValue.object([
                ("kind", .string(thing.kind.rawValue)), ("subject", .string(thing.subject)),
                ("reason", .string(thing.reason)),
            ])
        }
        func number(_ value: Int64) -> JSONValue { .number(String(value)) }
        return .object([
            ("version", .number("1")), ("package", summary == nil ? .null : .string(result.output)),
            ("resources", number(Int64(summary?.resources ?? 0))),
            ("redirects", number(Int64(summary?.redirects ?? 0))), ("bodyBytes", number(summary?.bodyBytes ?? 0)),
            ("packageBytes", number(summary?.packageBytes ?? 0)),
            ("edited", .array(salvage.edited.map { .string($0.description) })), ("leftOut", .array(leftOut)),
            ("notes", .array(salvage.notes.map { .string($0) })),
        ])
    }
}
