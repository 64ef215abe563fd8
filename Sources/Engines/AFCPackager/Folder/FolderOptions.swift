internal import AFCCrawlRules
public import AFCHTTP
public import AFCText
public import AFCURL

/// What AFCache's packagers let a user say of a folder.
public struct FolderOptions: Sendable {
    /// Files that are carried along below `.userdata/`.
    public struct UserData: Sendable, Equatable {
        /// The folder that holds them.
        public var folder: String
        /// The folder below `.userdata/` that they get, or nil for none.
        public var key: String?

        /// Creates the description of user data.
        public init(folder: String, key: String? = nil) {
            self.folder = folder
            self.key = key
        }
    }

    /// The folder; it may be a symbolic link itself.
    public var folder: String
    /// What the folder's files are below, without query.
    public var baseURL: WebURL
    /// When the package is made: last-modified, unless the files say it.
    public var now: Timestamp
    /// How long each resource is fresh after its last-modified, in seconds, or nil: never.
    public var maxAge: Int64?
    /// Whether last-modified is the file's time instead of ``now``.
    public var usesFileTime = false
    /// Seconds added to last-modified; negative ones are subtracted.
    public var lastModifiedOffset: Int64 = 0
    /// Whether an `index.html`, or else an `index.htm`, is also the resource of its folder's URL, as web servers have it.
    public var givesFolderURLs = true
    /// Whether files and folders are taken whose name begins with a dot.
    public var includesHidden = false
    /// The largest file to take, in bytes, or nil for no limit.
    public var maxFileSize: Int64?
    /// Files are left out whose path below the folder, or whose path with the folder as given, matches one of these.
    public var exclude: [Glob] = []
    /// Whether resources get a media type by their suffix.
    public var recordsMediaTypes = true
    /// Files to carry along.
    public var userData: UserData?
    /// The URLs of single files, by path below the folder.
    public var urls: [String: WebURL] = [:]

    /// Creates options with the packagers' defaults.
    public init(folder: String, baseURL: WebURL, now: Timestamp) {
        self.folder = folder
        self.baseURL = baseURL
        self.now = now
    }

    /// What ``baseURL`` is where the user gives none, as in AFCache.
    public static let defaultBaseURL = "afcpkg://localhost"
}
