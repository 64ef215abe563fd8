import AFCPlatform

/// A file or folder that one process at a time holds locked; the lock goes with the value.
///
/// The kernel releases the lock when a process dies, so a killed holder never blocks the next one.
package struct FileLock: ~Copyable {
    private let path: String
    private let descriptor: Int32

    /// Opens a lock's file for its owner alone, also one that an older program made for all to read, or makes it.
    ///
    /// `flock` works on files that are open for reading, so a user who could read a lock's file could block its owner.
    ///
    /// - Parameters:
    ///   - path: The lock's file.
    ///   - isMade: Whether to make the file where it is missing.
    /// - Throws: ``FileError`` where it can't be opened, or is not a regular file.
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
        // Only the owner can, and root may lock what belongs to somebody else; then it stays as it is.
        if status.st_mode & 0o077 != 0 { _ = fchmod(descriptor, 0o600) }
        (self.path, self.descriptor) = (path, descriptor)
    }

    /// Opens a folder that is locked itself.
    ///
    /// - Throws: ``FileError`` where it can't be opened.
    package init(folder path: String) throws(FileError) {
        guard let descriptor = Descriptor.open(path, O_RDONLY | O_DIRECTORY) else {
            throw .system("cannot open the folder", path)
        }
        (self.path, self.descriptor) = (path, descriptor)
    }

    deinit { close(descriptor) }

    /// Locks it.
    ///
    /// - Parameter isWaiting: Whether to wait until nobody else holds the lock.
    /// - Returns: True if it is held now; where it failed, `errno` says why.
    package func take(waiting isWaiting: Bool) -> Descriptor.Lock { Descriptor.lock(descriptor, waiting: isWaiting) }

    /// Locks it within a time.
    ///
    /// `flock` knows no time limit, so it is asked for again and again.
    ///
    /// - Parameters:
    ///   - seconds: How long to wait at most; nil for as long as it takes.
    ///   - pause: The milliseconds between two attempts.
    /// - Returns: True if it is held now; where it failed, `errno` says why.
    package func take(within seconds: Int64?, pause: UInt32) -> Descriptor.Lock {
        guard let seconds else { return take(waiting: true) }
        let end = MonotonicClock.seconds + seconds
        while MonotonicClock.seconds < end {
            let outcome = take(waiting: false)
            guard outcome == .busy else { return outcome }
            usleep(pause * 1000)
        }
        return .busy
    }

    /// Lets others have the lock while the file stays open.
    package func release() { _ = flock(descriptor, LOCK_UN) }

    /// Indicates whether the file is still the one that others would open.
    package var hasName: Bool {
        var (own, named) = (stat(), stat())
        return fstat(descriptor, &own) == 0 && lstat(path, &named) == 0 && own.st_ino == named.st_ino
            && own.st_dev == named.st_dev
    }

    /// The text in the file, for those who wait; nil where there is none that can be shown.
    ///
    /// It may be from a process that died.
    package var note: String? {
        let text = withUnsafeTemporaryAllocation(byteCount: 64, alignment: 1) { buffer in
            String(decoding: buffer[..<(Descriptor.read(descriptor, into: buffer, at: 0) ?? 0)], as: UTF8.self)
        }
        return text.isEmpty || !text.utf8.allSatisfy { $0 >= 0x20 && $0 < 0x7F } ? nil : text
    }

    /// Writes a text for those who wait.
    ///
    /// It helps them and nobody else, so a disk too full for it is no error.
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
    /// Seconds since some moment.
    package static var seconds: Int64 {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return Int64(time.tv_sec)
    }
}
