import AFCCrawlRules
import AFCFiles
import AFCHTTP
import AFCLinter
import AFCPackageFormat
import AFCPackager
import AFCText
import AFCURL
import ArgumentParser

/// The options for packing a folder.
struct FolderArguments: ParsableArguments {
    @Option(help: ArgumentHelp("Pack this folder instead of crawling.", valueName: "dir"), completion: .directory)
    var folder: String?

    @Option(
        name: .customLong("base-url"),
        help: """
            The URL that the folder stands for, such as https://app.example/. (default: afcpkg://localhost, which \
            apps know, and browsers only by 'afcache serve')
            """
    )
    var baseURL: String?

    @Flag(
        name: .customLong("folder-urls"),
        inversion: .prefixedNo,
        help: ArgumentHelp(
            "Also store each index.html under the URL of its folder, as web servers do.",
            visibility: .hidden
        )
    )
    var folderURLs = true

    @Flag(
        name: .customLong("clean-urls"),
        help: """
            Also store each page under its URL without '.html', as many hosts do. A folder of the same name comes \
            first, and is redirected to its URL with a slash.
            """
    )
    var cleanURLs = false

    @Option(
        help: ArgumentHelp(
            """
            The page to send for navigations to URLs that aren't in the package: a path below the folder. With '=200' \
            after it (the default), it is the page of a single-page application, and isn't sent if the last part of the URL \
            contains a dot; with '=404', it is the site's page for missing URLs. 'none' is no page for missing URLs. \
            Repeatable. (default: 404.html=404 if the folder has one; for a crawl the site's own page, which only 'none' changes)
            """,
            valueName: "page[=status]"
        ),
        completion: .file(),
        transform: FallbackPage.init(argument:)
    )
    var fallback: [FallbackPage] = []

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            """
            The Last-Modified of all files: the current time ('now'), the time of each file ('file'), a time from now such as \
            +1h or -7d, or a date such as 2027-01-01. (default: now)
            """,
            valueName: "time",
            visibility: .hidden
        ),
        completion: .list(["file", "now"]),
        transform: LastModified.init(argument:)
    )
    var lastModified: LastModified = .shifted(0)

    @Flag(
        help: ArgumentHelp(
            """
            Follow symbolic links to files and folders within the folder. Without this option, links are skipped.
            """,
            visibility: .hidden
        )
    )
    var followSymlinks = false

    @Option(
        help: ArgumentHelp(
            """
            Also follow symbolic links to what is within this other folder. Everything in it that a link names gets \
            into the package. Implies '--follow-symlinks'. Repeatable.
            """,
            valueName: "dir",
            visibility: .hidden
        ),
        completion: .directory
    )
    var symlinkRoot: [String] = []

    @Flag(help: ArgumentHelp("Include files and folders whose names begin with a dot.", visibility: .hidden))
    var hidden = false

    @Flag(
        inversion: .prefixedNo,
        help: ArgumentHelp("Give each resource a media type by its file's suffix.", visibility: .hidden)
    )
    var mime = true

    @Option(
        help: ArgumentHelp(
            """
            Also include the files of this folder as user data, which is never served. It is not secret: whoever has \
            the package can read it.
            """,
            valueName: "dir",
            visibility: .hidden
        ),
        completion: .directory
    )
    var userData: String?

    @Option(
        help: ArgumentHelp(
            """
            The name of the user data's folder below '.userdata/' in the package. (default: none)
            """,
            valueName: "name",
            visibility: .hidden
        )
    )
    var userDataKey: String?

    @Option(
        help: ArgumentHelp(
            """
            A JSON file that gives some files other URLs: an object with paths below the folder as keys and URLs as \
            values.
            """,
            valueName: "file",
            visibility: .hidden
        ),
        completion: .file(extensions: ["json"])
    )
    var urlMap: String?

    /// True if a page is sent for URLs that aren't in the package.
    var namesFallback: Bool { fallback.contains { $0 != .none } }

    /// The options among these that are used, although they make sense for a folder only.
    var namesOfUsed: [String] {
        let uses: [(isUsed: Bool, name: String)] = [
            (baseURL != nil, "--base-url"), (!folderURLs, "--no-folder-urls"), (cleanURLs, "--clean-urls"),
            (namesFallback, "--fallback"), (lastModified != .shifted(0), "--last-modified"),
            (followSymlinks, "--follow-symlinks"),
            (!symlinkRoot.isEmpty, "--symlink-root"), (hidden, "--hidden"),
            (!mime, "--no-mime"), (userData != nil, "--user-data"), (userDataKey != nil, "--user-data-key"),
            (urlMap != nil, "--url-map"),
        ]
        return uses.filter(\.isUsed).map(\.name)
    }

    func options(folder: String, making: NewPackageOptions, sizes: NewPackageSizeOptions, now: Timestamp) throws
        -> FolderOptions
    {
        let baseURL = baseURL ?? FolderOptions.defaultBaseURL
        let base = try WebURL.argument(baseURL, place: "'--base-url': ")
        var options = FolderOptions(folder: folder, baseURL: base, now: now)
        options.maxAge = making.maxAge
        switch lastModified {
        case .file: options.usesFileTime = true
        case .shifted(let seconds): options.lastModifiedOffset = seconds
        case .date(let time): options.lastModifiedOffset = time.secondsSinceEpoch - now.secondsSinceEpoch
        }
        options.includesHidden = hidden
        if followSymlinks || !symlinkRoot.isEmpty { options.links = .within(symlinkRoot) }
        options.givesFolderURLs = folderURLs
        options.givesCleanURLs = cleanURLs
        for page in fallback {
            try page.requireFile(in: folder)
            switch page {
            case .none: options.missingPage = .none
            case .application(let path): options.applicationPage = path
            case .missing(let path): options.missingPage = .file(path)
            }
        }
        options.maxFileSize = sizes.maxBodyBytes
        options.exclude = making.exclude.map { Glob($0) }
        options.recordsMediaTypes = mime
        if let userData { options.userData = FolderOptions.UserData(folder: userData, key: userDataKey) }
        if let urlMap {
            let bytes = try SmallFile.read(urlMap, limit: 64 << 20)
            do throws(FileURLMap.Malformation) {
                options.urls = try FileURLMap.parse(bytes, base: base)
            } catch {
                throw ValidationError(
                    "'--url-map': \(PrintableText.quoted(urlMap)) doesn't map paths to URLs: \(error)"
                )
            }
        }
        return options
    }

    func validate() throws {
        guard fallback.count(where: \.isApplication) <= 1, fallback.count(where: { !$0.isApplication }) <= 1 else {
            throw ValidationError("'--fallback' names two pages with the same status; remove one of them")
        }
    }
}

