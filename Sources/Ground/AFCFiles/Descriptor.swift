import AFCPlatform

#if os(Linux)
#endif

/// Calls on open descriptors, begun again where a signal interrupts them.
///
/// Everything that reads, writes or locks a file does it through these; they know nothing of paths and errors. Where one
/// fails, `errno` says why.
package enum Descriptor {
    /// Opens a file; a descriptor of it isn't handed on to other programs.
    ///
    /// - Returns: The descriptor, or nil.
    package static func open(_ path: String, _ flags: Int32, mode: UInt32 = 0o644) -> Int32? {
        let opened = systemOpen(path, flags | O_CLOEXEC, mode_t(mode))
        return opened < 0 ? nil : opened
    }

    /// Tells whether the process may use a path in a way, as `access` does; where not, `errno` says why.
    package static func allows(_ path: String, _ mode: Int32) -> Bool { access(path, mode) == 0 }

    /// Reads the next bytes, once.
    ///
    /// - Returns: How many bytes; 0 at the end, nil where it fails.
    package static func readNext(_ descriptor: Int32, into buffer: UnsafeMutableRawBufferPointer) -> Int? {
        again { systemRead(descriptor, buffer.baseAddress, buffer.count) }
    }

    /// Reads until the buffer is full or the file ends.
    ///
    /// - Parameters:
    ///   - descriptor: The file.
    ///   - buffer: Where the bytes go.
    ///   - offset: Where they begin in the file.
    /// - Returns: How many bytes were read; nil where it fails.
    package static func read(_ descriptor: Int32, into buffer: UnsafeMutableRawBufferPointer, at offset: Int64) -> Int?
    {
        var done = 0
        while done < buffer.count {
            let (start, count, place) = (buffer.baseAddress?.advanced(by: done), buffer.count - done, off_t(offset))
            guard let read = again({ pread(descriptor, start, count, place + off_t(done)) }) else { return nil }
            if read == 0 { break }
            done += read
        }
        return done
    }

    /// Writes all of the bytes at a position.
    ///
    /// - Returns: True if they are written.
    package static func write(_ bytes: UnsafeRawBufferPointer, to descriptor: Int32, at offset: Int64) -> Bool {
        every(bytes) { pwrite(descriptor, $0, $1, off_t(offset) + off_t($2)) }
    }

    /// Writes all of the bytes where the last ones ended; waits where a stream doesn't take them yet.
    ///
    /// - Returns: True if they are written.
    package static func append(_ bytes: UnsafeRawBufferPointer, to descriptor: Int32) -> Bool {
        every(bytes) { start, count, _ in
            while true {
                let written = systemWrite(descriptor, start, count)
                guard written < 0, errno == EAGAIN else { return written }
                // Somebody who shares the stream made it non-blocking.
                var ready = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
                _ = poll(&ready, 1, -1)
            }
        }
    }

    /// Copies bytes between files within the kernel, as far as that goes.
    ///
    /// - Returns: How many: fewer than asked for where the file ends, or the system doesn't copy between these files; nil
    ///   where the disk doesn't take them.
    package static func copy(_ count: Int, of source: Int32, at offset: Int64, to descriptor: Int32, at position: Int64)
        -> Int?
    {
        #if os(Linux)
        var (from, to, done) = (off_t(offset), off_t(position), 0)
        while done < count {
            guard let copied = again({ copy_file_range(source, &from, descriptor, &to, count - done, 0) }) else {
                if [ENOSPC, EIO, EDQUOT, EFBIG].contains(errno) { return nil }
                break
            }
            guard copied > 0 else { break }
            done += copied
        }
        return done
        #else
        return 0
        #endif
    }

    /// Brings what was written to the disk.
    ///
    /// - Returns: True if it is there.
    package static func sync(_ descriptor: Int32) -> Bool {
        #if canImport(Darwin)
        if fcntl(descriptor, F_FULLFSYNC) == 0 { return true }
        #endif
        return fsync(descriptor) == 0
    }

    /// The outcomes of an attempt to lock a file.
    package enum Lock: Equatable {
        case held, busy, failed
    }

    /// Locks a file for this process alone, until its descriptor is closed.
    ///
    /// - Parameters:
    ///   - descriptor: The file.
    ///   - isWaiting: Whether to wait until nobody else holds the lock.
    /// - Returns: True if it is held.
    package static func lock(_ descriptor: Int32, waiting isWaiting: Bool) -> Lock {
        let mode = isWaiting ? LOCK_EX : LOCK_EX | LOCK_NB
        if again({ Int(flock(descriptor, mode)) }) != nil { return .held }
        return errno == EWOULDBLOCK ? .busy : .failed
    }

    private static func again(_ call: () -> Int) -> Int? {
        while true {
            let result = call()
            if result >= 0 { return result }
            guard errno == EINTR else { return nil }
        }
    }

    private static func every(
        _ bytes: UnsafeRawBufferPointer,
        _ write: (UnsafeRawPointer?, Int, Int) -> Int
    ) -> Bool {
        var done = 0
        while done < bytes.count {
            let (start, count) = (bytes.baseAddress?.advanced(by: done), bytes.count - done)
            guard let written = again({ write(start, count, done) }), written > 0 else { return false }
            done += written
        }
        return true
    }
}

// Within the type these names mean its own.

private func systemOpen(_ path: String, _ flags: Int32, _ mode: mode_t) -> Int32 { open(path, flags, mode) }

private func systemWrite(_ descriptor: Int32, _ bytes: UnsafeRawPointer?, _ count: Int) -> Int {
    write(descriptor, bytes, count)
}

private func systemRead(_ descriptor: Int32, _ bytes: UnsafeMutableRawPointer?, _ count: Int) -> Int {
    read(descriptor, bytes, count)
}
