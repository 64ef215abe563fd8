package import AFCPlatform
internal import AFCText

private let folderFlags = O_RDONLY | O_DIRECTORY | O_CLOEXEC

#if os(Linux)
// O_PATH, which Swift's overlay leaves out: a folder through which one may go, and whose names one may not read.
private let passageFlags: Int32 = 0o10_000_000 | O_DIRECTORY | O_CLOEXEC
#else
private let passageFlags = folderFlags
#endif

/// A folder, open: calls for what lies in it can't be led elsewhere by links.
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

    /// Opens the folder that a user named; links on the way to it are followed.
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

    /// Opens a folder in this one; a link isn't followed.
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

    // A file's name is bytes, which need not be UTF-8.
    private func rawNames() throws(Failure) -> [[CChar]] {
        guard let names = FolderListing.names(inFolder: openat(descriptor, ".", folderFlags)) else {
            throw Failure(.system("cannot read the folder", path))
        }
        return names
    }

    /// Removes what has a name, a folder with all that is in it; links are removed, never followed.
    ///
    /// - Throws: The failure with the first path that can't be removed.
    package func remove(_ name: String) throws(Failure) { try remove(Array(name.utf8CString)) }

    private func remove(_ name: [CChar]) throws(Failure) {
        if unlinkat(descriptor, name, 0) == 0 { return }
        let number = errno
        if number == ENOENT { return }
        // Linux says EISDIR of a folder, others say EPERM.
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
            FileError(path + "/" + name, "this is a symbolic link; afcache follows none inside a cache, so remove it")
        )
    }
}

// MARK: Files

extension Folder {
    /// Opens a regular file below the folder; no part of the path is followed where it is a link.
    ///
    /// It never waits, as an open of a pipe would.
    ///
    /// - Parameters:
    ///   - path: The file, relative to the folder.
    ///   - flags: How to open it.
    ///   - mode: Its mode where it is made.
    /// - Returns: The file's descriptor, which the caller closes; nil where there is no such file.
    /// - Throws: The failure where it can't be opened, or is not a regular file.
    package func file(_ path: String, _ flags: Int32 = O_RDONLY, mode: mode_t = 0o644) throws(Failure) -> Int32? {
        guard let (folder, name) = try parent(of: path) else { return nil }
        return try folder.plainFile(name, flags, mode)
    }

    private func plainFile(_ name: String, _ flags: Int32, _ mode: mode_t) throws(Failure) -> Int32? {
        let opened = openat(descriptor, name, flags | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, mode)
        guard opened >= 0 else {
            if errno == ENOENT { return nil }
            throw notOpened("cannot open", name)
        }
        var status = stat()
        guard fstat(opened, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
            close(opened)
            throw Failure(FileError(self.path + "/" + name, "this must be a regular file; remove it", .misplaced))
        }
        return opened
    }

    /// The folder that a path's last part lies in, and that part.
    ///
    /// - Returns: Both, or nil where the folder isn't there.
    /// - Throws: The failure where it can't be opened, or a part of the path is a link or leads elsewhere.
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

    /// Opens a folder in this one; nil where it isn't there.
    package func folderIfThere(_ name: String) throws(Failure) -> Folder? {
        guard kind(of: name) != nil else {
            guard errno == ENOENT else { throw Failure(.system("cannot open the folder", path + "/" + name)) }
            return nil
        }
        return try folder(name)
    }

    /// Makes a folder in this one, where it isn't there.
    package func make(_ name: String) throws(Failure) {
        guard mkdirat(descriptor, name, 0o755) == 0 || errno == EEXIST else {
            throw Failure(.system("cannot make the folder", path + "/" + name))
        }
    }

    /// Removes a file below the folder, where it is there; no part of the path is followed where it is a link.
    package func removeFile(_ path: String) throws(Failure) {
        guard let (folder, name) = try parent(of: path) else { return }
        guard unlinkat(folder.descriptor, name, 0) == 0 || errno == ENOENT else {
            throw Failure(.system("cannot remove", self.path + "/" + path))
        }
    }

    /// The status of a file below the folder; nil if it is missing.
    ///
    /// - Throws: The failure where a part of the path can't be opened or looked at, or is a link.
    package func status(of path: String) throws(Failure) -> stat? {
        guard let (folder, name) = try parent(of: path) else { return nil }
        var status = stat()
        guard fstatat(folder.descriptor, name, &status, AT_SYMLINK_NOFOLLOW) == 0 else {
            guard errno == ENOENT else { throw Failure(.system("cannot look at", self.path + "/" + path)) }
            return nil
        }
        return status
    }

    /// The path of something other than a folder on the way to a file; nil if there is none.
    package func stranger(on path: String) -> String? {
        var folder = self
        for part in path.split(separator: "/").dropLast().map(String.init) {
            guard let kind = folder.kind(of: part) else { return nil }
            guard kind == .folder else { return folder.path + "/" + part }
            // A folder that can't be opened isn't a stranger's; opening the file then fails with the reason.
            guard let next = try? folder.folder(part) else { return nil }
            folder = next
        }
        return nil
    }

    /// A Boolean value that is true where only the user of this process, or root, can change the folder's contents.
    package var isOwn: Bool { ownership == nil }

    /// The reason why another user could change the folder's contents; nil if none can.
    private var ownership: String? {
        var status = stat()
        guard fstat(descriptor, &status) == 0 else {
            return "cannot look at the folder: \(String(cString: strerror(errno)))"
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

    /// Refuses a folder that others could change while something is written to it, or could have prepared.
    package func requireOwn() throws(Failure) {
        if let ownership { throw Failure(FileError(path, ownership)) }
    }

    /// Replaces a file of the folder as a whole, or makes it; readers see the old bytes or the new ones.
    ///
    /// The new name is durable once the folder is synced.
    ///
    /// - Parameters:
    ///   - name: The file.
    ///   - bytes: What it holds afterwards.
    ///   - staging: The folder, of the same file system, where it is written and synced first.
    ///   - draft: The name there; none that is taken.
    /// - Throws: The failure; the file that was there is then as it was, and the draft may be left.
    package func replace(_ name: String, with bytes: [UInt8], by staging: Folder, as draft: String) throws(Failure) {
        guard let descriptor = try staging.file(draft, O_WRONLY | O_CREAT | O_EXCL) else {
            throw Failure(.system("cannot make", staging.path + "/" + draft, number: ENOENT))
        }
        defer { close(descriptor) }
        guard bytes.withUnsafeBytes({ Descriptor.append($0, to: descriptor) }) else {
            throw Failure(.system("cannot write", staging.path + "/" + draft))
        }
        guard Descriptor.sync(descriptor), renameat(staging.descriptor, draft, self.descriptor, name) == 0 else {
            throw Failure(.system("cannot write", path + "/" + name))
        }
    }
}

/// The names in a folder, and paths below it.
package enum FolderListing {
    /// The names in a folder, in no order; nil where it can't be read.
    ///
    /// - Parameter path: The folder; a link to one is followed.
    /// - Returns: The names.
    package static func names(in path: String) -> [String]? {
        names(inFolder: open(path, folderFlags))?.map(text)
    }

    /// Tells whether a path leads to something below the folder that it counts from, and nowhere else.
    package static func isBelow(_ path: String) -> Bool {
        !path.utf8.contains(0)
            && path.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false).allSatisfy { part in
                !part.isEmpty && !part.elementsEqual(".".utf8) && !part.elementsEqual("..".utf8)
            }
    }

    // A file's name is bytes, which need not be UTF-8.
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
