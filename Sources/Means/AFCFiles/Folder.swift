package import AFCPlatform
internal import AFCText

private let folderFlags = O_RDONLY | O_DIRECTORY | O_CLOEXEC

#if os(Linux)
// O_PATH, which Swift's overlay lacks: opens a folder that may be passed through even if its names can't be read.
private let passageFlags: Int32 = 0o10_000_000 | O_DIRECTORY | O_CLOEXEC
#else
private let passageFlags = folderFlags
#endif

/// An open folder, whose contents are accessed so that links can't redirect a call elsewhere.
///
/// Its errors are those of the module that uses it.
package final class Folder<Failure: FileFailure>: Sendable {
    /// The kinds of things that a name refers to.
    package enum Kind: Sendable, Equatable {
        case folder, file, link, other
    }

    /// The folder's path, for errors.
    package let path: String
    package let descriptor: Int32

    /// Opens a folder by a path from the user.
    ///
    /// Links in the path are followed.
    package init(path: String) throws(Failure) {
        var opened = open(path, folderFlags)
        if opened < 0, errno == EACCES { opened = open(path, passageFlags) }
        descriptor = opened
        self.path = path
        guard descriptor >= 0 else { throw Failure(.system("cannot open the folder", path)) }
    }

    private init(path: String, descriptor: Int32) {
        self.path = path
        self.descriptor = descriptor
    }

    deinit { if descriptor >= 0 { close(descriptor) } }

    /// Opens a folder in this one without following a link.
    package func folder(_ name: String) throws(Failure) -> Folder {
        var opened = openat(descriptor, name, folderFlags | O_NOFOLLOW)
        if opened < 0, errno == EACCES { opened = openat(descriptor, name, passageFlags | O_NOFOLLOW) }
        guard opened >= 0 else { throw notOpened("cannot open the folder", name) }
        return Folder(path: path + "/" + name, descriptor: opened)
    }

    /// The kind of thing that a name refers to; nil if there is none.
    package func kind(of name: String) -> Kind? { name.withCString { kind(of: $0) } }

    private func kind(of name: UnsafePointer<CChar>) -> Kind? {
        var status = stat()
        guard fstatat(descriptor, name, &status, AT_SYMLINK_NOFOLLOW) == 0 else { return nil }
        return switch status.st_mode & S_IFMT {
        case S_IFDIR: .folder
        case S_IFREG: .file
        case S_IFLNK: .link
        default: .other
        }
    }

    /// The names in the folder, sorted.
    package func names() throws(Failure) -> [String] { try rawNames().map(FolderListing.text).sorted() }

    // A file name consists of bytes, which may not be UTF-8.
    private func rawNames() throws(Failure) -> [[CChar]] {
        guard let names = FolderListing.names(inFolder: openat(descriptor, ".", folderFlags)) else {
            throw Failure(.system("cannot read the folder", path))
        }
        return names
    }

    /// Removes a file, or a folder with its contents; links are removed, never followed.
    ///
    /// - Throws: The failure for the first path that can't be removed.
    package func remove(_ name: String) throws(Failure) { try remove(Array(name.utf8CString)) }

    private func remove(_ name: [CChar]) throws(Failure) {
        if unlinkat(descriptor, name, 0) == 0 { return }
        let number = errno
        if number == ENOENT { return }
        // On Linux, unlinking a folder fails with EISDIR, on other systems with EPERM.
        guard kind(of: name) == .folder else { throw Failure(.system("cannot remove", shown(name), number: number)) }
        let opened = openat(descriptor, name, folderFlags | O_NOFOLLOW)
        guard opened >= 0 else { throw Failure(.system("cannot remove", shown(name))) }
        let folder = Folder(path: shown(name), descriptor: opened)
        for name in try folder.rawNames() { try folder.remove(name) }
        guard unlinkat(descriptor, name, AT_REMOVEDIR) == 0 else {
            throw Failure(.system("cannot remove", shown(name)))
        }
    }

    private func shown(_ name: [CChar]) -> String { path + "/" + FolderListing.text(name) }

    private func notOpened(_ what: String, _ name: String) -> Failure {
        let number = errno
        guard number == ELOOP || number == ENOTDIR, kind(of: name) == .link else {
            return Failure(.system(what, path + "/" + name, number: number))
        }
        return Failure(
            FileError(path + "/" + name, "this is a symbolic link, which is never followed inside a cache; remove it")
        )
    }
}

