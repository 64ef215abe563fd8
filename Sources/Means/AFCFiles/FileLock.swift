import AFCPlatform

/// A file or folder that one process at a time can lock.
///
/// The lock ends with the value.
///
/// The kernel releases the lock when a process dies, so a killed process never blocks the next one.
package struct FileLock: ~Copyable {
    private let path: String
    private let descriptor: Int32

    /// Opens or creates a lock file that only its owner can access; an older one that others could read is changed.
    ///
    /// `flock` works on files that are open for reading, so a user who could read a lock file could block its owner.
    ///
    /// - Parameters:
    ///   - path: The path of the lock file.
    ///   - isMade: Whether to create the file if it is missing.
    /// - Throws: ``FileError`` if it can't be opened, or is not a regular file.
    package init(file path: String, making isMade: Bool = true) throws(FileError) {
        let flags = (isMade ? O_RDWR | O_CREAT : O_RDWR) | O_NOFOLLOW | O_NONBLOCK
        guard let descriptor = Descriptor.open(path, flags, mode: 0o600) else {
            throw .system("cannot open the lock", path)
        }
        var status = stat()
        guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
            close(descriptor)
            throw FileError(path, "this must be a regular file; remove it", .misplaced)
        }
        // Only the owner and root can change the mode, so a failure is ignored.
        if status.st_mode & 0o077 != 0 { _ = fchmod(descriptor, 0o600) }
        (self.path, self.descriptor) = (path, descriptor)
    }

    /// Opens an existing file to be locked itself; of a link, the file that it leads to.
    ///
    /// Whoever replaces the file holds the lock of the old one, so a process that waited looks with ``hasName`` whether
    /// the path still leads to what it has locked, and opens it again if not.
    ///
    /// - Throws: ``FileError`` if it can't be opened.
    package init(of path: String) throws(FileError) {
        guard let resolved = realpath(path, nil) else { throw .system("cannot open", path) }
        defer { free(resolved) }
        // File systems that keep locks on a server want files that are open for writing.
        guard
            let descriptor = Descriptor.open(path, O_RDWR | O_NONBLOCK) ?? Descriptor.open(path, O_RDONLY | O_NONBLOCK)
        else { throw .system("cannot open", path) }
        (self.path, self.descriptor) = (String(cString: resolved), descriptor)
    }

    /// Opens a folder to be locked itself.
    ///
    /// - Throws: ``FileError`` if it can't be opened.
    package init(folder path: String) throws(FileError) {
        guard let descriptor = Descriptor.open(path, O_RDONLY | O_DIRECTORY) else {
            throw .system("cannot open the folder", path)
        }
        (self.path, self.descriptor) = (path, descriptor)
    }

    deinit { close(descriptor) }

    /// Locks the file.
    ///
    /// - Parameter isWaiting: Whether to wait until nobody else holds the lock.
    /// - Returns: The outcome; if it failed, `errno` says why.
    package func take(waiting isWaiting: Bool) -> Descriptor.Lock { Descriptor.lock(descriptor, waiting: isWaiting) }

    /// Locks the file within a time limit.
    ///
    /// `flock` has no time limit, so it is called repeatedly.
    ///
    /// - Parameters:
    ///   - seconds: The maximum waiting time; nil for no limit.
    ///   - pause: The milliseconds between two attempts.
    /// - Returns: The outcome; if it failed, `errno` says why.
    package func take(within seconds: Int64?, pause: UInt32) -> Descriptor.Lock {
        guard let seconds else { return take(waiting: true) }
        let end = MonotonicClock.seconds + seconds
        while true {
            let outcome = take(waiting: false)
            guard outcome == .busy, MonotonicClock.seconds < end else { return outcome }
            usleep(pause * 1000)
        }
    }

    /// Returns the error for a lock that failed; call it before anything else changes `errno`.
    package func failure() -> FileError {
        let number = errno
        guard [ENOLCK, ENOSYS, EOPNOTSUPP].contains(number) else { return .system("cannot lock", path, number: number) }
        let why = String(cString: strerror(number))
        var error = FileError(path, "the file system has no locks: \(why); use a folder on another file system")
        error.number = number
        return error
    }

    /// Releases the lock, but keeps the file open.
    package func release() { _ = flock(descriptor, LOCK_UN) }

    /// True if the path still leads to the locked file.
    package var hasName: Bool {
        var (own, named) = (stat(), stat())
        return fstat(descriptor, &own) == 0 && lstat(path, &named) == 0 && own.st_ino == named.st_ino
            && own.st_dev == named.st_dev
    }

    /// The note in the file, for processes that wait; nil if there is none that can be shown.
    ///
    /// The process that wrote it may have died.
    package var note: String? {
        let text = withUnsafeTemporaryAllocation(byteCount: 64, alignment: 1) { buffer in
            String(decoding: buffer[..<(Descriptor.read(descriptor, into: buffer, at: 0) ?? 0)], as: UTF8.self)
        }
        return text.isEmpty || !text.utf8.allSatisfy { $0 >= 0x20 && $0 < 0x7F } ? nil : text
    }

    /// Writes a note for processes that wait.
    ///
    /// The note is only information, so failing to write it, for example on a full disk, is no error.
    package func write(note: String) {
        var note = note
        note.withUTF8 { bytes in
            if ftruncate(descriptor, 0) == 0 {
                _ = Descriptor.write(UnsafeRawBufferPointer(bytes), to: descriptor, at: 0)
            }
        }
    }
}

/// A clock that never jumps.
package enum MonotonicClock {
    /// The seconds since an arbitrary moment.
    package static var seconds: Int64 {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return Int64(time.tv_sec)
    }
}
