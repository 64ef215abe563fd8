import AFCPlatform

/// Calls on open descriptors, which are repeated if a signal interrupts them.
///
/// All reading, writing and locking of files goes through these functions, which know nothing of paths and errors. If
/// one fails, `errno` says why.
package enum Descriptor {
    /// Opens a file; programs started by this process don't inherit the descriptor.
    ///
    /// - Returns: The descriptor, or nil if opening failed.
    package static func open(_ path: String, _ flags: Int32, mode: UInt32 = 0o644) -> Int32? {
        let opened = systemOpen(path, flags | O_CLOEXEC, mode_t(mode))
        return opened < 0 ? nil : opened
    }

    /// Opens a file below a folder for reading, without following a link; never blocks, as opening a pipe would.
    ///
    /// - Parameters:
    ///   - path: The path, relative to the folder.
    ///   - folder: The folder's descriptor.
    ///   - isWaiting: Whether to wait for a disk.
    /// - Returns: The descriptor, or nil if opening failed; `errno` is `ENOSYS` on systems that can't open so.
    package static func open(_ path: String, below folder: Int32, waiting isWaiting: Bool) -> Int32? {
        #if os(Linux)
        let flags = O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK
        return again { Int(afc_open_below(folder, path, flags, isWaiting ? 0 : 1)) }.map(Int32.init)
        #else
        errno = ENOSYS
        return nil
        #endif
    }

    /// Returns true if the process may use a path in a way, like `access`; if not, `errno` says why.
    package static func allows(_ path: String, _ mode: Int32) -> Bool { access(path, mode) == 0 }

    /// Reads the next bytes with one call.
    ///
    /// - Returns: The number of bytes; 0 at the end, nil if reading failed.
    package static func readNext(_ descriptor: Int32, into buffer: UnsafeMutableRawBufferPointer) -> Int? {
        again { systemRead(descriptor, buffer.baseAddress, buffer.count) }
    }

    /// Reads until the buffer is full or the file ends.
    ///
    /// - Parameters:
    ///   - descriptor: The file.
    ///   - buffer: The buffer for the bytes.
    ///   - offset: The offset of the bytes in the file.
    /// - Returns: The number of bytes read; nil if reading failed.
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

    /// Reads like ``read(_:into:at:)``, but only what the system has in memory.
    ///
    /// - Returns: The number of bytes, fewer than requested if the file ends; nil if reading failed or would wait for a
    ///   disk, and on systems that can't tell.
    package static func readAtOnce(
        _ descriptor: Int32,
        into buffer: UnsafeMutableRawBufferPointer,
        at offset: Int64
    ) -> Int? {
        #if os(Linux)
        var done = 0
        while done < buffer.count {
            let (start, count) = (buffer.baseAddress?.advanced(by: done), buffer.count - done)
            guard let read = again({ afc_read_cached(descriptor, start, count, offset + Int64(done)) }) else {
                return nil
            }
            if read == 0 { break }
            done += read
        }
        return done
        #else
        return nil
        #endif
    }

    /// Writes all of the bytes at a position.
    ///
    /// - Returns: True if all bytes were written.
    package static func write(_ bytes: UnsafeRawBufferPointer, to descriptor: Int32, at offset: Int64) -> Bool {
        every(bytes) { pwrite(descriptor, $0, $1, off_t(offset) + off_t($2)) }
    }

    /// Writes all of the bytes after the last ones, and waits if a stream isn't ready for them.
    ///
    /// - Returns: True if all bytes were written.
    package static func append(_ bytes: UnsafeRawBufferPointer, to descriptor: Int32) -> Bool {
        every(bytes) { start, count, _ in
            while true {
                let written = systemWrite(descriptor, start, count)
                guard written < 0, errno == EAGAIN else { return written }
                // Another user of the stream made it non-blocking.
                var ready = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
                _ = poll(&ready, 1, -1)
            }
        }
    }

    /// Writes all of the bytes to a stream, but gives up if nobody reads them while another descriptor says to stop.
    ///
    /// - Parameters:
    ///   - bytes: The bytes.
    ///   - descriptor: The stream.
    ///   - stop: A descriptor that becomes readable when the program stops.
    ///   - patience: How long the rest may then take, in milliseconds, give or take a second.
    /// - Returns: True if all bytes were written.
    package static func append(
        _ bytes: UnsafeRawBufferPointer,
        to descriptor: Int32,
        until stop: Int32,
        patience: Int32 = 2_000
    ) -> Bool {
        var end: Int64?
        return every(bytes) { start, count, _ in
            while true {
                var ready = [
                    pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0),
                    pollfd(fd: stop, events: Int16(POLLIN), revents: 0),
                ]
                guard poll(&ready, 2, -1) >= 0 else { return -1 }
                if ready[1].revents != 0 {
                    // A reader that takes a little now and then mustn't hold the program up.
                    let seconds = MonotonicClock.seconds
                    end = end ?? seconds + Int64(patience) / 1000 + 1
                    guard seconds <= end ?? 0 else { return 0 }
                }
                if ready[0].revents == 0 {
                    let isReady = poll(&ready, 1, patience)
                    guard isReady > 0 else { return Int(isReady) }
                }
                // A pipe that is ready takes that much without a wait (POSIX: PIPE_BUF).
                let written = systemWrite(descriptor, start, min(count, 4096))
                guard written < 0, errno == EAGAIN else { return written }
            }
        }
    }

    /// Copies bytes between files within the kernel, as far as possible.
    ///
    /// - Returns: The number of bytes, fewer than requested if the file ends or the system can't copy between these
    ///   files; nil if writing failed.
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

    /// Syncs a file's bytes to disk.
    ///
    /// - Returns: True if syncing succeeded.
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
    /// - Returns: The outcome.
    package static func lock(_ descriptor: Int32, waiting isWaiting: Bool) -> Lock {
        let mode = isWaiting ? LOCK_EX : LOCK_EX | LOCK_NB
        if again({ Int(flock(descriptor, mode)) }) != nil { return .held }
        return errno == EWOULDBLOCK ? .busy : .failed
    }

    /// Waits for a child process to end.
    ///
    /// - Parameter pid: The process.
    /// - Returns: Its exit code; 128 and the number of the signal that ended it.
    package static func waitForExit(of pid: Int32) -> Int32 {
        var status: Int32 = 0
        _ = again { Int(waitpid(pid, &status, 0)) }
        let signal = status & 0x7F
        return signal == 0 ? status >> 8 & 0xFF : 128 + signal
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

// Within the type, these names refer to its own methods.

private func systemOpen(_ path: String, _ flags: Int32, _ mode: mode_t) -> Int32 { open(path, flags, mode) }

private func systemWrite(_ descriptor: Int32, _ bytes: UnsafeRawPointer?, _ count: Int) -> Int {
    write(descriptor, bytes, count)
}

private func systemRead(_ descriptor: Int32, _ bytes: UnsafeMutableRawPointer?, _ count: Int) -> Int {
    read(descriptor, bytes, count)
}