// MARK: Files

extension Folder {
    /// Opens a regular file below the folder.
    ///
    /// If any part of the path is a link, opening fails.
    ///
    /// It never blocks, as opening a pipe would.
    ///
    /// - Parameters:
    ///   - path: The path of the file, relative to the folder.
    ///   - flags: The flags for opening the file.
    ///   - mode: The mode of a new file.
    /// - Returns: The descriptor, which the caller closes; nil if there is no such file.
    /// - Throws: The failure if the file can't be opened or is not a regular file.
    package func file(_ path: String, _ flags: Int32 = O_RDONLY, mode: mode_t = 0o644) throws(Failure) -> Int32? {
        // Most files are opened with one call; the reason for a failure is found out step by step.
        if flags == O_RDONLY, FolderListing.isBelow(path),
            let opened = Descriptor.open(path, below: descriptor, waiting: true)
        {
            return try plain(opened, path)
        }
        guard let (folder, name) = try parent(of: path) else { return nil }
        let opened = openat(folder.descriptor, name, flags | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, mode)
        guard opened >= 0 else {
            if errno == ENOENT { return nil }
            throw folder.notOpened("cannot open", name)
        }
        return try folder.plain(opened, name)
    }

    /// Opens a regular file below the folder for reading if that takes no wait for a disk.
    ///
    /// - Returns: The descriptor, which the caller closes; nil if opening would wait or fails.
    package func fileAtOnce(_ path: String) -> Int32? {
        guard FolderListing.isBelow(path), let opened = Descriptor.open(path, below: descriptor, waiting: false) else {
            return nil
        }
        return try? plain(opened, path)
    }

    private func plain(_ opened: Int32, _ name: String) throws(Failure) -> Int32 {
        var status = stat()
        guard fstat(opened, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
            close(opened)
            throw Failure(FileError(self.path + "/" + name, "this must be a regular file; remove it", .misplaced))
        }
        return opened
    }

    /// Opens the folder that contains the last part of a path.
    ///
    /// - Returns: The folder and the last part, or nil if the folder doesn't exist.
    /// - Throws: The failure if the folder can't be opened, or if a part of the path is a link or leads out of the
    ///   folder.
    package func parent(of path: String, making isMaking: Bool = false) throws(Failure) -> (Folder, String)? {
        guard FolderListing.isBelow(path) else {
            throw Failure(FileError(self.path, "the path '\(path)' leads out of the folder", .misplaced))
        }
        var folder = self
        var parts = path.split(separator: "/").map(String.init)
        let name = parts.removeLast()
        for part in parts {
            if isMaking { try folder.make(part) }
            guard let next = try folder.folderIfThere(part) else { return nil }
            folder = next
        }
        return (folder, name)
    }

    /// Opens a folder in this one; nil if it doesn't exist.
    package func folderIfThere(_ name: String) throws(Failure) -> Folder? {
        guard kind(of: name) != nil else {
            guard errno == ENOENT else { throw Failure(.system("cannot open the folder", path + "/" + name)) }
            return nil
        }
        return try folder(name)
    }

    /// Creates a folder in this one, unless it exists.
    package func make(_ name: String) throws(Failure) {
        guard mkdirat(descriptor, name, 0o755) == 0 || errno == EEXIST else {
            throw Failure(.system("cannot create the folder", path + "/" + name))
        }
    }

    /// Removes a file below the folder if it exists.
    ///
    /// If any part of the path is a link, this fails.
    package func removeFile(_ path: String) throws(Failure) {
        guard let (folder, name) = try parent(of: path) else { return }
        guard unlinkat(folder.descriptor, name, 0) == 0 || errno == ENOENT else {
            throw Failure(.system("cannot remove", self.path + "/" + path))
        }
    }

    /// Returns the status of a file below the folder; nil if it is missing.
    ///
    /// - Throws: The failure if a part of the path can't be accessed or is a link.
    package func status(of path: String) throws(Failure) -> stat? {
        guard let (folder, name) = try parent(of: path) else { return nil }
        var status = stat()
        guard fstatat(folder.descriptor, name, &status, AT_SYMLINK_NOFOLLOW) == 0 else {
            guard errno == ENOENT else { throw Failure(.system("cannot access", self.path + "/" + path)) }
            return nil
        }
        return status
    }

