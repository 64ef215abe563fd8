import AFCAuthority
import AFCBrowser
import AFCCache
import AFCCaching
import AFCFiles
import AFCPackageFormat
import AFCPlatform
import AFCProcess
import AFCSearch
import AFCServer
import AFCText
import AFCURL
import ArgumentParser

struct OpenCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "open",
        abstract: "Show a package, a site or a folder offline in the browser.",
        discussion: """
            Serves a package on a free port of this machine, without a network, and opens its first page in the \
            browser. A URL or a folder is packed first, with the defaults of 'afcache pack'. The package of a URL is \
            kept, in $XDG_DATA_HOME/afcache/packages or ~/.local/share/afcache/packages, and opened again by its name; \
            '--again' fetches what has changed.

            Without a browser to open, for example over ssh or as root, it prints the address. Control-C ends it. At \
            the end it lists what pages requested outside the package, which was stopped.

            With '--through-proxy', pages have their own addresses, https included, and are shown byte for byte: in Chromium \
            or Chrome with a new profile that asks nobody but this server. It ends with the browser.

              afcache open docs.zip
              afcache open https://docs.example/guide/
              afcache open docs.example
              afcache open public
            """
    )

    @Argument(
        help: """
            A package, the URL of a site, a folder with a site, or the name of a package that was opened by its URL.
            """,
        completion: .file()
    )
    var target: String

    @Flag(help: "Fetch what has changed since the package of the URL was made.")
    var again = false

    @Flag(help: "Show the pages at their own addresses, in a Chromium or Chrome that uses this server as its proxy.")
    var throughProxy = false

    @Flag(help: "Print the address, or with '--through-proxy' the browser's command line, and open no browser.")
    var noBrowser = false

    @OptionGroup var port: PortOption

    @OptionGroup var verbosity: VerbosityOptions

    func validate() throws {
        guard !target.isEmpty else { throw ValidationError("name a package, a URL or a folder to open") }
        guard !Path.isCache(target) else {
            let name = PrintableText.quoted(target)
            throw ValidationError("\(name) is a cache; 'afcache serve --cache' shows what it holds")
        }
    }

    func run() async throws {
        try Server.requireOpenFiles()
        let package = try await package()
        var options = MountedPackages.Options()
        options.indexFolder = MountFolder.named(nil)
        let store = try MountedPackages([package.path], options: options, now: Clock.now)
        // The open file stays readable.
        package.folder?.remove()
        let library = SearchLibrary(store)
        let responder = CacheResponder(
            store: store,
            policy: OfflinePolicy(expired: .serve),
            matching: .query,
            search: library,
            now: { Clock.now }
        )
        var configuration = Server.Configuration(port: port.port ?? 0, now: { Clock.now })
        configuration.missing = MissingURLs()
        let start = store.origins().compactMap(\.start).min {
            ($0.description.utf8.count, $0.description) < ($1.description.utf8.count, $1.description)
        }
        guard !throughProxy else { return try await openThroughProxy(start, responder, configuration) }
        let stopped = StoppedRequests()
        (configuration.stopped, configuration.search) = (stopped, library)
        let opener = noBrowser ? nil : BrowserOpener(environment: ProcessEnvironment.variables, isRoot: geteuid() == 0)
        try await Server.run(
            responder: responder,
            configuration: configuration,
            keepingSearchOf: nil
        ) { address in
            let page = start.map { address.link(to: $0) } ?? "http://localhost:\(address.port)/"
            Console.print(page)
            Console.flush()
            guard let opener else { return }
            do throws(FileError) {
                try opener.open(page)
            } catch {
                Console.complain("the browser can't be started: \(error); open the address yourself")
            }
        }
        ServeLogOptions.report(stopped)
    }

    /// Shows the package in a browser that uses the server as its proxy, until the browser ends.
    private func openThroughProxy(
        _ start: WebURL?,
        _ responder: CacheResponder,
        _ configuration: Server.Configuration
    ) async throws {
        guard let start, start.isHTTP else {
            throw ValidationError(
                "the package has no page with an http or https URL, so that a proxy isn't asked for it; remove '--through-proxy'"
            )
        }
        let variables = ProcessEnvironment.variables
        let isShown = !noBrowser && BrowserOpener(environment: variables, isRoot: geteuid() == 0) != nil
        let program = try Browser.path(of: nil, in: variables["PATH"] ?? "")
        let certificates = ServeCertificates(authority: try .make(name: "open", days: 2, at: Clock.now))
        var responder = responder
        responder.answersTunnels = true
        let proxy = ProxyResponder(
            .offline,
            connecting: .answer(certificates),
            other: responder,
            now: { Clock.now }
        )
        let folder = try TemporaryFolder(for: "open", in: OutputTarget.temporaryFolder)
        defer { folder.remove() }
        let path = folder.path
        let code = try await ChildProgram.serve(proxy, configuration) { address in
            var settings = ProxySettings(
                address: address.description,
                folder: path,
                keyFingerprint: certificates.certificates.keyFingerprint
            )
            settings.isOffline = true
            let words = settings.browserCommandLine([program, start.description])
            if isShown { return try await ChildProgram.run(words, environment: variables) }
            Console.print(words.map(Self.shellWord).joined(separator: " "))
            return await ChildProgram.waitForSignal()
        }
        if code != 0 { throw ExitCode(code) }
    }

    /// Returns a word as a shell reads it.
    private static func shellWord(_ word: String) -> String {
        let isPlain = word.utf8.allSatisfy { $0.isNamePart || "/:=,".utf8.contains($0) }
        return isPlain && !word.isEmpty ? word : "'" + word.replacing("'", with: "'\\''") + "'"
    }

    /// Returns the package to show; makes it if the target is a URL or a folder.
    private func package() async throws -> (path: String, folder: TemporaryFolder?) {
        if target.contains("://") {
            let url: WebURL
            do {
                url = try WebURL(target)
            } catch {
                throw ValidationError("\(PrintableText.quoted(target)) is no URL: \(error)")
            }
            guard !url.path.lowercased().hasSuffix(".zip") else {
                throw ValidationError(
                    "\(PrintableText.quoted(target)) is a file, perhaps a package; download it, and open it by its name, or "
                        + "load it into a cache with 'afcache load'"
                )
            }
            let path = try OpenedPackages.path(named: OpenedPackages.name(of: url))
            let isKnown = (try? OpenFile.kind(of: path)) != nil
            if !isKnown || again {
                try await pack([target, "--output", path] + ["--update"])
            }
            return (path, nil)
        }
        let kind = try? OpenFile.kind(of: target)
        guard !again else {
            let isFile = if case .file? = kind { true } else { false }
            throw ValidationError(
                isFile
                    ? "'--again' is for URLs; 'afcache pack URL -o \(PrintableText.escaped(target)) --update' updates a package"
                    : "'--again' is for URLs; a folder is always read again"
            )
        }
        switch kind {
        case .folder:
            let folder = try TemporaryFolder(for: "open", in: OutputTarget.temporaryFolder)
            do {
                try await pack(["--folder", target, "--output", folder.path + "/site.zip"])
            } catch {
                folder.remove()
                throw error
            }
            return (folder.path + "/site.zip", folder)
        case nil:
            let path = try OpenedPackages.path(named: target)
            guard !target.contains("/"), (try? OpenFile.kind(of: path)) != nil else {
                // Only files have such names.
                if target.contains("/") || target.hasSuffix(".zip") { return (target, nil) }
                let known = OpenedPackages.names
                if let colon = target.lastIndex(of: ":"), UInt16(target[target.index(after: colon)...]) != nil {
                    throw ValidationError(
                        "there is no file \(PrintableText.quoted(target)); did you mean "
                            + "\(PrintableText.quoted("http://" + target))?"
                    )
                }
                throw ValidationError(
                    "there is no file \(PrintableText.quoted(target)), and no package of that name"
                        + (known.isEmpty
                            ? "; 'afcache open URL' makes one, 'afcache open FILE' shows one"
                            : "; there are \(known.joined(separator: ", "))")
                )
            }
            return (path, nil)
        default: return (target, nil)
        }
    }

    /// Makes a package as `afcache pack` does; failures of single URLs are listed, and the rest is shown.
    private func pack(_ arguments: [String]) async throws {
        guard let command = try AFCacheCommand.command(for: ["pack"] + arguments) as? PackCommand else { return }
        do {
            try await command.run()
        } catch let code as ExitCode where code.rawValue == 5 {
            Console.complain("some of the site couldn't be fetched, as listed above")
        }
    }
}

