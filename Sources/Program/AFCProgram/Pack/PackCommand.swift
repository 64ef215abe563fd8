import AFCCaching
import AFCCrawlRules
import AFCFiles
import AFCPackageFile
import AFCPackageFormat
import AFCPackager
import AFCText
import AFCTrial
import AFCZip
import ArgumentParser

struct PackCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "pack",
        abstract: "Make a package from URLs or from a folder.",
        discussion: """
            Given URLs, afcache fetches these pages, follows their links, and fetches what each page needs, such as \
            images and style sheets. It stays on the hosts of these URLs unless '--scope' or '--foreign-requisites' \
            says otherwise. If a crawl is stopped, the same command resumes it. The package is written even if some \
            URLs fail: they are listed, and the exit code is 5 if one of them is a start URL or something that a page \
            needs (see '--fail-on').

              afcache pack https://docs.example/guide/ -o guide.zip
              afcache pack https://docs.example/ -o docs.zip --update --exclude '*/old/*'
              afcache pack --list urls.txt --scope page -o pages.zip --report crawl.html

            Given a folder, afcache makes each file a resource below the base URL. Options for crawls can't be used \
            then.

              afcache pack --folder public --base-url https://app.example --max-age 86400 -o app.zip
              afcache pack --folder dist --base-url https://app.example --fallback index.html -o app.zip

            A package can be signed with a key made by 'afcache keygen', or encrypted with a password that you type:

              afcache pack https://docs.example/ -o docs.zip --sign docs-key
              afcache pack https://docs.example/ -o docs.zip --encrypt

            'man afcache' has further options, for example for rendering, symbolic links and AFCache 0.13.

            Sizes and times may have units (512k, 1.5G, 64Mi; 250ms, 90s, 1h30m). With SOURCE_DATE_EPOCH set, the same \
            input gives the same bytes, unless the package is encrypted.
            """
    )

    @Argument(help: "The URLs where the crawl starts.")
    var urls: [String] = []

    @OptionGroup var result: PackageOutputOptions

    @OptionGroup(title: "Scope") var scope: ScopeArguments
    @OptionGroup(title: "Queries and traps") var queries: QueryArguments
    @OptionGroup(title: "Limits") var limits: LimitArguments
    @OptionGroup(title: "Politeness") var politeness: PolitenessArguments
    @OptionGroup(title: "Access") var access: AccessArguments
    @OptionGroup(title: "Rendering") var rendering: RenderingArguments
    @OptionGroup(title: "Browser", visibility: .hidden) var browser: BrowserOptions
    @OptionGroup(title: "Resuming and updating") var update: UpdateArguments
    @OptionGroup(title: "Resuming and updating") var restart: RestartOption
    @OptionGroup(title: "Report") var report: ReportArguments
    @OptionGroup(title: "Packing a folder") var folder: FolderArguments
    @OptionGroup(title: "The package") var making: NewPackageOptions
    @OptionGroup(title: "The package") var naming: PackageNameOption
    @OptionGroup(title: "The package", visibility: .hidden) var sizes: NewPackageSizeOptions
    @OptionGroup(title: "The package", visibility: .hidden) var form: PackageFormOptions
    @OptionGroup(title: "The package") var signing: SigningOption
    @OptionGroup(title: "The package") var package: PackageArguments

    @OptionGroup var format: JSONOption

    @OptionGroup var verbosity: VerbosityOptions

    func validate() throws {
        let hasURLs = !urls.isEmpty || scope.list != nil
        try NewFileOptions.require(
            result.output,
            isNone: [
                "--list": [scope.list], "--recipes": scope.recipes, "--add-missing": [update.addMissing],
                "--credentials": [access.credentials], "--netrc": [access.netrc], "--cookies": access.cookies,
                "--cacert": [access.roots.cacert], "--behavior": [rendering.behavior], "--url-map": [folder.urlMap],
                "--match-rules": [package.matchRules], "--sign": signing.sign,
            ]
        )
        try browser.requireUse(rendering.isUsed || package.tries)
        if package.tries {
            guard !package.encrypt else { throw ValidationError("an encrypted package can't be tried; remove '--try'") }
            guard !report.dryRun else { throw ValidationError("'--dry-run' writes no package to try; remove '--try'") }
            guard (try? OutputTarget(result.output).isStream) != true else {
                throw ValidationError("a package that is written to a pipe can't be tried; name a file with '-o'")
            }
        }
        guard package.matchRules == nil || !form.noSidecar else {
            throw ValidationError(
                "rules for parameters are kept in the sidecar; remove '--no-sidecar' or '--match-rules'"
            )
        }
        try form.requireSidecar(naming, signing)
        guard hasURLs != (folder.folder != nil) else {
            throw ValidationError(
                hasURLs
                    ? "name URLs or a folder, not both"
                        + (urls.first { $0.hasSuffix(".zip") && !$0.contains("://") }
                            .map { "; to name the package to write, use '-o \(PrintableText.escaped($0))'" } ?? "")
                    : "name a URL to crawl, or a folder with '--folder'"
            )
        }
        guard let path = folder.folder else { return try validateCrawl() }
        if Path.isZip(path) {
            throw ValidationError(
                "\(PrintableText.quoted(path)) is a zip, not a folder; 'afcache load' takes a package as it is"
            )
        }
        if case .file? = try? OpenFile.kind(of: path) {
            throw ValidationError("\(PrintableText.quoted(path)) is a file, not a folder; name the folder that has it")
        }
        let arguments = Array(CommandLine.arguments.dropFirst())
        // 'open' packs as well, and has options of its own.
        if arguments.first == Self.configuration.commandName, let option = CrawlArguments.firstOption(in: arguments) {
            throw ValidationError("'\(option)' is for crawls; remove it to pack a folder")
        }
        guard !folder.namesFallback || !form.noSidecar else {
            throw ValidationError(
                "the pages for missing URLs are kept in the sidecar; remove '--no-sidecar' or '--fallback'"
            )
        }
    }

    private func validateCrawl() throws {
        for text in urls where text.hasPrefix("file:") {
            let path = "/" + text.drop { $0 != ":" }.dropFirst().drop { $0 == "/" }
            throw ValidationError(
                "\(PrintableText.quoted(text)) is a folder or file of this machine; pack the folder with "
                    + PrintableText.quoted("--folder \(OpenFile.isRegularFile(path) ? Path.folder(of: path) : path)")
            )
        }
        for text in urls where !text.contains("://") {
            if (try? OpenFile.kind(of: text)) == .folder {
                let option = PrintableText.quoted("--folder " + text)
                throw ValidationError(
                    "\(PrintableText.quoted(text)) is a folder, not a URL; to pack it, use \(option) with '--base-url URL'"
                )
            }
            if update.update, (try? OpenFile.kind(of: text)) != nil || text.hasSuffix(".zip") {
                throw ValidationError(
                    "\(PrintableText.quoted(text)) is a file, not a URL: '--update' takes no value and updates the package "
                        + "that '-o' names; name another older package with '--update-from'"
                )
            }
            if text.contains("/"), OpenFile.isRegularFile(text), !Path.isZip(text) {
                throw ValidationError(
                    "\(PrintableText.quoted(text)) is a file, not a URL; to pack its folder, use "
                        + PrintableText.quoted(
                            "--folder \(text.prefix(through: text.lastIndex(of: "/") ?? text.startIndex))"
                        )
                )
            }
            if ["./", "../", "/", "~/"].contains(where: text.hasPrefix) {
                throw ValidationError(
                    "there is no folder \(PrintableText.quoted(text)); to crawl a site, write its URL, for example "
                        + "https://docs.example/"
                )
            }
        }
        if let option = folder.namesOfUsed.first {
            throw ValidationError("'\(option)' is for folders; remove it to crawl, or name a folder with '--folder'")
        }
    }

    func run() async throws {
        if package.tries || rendering.isUsed { try trial.requireBrowser() }
        let created = try Clock.pinned() ?? Clock.now
        var target = Packaging.Output(
            path: result.output,
            created: created,
            generator: "afcache/\(AFCacheCommand.version)"
        )
        target.name = naming.name
        target.overwrites = result.overwrite
        target.dialect = form.dialect
        target.writesSidecar = !form.noSidecar
        target.writesBaseURL = package.baseURLHeader
        target.matchRules = try package.matchRules.map { try MatchRules.argument($0) }
        target.level = Int32(sizes.level)
        target.keepsManifest = format.json
        target.signers = try signing.signers()
        if package.encrypt { target.password = try PasswordSource.new(file: package.password.passwordFile) }
        guard let path = folder.folder else { return try await packCrawl(to: target) }
        var options = try folder.options(folder: path, making: making, sizes: sizes, now: created)
        options.output = result.output
        try await packFolder(options, to: target)
    }

    var crawl: CrawlArguments {
        CrawlArguments(
            scope: scope,
            queries: queries,
            limits: limits,
            politeness: politeness,
            access: access,
            rendering: rendering,
            browser: browser,
            update: update,
            restart: restart,
            report: report
        )
    }

    private func packCrawl(to target: Packaging.Output) async throws {
        var made = try crawl.options(
            urls: urls,
            output: result.output,
            making: making,
            sizes: sizes,
            pinned: try Clock.pinned()
        )
        made.asksForMissingPage = folder.fallback.isEmpty && target.writesSidecar
        let options = made
        let fetching = try crawl.fetching()
        guard !report.dryRun else {
            return try await DryRun(isJSON: format.json, failOn: report.failOn).run { onEvent in
                _ = try await Packaging.pack(options, fetching: fetching, to: target, onEvent: onEvent)
            }
        }
        var run = CrawlRun(options: options, fetching: fetching, target: target, report: report.report)
        run.failOn = report.failOn
        run.events = report.events
        do {
            try await run.run { show($0) }
        } catch let code as ExitCode where code == ExitStatus.incomplete.code && package.tries {
            // There is a package, and the trial shows how much of it works.
            try await tryPackage()
            throw code
        }
        try await tryPackage()
    }

    private var trial: TrialRun {
        TrialRun(package: result.output, browser: browser)
    }

    /// Tries the package that was written, if that is wanted.
    private func tryPackage() async throws {
        guard package.tries else { return }
        let report = try await trial.report()
        // With '--json', standard output is the manifest.
        if !format.json { TrialRun.show(report) }
        Console.flush()
        if !report.worksOffline { throw ExitStatus.incomplete.code }
    }

    private func packFolder(_ options: FolderOptions, to target: Packaging.Output) async throws {
        let (summary, report) = try await Packaging.pack(options, to: target)
        if folder.baseURL == nil {
            Console.note(
                "note: without '--base-url' all URLs begin with '\(FolderOptions.defaultBaseURL)', which a browser can't open "
                    + "without 'afcache serve', nor through a proxy; name the site's URL if it has one"
            )
        }
        let summaryOfFiles = FolderSummary(report: report)
        for line in summaryOfFiles.notes { Console.note(line) }
        for line in summaryOfFiles.warnings { Console.complain(line) }
        if !report.skipped.contains(where: { $0.reason == .excluded }),
            let warning = URLPattern.warning(ofUnused: options.exclude.map(\.description))
        {
            Console.complain(warning)
        }
        show(summary)
        try await tryPackage()
        if !report.missing.isEmpty { throw ExitStatus.incomplete.code }
    }

    private func show(_ summary: PackageWriter.Summary) {
        if format.json {
            Console.write(ManifestDump.json(summary.manifest))
        } else {
            let redirects = summary.redirects > 0 ? ", \(Quantity.count(summary.redirects, "redirect"))" : ""
            let name = result.output == Path.standardOutput ? "to standard output" : PrintableText.quoted(result.output)
            // Nothing may follow the package in a pipe.
            let tell = (try? OutputTarget(result.output).isStream) == true ? Console.complain : Console.print
            tell(
                (summary.isUntouched ? "nothing has changed in \(name): " : "packed \(name): ")
                    + "\(Quantity.count(summary.resources, "resource"))\(redirects), "
                    + "\(Quantity.bytes(summary.bodyBytes)) in \(Quantity.bytes(summary.packageBytes))"
            )
        }
        Console.flush()
    }
}
