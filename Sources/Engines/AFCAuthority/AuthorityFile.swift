internal import AFCText

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// Reading and writing of the two files, with the modes that they must have.
enum AuthorityFile {
    private static let limit = 64 << 10

    static func exists(_ path: String) -> Bool {
        var status = stat()
        return lstat(path, &status) == 0
    }

    static func remove(_ path: String) { unlink(path) }

    /// Reads a file of at most 64 KiB.
    static func read(_ path: String, isSecret: Bool = false) throws(AuthorityError) -> [UInt8] {
        // Without waiting, so that a pipe in the place of a file is told, not waited for.
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else { throw failure("open", path) }
        defer { close(descriptor) }
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { throw failure("read", path) }
        guard status.st_mode & S_IFMT == S_IFREG else {
            throw AuthorityError(.malformed, subject: path, message: "this is not a file")
        }
        guard isOurs(status) else { throw foreign(path) }
        guard !isSecret || status.st_mode & 0o077 == 0 else {
            throw AuthorityError(
                .exposed,
                subject: path,
                message:
                    "other users can read the private key; if anyone may have, replace it with 'afcache ca create "
                    + "--force', otherwise run 'chmod 600' on it"
            )
        }
        guard status.st_mode & 0o022 == 0 else {
            throw AuthorityError(
                .exposed,
                subject: path,
                message:
                    "other users can change the certificate; make sure that it is yours, then run 'chmod go-w' on it"
            )
        }
        var bytes = [UInt8](repeating: 0, count: limit + 1)
        var size = 0
        while size < bytes.count {
            let count = bytes.withUnsafeMutableBytes { buffer in
                systemRead(descriptor, buffer.baseAddress?.advanced(by: size), buffer.count - size)
            }
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { throw failure("read", path) }
            guard count > 0 else { break }
            size += count
        }
        guard size <= limit else {
            throw AuthorityError(.malformed, subject: path, message: "the file is larger than 64 KiB")
        }
        return Array(bytes.prefix(size))
    }

    /// Makes the folder, for its owner alone, and the folders above it.
    static func make(folder path: String) throws(AuthorityError) {
        if mkdir(path, 0o700) == 0 || errno == EEXIST { return }
        guard errno == ENOENT, let slash = path.lastIndex(of: "/"), slash != path.startIndex else {
            throw failure("make", path)
        }
        try make(folder: String(path[..<slash]))
        guard mkdir(path, 0o700) == 0 || errno == EEXIST else { throw failure("make", path) }
    }

    /// Refuses a folder in which others could exchange the files.
    static func requireOwn(folder path: String) throws(AuthorityError) {
        var status = stat()
        guard stat(path, &status) == 0 else { throw failure("use", path) }
        guard status.st_mode & S_IFMT == S_IFDIR else {
            throw AuthorityError(.inputOutput, subject: path, message: "this is not a folder")
        }
        guard isOurs(status) else { throw foreign(path) }
        // With the sticky bit, as in /tmp, only the owner of a file can exchange it.
        guard status.st_mode & 0o022 == 0 || status.st_mode & S_ISVTX != 0 else {
            throw AuthorityError(
                .exposed,
                subject: path,
                message:
                    "other users can write to the folder and could exchange the authority; run 'chmod go-w' on it, or "
                    + "use another one with '--folder'"
            )
        }
    }

    /// Refuses to replace anything but a regular file: links, devices and pipes serve another purpose.
    static func requireReplaceable(_ path: String) throws(AuthorityError) {
        var status = stat()
        guard lstat(path, &status) != 0 || status.st_mode & S_IFMT == S_IFREG else {
            throw AuthorityError(.inputOutput, subject: path, message: "this is not a regular file; remove it first")
        }
    }

    /// Tells whether a file or folder belongs to the user of this process, or to root.
    private static func isOurs(_ status: stat) -> Bool { status.st_uid == geteuid() || status.st_uid == 0 }

    private static func foreign(_ path: String) -> AuthorityError {
        AuthorityError(
            .exposed,
            subject: path,
            message:
                "this belongs to another user, who could exchange the authority at any time; run afcache as that user, or "
                + "use a folder of your own with '--folder'"
        )
    }

    /// Writes a file aside, with its mode from the first moment on, and gives it its name once it is on the disk.
    static func write(
        _ text: String,
        to path: String,
        mode: mode_t,
        replacing isReplacing: Bool
    ) throws(AuthorityError) {
        var generator = SystemRandomNumberGenerator()
        let aside = path + ".\(String(UInt64.random(in: .min ... .max, using: &generator), radix: 16)).new"
        let descriptor = open(aside, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, mode)
        guard descriptor >= 0 else { throw failure("make", aside) }
        var isDone = false
        defer { if !isDone { unlink(aside) } }
        do throws(AuthorityError) {
            try fill(descriptor, text, mode: mode, path)
        } catch {
            close(descriptor)
            throw error
        }
        guard close(descriptor) == 0 else { throw failure("write", path) }
        if isReplacing {
            guard rename(aside, path) == 0 else { throw failure("replace", path) }
            isDone = true
        } else {
            // Unlike a renaming, a link never replaces what another process has put there meanwhile.
            guard link(aside, path) == 0 else { throw failure("make", path) }
        }
        try sync(folderOf: path)
    }

    private static func fill(_ descriptor: Int32, _ text: String, mode: mode_t, _ path: String) throws(AuthorityError) {
        var bytes = Array(text.utf8)[...]
        while !bytes.isEmpty {
            let count = bytes.withUnsafeBytes { systemWrite(descriptor, $0.baseAddress, $0.count) }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { throw failure("write", path) }
            bytes = bytes.dropFirst(count)
        }
        // The mask of the process may have taken bits of the mode away; it never adds any.
        guard fchmod(descriptor, mode) == 0, fsync(descriptor) == 0 else { throw failure("write", path) }
    }

    private static func sync(folderOf path: String) throws(AuthorityError) {
        let folder = path.lastIndex(of: "/").map { String(path[..<$0]) } ?? "."
        let descriptor = open(folder.isEmpty ? "/" : folder, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw failure("sync", folder) }
        defer { close(descriptor) }
        guard fsync(descriptor) == 0 else { throw failure("sync", folder) }
    }

    private static func failure(_ what: String, _ path: String) -> AuthorityError {
        let number = errno
        let reason = String(cString: strerror(number))
        switch number {
        case ENOENT where what == "open":
            return AuthorityError(
                .missing,
                subject: path,
                message:
                    "there is no such file; 'afcache ca create' makes an authority, and '--folder' says where it is"
            )
        case EEXIST:
            return AuthorityError(.exists, subject: path, message: "there is a file already; '--force' replaces it")
        default:
            return AuthorityError(.inputOutput, subject: path, message: "cannot \(what) this: \(reason)")
        }
    }
}

// Within the type these names mean its own.

private func systemRead(_ descriptor: Int32, _ bytes: UnsafeMutableRawPointer?, _ count: Int) -> Int {
    read(descriptor, bytes, count)
}

private func systemWrite(_ descriptor: Int32, _ bytes: UnsafeRawPointer?, _ count: Int) -> Int {
    write(descriptor, bytes, count)
}