/// A page for URLs that a package doesn't have.
enum FallbackPage: Equatable {
    /// There is no page with status 404.
    case none
    /// The path of an application's page, which is sent with status 200.
    case application(String)
    /// The path of the page that is sent with status 404.
    case missing(String)

    var isApplication: Bool { if case .application = self { true } else { false } }

    /// Throws a usage error if the folder has no such file.
    fileprivate func requireFile(in folder: String) throws {
        let path: String
        switch self {
        case .none: return
        case .application(let named), .missing(let named): path = named
        }
        let isBelow = !path.hasPrefix("/") && !path.hasPrefix("./")
        guard Path.isFolder(folder), !isBelow || (try? OpenFile.kind(of: "\(folder)/\(path)")) == nil else { return }
        var parts = path.split(separator: "/").filter { $0 != "." }.map(String.init)
        let name = parts.popLast() ?? ""
        let names = FolderListing.names(in: ([folder] + parts).joined(separator: "/")) ?? []
        let near = names.contains(name) ? name : NearestName.nearest(to: name, among: names.sorted())
        throw ValidationError(
            "'--fallback': there is no file \(PrintableText.quoted(path)) below \(PrintableText.quoted(folder)); "
                + (near.map { "did you mean \(PrintableText.quoted((parts + [$0]).joined(separator: "/")))?" }
                    ?? "name its path below the folder")
        )
    }

    /// Reads what a user wrote: a path, which may be followed by '=' and a status; or 'none'.
    ///
    /// - Throws: A usage error that says how to write it.
    init(argument: String) throws {
        guard argument != "none" else {
            self = .none
            return
        }
        var (path, status) = (argument[...], "200"[...])
        // The name of a file may contain the sign as well.
        if let sign = argument.lastIndex(of: "="), case let end = argument[argument.index(after: sign)...],
            end.allSatisfy(\.isNumber)
        {
            (path, status) = (argument[..<sign], end)
        }
        guard !path.isEmpty, status == "200" || status == "404" else {
            throw ValidationError(
                "\(PrintableText.quoted(argument)) must be a path below the folder, and may end in '=200' for the page of an "
                    + "application or '=404' for the page for missing URLs"
            )
        }
        self = status == "200" ? .application(String(path)) : .missing(String(path))
    }
}

/// The time that a package states as the last change of a folder's files.
enum LastModified: Equatable {
    /// The time of each file.
    case file
    /// The time of packing and a number of seconds.
    case shifted(Int64)
    case date(Timestamp)

    /// Reads what a user wrote.
    ///
    /// - Throws: A usage error that says how to write it.
    init(argument: String) throws {
        if argument == "file" || argument == "now" {
            self = argument == "file" ? .file : .shifted(0)
        } else if let sign = argument.first, sign == "+" || sign == "-" {
            let seconds = try TimeSpan.secondsArgument(String(argument.dropFirst()))
            self = .shifted(sign == "-" ? -seconds : seconds)
        } else if let date = try? Clock.parse(argument) {
            self = .date(date)
        } else {
            throw ValidationError(
                "\(PrintableText.quoted(argument)) is not a time; write 'file', 'now', '+1h', '-7d', or a date such as 2027-01-01"
            )
        }
    }
}
