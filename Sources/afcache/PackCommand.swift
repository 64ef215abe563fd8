import ArgumentParser
import HTTPCaching
import PackageFile
import PackageFormat
import Packager
import URLStandard

struct PackCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "pack",
        abstract: "Make a package: crawl URLs, or take a folder.",
        discussion: """
            From URLs: each is fetched with all that it needs, and links are followed on the same host. The package is \
            written even where some URLs fail; they are listed, and the exit code is 5.

              afcache pack https://docs.example/guide/ -o guide.zip
              afcache pack https://docs.example/ -o docs.zip --depth 2 --exclude '*/old/*'

            From a folder: each file becomes a resource below the base URL, as afcpkg did it.

              afcache pack --folder public --base-url https://app.example --max-age 86400 -o app.zip

            Signed by a key that 'afcache keygen' made, or encrypted with a password that is typed:

              afcache pack https://docs.example/ -o docs.zip --sign docs-key
              afcache pack https://docs.example/ -o docs.zip --encrypt

            With SOURCE_DATE_EPOCH set, the same input gives the same bytes, unless they are encrypted.
            """
    )

    @Argument(help: "Where the crawl begins.")
    var urls: [String] = []

    @Option(
        name: [.customShort("o"), .customLong("output"), .customLong("outfile")],
        help: "The package.",
        completion: .file(extensions: ["zip"])
    )
    var output = "afcache-archive.zip"

    @OptionGroup(title: "Crawling") var crawl: CrawlArguments
    @OptionGroup(title: "Packing a folder") var folder: FolderArguments
    @OptionGroup(title: "The package") var package: PackageArguments

    func validate() throws {
        guard urls.isEmpty != (folder.folder == nil) else {
            throw ValidationError(
                urls.isEmpty ? "name a URL to crawl, or a folder with --folder" : "name URLs or a folder, not both"
            )
        }
    }

    func run() async throws {
        let created = try Clock.pinned() ?? Clock.now
        var target = Packaging.Output(path: output, created: created, generator: "afcache/\(AFCache.version)")
        target.dialect = package.dialect
        target.writesSidecar = !package.noSidecar
        target.writesBaseURL = package.baseURLHeader
        target.level = Int32(package.level)
        target.keepsManifest = package.json
        target.signers = try package.sign.map { try KeyFile.signingKey($0) }
        if package.encrypt { target.password = try PasswordSource.new(file: package.passwordFile) }
        if let path = folder.folder {
            try await packFolder(
                try folder.options(folder: path, exclude: package.exclude, maxAge: package.maxAge, now: created),
                to: target
            )
        } else {
            try await packCrawl(
                try crawl.options(
                    urls: urls,
                    exclude: package.exclude,
                    maxAge: package.maxAge,
                    pinned: try Clock.pinned()
                ),
                to: target
            )
        }
    }

    private func packFolder(_ options: FolderOptions, to target: Packaging.Output) async throws {
        let (summary, report) = try await Packaging.pack(options, to: target)
        for skip in report.skipped where skip.reason != .hidden && skip.reason != .excluded {
            Console.complain("skipped \(PackageProblem.quoted(skip.path)): \(skip.reason.description)")
        }
        for path in report.withoutMediaType {
            Console.complain("warning: no media type is known for \(PackageProblem.quoted(path))")
        }
        show(summary)
    }

    private func packCrawl(_ options: CrawlOptions, to target: Packaging.Output) async throws {
        let progress = CrawlProgress()
        let (summary, report) = try await Packaging.pack(options, to: target) { progress.show($0) }
        Console.endProgress()
        for failure in report.failures {
            let place = failure.referrer.map { ", found on \($0)" } ?? ""
            Console.complain("failed: \(failure.url): \(failure.reason.description)\(place)")
        }
        for skip in report.skipped {
            Console.complain("skipped: \(Size.count(skip.count, "URL")) \(skip.rule.description)")
        }
        guard let summary else {
            Console.complain("error: nothing could be fetched, so no package was written")
            throw ExitStatus.nothingToPack.code
        }
        show(summary)
        if !report.failures.isEmpty { throw ExitStatus.incomplete.code }
    }

    private func show(_ summary: PackageWriter.Summary) {
        if package.json {
            Console.write(ManifestDump.json(summary.manifest))
        } else {
            let redirects = summary.redirects > 0 ? ", \(Size.count(summary.redirects, "redirect"))" : ""
            Console.print(
                "packed \(PackageProblem.quoted(output)): \(Size.count(summary.resources, "resource"))\(redirects), "
                    + "\(Size.text(summary.bodyBytes)) in \(Size.text(summary.packageBytes))"
            )
        }
        Console.flush()
    }
}

