import AFCDiscovery
import AFCExport
import AFCFiles
import AFCPackageFile
import AFCPackageFormat
import AFCServer
import AFCText
import AFCURL
import ArgumentParser

struct ExportCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "export",
        abstract:
            "Write packages as a folder, an HTML file, a ZIM file, Markdown or a web archive (WACZ, WARC, HAR).",
        discussion: """
            A folder has an index.html, which lists the sites and has a search over all pages. Links and styles are \
            relative, and names suit Windows, macOS and Linux. An HTML file has all pages and the search in itself, and \
            opens by a double click. Neither requests anything from a network. Scripts that need a server are left out \
            where they would replace a page by an error; what can't work is listed. A ZIM file is for Kiwix, on phones, too. \
            A web archive is for the programs that replay and keep these, such as ReplayWeb.page and pywb; bodies stay \
            as they are. Markdown is for programs that read text, such as language models: a file for each page with its main \
            content, a list of all pages (llms.txt) and a file with all (llms-full.txt).

              afcache export docs.zip -o docs/
              afcache export docs.zip manual.zip -o /media/stick/manuals/
              afcache export docs.zip -o docs.html
              afcache export docs.zip --page https://docs.example/intro -o intro.html
              afcache export docs.zip -o docs.zim
              afcache export docs.zip -o docs.wacz
              afcache export docs.zip --as markdown -o docs-md/
            """
    )

    /// What packages are written as.
    enum Form: String, CaseIterable, ExpressibleByArgument {
        case folder, html, zim, wacz, warc, har, markdown

        /// What a file of the form is called.
        fileprivate var words: String {
            switch self {
            case .folder: "a folder"
            case .html: "an HTML file"
            case .zim, .wacz, .har, .warc: "a \(rawValue.uppercased()) file"
            case .markdown: "Markdown"
            }
        }
    }

    @Argument(help: "The packages. Of several with a URL, the first counts.", completion: .file(extensions: ["zip"]))
    var packages: [String]

    @Option(
        name: [.customShort("o", allowingJoined: true), .long],
        help: ArgumentHelp(
            """
            The folder or the file to write: '.html', '.zim', '.wacz', '.warc.gz', '.warc' and '.har' are files. A folder \
            must be new or empty, or an older export, which is replaced. '-' writes an HTML file to standard output.
            """,
            valueName: "path"
        ),
        completion: .file(),
        transform: Path.output
    )
    var output: String

    @Option(
        name: .customLong("as"),
        help:
            "What to write: 'folder', 'html', 'zim', 'wacz', 'warc', 'har' or 'markdown'. (default: by the end of the path, else a folder)"
    )
    var form: Form?

    @Option(
        help: ArgumentHelp("Write only this page, with what it loads, as an HTML file.", valueName: "url"),
        transform: ExportedPageName.init(argument:)
    )
    var page: ExportedPageName?

    @Option(
        help: ArgumentHelp(
            "The largest HTML file to write. Browsers open larger ones slowly, or not at all. (default: 200MB)",
            valueName: "size"
        ),
        transform: ByteSize.argument
    )
    var maxBytes: Int64?

    @Flag(
        help: """
            Put video and audio of an HTML file into a folder beside it, which has its name and ends with .media. Copy both \
            together.
            """
    )
    var mediaBeside = false

    @Option(
        help: """
            What becomes of the scripts of pages: 'auto' leaves out those of applications that don't work in a folder, \
            'keep' and 'drop' are for all pages.
            """
    )
    var scripts: PageScripts.Choice = .auto

    @OptionGroup var usage: UsageOptions

    @OptionGroup(title: "Trust") var trust: TrustOptions

    @OptionGroup var format: JSONOption

    @OptionGroup var verbosity: VerbosityOptions

    func validate() throws {
        guard output != "" else { throw ValidationError("'--output' is empty; name a folder or a file") }
        guard !packages.isEmpty else { throw ValidationError("name a package to export") }
        let suffixes = [
            ".pdf", ".zip", ".epub", ".mht", ".mhtml", ".tar", ".gz", ".txt", ".doc", ".docx", ".chm",
        ]
        if kind == .folder, form == nil, !Path.isFolder(output),
            let suffix = suffixes.first(where: output.lowercased().hasSuffix)
        {
            throw ValidationError(
                "'export' writes no '\(suffix)' but a folder, or a file if the name ends with .html, .zim, .wacz, .warc.gz, .warc or .har; "
                    + "name another path"
            )
        }
        if let form, let named, named != form, form != .folder, form != .markdown {
            throw ValidationError(
                "\(PrintableText.quoted(output)) is the name of \(named.words), and '--as' says \(form.words); change one of them"
            )
        }
        if kind == .folder, output == Path.standardOutput {
            throw ValidationError("a folder can't go to standard output; name one, or another form with '--as'")
        }
        guard kind == .markdown || usage.ignorePreference.isEmpty else {
            throw ValidationError("'--ignore-preference' is for Markdown; add '--as markdown', or remove it")
        }
        guard kind != .html else { return }
        let used = [
            (page != nil, "--page"), (maxBytes != nil, "--max-bytes"), (mediaBeside, "--media-beside"),
        ]
        if let option = used.first(where: \.0)?.1 {
            throw ValidationError("'\(option)' is for HTML files; end the path with .html, or add '--as html'")
        }
        if [.wacz, .warc, .har, .markdown].contains(kind), scripts != .auto {
            let reason = kind == .markdown ? "Markdown has none" : "a web archive keeps all scripts"
            throw ValidationError("'--scripts' is for sites that browsers open; \(reason)")
        }
        if kind == .markdown, output == Path.standardOutput {
            throw ValidationError("Markdown is a folder; name one instead of '-'")
        }
    }

    /// What is written: by the option, by an existing folder or a slash at the end, or by the name.
    private var kind: Form {
        if let form { return form }
        if Path.isFolder(output) { return .folder }
        return output == Path.standardOutput ? .html : named ?? .folder
    }

    /// The form that the end of the path names; nil if it names none.
    private var named: Form? {
        let name = output.lowercased()
        let forms: [(String, Form)] = [
            (".html", .html), (".htm", .html), (".zim", .zim), (".wacz", .wacz), (".warc", .warc), (".warc.gz", .warc),
            (".har", .har),
        ]
        return forms.first { name.hasSuffix($0.0) }?.1
    }

    func run() async throws {
        var readers: [PackageReader] = []
        for package in packages { readers.append(try await trust.opened(package)) }
        let (opened, scripts, output, now) = (readers, scripts, output, Clock.now)
        if [.wacz, .warc, .har].contains(kind) { return try await writeArchive(opened) }
        if kind == .zim {
            try ReplacedFile.require(output, is: "a ZIM file", or: "choose another path") {
                $0.starts(with: [0x5A, 0x49, 0x4D, 0x04])
            }
        }
        let page = try page?.url(in: opened)
        let (kind, maxBytes, isBeside) = (kind, maxBytes ?? 200_000_000, mediaBeside)
        let ignored = Set(usage.ignorePreference)
        let report = try await StopSignals.cancelling {
            var export = try SiteExport(opened, scripts: scripts, now: now)
            switch kind {
            case .folder: return try export.write(to: FolderOutput(output, export.plan, of: opened))
            case .markdown:
                let folder = try MarkdownOutput(output, export.plan, of: opened, ignoring: ignored)
                var report = try export.write(to: folder)
                (report.truncated, report.withheld) = (folder.places.truncated, folder.places.withheld)
                return report
            case .zim:
                let software = "afcache/\(AFCacheCommand.version)"
                return try export.write(to: ZIMOutput(output, export.plan, of: opened, software: software))
            default:
                return try export.write(
                    to: FileOutput(output, maxBytes: maxBytes, hasMediaBeside: isBeside),
                    page: page
                )
            }
        }
        // The file itself is the result then.
        let print = output == Path.standardOutput ? Console.complain : Console.print
        if format.json {
            print(report.json(kind == .folder || kind == .markdown ? "folder" : "file", output).serialized)
        } else {
            show(report, print)
        }
    }

    private func writeArchive(_ packages: [PackageReader]) async throws {
        try ReplacedFile.require(output, is: "a web archive", or: "choose another path") { beginning in
            // A WACZ is a zip, as packages are; its first member says which.
            let members = ["archive/", "datapackage", "indexes/", "pages/"]
            return beginning.starts(with: [0x50, 0x4B, 0x03, 0x04])
                ? members.contains { beginning.dropFirst(30).starts(with: $0.utf8) }
                : beginning.starts(with: [0x1F, 0x8B]) || beginning.starts(with: "WARC/".utf8)
                    || beginning.starts(with: "{\"log\":".utf8)
        }
        let form: ArchiveExport.Form =
            kind == .wacz
            ? .wacz : kind == .har ? .har : output.lowercased().hasSuffix(".warc") ? .plainWARC : .warc
        let output = output
        let report = try await StopSignals.cancelling {
            var export = ArchiveExport(packages, software: "afcache/\(AFCacheCommand.version)")
            return try export.write(to: output, as: form)
        }
        let print = output == Path.standardOutput ? Console.complain : Console.print
        if let (count, first, second) = report.folded {
            Console.complain(
                "warning: \(Quantity.count(count, "URL")) can't be told from another one by the index, for example \(first) and "
                    + "\(second)"
            )
        }
        if report.leavesOut {
            Console.note(
                "note: an archive can't hold pages for missing URLs and rules for parameters; they are left out"
            )
        }
        guard !format.json else { return print(report.json(kind.rawValue, output).serialized) }
        print(
            "exported: \(Quantity.count(report.responses, "response")), \(Quantity.count(report.redirects, "redirect")), "
                + "\(Quantity.bytes(report.bytes)) in \(Quantity.bytes(report.size))"
        )
    }

    private func show(_ report: SiteExport.Report, _ print: (String) -> Void) {
        for (maker, pages) in report.empty.sorted(by: { $0.key < $1.key }) {
            Console.complain(
                "warning: \(Quantity.count(pages.count, "page")) \(pages.count == 1 ? "shows" : "show") nothing without a server "
                    + "(\(maker)), for example \(pages.first); use 'afcache serve' or 'afcache open' for it"
            )
        }
        if let pages = report.uncertain {
            Console.complain(
                "warning: \(Quantity.count(pages.count, "page")) \(pages.count == 1 ? "shows" : "show") nothing without scripts, which may "
                    + "need a server, for example \(pages.first)"
            )
        }
        for (maker, count) in report.withoutScripts.sorted(by: { $0.key < $1.key }) {
            Console.note(
                "note: \(Quantity.count(count, "page")) without \(count == 1 ? "its" : "their") scripts, which need a server (\(maker)); "
                    + "'--scripts keep' keeps them"
            )
        }
        if report.unchanged > 0 {
            Console.complain(
                "warning: \(Quantity.count(report.unchanged, "page")) above 32 MiB with their links unchanged"
            )
        }
        if report.truncated > 0 {
            Console.complain(
                "warning: \(Quantity.count(report.truncated, "page")) too large to be written as a whole"
            )
        }
        if report.withheld.count > 0 {
            let (count, names) = (report.withheld.count, report.withheld.names)
            Console.note(
                "note: \(Quantity.count(count, "page")) left out, since origins disallow the use by AI "
                    + "(\(report.withheld.text)); to write \(count == 1 ? "it" : "them"), add "
                    + UsageOptions.words(overriding: names)
            )
        }
        if kind == .markdown {
            let list = output + (output.hasSuffix("/") ? "" : "/") + "llms.txt"
            return print(
                "exported: \(Quantity.count(report.files, "file")), \(Quantity.bytes(report.bytes)), "
                    + "\(Quantity.count(report.searched, "page")); see \(PrintableText.quoted(list))"
            )
        }
        let opened = kind != .folder ? output : output + (output.hasSuffix("/") ? "" : "/") + "index.html"
        print(
            "exported: \(Quantity.count(report.files, "file")), \(Quantity.bytes(report.bytes)), "
                + "\(Quantity.count(report.searched, "page")) to search; open \(PrintableText.quoted(opened))"
        )
    }
}

