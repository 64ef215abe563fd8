internal import AFCCrawlRules
public import AFCHTTP
public import AFCText
public import AFCURL

/// Options for packing a folder, as AFCache's packagers had them.
public struct FolderOptions: Sendable {
    /// Files that are included below `.userdata/`.
    public struct UserData: Sendable, Equatable {
        /// The folder that holds them.
        public var folder: String
        /// The folder below `.userdata/` that they are put into, or nil for none.
        public var key: String?

        /// Creates the description of user data.
        public init(folder: String, key: String? = nil) {
            self.folder = folder
            self.key = key
        }
    }

    /// The choices of the page that is sent with status 404 for navigations to URLs that the package doesn't have.
    public enum MissingPage: Sendable, Equatable {
        /// The file `404.html` at the top of the folder, if there is one.
        case automatic
        /// No page.
        case none
        /// The file with this path below the folder.
        case file(String)
    }

    /// The symbolic links below a folder that are followed.
    public enum Links: Sendable, Equatable {
        /// No link.
        case none
        /// Links to what is within the folder, or within one of these other folders.
        case within([String])
    }

    /// The folder; it may be a symbolic link itself.
    public var folder: String
    /// The URL that the files' paths are appended to, without a query.
    public var baseURL: WebURL
    /// The time of packing, which is each file's last-modified unless ``usesFileTime`` is true.
    public var now: Timestamp
    /// The time for which each resource is fresh after its last-modified, in seconds; nil for never.
    public var maxAge: Int64?
    /// True if last-modified is the file's own time instead of ``now``.
    public var usesFileTime = false
    /// Seconds added to last-modified; negative ones are subtracted.
    public var lastModifiedOffset: Int64 = 0
    /// True if an `index.html`, or else an `index.htm`, is also the resource of its folder's URL, as on web servers.
    public var givesFolderURLs = true
    /// True if `about.html` is also the resource of `about`, as many hosts of static sites answer it.
    public var givesCleanURLs = false
    /// The page that is sent with status 404 for navigations to URLs that the package doesn't have.
    public var missingPage = MissingPage.automatic
    /// The path of the page of a single-page application, which is sent for navigations to URLs that the package doesn't
    /// have and whose last path segment contains no dot; nil for none.
    public var applicationPage: String?
    /// The symbolic links to follow.
    public var links = Links.none
    /// True to include files and folders whose names begin with a dot.
    public var includesHidden = false
    /// The largest file to include, in bytes, or nil for no limit.
    public var maxFileSize: Int64?
    /// Patterns of files to exclude, matched against the path below the folder and the path with the folder as given.
    public var exclude: [Glob] = []
    /// The path of the new package; an older one there isn't packed, if it is in the folder.
    public var output: String?
    /// True if resources get a media type by their suffix.
    public var recordsMediaTypes = true
    /// The user data to include.
    public var userData: UserData?
    /// The URLs of individual files, by path below the folder.
    public var urls: [String: WebURL] = [:]

    /// Creates options with the packagers' defaults.
    public init(folder: String, baseURL: WebURL, now: Timestamp) {
        self.folder = folder
        self.baseURL = baseURL
        self.now = now
    }

    /// The default of ``baseURL``, as in AFCache.
    public static let defaultBaseURL = "afcpkg://localhost"
}
