import AFCPlatform

/// Operations on whole folders by path.
///
/// The errors are those of the module that uses them.
package enum FolderTree<Failure: FileFailure> {
    /// Creates a folder and missing folders above it.
    package static func make(_ path: String, mode: UInt32 = 0o755) throws(Failure) {
        if mkdir(path, mode_t(mode)) == 0 || errno == EEXIST { return }
        guard errno == ENOENT, let slash = path.lastIndex(of: "/"), slash != path.startIndex else {
            throw Failure(.system("cannot create the folder", path))
        }
        try make(String(path[..<slash]), mode: mode)
        guard mkdir(path, mode_t(mode)) == 0 || errno == EEXIST else {
            throw Failure(.system("cannot create the folder", path))
        }
    }

    /// Removes a folder with its contents; links are removed, never followed.
    ///
    /// - Throws: The failure for the first path that can't be removed.
    package static func remove(_ path: String) throws(Failure) {
        var status = stat()
        guard lstat(path, &status) == 0 else {
            if errno == ENOENT { return }
            throw Failure(.system("cannot access", path))
        }
        guard status.st_mode & S_IFMT == S_IFDIR else {
            guard unlink(path) == 0 else { throw Failure(.system("cannot remove", path)) }
            return
        }
        for name in FolderListing.names(in: path) ?? [] { try remove(path + "/" + name) }
        guard rmdir(path) == 0 else { throw Failure(.system("cannot remove", path)) }
    }

    /// Returns the number of bytes that a folder takes on disk; a file with several names counts once.
    package static func usage(_ path: String) -> Int64 {
        var seen: Set<UInt64> = []
        return usage(path, &seen)
    }

    private static func usage(_ path: String, _ seen: inout Set<UInt64>) -> Int64 {
        var status = stat()
        guard lstat(path, &status) == 0 else { return 0 }
        if status.st_nlink > 1, status.st_mode & S_IFMT != S_IFDIR, !seen.insert(UInt64(status.st_ino)).inserted {
            return 0
        }
        var bytes = Int64(status.st_blocks) * 512
        guard status.st_mode & S_IFMT == S_IFDIR else { return bytes }
        for name in FolderListing.names(in: path) ?? [] { bytes += usage(path + "/" + name, &seen) }
        return bytes
    }

    /// Syncs everything below a folder to disk.
    ///
    /// On Linux, one call syncs the file system and reports errors (since 5.8). On other systems, and in sandboxes and
    /// emulators that lack the call, each file is synced.
    package static func sync(_ path: String) throws(Failure) {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw Failure(.system("cannot open", path)) }
        defer { close(descriptor) }
        #if os(Linux)
        if syncfs(descriptor) == 0 { return }
        guard errno == ENOSYS else { throw Failure(.system("cannot sync", path)) }
        #endif
        for name in FolderListing.names(in: path) ?? [] { try syncEach(path + "/" + name) }
        guard fsync(descriptor) == 0 else { throw Failure(.system("cannot sync", path)) }
    }

    /// Syncs the names in a folder to disk.
    package static func syncNames(_ path: String) throws(Failure) {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw Failure(.system("cannot open", path)) }
        defer { close(descriptor) }
        guard fsync(descriptor) == 0 else { throw Failure(.system("cannot sync", path)) }
    }

    private static func syncEach(_ path: String) throws(Failure) {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW)
        guard descriptor >= 0 else { throw Failure(.system("cannot open", path)) }
        defer { close(descriptor) }
        for name in FolderListing.names(in: path) ?? [] { try syncEach(path + "/" + name) }
        guard fsync(descriptor) == 0 else { throw Failure(.system("cannot sync", path)) }
    }
}
