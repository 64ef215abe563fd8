internal import AFCCrawlRules
package import AFCFiles
internal import AFCPlatform
internal import AFCText

/// A file beside the package that only this user can read, and that no other user created.
///
/// The folder may be writable by all users, such as `/tmp`.
enum PrivateFile {
    /// Creates an empty file for this user alone, or checks that the existing one belongs to this user.
    ///
    /// - Parameter path: The file.
    /// - Returns: True if the file was created.
    /// - Throws: ``PackagingError`` if the file can't be created, or is a link, not a regular file, or another user's.
    static func prepare(_ path: String) throws(PackagingError) -> Bool {
        let made = open(path, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
        if made >= 0 {
            close(made)
            return true
        }
        guard errno == EEXIST else { throw failure("cannot create it", path) }
        // A symbolic link can't be opened this way, and the error of `open` wouldn't say so.
        try requireOwn(path)
        let own = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
        guard own >= 0 else { throw failure("cannot open it", path) }
        defer { close(own) }
        // Inspect the opened file, because the one at the path may have changed.
        var status = stat()
        guard fstat(own, &status) == 0 else { throw failure("cannot read its attributes", path) }
        try requireOwn(status, path)
        guard fchmod(own, 0o600) == 0 else { throw failure("cannot restrict its permissions", path) }
        return false
    }

    /// Checks that the path is free, or is this user's own file.
    ///
    /// - Parameter path: The file.
    /// - Returns: True if the file exists.
    /// - Throws: ``PackagingError`` if it is a link, not a regular file, another user's, or writable by others.
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

    /// Returns the first bytes of the file; fewer if the file is shorter.
    ///
    /// - Throws: ``PackagingError`` if it can't be read.
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

/// Detects a restart of the machine, after which data that wasn't synced may be missing.
enum SystemStart {
    /// An identifier that changes with each start of the machine, or nil if the system has none.
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
    /// Creates the error for a file that can't be read, with the system's reason.
    package init(unreadable error: FileError) {
        let reason = error.number.map { String(cString: strerror($0)).lowercased() } ?? error.message
        self.init(.inputOutput, subject: error.path, message: "cannot read it: \(reason)")
    }
}