/// The packages that were made by opening URLs.
enum OpenedPackages {
    /// Returns the name of the package of a URL: the one that the package states.
    static func name(of url: WebURL) -> String { PackageName.suggested(for: [url]) ?? "site" }

    /// Returns the path of a package; creates the folder.
    static func path(named name: String) throws -> String {
        let folder = try self.folder()
        try FolderTree<FileError>.make(folder, mode: 0o700)
        return "\(folder)/\(name).zip"
    }

    private static func folder() throws -> String {
        try UserFolder.data(orElse: "set it, or XDG_DATA_HOME") + "/packages"
    }

    /// The names of the packages, sorted; at most 20.
    static var names: [String] {
        let files = (try? folder()).flatMap { FolderListing.names(in: $0) } ?? []
        return files.filter { $0.hasSuffix(".zip") && !$0.hasPrefix(".") }.map { String($0.dropLast(4)) }.sorted()
            .prefix(20).map(\.self)
    }
}

/// The user's folder for data (XDG Base Directory Specification).
enum UserFolder {
    /// Returns the path.
    ///
    /// - Parameter remedy: What to do if the environment names no folder of the user, as the end of a sentence.
    /// - Returns: The path.
    /// - Throws: A usage error if it names none.
    static func data(orElse remedy: String) throws -> String {
        if let folder = value("XDG_DATA_HOME"), folder.hasPrefix("/") { return folder + "/afcache" }
        guard let home = value("HOME"), home.hasPrefix("/") else {
            throw ValidationError("HOME isn't set, so there is no folder for the user's data; \(remedy)")
        }
        return (home == "/" ? "" : home) + "/.local/share/afcache"
    }