/// The page that is exported alone, as a user wrote it.
struct ExportedPageName {
    private let text: String

    /// Takes a URL, or a path that is reported together with the URL that was meant once the packages are open.
    ///
    /// - Throws: A usage error for a URL that can't be read.
    init(argument: String) throws {
        text = argument
        if argument.contains("://") { _ = try WebURL.argument(argument) }
    }

    /// Returns the URL.
    ///
    /// - Parameter packages: The packages that are exported.
    /// - Returns: The URL of a page of theirs.
    /// - Throws: A usage error for a path, and `PackageError` if no package has the URL; both name one that was meant.
    func url(in packages: [PackageReader]) throws -> WebURL {
        let stored = packages.lazy.flatMap { $0.index.resources }.map(\.url)
        guard text.contains("://") else {
            let path = text.hasPrefix("/") ? text : "/" + text
            let found = Set(stored.filter { $0.path.hasSuffix(path) })
            let shown = PrintableText.quoted(text)
            guard let url = found.first, found.count == 1 else {
                throw ValidationError("'--page': \(shown) is not a URL; 'afcache ls' lists the URLs of a package")
            }
            throw ValidationError("'--page': \(shown) is not a URL; did you mean '\(url)'?")
        }
        let url = try WebURL.argument(text)
        guard !packages.contains(where: { $0.index.resource(for: url) != nil }) else { return url }
        let near = try NearURLs.found(for: url, includesFolders: false) { url in
            packages.contains { $0.index.resource(for: url) != nil }
        }
        let meant = near.first ?? MisspeltURL.meant(by: url, among: stored)
        throw PackageError(
            .inputOutput,
            subject: url.description,
            message: "no package has this page; "
                + (meant.map { "did you mean '\($0)'?" } ?? "'afcache ls' lists the URLs of a package")
        )
    }
}

