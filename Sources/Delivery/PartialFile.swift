internal import Crypto
internal import PackageFormat
internal import Synchronization
internal import URLStandard

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// A package that is arriving: a file, and beside it what it is a part of.
///
/// Bytes count as there once they were synced and the state says so: after a power cut a file may be as long as it was and
/// hold zeros.
final class PartialFile: Sendable {
    private struct State {
        var size: Int64 = 0
        var synced: Int64 = 0
        var validator = Validator()
        var hash = SHA256()
    }

    /// How many bytes may arrive before they are synced.
    private static let syncInterval: Int64 = 16 << 20

    let path: String
    private let url: WebURL
    private let statePath: String
    private let descriptor: Int32
    private let lock: Int32
    private let state = Mutex(State())

    /// Opens what arrived before, or an empty file; waits for another process that gets the same package.
    init(for url: WebURL, in folder: String) throws(DeliveryError) {
        self.url = url
        let name = SHA256.hash(data: Array(url.description.utf8)).prefix(16).map { byte in
            let digits = String(byte, radix: 16)
            return digits.utf8.count == 1 ? "0" + digits : digits
        }
        .joined()
        path = folder + "/" + name + ".part"
        statePath = folder + "/" + name + ".json"
        if mkdir(folder, 0o755) != 0, errno != EEXIST { throw Self.system("cannot make the folder", folder, url) }
        lock = open(folder + "/" + name + ".lock", O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o644)
        guard lock >= 0 else { throw Self.system("cannot open the lock of", path, url) }
        while flock(lock, LOCK_EX) != 0 {
            guard errno == EINTR else {
                let error = Self.system("cannot lock", path, url)
                close(lock)
                throw error
            }
        }
        descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o644)
        guard descriptor >= 0 else {
            let error = Self.system("cannot open", path, url)
            close(lock)
            throw error
        }
        try resume()
    }

    deinit {
        close(descriptor)
        close(lock)
    }

    /// How many bytes are there.
    var size: Int64 { state.withLock { $0.size } }
    /// Which version they are of.
    var validator: Validator { state.withLock { $0.validator } }
    /// The SHA-256 of what is there, in hexadecimal digits.
    var digest: String {
        state.withLock { $0.hash.finalize() }.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    }

    private func locked(_ body: (inout State) throws(DeliveryError) -> Void) throws(DeliveryError) {
        let failure: DeliveryError? = state.withLock { state in
            do throws(DeliveryError) {
                try body(&state)
                return nil
            } catch {
                return error
            }
        }
        if let failure { throw failure }
    }

    /// Begins anew, with another version of the package.
    func begin(_ validator: Validator) throws(DeliveryError) {
        try locked { state throws(DeliveryError) in
            guard ftruncate(descriptor, 0) == 0 else { throw Self.system("cannot empty", path, url) }
            state = State()
            state.validator = validator
            try write(state)
        }
    }

    /// Adds what arrived.
    func append(_ bytes: UnsafeRawBufferPointer) throws(DeliveryError) {
        try locked { state throws(DeliveryError) in
            var done = 0
            while done < bytes.count {
                let count = pwrite(
                    descriptor,
                    bytes.baseAddress?.advanced(by: done),
                    bytes.count - done,
                    off_t(state.size) + off_t(done)
                )
                if count < 0, errno == EINTR { continue }
                guard count > 0 else { throw Self.system("cannot write", path, url) }
                done += count
            }
            state.hash.update(bufferPointer: bytes)
            state.size += Int64(bytes.count)
            if state.size - state.synced >= Self.syncInterval { try sync(&state) }
        }
    }

    /// Makes what arrived so far survive a power cut.
    func sync() throws(DeliveryError) { try locked { state throws(DeliveryError) in try sync(&state) } }

    private func sync(_ state: inout State) throws(DeliveryError) {
        guard fsync(descriptor) == 0 else { throw Self.system("cannot sync", path, url) }
        state.synced = state.size
        try write(state)
    }

    /// Removes the file, and lets others get the package; the lock's file stays, since they may be waiting for it.
    func remove() {
        unlink(statePath)
        unlink(path)
        _ = flock(lock, LOCK_UN)
    }

    /// Reads the state; whatever doesn't fit begins anew.
    private func resume() throws(DeliveryError) {
        guard let text = Self.contents(of: statePath), let json = try? JSONValue(parsing: text),
            json["url"]?.string == url.description, let known = json["synced"]?.integer
        else { return try begin(Validator()) }
        var status = stat()
        guard fstat(descriptor, &status) == 0, Int64(status.st_size) >= known, known >= 0 else {
            return try begin(Validator())
        }
        guard ftruncate(descriptor, off_t(known)) == 0 else { throw Self.system("cannot shorten", path, url) }
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 18, alignment: 16)
        defer { buffer.deallocate() }
        try locked { state throws(DeliveryError) in
            state.validator = Validator(json)
            state.synced = known
            while state.size < known {
                let count = pread(descriptor, buffer.baseAddress, buffer.count, off_t(state.size))
                if count < 0, errno == EINTR { continue }
                guard count > 0 else { throw Self.system("cannot read", path, url) }
                state.hash.update(bufferPointer: UnsafeRawBufferPointer(rebasing: buffer[..<count]))
                state.size += Int64(count)
            }
        }
    }

    private func write(_ state: State) throws(DeliveryError) {
        let json = JSONValue.object(
            [("url", .string(url.description)), ("synced", .number(String(state.synced)))] + state.validator.json
        )
        let temporary = statePath + ".tmp"
        let file = open(temporary, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0o644)
        guard file >= 0 else { throw Self.system("cannot make", temporary, url) }
        defer { close(file) }
        var bytes: [UInt8] = []
        json.write(to: &bytes)
        guard pwrite(file, bytes, bytes.count, 0) == bytes.count, fsync(file) == 0,
            rename(temporary, statePath) == 0
        else { throw Self.system("cannot write", statePath, url) }
    }

    private static func contents(of path: String) -> [UInt8]? {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        var bytes = [UInt8](repeating: 0, count: 64 << 10)
        let count = pread(descriptor, &bytes, bytes.count, 0)
        return count > 0 ? Array(bytes[..<count]) : nil
    }

    private static func system(_ what: String, _ path: String, _ url: WebURL) -> DeliveryError {
        DeliveryError(.inputOutput, url, "\(what) '\(path)': \(String(cString: strerror(errno)))")
    }
}
