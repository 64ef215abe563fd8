import AFCPlatform

/// A new folder for temporary files that only this user can enter: `.NAME.PID.afcache-tmp-NUMBER`.
///
/// A killed process leaves such a folder. The next one with the same name removes those of this user whose process is
/// gone.
package struct TemporaryFolder: Sendable {
    /// The path of the folder.
    package let path: String
    private let parent: Folder<FileError>
    private let name: String

    private static let mark = ".afcache-tmp-"

    /// Creates a folder.
    ///
    /// - Parameters:
    ///   - use: The name of what the folder is for.
    ///   - folder: The folder for temporary files.
    /// - Throws: ``FileError`` if it can't be created.
    package init(for use: String, in folder: String) throws(FileError) {
        parent = try Folder<FileError>(path: folder)
        let prefix = ".\(use)."
        for name in Self.leftovers(prefix, in: parent) { try? parent.remove(name) }
        name = "\(prefix)\(getpid())\(Self.mark)\(UInt32.random(in: 0...UInt32.max))"
        path = "\(folder)/\(name)"
        guard mkdirat(parent.descriptor, name, 0o700) == 0 else { throw .system("cannot create the folder", path) }
    }

    /// Removes the folder with its contents; if that fails, the next process with the same use tries again.
    package func remove() { try? parent.remove(name) }

    /// Removes the folders for one use that killed processes of this user left.
    ///
    /// - Parameters:
    ///   - use: The name of what the folders are for.
    ///   - folder: The folder for temporary files; it need not exist.
    /// - Returns: The number of folders that were removed, and the bytes that they took on the disk.
    package static func removeLeftovers(of use: String, in folder: String) -> (count: Int, bytes: Int64) {
        var removed: (count: Int, bytes: Int64) = (0, 0)
        // What can't be removed now is removed the next time.
        guard let parent = try? Folder<FileError>(path: folder) else { return removed }
        for name in leftovers(".\(use).", in: parent) {
            let bytes = FolderTree<FileError>.usage(folder + "/" + name)
            guard (try? parent.remove(name)) != nil else { continue }
            removed.count += 1
            removed.bytes += bytes
        }
        return removed
    }

    private static func leftovers(_ prefix: String, in parent: Folder<FileError>) -> [String] {
        ((try? parent.names()) ?? []).filter { name in
            let rest = name.dropFirst(prefix.count)
            guard name.hasPrefix(prefix), let dot = rest.firstIndex(of: "."), rest[dot...].hasPrefix(mark),
                let owner = pid_t(rest[..<dot]), owner > 0, kill(owner, 0) != 0, errno == ESRCH
            else { return false }
            var status = stat()
            return fstatat(parent.descriptor, name, &status, AT_SYMLINK_NOFOLLOW) == 0 && status.st_uid == geteuid()
                && status.st_mode & S_IFMT == S_IFDIR
        }
    }
}
