internal import AFCCrawlRules
package import AFCFiles
internal import AFCPlatform
internal import AFCText

/// A file beside the package that only this user may read, and that no other user may have put there.
///
/// The folder may be one in which all users can create files, such as `/tmp`.
enum PrivateFile {
    /// Makes an empty file for this user alone, or makes sure that the one that is there is this user's own.
    ///
    /// - Parameter path: The file.
    /// - Returns: Whether it was made.
    /// - Throws: ``PackagingError`` where the file can't be made, or is a link, not a regular file, or another user's.
    static func prepare(_ path: String) throws(PackagingError) -> Bool {
        let made = open(path, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
        if made >= 0 {
            close(made)
            return true
        }
        guard errno == EEXIST else { throw failure("cannot create it", path) }
        // A link can't be opened this way, and has no words of its own then.
        try requireOwn(path)
        let own = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
        guard own >= 0 else { throw failure("cannot open it", path) }
        defer { close(own) }
        // The file that was opened, whatever was at the path before.
        var status = stat()
        guard fstat(own, &status) == 0 else { throw failure("cannot read its attributes", path) }
        try requireOwn(status, path)
        guard fchmod(own, 0o600) == 0 else { throw failure("cannot restrict its permissions", path) }
        return false
    }

    /// Makes sure that the path is free, or is this user's own file.
    ///
    /// - Parameter path: The file.
    /// - Returns: Whether something is there.
    /// - Throws: ``PackagingError`` where it is a link, not a regular file, another user's, or writable by others.
    @discardableResult
    static func requireOwn(_ path: String) throws(PackagingError) -> Bool {
        var status = stat()
        guard lstat(path, &status) == 0 else {
            guard errno == ENOENT else { throw failure("cannot read its attributes", path) }
            return false
        }
        try requireOwn(status, path)
        return true
    }

    private static func requireOwn(_ status: stat, _ path: String) throws(PackagingError) {
        let problem: String? =
            switch status.st_mode & S_IFMT {
            case S_IFLNK: "it is a symbolic link"
            case S_IFREG where status.st_uid != geteuid(): "it belongs to another user"
            case S_IFREG where status.st_mode & 0o022 != 0: "other users can change it"
            case S_IFREG where status.st_nlink > 1: "it has more than one hard link"
            case S_IFREG: nil
            default: "it is not a regular file"
            }
        guard let problem else { return }
        throw PackagingError(
            .inputOutput,
            subject: path,
            message: "this path is needed for the crawl's state, but \(problem); remove it, or choose another output"
        )
    }

    /// The first bytes of the file, fewer where it has fewer.
    ///
    /// - Throws: ``PackagingError`` where it can't be read.
    static func beginning(of path: String, _ count: Int) throws(PackagingError) -> [UInt8] {
        guard let descriptor = Descriptor.open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK) else {
            throw failure("cannot open it", path)
        }
        defer { close(descriptor) }
        var bytes = [UInt8](repeating: 0, count: count)
        guard let length = bytes.withUnsafeMutableBytes({ Descriptor.read(descriptor, into: $0, at: 0) }) else {
            throw failure("cannot read it", path)
        }
        return Array(bytes[..<length])
    }

    private static func failure(_ what: String, _ path: String) -> PackagingError {
        PackagingError(.inputOutput, subject: path, message: "\(what): \(String(cString: strerror(errno)))")
    }
}

/// Tells whether the machine has been started again: what wasn't synced may be missing then.
enum SystemStart {
    /// What is another one after each start of the machine, or nil where the system doesn't say.
    static var identifier: String? {
        #if canImport(Darwin)
        var size = 0
        guard sysctlbyname("kern.bootsessionuuid", nil, &size, nil, 0) == 0, size > 0 else { return nil }
        var text = [CChar](repeating: 0, count: size)
        guard sysctlbyname("kern.bootsessionuuid", &text, &size, nil, 0) == 0 else { return nil }
        return String(decoding: text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
        #else
        guard let file = fopen("/proc/sys/kernel/random/boot_id", "re") else { return nil }
        defer { fclose(file) }
        var bytes = [UInt8](repeating: 0, count: 64)
        let count = fread(&bytes, 1, bytes.count, file)
        return count > 0 ? String(decoding: bytes.prefix(count).filter { $0 > 0x20 }, as: UTF8.self) : nil
        #endif
    }
}

extension PackagingError {
    /// A file that can't be looked at or read, in the words of the system.
    package init(unreadable error: FileError) {
        let reason = error.number.map { String(cString: strerror($0)).lowercased() } ?? error.message
        self.init(.inputOutput, subject: error.path, message: "can't be read: \(reason)")
    }
}