struct PackageArguments: ParsableArguments {
    @Option(help: "Leave out what matches: a glob, or for URLs also a regular expression as re:…. Repeatable.")
    var exclude: [String] = []

    @Option(
        name: [.customLong("max-age"), .customLong("maxage")],
        help: "How long each resource is fresh, in seconds. (default: as its origin says; never for a folder)"
    )
    var maxAge: Int64?

    @Option(help: "afcache, three, four or five: the manifest's dialect; 'five' for AFCache 0.13, 'three' for 0.6.")
    var dialect: ManifestDialect = .afcache

    @Flag(help: "Begin the manifest with AFCache 0.13's header line.")
    var baseURLHeader = false

    @Flag(help: "Write no '.afcache/': statuses, fields and redirects are lost.")
    var noSidecar = false

    @Option(
        help: "A private key, made by 'afcache keygen', that signs the package. Repeatable.",
        completion: .file()
    )
    var sign: [String] = []

    @Flag(help: "Encrypt the package with AES-256; names and sizes stay visible.")
    var encrypt = false

    @Option(
        help: "A file whose first line is the password to encrypt with. (default: AFCACHE_PASSWORD, or typed)",
        completion: .file()
    )
    var passwordFile: String?

    @Option(help: "How hard to deflate, 1 to 9.")
    var level = 6

    @Flag(help: "Print the manifest as JSON.")
    var json = false

    func validate() throws {
        guard (1...9).contains(level) else { throw ValidationError("--level is \(level); it must be 1 to 9") }
        guard maxAge.map({ $0 >= 0 }) ?? true else { throw ValidationError("--max-age must not be negative") }
        guard encrypt || passwordFile == nil else { throw ValidationError("--password-file needs --encrypt") }
        guard sign.isEmpty || !noSidecar else {
            throw ValidationError("a signed package needs its sidecar; leave out '--no-sidecar', or '--sign'")
        }
    }
}

struct CrawlArguments: ParsableArguments {
    @Option(help: "page, prefix, host or any: where links are followed.")
    var scope: CrawlScope.Extent = .host

    @Option(help: "How many links away from the start a page may be. (default: any)")
    var depth: Int?

    @Option(help: "The most pages; what pages need doesn't count. (default: any)")
    var maxPages: Int?

    @Option(help: "The most bytes of all bodies. (default: any)")
    var maxBytes: Int64?

    @Option(help: "Follow only links that match: a glob, or a regular expression as re:…. Repeatable.")
    var include: [String] = []

    @Flag(help: "Take what pages need from other hosts, too.")
    var foreignRequisites = false

    @Flag(help: "Neither fetch nor obey robots.txt; for your own site.")
    var ignoreRobots = false

    @Flag(help: "Follow links into private addresses.")
    var allowPrivate = false

    @Option(help: "What the crawler calls itself.")
    var userAgent = CrawlOptions.defaultUserAgent

    @Option(help: "How many requests to one host are under way at once.")
    var connections = 8

