import AFCCrawlRules
import AFCHTTP
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
        name: [.customLong("base-url"), .customLong("baseurl")],
        help: """
            The URL that the folder stands for, such as https://app.example/. (default: afcpkg://localhost, which \
            apps know, and browsers only by 'afcache serve')
            """
    )
    var baseURL: String?

    @Flag(
        name: [.customLong("folder-urls")],
        inversion: .prefixedNo,
        help: "Also store each index.html under the URL of its folder, as web servers do."
    )
    var folderURLs = true

    @Flag(
        name: [.customLong("clean-urls")],
        help: """
            Also store each page under its URL without '.html', as many hosts do. A folder of the same name comes \
            first, and is redirected to its URL with a slash.
            """
    )
    var cleanURLs = false

    @Option(
        help: ArgumentHelp(
            """
            The page for navigations to URLs that aren't in the package, sent with status 404: a path below the \
            folder, or 'none'. (default: 404.html if the folder has one; for a crawl, the site's own page, which only \
            'none' changes)
            """,
            valueName: "path"
        )
    )
    var missingPage: String?

    @Flag(
        help: """
            The folder is a single-page application: send its index.html for navigations to URLs that aren't in the \
            package, unless their last part contains a dot.
            """
    )
    var spa = false

    @Option(
        help: ArgumentHelp(
            "The application's page, as a path below the folder; implies '--spa'. (default: index.html)",
            valueName: "path"
        )
    )
    var spaPage: String?

    @Flag(
        name: [.customLong("last-modified-file"), .customLong("lastmodifiedfile")],
        help: "Take Last-Modified from the files instead of the current time."
    )
    var lastModifiedFile = false

    @Option(
        name: [.customLong("last-modified-plus"), .customLong("lastmodifiedplus")],
        help: ArgumentHelp("Time to add to Last-Modified, for example 1h.", valueName: "time"),
        transform: TimeSpan.secondsArgument
    )
    var lastModifiedPlus: Int64 = 0

    @Option(
        name: [.customLong("last-modified-minus"), .customLong("lastmodifiedminus")],
        help: ArgumentHelp("Time to subtract from Last-Modified, for example 1h.", valueName: "time"),
        transform: TimeSpan.secondsArgument
    )
    var lastModifiedMinus: Int64 = 0

    @Flag(
        help: """
            Follow symbolic links to files and folders within the folder. Without this option, links are skipped.
            """
    )
    var followLinks = false

    @Option(
        help: ArgumentHelp(
            """
            Also follow symbolic links to what is within this other folder. Everything in it that a link names gets \
            into the package. Implies '--follow-links'. Repeatable.
            """,
            valueName: "dir"
        ),
        completion: .directory
    )
    var linkRoot: [String] = []

    @Flag(name: [.customShort("a"), .customLong("all")], help: "Include hidden files.")
    var all = false

    @Option(
        name: [.customLong("max-file-size"), .customLong("maxItemFileSize")],
        help: ArgumentHelp("Skip files larger than this, for example 10M. (default: no limit)", valueName: "size"),
        transform: ByteSize.argument
    )
    var maxFileSize: Int64?

    @Flag(inversion: .prefixedNo, help: "Give each resource a media type by its file's suffix.")
    var mime = true

    @Option(
        name: [.customLong("user-data"), .customLong("userdata")],
        help: ArgumentHelp(
            """
            Also include the files of this folder as user data, which is never served. It is not secret: whoever has \
            the package can read it.
            """,
            valueName: "dir"
        ),
        completion: .directory
    )
    var userData: String?

    @Option(
        name: [.customLong("user-data-key"), .customLong("userdatakey")],
        help: ArgumentHelp(
            """
            The name of the user data's folder below '.userdata/' in the package. (default: none)
            """,
            valueName: "name"
        )
    )
    var userDataKey: String?

    @Option(
        help: ArgumentHelp(
            """
            A JSON file that gives some files other URLs: an object with paths below the folder as keys and URLs as \
            values.
            """,
            valueName: "file"
        ),
        completion: .file(extensions: ["json"])
    )
    var urlMap: String?

    /// The options among these that are used, although they make sense for a folder only.
    var namesOfUsed: [String] {
        let uses: [(isUsed: Bool, name: String)] = [
            (baseURL != nil, "--base-url"), (!folderURLs, "--no-folder-urls"), (cleanURLs, "--clean-urls"),
            (missingPage.map { $0 != "none" } ?? false, "--missing-page"), (spa, "--spa"),
            (spaPage != nil, "--spa-page"),
            (lastModifiedFile, "--last-modified-file"), (lastModifiedPlus != 0, "--last-modified-plus"),
            (lastModifiedMinus != 0, "--last-modified-minus"), (followLinks, "--follow-links"),
            (!linkRoot.isEmpty, "--link-root"), (all, "--all"), (maxFileSize != nil, "--max-file-size"),
            (!mime, "--no-mime"), (userData != nil, "--user-data"), (userDataKey != nil, "--user-data-key"),
            (urlMap != nil, "--url-map"),
        ]
        return uses.filter(\.isUsed).map(\.name)
    }

    func options(folder: String, exclude: [String], maxAge: Int64?, now: Timestamp) throws -> FolderOptions {
        let baseURL = baseURL ?? FolderOptions.defaultBaseURL
        let base = try WebURL.argument(baseURL, place: "'--base-url': ")
        var options = FolderOptions(folder: folder, baseURL: base, now: now)
        options.maxAge = maxAge
        options.usesFileTime = lastModifiedFile
        options.lastModifiedOffset = lastModifiedPlus - lastModifiedMinus
        options.includesHidden = all
        if followLinks || !linkRoot.isEmpty { options.links = .within(linkRoot) }
        options.givesFolderURLs = folderURLs
        options.givesCleanURLs = cleanURLs
        options.applicationPage = spaPage ?? (spa ? "index.html" : nil)
        if let missingPage { options.missingPage = missingPage == "none" ? .none : .file(missingPage) }
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
                    "'--url-map': \(PrintableText.quoted(urlMap)) doesn't map paths to URLs: \(error)"
                )
            }
        }
        return options
    }
}
