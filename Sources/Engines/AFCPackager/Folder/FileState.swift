internal import AFCText
internal import Crypto

#if canImport(Glibc)
internal import Glibc
#elseif canImport(Musl)
internal import Musl
#elseif canImport(Darwin)
internal import Darwin
#endif

/// What tells whether a file is still the one that was seen before.
struct FileState: Sendable, Equatable {
    /// What a path leads to.
    enum Kind: Equatable {
        case file(FileState)
        case folder
        case link
        case special
    }

    var size: Int64
    var modifiedSeconds: Int64
    var modifiedNanoseconds: Int64
    var inode: UInt64

    /// Looks at a path without following a symbolic link.
    static func look(at path: String) throws(PackagingError) -> Kind {
        var info = stat()
        guard lstat(path, &info) == 0 else { throw .system(path) }
        switch info.st_mode & S_IFMT {
        case S_IFREG: return .file(FileState(info))
        case S_IFDIR: return .folder
        case S_IFLNK: return .link
        default: return .special
        }
    }

    /// Whether a path leads to anything.
    static func exists(_ path: String) -> Bool { access(path, F_OK) == 0 }

    /// Looks at the file that a path leads to, by symbolic links, too.
    static func following(_ path: String) throws(PackagingError) -> FileState {
        var info = stat()
        guard stat(path, &info) == 0 else { throw .system(path) }
        return FileState(info)
    }

    /// Reads a file from start to end and gives the SHA-256 of its bytes as 64 hexadecimal digits.
    ///
    /// - Throws: ``PackagingError`` where it can't be read, or is not what it was when it was listed.
    func digest(of path: String) throws(PackagingError) -> String {
        let descriptor = open(path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC)
        guard descriptor >= 0 else { throw .system(path) }
        defer { close(descriptor) }
        var hash = SHA256()
        var total: Int64 = 0
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 256 << 10, alignment: 16)
        defer { buffer.deallocate() }
        while true {
            let count = read(descriptor, buffer.baseAddress, buffer.count)
            if count == 0 { break }
            guard count > 0 else {
                if errno == EINTR { continue }
                throw .system(path)
            }
            hash.update(bufferPointer: UnsafeRawBufferPointer(rebasing: buffer[..<count]))
            total += Int64(count)
        }
        var info = stat()
        guard fstat(descriptor, &info) == 0 else { throw .system(path) }
        guard FileState(info) == self, total == size else { throw Self.change(of: path) }
        return Hexadecimal.text(hash.finalize())
    }

    /// Makes sure that the file is still what it was.
    func requireUnchanged(_ path: String) throws(PackagingError) {
        guard try Self.look(at: path) == .file(self) else { throw Self.change(of: path) }
    }

    private static func change(of path: String) -> PackagingError {
        PackagingError(
            .changed,
            subject: path,
            message: "changed while it was packed; pack again when nothing writes to it"
        )
    }
}

extension FileState {
    fileprivate init(_ info: stat) {
        #if canImport(Darwin)
        let modified = info.st_mtimespec
        #else
        let modified = info.st_mtim
        #endif
        self.init(
            size: Int64(info.st_size),
            modifiedSeconds: Int64(modified.tv_sec),
            modifiedNanoseconds: Int64(modified.tv_nsec),
            inode: UInt64(info.st_ino)
        )
    }
}

/// Bytes as hexadecimal digits.
enum Hexadecimal {
    static func text(_ bytes: some Sequence<UInt8>) -> String {
        var digits: [UInt8] = []
        let table = Array("0123456789abcdef".utf8)
        for byte in bytes {
            digits.append(table[Int(byte >> 4)])
            digits.append(table[Int(byte & 15)])
        }
        return String(decoding: digits, as: UTF8.self)
    }
}
