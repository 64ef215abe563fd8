import AFCArchive
import AFCCrawlRules
import AFCFiles
import AFCImport
import AFCPackageFile
import AFCPackager
import AFCText
import AFCURL
import ArgumentParser

struct ImportCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "import",
        abstract: "Make a package of archives by other programs.",
        discussion: """
            The package has the latest response of each URL. Cookies, passwords and what else lets its reader act as \
            somebody are left out. What isn't taken is counted, and listed with '--report'. Formats: WARC, ARC, WACZ, \
            HAR, ZIM, MHTML, Safari's web archives, Cache.db of apps on Apple's systems, and \
            mirrors by HTTrack and wget.

              afcache import crawl.warc.gz -o site.zip
              afcache import archive.wacz -o site.zip --at 2024-05-01
              afcache import wiki.zim -o wiki.zip
              afcache import my-mirror -o site.zip
              afcache import part-*.warc.gz session.har -o site.zip --report left-out.json

            The same archives give the same package.
            """
    )

    @Argument(
        help: "The archives, or folders with archives or mirrors; '-' is standard input.",
        completion: .file(extensions: [
            "warc", "gz", "zst", "wacz", "har", "arc", "zim", "zip", "webarchive", "mhtml", "mht", "db",
        ])
    )
    var files: [String]

    @OptionGroup var result: PackageOutputOptions

    @Option(help: "The format of the files. (default: as each file begins)")
    var from: ImportFormat?

    @Option(
        help: ArgumentHelp(
            "Take no response later than this time, for example 2024-05-01T12:00:00Z or 20240501120000.",
            valueName: "time"
        ),
        transform: Self.time
    )
    var at: ArchiveDate?

    @Option(
        help: ArgumentHelp(
            """
            The URL below which the entries of a ZIM file or the files of wget's mirror are. (default: http://NAME.zim/ by \
            the file's name, or http://HOST/ by the folder's)
            """,
            valueName: "url"
        )
    )
    var baseURL: String?

    @OptionGroup var urls: IncludeOption

    @OptionGroup var post: PostOption

    @Option(
        help: ArgumentHelp(
            "Write what isn't taken, and why, to this file as JSON (.json).",
            valueName: "file"
        ),
        completion: .file(extensions: ["json"])
    )
    var report: String?

    @Flag(
        help: """
            Write no package if something is damaged or missing, or contradicts itself. (default: take what is sound)
            """
    )
    var strict = false

    @OptionGroup(title: "The package") var making: NewPackageOptions

    @OptionGroup(title: "The package") var sizes: NewPackageSizeOptions

    @OptionGroup(title: "The package") var naming: PackageNameOption

    @OptionGroup(title: "The package") var signing: SigningOption

    @OptionGroup var format: JSONOption

    @OptionGroup var verbosity: VerbosityOptions

    private static func time(_ text: String) throws -> ArchiveDate {
        guard let date = ArchiveDate(text) else {
            throw ValidationError(
                "\(PrintableText.quoted(text)) is not a time; write it as 2024-05-01, 2024-05-01T12:00:00Z or 20240501120000"
            )
        }
        return date
    }

    func validate() throws {
        guard !files.isEmpty else { throw ValidationError("name an archive to import") }
        guard files.filter({ $0 == "-" }).count < 2 else {
            throw ValidationError("'-' is standard input, which can be read only once")
        }
        guard report?.lowercased().hasSuffix(".json") ?? true else {
            throw ValidationError("\(PrintableText.quoted(report ?? "")) must end in '.json'")
        }
        guard report != result.output else {
            throw ValidationError("the report can't have the place of the package; name another file with '--report'")
        }
        try NewFileOptions.require(result.output, isNone: ["--sign": signing.sign])
        for file in files where file != "-" && Path.isSameFile(file, result.output) {
            throw ValidationError("the package can't replace the archive it is made of; name another file with '-o'")
        }
    }

    func run() async throws {
        let list = try report.map { try OmissionList($0, overwrites: result.overwrite) }
        let pinned = try Clock.pinned()
        let made: ArchiveImport.Result
        do {
            made = try await ArchiveImport.run(files, try options(), to: try target(), pinned: pinned) { note in
                try list?.add(note)
            }
        } catch {
            list?.abandon()
            throw error
        }
        try list?.finish(made.report)
        try show(made)
    }

    private func options() throws -> ImportOptions {
        var options = ImportOptions()
        options.format = from
        options.latest = at
        options.baseURL = try baseURL.map { text in
            let url = try WebURL.argument(text, place: "'--base-url': ")
            guard url.path.hasSuffix("/"), url.query == nil else {
                throw ValidationError("'--base-url': \(PrintableText.quoted(text)) must end with a slash")
            }
            return url
        }
        options.included = try urls.patterns()
        options.excluded = try making.excludedURLs()
        options.takesOtherMethods = post.post
        if let bytes = sizes.maxBodyBytes { options.bodyBytes = bytes }
        options.maxAge = making.maxAge
        options.isStrict = strict
        return options
    }

    private func target() throws -> Packaging.Output {
        var target = Packaging.Output(
            path: result.output,
            created: Clock.now,
            generator: "afcache/\(AFCacheCommand.version)"
        )
        target.name = naming.name
        target.overwrites = result.overwrite
        target.level = Int32(sizes.level)
        target.signers = try signing.signers()
        return target
    }

    private func show(_ made: ArchiveImport.Result) throws {
        let summary = ImportSummary(report: made.report)
        for line in summary.lines { Console.note(line) }
        guard let package = made.summary else {
            let isForbidden = strict && !made.report.isClean
            let why =
                isForbidden
                ? "something is damaged, missing or contradicts itself, and '--strict' forbids it"
                : "there is no response that could be imported"
            Console.complain("error: \(why), so no package was written")
            throw (isForbidden || made.report.isDamaged ? ExitStatus.invalidPackage : .nothingToPack).code
        }
        // Nothing may follow the package in a pipe.
        let print = result.output == Path.standardOutput ? Console.complain : Console.print
        if format.json {
            print(summary.document(package, path: result.output).serialized)
        } else {
            let redirects = package.redirects > 0 ? ", \(Quantity.count(package.redirects, "redirect"))" : ""
            print(
                "imported as \(PrintableText.quoted(result.output)): "
                    + "\(Quantity.count(package.resources, "resource"))\(redirects), "
                    + "\(Quantity.bytes(package.bodyBytes)) in \(Quantity.bytes(package.packageBytes))"
            )
        }
        if made.report.isDamaged { throw ExitStatus.incomplete.code }
    }
}

extension ImportFormat: ExpressibleByArgument {}
