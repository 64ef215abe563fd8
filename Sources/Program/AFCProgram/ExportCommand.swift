import AFCDiscovery
import AFCExport
import AFCFiles
import AFCPackageFile
import AFCText
import AFCURL
import ArgumentParser

struct ExportCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "export",
        abstract: "Write packages as a folder that any browser opens, without afcache and without a server.",
        discussion: """
            Open the folder's index.html, for example from a USB stick, on any system: it lists the sites and has a search \
            over all pages. Links and styles are relative, names suit Windows, macOS and Linux, and no page requests \
            anything from a network. Scripts that need a server are left out where they would replace a page by an error; \
            what can't work in a folder is listed.

              afcache export docs.zip -o docs
              afcache export docs.zip manual.zip -o /media/stick/manuals
            """
    )

    @Argument(help: "The packages. Of several with a URL, the first counts.", completion: .file(extensions: ["zip"]))
    var packages: [String]

    @Option(
        name: [.customShort("o", allowingJoined: true), .long],
        help: ArgumentHelp(
            "The folder to write. It must be new or empty, or an older export, which is replaced.",
            valueName: "dir"
        ),
        completion: .directory
    )
    var output: String

    @Option(
        help: """
            What becomes of the scripts of pages: 'auto' leaves out those of applications that don't work in a folder, \
            'keep' and 'drop' are for all pages.
            """
    )
    var scripts: PageScripts.Choice = .auto

    @OptionGroup(title: "Trust") var trust: TrustOptions

    @OptionGroup var format: JSONOption

    @OptionGroup var verbosity: VerbosityOptions

    func validate() throws {
        guard output != "" else { throw ValidationError("'--output' is empty; name a folder") }
        guard !packages.isEmpty else { throw ValidationError("name a package to export") }
    }

    func run() async throws {
        let policy = try trust.policy()
        var readers: [PackageReader] = []
        for package in packages {
            readers.append(
                try await trust.unlocking(package) { password in
                    let reader = try PackageReader(path: package, password: password)
                    try reader.requireLoadable()
                    if trust.isUsed {
                        _ = try await OffPool.run { () throws(PackageError) in
                            try reader.verifySignature(policy: policy)
                        }
                    }
                    return reader
                }
            )
        }
        let (opened, scripts, output, now) = (readers, scripts, output, Clock.now)
        let report = try await StopSignals.cancelling {
            var export = try FolderExport(opened, scripts: scripts, now: now)
            return try export.write(to: output)
        }
        if format.json { Console.print(report.json(folder: output).serialized) } else { show(report) }
    }

    private func show(_ report: FolderExport.Report) {
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
        Console.print(
            "exported: \(Quantity.count(report.files, "file")), \(Quantity.bytes(report.bytes)), "
                + "\(Quantity.count(report.searched, "page")) to search; open \(PrintableText.quoted(output + (output.hasSuffix("/") ? "" : "/") + "index.html"))"
        )
    }
}

extension PageScripts.Choice: ExpressibleByArgument {}

extension FolderExport.Report {
    fileprivate func json(folder: String) -> JSONValue {
        func count(_ value: some BinaryInteger) -> JSONValue { .number(String(value)) }
        return .object([
            ("folder", .string(folder)), ("files", count(files)), ("bytes", count(bytes)),
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
        ])
    }
}
