package import AFCPlatform

extension OpenFile {
    /// What tells whether a file is still the one that was seen, with the same bytes, as far as that can be told without them.
    public struct State: Sendable, Equatable {
        private let device: UInt64
        private let inode: UInt64
        package let size: Int64
        /// When the file was changed, in seconds since 1970.
        package let seconds: Int64
        private let nanoseconds: Int64
        package let mode: mode_t
        package let owner: uid_t
        package let group: gid_t

        fileprivate init(_ status: stat) {
            #if canImport(Darwin)
            let modified = status.st_mtimespec
            #else
            let modified = status.st_mtim
            #endif
            device = UInt64(truncatingIfNeeded: status.st_dev)
            inode = UInt64(status.st_ino)
            size = Int64(status.st_size)
            (seconds, nanoseconds) = (Int64(modified.tv_sec), Int64(modified.tv_nsec))
            (mode, owner, group) = (status.st_mode, status.st_uid, status.st_gid)
        }

        /// Looks at the file that a path leads to, without opening it.
        ///
        /// - Throws: ``FileError`` where nothing is there, or it can't be looked at.
        public init(path: String) throws(FileError) {
            var status = stat()
            guard stat(path, &status) == 0 else { throw .system("cannot look at", path) }
            self.init(status)
        }
    }

    /// What a path leads to.
    package enum Kind: Equatable {
        case file(State)
        case folder
        case link
        case special
    }

    /// Looks at a path without following a symbolic link.
    ///
    /// - Throws: ``FileError`` where nothing is there, or it can't be looked at.
    package static func kind(of path: String) throws(FileError) -> Kind {
        var status = stat()
        guard lstat(path, &status) == 0 else { throw .system("cannot look at", path) }
        switch status.st_mode & S_IFMT {
        case S_IFREG: return .file(State(status))
        case S_IFDIR: return .folder
        case S_IFLNK: return .link
        default: return .special
        }
    }

    /// What the file is now.
    ///
    /// - Throws: ``FileError`` where the system doesn't say.
    public func state() throws(FileError) -> State {
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { throw .system("cannot look at", path) }
        return State(status)
    }

    /// Returns true if a path is that of a file itself, not of a link to one.
    public static func isRegularFile(_ path: String) -> Bool {
        var status = stat()
        return lstat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFREG
    }
}
