internal import AFCFiles
import AFCPlatform
internal import AFCText

/// The access to an authority's two files, with the required modes.
enum AuthorityFile {
    private static let limit = 64 << 10

    static func exists(_ path: String) -> Bool {
        var status = stat()
        return lstat(path, &status) == 0
    }

    static func remove(_ path: String) { unlink(path) }

    /// Reads a file of at most 64 KiB.
    static func read(_ path: String, isSecret: Bool = false) throws(AuthorityError) -> [UInt8] {
        // Non-blocking, so that a pipe in place of the file gives an error instead of a hang.
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else { throw failure("open", path) }
        defer { close(descriptor) }
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { throw failure("read", path) }
        guard status.st_mode & S_IFMT == S_IFREG else {
            throw AuthorityError(.malformed, subject: path, message: "not a regular file")
        }
        guard isOurs(status) else { throw foreign(path) }
        guard !isSecret || status.st_mode & 0o077 == 0 else {
            throw AuthorityError(
                .exposed,
                subject: path,
                message:
                    "other users can read the private key; if anyone may have, replace it, otherwise run 'chmod 600' on it",
                remedy: .replaceAuthority
            )
        }
        guard status.st_mode & 0o022 == 0 else {
            throw AuthorityError(
                .exposed,
                subject: path,
                message:
                    "other users can change the certificate; check that it is yours, then run 'chmod go-w' on it"
            )
        }
        var bytes = [UInt8](repeating: 0, count: limit + 1)
        guard let size = bytes.withUnsafeMutableBytes({ Descriptor.read(descriptor, into: $0, at: 0) }) else {
            throw failure("read", path)
        }
        guard size <= limit else {
            throw AuthorityError(.malformed, subject: path, message: "the file is larger than 64 KiB")
        }
        return Array(bytes.prefix(size))
    }

    /// Creates the folder for its owner alone, and the folders above it.
    static func make(folder path: String) throws(AuthorityError) {
        do throws(FileError) {
            try FolderTree<FileError>.make(path, mode: 0o700)
        } catch {
            throw failure("create", error.path, number: error.number ?? 0)
        }
    }

    /// Refuses a folder in which other users could replace the files.
    static func requireOwn(folder path: String) throws(AuthorityError) {
        var status = stat()
        guard stat(path, &status) == 0 else { throw failure("use", path) }
        guard status.st_mode & S_IFMT == S_IFDIR else {
            throw AuthorityError(.inputOutput, subject: path, message: "not a folder", remedy: .chooseAuthorityFolder)
        }
        guard isOurs(status) else { throw foreign(path) }
        // With the sticky bit, as in /tmp, only the owner of a file can replace it.
        guard status.st_mode & 0o022 == 0 || status.st_mode & S_ISVTX != 0 else {
            throw AuthorityError(
                .exposed,
                subject: path,
                message:
                    "other users can write to the folder and replace the authority; run 'chmod go-w' on it, or use another one",
                remedy: .chooseAuthorityFolder
            )
        }
    }

    /// Refuses to replace anything but a regular file: links, devices and pipes have other purposes.
    static func requireReplaceable(_ path: String) throws(AuthorityError) {
        var status = stat()
        guard lstat(path, &status) != 0 || status.st_mode & S_IFMT == S_IFREG else {
            throw AuthorityError(.inputOutput, subject: path, message: "not a regular file; remove it first")
        }
    }

    /// Returns true if a file or folder belongs to the user of this process, or to root.
    private static func isOurs(_ status: stat) -> Bool { status.st_uid == geteuid() || status.st_uid == 0 }

    private static func foreign(_ path: String) -> AuthorityError {
        AuthorityError(
            .exposed,
            subject: path,
            message:
                "this belongs to another user, who could replace the authority; become that user, or use a folder of your own",
            remedy: .chooseAuthorityFolder
        )
    }

    /// Writes a temporary file that has its mode from the start, and renames it once it is on the disk.
    static func write(
        _ text: String,
        to path: String,
        mode: mode_t,
        replacing isReplacing: Bool
    ) throws(AuthorityError) {
        do throws(FileError) {
            try Durable.write(Array(text.utf8), to: path, mode: UInt32(mode), replacing: isReplacing)
        } catch {
            let action = error.reason.split(separator: ":").first?.split(separator: " ").dropFirst().first
            throw failure(action.map(String.init) ?? "write", error.path, number: error.number ?? 0)
        }
    }

    private static func failure(_ what: String, _ path: String, number: Int32 = errno) -> AuthorityError {
        let reason = String(cString: strerror(number))
        switch number {
        case ENOENT where what == "open":
            return AuthorityError(
                .missing,
                subject: path,
                message:
                    "no such file",
                remedy: .createAuthority
            )
        case EEXIST:
            return AuthorityError(.exists, subject: path, message: "the file already exists", remedy: .overwrite)
        default:
            return AuthorityError(.inputOutput, subject: path, message: "cannot \(what) it: \(reason)")
        }
    }
}