    /// Returns the path of something other than a folder on the way to a file; nil if there is none.
    package func stranger(on path: String) -> String? {
        var folder = self
        for part in path.split(separator: "/").dropLast().map(String.init) {
            guard let kind = folder.kind(of: part) else { return nil }
            guard kind == .folder else { return folder.path + "/" + part }
            // A folder that can't be opened may still be our own; opening the file then fails with the reason.
            guard let next = try? folder.folder(part) else { return nil }
            folder = next
        }
        return nil
    }

    /// True if only the user of this process, or root, can change the folder's contents.
    package var isOwn: Bool { ownership == nil }

    /// The reason why another user could change the folder's contents; nil if no other user can.
    private var ownership: String? {
        var status = stat()
        guard fstat(descriptor, &status) == 0 else {
            return "cannot access the folder: \(String(cString: strerror(errno)))"
        }
        guard status.st_uid == geteuid() || status.st_uid == 0 else {
            return "the folder belongs to user \(status.st_uid), who could redirect writes to other files; run "
                + "afcache as that user, or use a folder of your own"
        }
        guard status.st_mode & 0o022 == 0 else {
            return "other users can write to the folder and could redirect writes; run 'chmod go-w' on it, or use a "
                + "folder inside it"
        }
        return nil
    }

    /// Refuses a folder that another user could have prepared, or could change during a write.
    package func requireOwn() throws(Failure) {
        if let ownership { throw Failure(FileError(path, ownership)) }
    }

    /// Creates or replaces a file in the folder as a whole; readers see either the old bytes or the new ones.
    ///
    /// The new name is durable once the folder is synced.
    ///
    /// - Parameters:
    ///   - name: The name of the file.
    ///   - bytes: The new contents.
    ///   - staging: The folder, in the same file system, in which the file is written and synced first.
    ///   - draft: A free name in that folder.
    ///   - check: Called just before the file is replaced; if it throws, the file isn't.
    /// - Throws: The failure; an existing file is then unchanged, and the draft may remain.
    package func replace(
        _ name: String,
        with bytes: [UInt8],
        by staging: Folder,
        as draft: String,
        check: () throws(Failure) -> Void = {}
    ) throws(Failure) {
        guard let descriptor = try staging.file(draft, O_WRONLY | O_CREAT | O_EXCL) else {
            throw Failure(.system("cannot create", staging.path + "/" + draft, number: ENOENT))
        }
        defer { close(descriptor) }
        guard bytes.withUnsafeBytes({ Descriptor.append($0, to: descriptor) }) else {
            throw Failure(.system("cannot write", staging.path + "/" + draft))
        }
        guard Descriptor.sync(descriptor) else { throw Failure(.system("cannot write", path + "/" + name)) }
        try check()
        guard renameat(staging.descriptor, draft, self.descriptor, name) == 0 else {
            throw Failure(.system("cannot write", path + "/" + name))
        }
    }
}

/// Functions on the names in a folder and on relative paths.
package enum FolderListing {
    /// Returns the names in a folder, in no particular order; nil if it can't be read.
    ///
    /// - Parameter path: The folder; a link to a folder is followed.
    /// - Returns: The names.
    package static func names(in path: String) -> [String]? {
        names(inFolder: open(path, folderFlags))?.map(text)
    }

    /// Returns true if a relative path stays below the folder.
    package static func isBelow(_ path: String) -> Bool {
        !path.utf8.contains(0)
            && path.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false).allSatisfy { part in
                !part.isEmpty && !part.elementsEqual(".".utf8) && !part.elementsEqual("..".utf8)
            }
    }

    // A file name consists of bytes, which may not be UTF-8.
    fileprivate static func names(inFolder descriptor: Int32) -> [[CChar]]? {
        guard descriptor >= 0, let stream = fdopendir(descriptor) else {
            if descriptor >= 0 { close(descriptor) }
            return nil
        }
        defer { closedir(stream) }
        var names: [[CChar]] = []
        while let entry = readdir(stream) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) { pointer in
                pointer.withMemoryRebound(to: CChar.self, capacity: 256) { start in
                    Array(UnsafeBufferPointer(start: start, count: strlen(start) + 1))
                }
            }
            if name != [46, 0], name != [46, 46, 0] { names.append(name) }
        }
        return names
    }

    fileprivate static func text(_ name: [CChar]) -> String {
        String(decoding: name.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }
}
