#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// A folder, open: calls for what lies in it can't be led elsewhere by links.
final class OpenFolder: Sendable {
    /// What a name stands for.
    enum Kind: Sendable, Equatable {
        case folder, file, link, other
    }

    /// The folder's path, for errors.
    let path: String
    let descriptor: Int32

    private static let flags = O_RDONLY | O_DIRECTORY | O_CLOEXEC

    /// Opens the folder that a user named; links on the way to it are followed.
    init(path: String) throws(CacheError) {
        descriptor = open(path, Self.flags)
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
        let opened = openat(descriptor, name, Self.flags | O_NOFOLLOW)
        guard opened >= 0 else { throw notOpened("cannot open the folder", name) }
        return OpenFolder(path: path + "/" + name, descriptor: opened)
    }

    /// What a name stands for, or nil where there is none.
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
            message: "this is a link, which afcache doesn't follow within a cache; remove the link"
        )
    }
}
