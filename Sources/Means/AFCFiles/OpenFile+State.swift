package import AFCPlatform

extension OpenFile {
    /// The state by which a file is recognized as unchanged, as far as that is possible without reading its bytes.
    public struct State: Sendable, Equatable {
        private let device: UInt64
        private let inode: UInt64
        package let size: Int64
        /// The time when the file was changed, in seconds since 1970.
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

        /// Reads the state of the file at a path without opening it.
        ///
        /// - Throws: ``FileError`` if the file doesn't exist or can't be accessed.
        public init(path: String) throws(FileError) {
            var status = stat()
            guard stat(path, &status) == 0 else { throw .system("cannot access", path) }
            self.init(status)
        }
    }

    /// The kind of file at a path.
    package enum Kind: Equatable {
        case file(State)
        case folder
        case link
        case special
    }

    /// Returns the kind of file at a path without following a symbolic link.
    ///
    /// - Throws: ``FileError`` if the file doesn't exist or can't be accessed.
    package static func kind(of path: String) throws(FileError) -> Kind {
        var status = stat()
        guard lstat(path, &status) == 0 else { throw .system("cannot access", path) }
        switch status.st_mode & S_IFMT {
        case S_IFREG: return .file(State(status))
        case S_IFDIR: return .folder
        case S_IFLNK: return .link
        default: return .special
        }
    }

    /// Returns the kind of what a path leads to, after all symbolic links, so never a link.
    ///
    /// - Throws: ``FileError`` if it leads to nothing, or in a circle.
    package static func targetKind(of path: String) throws(FileError) -> Kind {
        var status = stat()
        guard stat(path, &status) == 0 else { throw .system("cannot access", path) }
        switch status.st_mode & S_IFMT {
        case S_IFREG: return .file(State(status))
        case S_IFDIR: return .folder
        default: return .special
        }
    }

    /// Returns the absolute path of what a path leads to, without symbolic links.
    ///
    /// - Throws: ``FileError`` if it leads to nothing, or in a circle.
    package static func resolvedPath(of path: String) throws(FileError) -> String {
        guard let resolved = realpath(path, nil) else { throw .system("cannot find", path) }
        defer { free(resolved) }
        return String(cString: resolved)
    }

    /// Returns the current state of the file.
    ///
    /// - Throws: ``FileError`` if the system doesn't say.
    public func state() throws(FileError) -> State {
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { throw .system("cannot access", path) }
        return State(status)
    }

    /// Returns true if the path is a regular file, not a link to one.
    public static func isRegularFile(_ path: String) -> Bool {
        var status = stat()
        return lstat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFREG
    }
}