    func options(urls: [String], exclude: [String], maxAge: Int64?, pinned: Timestamp?) throws -> CrawlOptions {
        let seeds = try urls.map { text in
            do throws(WebURL.ParseError) {
                return try WebURL(text)
            } catch {
                throw ValidationError("\(PackageProblem.quoted(text)) is not an absolute URL: \(error)")
            }
        }
        var options = CrawlOptions(seeds: seeds) { Clock.now }
        options.scope.extent = scope
        options.scope.depth = depth
        if foreignRequisites { options.scope.takesForeignRequisites = true }
        options.scope.allowsPrivate = allowPrivate
        options.scope.include = try include.map { try Self.pattern($0) }
        options.scope.exclude = try exclude.map { try Self.pattern($0) }
        options.maxPages = maxPages
        options.maxBytes = maxBytes
        options.ignoresRobots = ignoreRobots
        options.userAgent = userAgent
        options.connectionsPerHost = connections
        options.maxAge = maxAge
        options.pinnedTime = pinned
        return options
    }

    private static func pattern(_ text: String) throws -> URLPattern {
        do throws(URLPattern.ParseError) {
            return try URLPattern(text)
        } catch {
            throw ValidationError("\(PackageProblem.quoted(text)) is no pattern: \(error)")
        }
    }

    func validate() throws {
        guard connections > 0 else { throw ValidationError("--connections must be at least 1") }
        guard depth.map({ $0 >= 0 }) ?? true else { throw ValidationError("--depth must not be negative") }
    }
}

struct FolderArguments: ParsableArguments {
    @Option(help: "Pack this folder instead of crawling.", completion: .directory)
    var folder: String?

    @Option(name: [.customLong("base-url"), .customLong("baseurl")], help: "What the folder's files are below.")
    var baseURL = FolderOptions.defaultBaseURL

    @Flag(
        name: [.customLong("last-modified-file"), .customLong("lastmodifiedfile")],
        help: "Take last-modified from the files instead of now."
    )
    var lastModifiedFile = false

    @Option(
        name: [.customLong("last-modified-plus"), .customLong("lastmodifiedplus")],
        help: "Seconds added to last-modified."
    )
    var lastModifiedPlus: Int64 = 0

    @Option(
        name: [.customLong("last-modified-minus"), .customLong("lastmodifiedminus")],
        help: "Seconds subtracted from last-modified."
    )
    var lastModifiedMinus: Int64 = 0

    @Flag(name: [.customShort("a"), .customLong("all")], help: "Take hidden files, too.")
    var all = false

    @Option(
        name: [.customLong("max-file-size"), .customLong("maxItemFileSize")],
        help: "The largest file to take, in bytes."
    )
    var maxFileSize: Int64?

    @Flag(inversion: .prefixedNo, help: "Give resources a media type by their suffix.")
    var mime = true

    @Option(
        name: [.customLong("user-data"), .customLong("userdata")],
        help: "A folder that is carried along and never served.",
        completion: .directory
    )
    var userData: String?

    @Option(
        name: [.customLong("user-data-key"), .customLong("userdatakey")],
        help: "The folder below '.userdata/' that the user data gets."
    )
    var userDataKey: String?

    @Option(help: "A JSON file: an object from path below the folder to URL.", completion: .file(extensions: ["json"]))
    var urlMap: String?

    func options(folder: String, exclude: [String], maxAge: Int64?, now: Timestamp) throws -> FolderOptions {
        let base: WebURL
        do throws(WebURL.ParseError) {
            base = try WebURL(baseURL)
        } catch {
            throw ValidationError("--base-url \(PackageProblem.quoted(baseURL)) is not an absolute URL: \(error)")
        }
        var options = FolderOptions(folder: folder, baseURL: base, now: now)
        options.maxAge = maxAge
        options.usesFileTime = lastModifiedFile
        options.lastModifiedOffset = lastModifiedPlus - lastModifiedMinus
        options.includesHidden = all
        options.maxFileSize = maxFileSize
        options.exclude = exclude.map { Glob($0) }
        options.recordsMediaTypes = mime
        if let userData { options.userData = FolderOptions.UserData(folder: userData, key: userDataKey) }
        if let urlMap {
            let bytes = try SmallFile.read(urlMap, limit: 64 << 20)
            do throws(FileURLMap.Malformation) {
                options.urls = try FileURLMap.parse(bytes, base: base)
            } catch {
                throw ValidationError(
                    "--url-map \(PackageProblem.quoted(urlMap)) is no object from path to URL: \(error)"
                )
            }
        }
        return options
    }
}