extension PageScripts.Choice: ExpressibleByArgument {}

extension ArchiveExport.Report {
    fileprivate func json(_ form: String, _ output: String) -> JSONValue {
        func count(_ value: some BinaryInteger) -> JSONValue { .number(String(value)) }
        return .object([
            (form, .string(output)), ("responses", count(responses)), ("revisits", count(revisits)),
            ("redirects", count(redirects)), ("pages", count(pages)), ("bytes", count(bytes)), ("size", count(size)),
            ("folded", count(folded?.count ?? 0)),
        ])
    }
}

extension SiteExport.Report {
    fileprivate func json(_ form: String, _ output: String) -> JSONValue {
        func count(_ value: some BinaryInteger) -> JSONValue { .number(String(value)) }
        return .object([
            (form, .string(output)), ("files", count(files)), ("bytes", count(bytes)),
            ("searchedPages", count(searched)),
            ("withoutScripts", .object(withoutScripts.sorted { $0.key < $1.key }.map { ($0.key, count($0.value)) })),
            (
                "needServer",
                .array(
                    empty.sorted { $0.key < $1.key }.map {
                        .object([
                            ("maker", .string($0.key)), ("pages", count($0.value.count)),
                            ("example", .string($0.value.first.description)),
                        ])
                    }
                )
            ),
            ("uncertain", count(uncertain?.count ?? 0)), ("unchanged", count(unchanged)),
            ("withheld", count(withheld.count)),
        ])
    }
}
