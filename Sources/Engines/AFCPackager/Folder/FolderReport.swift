/// What became of a folder's files.
public struct FolderReport: Sendable, Equatable {
    /// Why a file was left out.
    public enum Reason: String, Sendable, CaseIterable {
        /// Its name, or that of a folder above it, begins with a dot.
        case hidden
        /// It matches a pattern that excludes.
        case excluded
        /// It is larger than asked for.
        case tooLarge = "too-large"
        /// It is a symbolic link.
        case symbolicLink = "symbolic-link"
        /// It is neither a file nor a folder.
        case special
        /// Its name is not UTF-8.
        case notUTF8 = "not-utf8"

        /// The reason in words.
        public var description: String {
            switch self {
            case .hidden: "hidden; '-a' takes it too"
            case .excluded: "excluded by pattern"
            case .tooLarge: "larger than asked for"
            case .symbolicLink: "a symbolic link"
            case .special: "neither a file nor a folder"
            case .notUTF8: "its name is not UTF-8"
            }
        }
    }

    /// A file or folder that was left out.
    public struct Skip: Sendable, Equatable {
        /// The path below the folder.
        public var path: String
        /// Why.
        public var reason: Reason

        /// Creates the description of a file that was left out.
        public init(path: String, reason: Reason) {
            self.path = path
            self.reason = reason
        }
    }

    /// How many files became resources.
    public var files = 0
    /// The bytes of these files.
    public var bytes: Int64 = 0
    /// What was left out, sorted by path; a folder stands for all that is below it.
    public var skipped: [Skip] = []
    /// Files whose suffix says no media type, sorted by path.
    public var withoutMediaType: [String] = []

    /// Creates an empty report.
    public init() {}
}
