/// A report on the files of a folder that was packed.
public struct FolderReport: Sendable, Equatable {
    /// The reason that a file was skipped.
    public enum Reason: String, Sendable, CaseIterable {
        /// The name, or that of a folder above it, begins with a dot.
        case hidden
        /// The path matches a pattern that excludes it.
        case excluded
        /// The file is an older package at the path of the new one.
        case output
        /// The file is larger than the limit.
        case tooLarge = "too-large"
        /// The file is a symbolic link.
        case symbolicLink = "symbolic-link"
        /// The file is a symbolic link that leads out of the folders within which links are followed.
        case linkOutside = "link-outside"
        /// The file is a symbolic link to a folder that contains it, or to itself.
        case linkLoop = "link-loop"
        /// The file is a symbolic link to nothing.
        case linkBroken = "link-broken"
        /// It is neither a file nor a folder.
        case special
        /// The name is not UTF-8.
        case notUTF8 = "not-utf8"

        /// The reason in words.
        public var description: String {
            switch self {
            case .hidden: "hidden; use '-a' to include it"
            case .excluded: "excluded by pattern"
            case .output: "the package itself"
            case .tooLarge: "larger than the limit"
            case .symbolicLink: "a symbolic link"
            case .linkOutside: "a symbolic link that leads out of the folder"
            case .linkLoop: "a symbolic link that leads back to a folder that contains it"
            case .linkBroken: "a symbolic link to nothing"
            case .special: "neither a file nor a folder"
            case .notUTF8: "its name is not UTF-8"
            }
        }
    }

    /// A file or folder that was skipped.
    public struct Skip: Sendable, Equatable {
        /// The path below the folder.
        public var path: String
        /// The reason.
        public var reason: Reason
        /// The path that a symbolic link leads to, if links are followed and this one isn't.
        public var target: String?

        /// Creates a skipped file or folder.
        public init(path: String, reason: Reason, target: String? = nil) {
            self.path = path
            self.reason = reason
            self.target = target
        }
    }

    /// The number of files that became resources.
    public var files = 0
    /// The bytes of these files.
    public var bytes: Int64 = 0
    /// The skipped files, sorted by path; a folder stands for everything below it.
    public var skipped: [Skip] = []
    /// The files whose suffix has no known media type, sorted by path.
    public var withoutMediaType: [String] = []

    /// The files that begin as private keys do, sorted by path; they are packed nevertheless.
    public var privateKeys: [String] = []

    /// The files that should have been packed and couldn't be: those whose names are not UTF-8, and symbolic links that
    /// should have been followed.
    public var missing: [Skip] {
        skipped.filter { [.linkOutside, .linkLoop, .linkBroken, .notUTF8].contains($0.reason) }
    }

    /// Creates an empty report.
    public init() {}
}