    private static func value(_ variable: String) -> String? {
        getenv(variable).map { String(cString: $0) }.flatMap { $0.isEmpty ? nil : $0 }
    }
}

/// The program that opens a page in the user's browser.
struct BrowserOpener {
    /// The program and its arguments before the address.
    private let words: [String]
    private let environment: [String: String]

    /// Finds the program; nil if there is no screen, or the user is root, whose browser nobody wants.
    ///
    /// - Parameters:
    ///   - environment: The environment.
    ///   - isRoot: Whether the user is root.
    init?(environment: [String: String], isRoot: Bool) {
        guard !isRoot else { return nil }
        self.environment = environment
        func isSet(_ name: String) -> Bool { environment[name].map { !$0.isEmpty } ?? false }
        // BROWSER is a list of commands, of which the first is taken.
        if let browser = environment["BROWSER"]?.split(separator: ":").first {
            words = browser.split(separator: " ").map(String.init)
            guard !words.isEmpty else { return nil }
            return
        }
        #if os(macOS)
        guard !isSet("SSH_CONNECTION") else { return nil }
        words = ["open"]
        #else
        guard isSet("DISPLAY") || isSet("WAYLAND_DISPLAY") else { return nil }
        words = ["xdg-open"]
        #endif
    }

    /// Opens a page, without waiting for the browser's end.
    func open(_ page: String) throws(FileError) {
        let named = words.contains { $0.contains("%s") }
        let command = named ? words.map { $0.replacing("%s", with: page) } : words + [page]
        let variables = environment.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }
        _ = try ChildProcess.start(command, environment: variables)
    }
}

extension UInt8 {
    fileprivate var isNamePart: Bool {
        (self | 0x20) &- UInt8(ascii: "a") < 26 || self &- UInt8(ascii: "0") < 10 || "-._".utf8.contains(self)
    }
}
