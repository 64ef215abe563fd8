internal import AFCText

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// The right to change the store, held by one process at a time and given back when the value goes.
///
/// The kernel releases the lock when a process dies, so a killed writer never blocks the next one. The file names the
/// holder, for those who wait.
struct WriterLock: ~Copyable {
    private let descriptor: Int32

    /// Waits for the lock.
    ///
    /// - Parameters:
    ///   - layout: The store.
    ///   - patience: How many seconds to wait; nil for as long as it takes.
    ///   - onWait: Called once where another process holds the lock, with words that name it.
    /// - Throws: ``CacheError`` where the lock's file can't be opened, or the wait was in vain.
    init(_ layout: StoreLayout, patience: Int?, onWait: (String) -> Void) throws(CacheError) {
        let descriptor = try Self.open(layout.lock)
        do throws(CacheError) {
            try Self.acquire(descriptor, layout, patience: patience, onWait: onWait)
            guard Self.hasName(descriptor, layout.lock) else {
                throw CacheError(
                    .busy,
                    subject: layout.root,
                    message: "the cache was removed while this process waited for it; try again"
                )
            }
        } catch {
            close(descriptor)
            throw error
        }
        self.descriptor = descriptor
        Self.write(holder: "process \(getpid())", to: descriptor)
    }

    /// Gets the right to add received responses, without waiting.
    ///
    /// - Throws: ``CacheError`` with `busy` where another process has it.
    init(_ layout: ReceivedLayout) throws(CacheError) {
        let descriptor = try Self.open(layout.lock)
        guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
            defer { close(descriptor) }
            guard errno == EWOULDBLOCK else { throw .system("cannot lock the received responses", path: layout.lock) }
            throw CacheError(
                .busy,
                subject: layout.root,
                message:
                    "\(Self.holder(descriptor)) keeps received responses in the store; stop it, or use another store"
            )
        }
        self.descriptor = descriptor
        Self.write(holder: "process \(getpid())", to: descriptor)
    }

    deinit {
        Self.write(holder: "", to: descriptor)
        close(descriptor)
    }

    private static func open(_ path: String) throws(CacheError) -> Int32 { try LockFile.open(path) }

    private static func acquire(
        _ descriptor: Int32,
        _ layout: StoreLayout,
        patience: Int?,
        onWait: (String) -> Void
    ) throws(CacheError) {
        if flock(descriptor, LOCK_EX | LOCK_NB) == 0 { return }
        guard errno == EWOULDBLOCK || errno == EINTR else {
            throw .system("cannot lock the store", path: layout.lock)
        }
        let holder = holder(descriptor)
        let limit = patience.map { monotonicSeconds() + Int64($0) }
        if patience != 0 { onWait(holder) }
        while true {
            if let limit, monotonicSeconds() >= limit {
                throw CacheError(
                    .busy,
                    subject: layout.root,
                    message: "\(holder) is writing to the store; try again, or wait longer with '--wait'"
                )
            }
            // Where patience ends the lock is asked for again and again, since flock knows no time limit.
            if flock(descriptor, limit == nil ? LOCK_EX : LOCK_EX | LOCK_NB) == 0 { return }
            guard errno == EWOULDBLOCK || errno == EINTR else {
                throw .system("cannot lock the store", path: layout.lock)
            }
            if limit != nil { usleep(20_000) }
        }
    }

    /// Tells whether the file is the one that others would open.
    private static func hasName(_ descriptor: Int32, _ path: String) -> Bool {
        var (own, named) = (stat(), stat())
        return fstat(descriptor, &own) == 0 && lstat(path, &named) == 0 && own.st_ino == named.st_ino
            && own.st_dev == named.st_dev
    }

    /// Who holds the lock, in words; the file may be from a process that died.
    private static func holder(_ descriptor: Int32) -> String {
        let text = withUnsafeTemporaryAllocation(byteCount: 64, alignment: 1) { buffer in
            let count = pread(descriptor, buffer.baseAddress, buffer.count, 0)
            return String(decoding: buffer[..<max(0, count)], as: UTF8.self)
        }
        let isPlain = text.utf8.allSatisfy { $0 >= 0x20 && $0 < 0x7F }
        return text.isEmpty || !isPlain ? "another process" : text
    }

    /// The name helps those who wait and nobody else, so a disk too full for it is no error.
    private static func write(holder: String, to descriptor: Int32) {
        var holder = holder
        holder.withUTF8 { bytes in
            if ftruncate(descriptor, 0) == 0 { _ = pwrite(descriptor, bytes.baseAddress, bytes.count, 0) }
        }
    }
}

extension CacheError {
    /// The write would use the disk's reserve.
    static func diskFull(path: String) -> CacheError {
        CacheError(
            .inputOutput,
            subject: path,
            message: "the disk is full, apart from a reserve for deletions; free some space"
        )
    }

    /// An error from the last failed system call.
    static func system(_ what: String, path: String, number: Int32 = errno) -> CacheError {
        var error = CacheError(.inputOutput, subject: path, message: "\(what): \(String(cString: strerror(number)))")
        error.number = number
        return error
    }
}
