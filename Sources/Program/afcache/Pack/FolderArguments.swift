import AFCCrawlRules
import AFCHTTP
import AFCPackageFormat
import AFCPackager
import AFCText
import AFCURL
import ArgumentParser

/// How a folder becomes a package.
struct FolderArguments: ParsableArguments {
    @Option(help: "Pack this folder instead of crawling.", completion: .directory)
    var folder: String?

    @Option(
        name: [.customLong("base-url"), .customLong("baseurl")],
        help: """
            The URL that the folder stands for, such as https://app.example/. (default: afcpkg://localhost, which \
            only an app can ask for)
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
        name: [.customLong("last-modified-file"), .customLong("lastmodifiedfile")],
        help: "Take last-modified from the files instead of now."
    )
    var lastModifiedFile = false

    @Option(
        name: [.customLong("last-modified-plus"), .customLong("lastmodifiedplus")],
        help: ArgumentHelp("Time to add to last-modified, for example 1h.", valueName: "time"),
        transform: TimeSpan.secondsArgument
    )
    var lastModifiedPlus: Int64 = 0

    @Option(
        name: [.customLong("last-modified-minus"), .customLong("lastmodifiedminus")],
        help: ArgumentHelp("Time to subtract from last-modified, for example 1h.", valueName: "time"),
        transform: TimeSpan.secondsArgument
    )
    var lastModifiedMinus: Int64 = 0

    @Flag(name: [.customShort("a"), .customLong("all")], help: "Take hidden files, too.")
    var all = false

    @Option(
        name: [.customLong("max-file-size"), .customLong("maxItemFileSize")],
        help: ArgumentHelp("The largest file to take, for example 10M. (default: any)", valueName: "size"),
        transform: ByteSize.argument
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
        let baseURL = baseURL ?? FolderOptions.defaultBaseURL
        let base = try WebURL.argument(baseURL, place: "--base-url ")
        var options = FolderOptions(folder: folder, baseURL: base, now: now)
        options.maxAge = maxAge
        options.usesFileTime = lastModifiedFile
        options.lastModifiedOffset = lastModifiedPlus - lastModifiedMinus
        options.includesHidden = all
        options.givesFolderURLs = folderURLs
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
                    "--url-map \(PrintableText.quoted(urlMap)) is no object from path to URL: \(error)"
                )
            }
        }
        return options
    }
}
