internal import AFCText

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// A folder, open: calls for what lies in it can't be led elsewhere by links.
final class OpenFolder: Sendable {
    /// The kinds of things that a name refers to.
    enum Kind: Sendable, Equatable {
        case folder, file, link, other
    }

    /// The folder's path, for errors.
    let path: String
    let descriptor: Int32

    private static let flags = O_RDONLY | O_DIRECTORY | O_CLOEXEC

    #if os(Linux)
    // O_PATH, which Swift's overlay leaves out: a folder through which one may go, and whose names one may not read.
    private static let passage: Int32 = 0o10_000_000 | O_DIRECTORY | O_CLOEXEC
    #else
    private static let passage = flags
    #endif

    /// Opens the folder that a user named; links on the way to it are followed.
    init(path: String) throws(CacheError) {
        var opened = open(path, Self.flags)
        if opened < 0, errno == EACCES { opened = open(path, Self.passage) }
        descriptor = opened
        self.path = path
        guard descriptor >= 0 else { throw .system("cannot open the folder", path: path) }
    }

    private init(path: String, descriptor: Int32) {
        self.path = path
        self.descriptor = descriptor
    }

    deinit { if descriptor >= 0 { close(descriptor) } }

    /// Opens a folder in this one; a link isn't followed.
    func folder(_ name: String) throws(CacheError) -> OpenFolder {
        var opened = openat(descriptor, name, Self.flags | O_NOFOLLOW)
        if opened < 0, errno == EACCES { opened = openat(descriptor, name, Self.passage | O_NOFOLLOW) }
        guard opened >= 0 else { throw notOpened("cannot open the folder", name) }
        return OpenFolder(path: path + "/" + name, descriptor: opened)
    }

    /// The kind of thing that a name refers to; nil if there is none.
    func kind(of name: String) -> Kind? { name.withCString { kind(of: $0) } }

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
    func names() throws(CacheError) -> [String] { try rawNames().map(Self.text).sorted() }

    // A file's name is bytes, which need not be UTF-8.
    private func rawNames() throws(CacheError) -> [[CChar]] {
        let copy = openat(descriptor, ".", Self.flags)
        guard copy >= 0, let stream = fdopendir(copy) else {
            defer { if copy >= 0 { close(copy) } }
            throw .system("cannot read the folder", path: path)
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

    /// Removes what has a name, a folder with all that is in it; links are removed, never followed.
    ///
    /// - Throws: ``CacheError`` with the first path that can't be removed.
    func remove(_ name: String) throws(CacheError) { try remove(Array(name.utf8CString)) }

    private func remove(_ name: [CChar]) throws(CacheError) {
        if unlinkat(descriptor, name, 0) == 0 { return }
        let number = errno
        if number == ENOENT { return }
        // Linux says EISDIR of a folder, others say EPERM.
        guard kind(of: name) == .folder else { throw .system("cannot remove", path: shown(name), number: number) }
        let opened = openat(descriptor, name, Self.flags | O_NOFOLLOW)
        guard opened >= 0 else { throw .system("cannot remove", path: shown(name)) }
        let folder = OpenFolder(path: shown(name), descriptor: opened)
        for name in try folder.rawNames() { try folder.remove(name) }
        guard unlinkat(descriptor, name, AT_REMOVEDIR) == 0 else { throw .system("cannot remove", path: shown(name)) }
    }

    private func shown(_ name: [CChar]) -> String { path + "/" + Self.text(name) }

    private static func text(_ name: [CChar]) -> String {
        String(decoding: name.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    private func notOpened(_ what: String, _ name: String) -> CacheError {
        let number = errno
        guard number == ELOOP || number == ENOTDIR, kind(of: name) == .link else {
            return .system(what, path: path + "/" + name, number: number)
        }
        return CacheError(
            .inputOutput,
            subject: path + "/" + name,
            message: "this is a symbolic link; afcache follows none inside a cache, so remove it"
        )
    }
}

// MARK: Files

extension OpenFolder {
    /// Opens a regular file below the folder; no part of the path is followed where it is a link.
    ///
    /// It never waits, as an open of a pipe would.
    ///
    /// - Parameters:
    ///   - path: The file, relative to the folder.
    ///   - flags: How to open it.
    ///   - mode: Its mode where it is made.
    /// - Returns: The file's descriptor, which the caller closes; nil where there is no such file.
    /// - Throws: ``CacheError`` where it can't be opened, or is not a regular file.
    func file(_ path: String, _ flags: Int32 = O_RDONLY, mode: mode_t = 0o644) throws(CacheError) -> Int32? {
        guard let (folder, name) = try parent(of: path) else { return nil }
        return try folder.plainFile(name, flags, mode)
    }

    private func plainFile(_ name: String, _ flags: Int32, _ mode: mode_t) throws(CacheError) -> Int32? {
        let opened = openat(descriptor, name, flags | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, mode)
        guard opened >= 0 else {
            if errno == ENOENT { return nil }
            throw notOpened("cannot open", name)
        }
        var status = stat()
        guard fstat(opened, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
            close(opened)
            throw CacheError(
                .damaged,
                subject: self.path + "/" + name,
                message: "this must be a regular file; remove it"
            )
        }
        return opened
    }

    /// The folder that a path's last part lies in, and that part.
    ///
    /// - Returns: Both, or nil where the folder isn't there.
    /// - Throws: ``CacheError`` where it can't be opened, or a part of the path is a link or leads elsewhere.
    func parent(of path: String, making isMaking: Bool = false) throws(CacheError) -> (OpenFolder, String)? {
        guard OwnName.isBelow(path) else {
            throw CacheError(.damaged, subject: self.path, message: "the path '\(path)' leads out of the folder")
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
    func folderIfThere(_ name: String) throws(CacheError) -> OpenFolder? {
        guard kind(of: name) != nil else {
            guard errno == ENOENT else { throw .system("cannot open the folder", path: path + "/" + name) }
            return nil
        }
        return try folder(name)
    }

    /// Makes a folder in this one, where it isn't there.
    func make(_ name: String) throws(CacheError) {
        guard mkdirat(descriptor, name, 0o755) == 0 || errno == EEXIST else {
            throw .system("cannot make the folder", path: path + "/" + name)
        }
    }

    /// Removes a file below the folder, where it is there; no part of the path is followed where it is a link.
    func removeFile(_ path: String) throws(CacheError) {
        guard let (folder, name) = try parent(of: path) else { return }
        guard unlinkat(folder.descriptor, name, 0) == 0 || errno == ENOENT else {
            throw .system("cannot remove", path: self.path + "/" + path)
        }
    }

    /// The status of a file below the folder; nil if it is missing.
    ///
    /// - Throws: ``CacheError`` where a part of the path can't be opened or looked at, or is a link.
    func status(of path: String) throws(CacheError) -> stat? {
        guard let (folder, name) = try parent(of: path) else { return nil }
        var status = stat()
        guard fstatat(folder.descriptor, name, &status, AT_SYMLINK_NOFOLLOW) == 0 else {
            guard errno == ENOENT else { throw .system("cannot look at", path: self.path + "/" + path) }
            return nil
        }
        return status
    }

    /// The path of something other than a folder on the way to a file; nil if there is none.
    func stranger(on path: String) -> String? {
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
    var isOwn: Bool { ownership == nil }

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
    func requireOwn() throws(CacheError) {
        if let ownership { throw CacheError(.inputOutput, subject: path, message: ownership) }
    }
}
