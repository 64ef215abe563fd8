internal import AFCFiles
internal import AFCPackageFormat
import AFCPlatform
internal import AFCText
internal import AFCURL
internal import AFCZip
internal import Crypto
internal import Synchronization

/// A partial download: a file, and a description of its version beside it.
///
/// Bytes count only once they are synced and recorded in the state with their digest: after a power failure, a file may
/// have its old length and contain zeros.
final class PartialFile: Sendable {
    private struct State {
        var size: Int64 = 0
        var synced: Int64 = 0
        var syncTime = ContinuousClock.now
        var validator = Validator()
        var hash = SHA256()
        /// True if the bytes came in more than one response.
        var isPatched = false
        var room = DiskRoom()
        var isRemoved = false
        /// The parts that are there, if they aren't the beginning of the package; ``size`` and ``hash`` don't count
        /// then.
        var parts: Parts?
    }

    /// The parts of a package of which not all is downloaded.
    private struct Parts {
        /// The size of the package, in bytes.
        var total: Int64
        var present = ByteRanges()
        /// The number of bytes after which the file is synced.
        var syncInterval = PartialFile.smallInterval
        var unsynced: Int64 = 0
    }

    /// The number of bytes after which the file is synced.
    private static let syncInterval: Int64 = 16 << 20
    /// The least number of bytes after which parts are synced.
    private static let smallInterval: Int64 = 64 << 10
    /// The longest time until the file is synced, since losing slowly received bytes is costly.
    private static let syncPause = Duration.seconds(5)

    let path: String
    /// The folder of the file.
    let folder: String
    private let url: WebURL
    private let statePath: String
    private let descriptor: Int32
    private let lock: DownloadLock
    private let state = Mutex(State())

    /// Opens an earlier partial download, or an empty file; waits for another process that downloads the same package.
    static func open(
        for url: WebURL,
        in folder: String,
        within limit: Duration? = nil,
        onWait: () -> Void
    ) async throws(DeliveryError) -> PartialFile {
        if mkdir(folder, 0o755) != 0, errno != EEXIST { throw .system("cannot create the folder", folder, url) }
        try requireOwn(folder, url)
        let location = RemoteLocation(url)
        let key = location.url.description + (location.query.map { "?" + $0 } ?? "")
        let name = Hexadecimal.text(SHA256.hash(data: Array(key.utf8)).prefix(16))
        let lock = try await DownloadLock.take("\(folder)/\(name).lock", for: url, within: limit, onWait: onWait)
        return try await OffPool.run { () throws(DeliveryError) in
            try PartialFile(url, folder: folder, name: name, lock: lock)
        }
    }

    /// Refuses links, and folders through which other users could redirect writes.
    private static func requireOwn(_ folder: String, _ url: WebURL) throws(DeliveryError) {
        var status = stat()
        guard lstat(folder, &status) == 0 else { throw .system("cannot access", folder, url) }
        guard status.st_mode & S_IFMT == S_IFDIR, status.st_uid == geteuid() || status.st_uid == 0,
            status.st_mode & 0o022 == 0
        else {
            throw DeliveryError(
                .inputOutput,
                url,
                "\(PrintableText.quoted(folder)) is a link, belongs to another user, or is writable by others; "
                    + "remove it, and it will be created again"
            )
        }
    }

    private init(_ url: WebURL, folder: String, name: String, lock: DownloadLock) throws(DeliveryError) {
        self.url = url
        self.lock = lock
        self.folder = folder
        path = "\(folder)/\(name).part"
        statePath = "\(folder)/\(name).json"
        let descriptor = openFile(path, O_RDWR | O_CREAT)
        guard descriptor >= 0 else { throw .system("cannot open", path, url) }
        self.descriptor = descriptor
        try resume()
    }

    deinit { close(descriptor) }

    /// The number of bytes received.
    var size: Int64 { state.withLock { $0.parts?.present.count ?? $0.size } }
    /// The size of the package, if the parts that are there aren't its beginning.
    var partsTotal: Int64? { state.withLock { $0.parts?.total } }
    /// The version of the package that they belong to.
    var validator: Validator { state.withLock { $0.validator } }
    /// True if they came in more than one response.
    var isPatched: Bool { state.withLock { $0.isPatched } }
    /// The SHA-256 of the received bytes, in hexadecimal digits.
    var digest: String { state.withLock { Hexadecimal.text($0.hash.finalize()) } }

    /// Empties the file, and starts with another version of the package.
    func begin(_ validator: Validator) throws(DeliveryError) {
        try locked { state throws(DeliveryError) in
            guard ftruncate(descriptor, 0) == 0 else { throw .system("cannot truncate", path, url) }
            state = State()
            state.validator = validator
            try write(state)
        }
    }

    /// Empties the file, and starts with parts of another version of the package.
    ///
    /// - Parameters:
    ///   - validator: The version, of which parts can be requested safely.
    ///   - total: The size of the package, in bytes.
    /// - Throws: ``DeliveryError`` if the file can't be changed.
    func begin(_ validator: Validator, total: Int64) throws(DeliveryError) {
        try locked { state throws(DeliveryError) in
            guard ftruncate(descriptor, 0) == 0, ftruncate(descriptor, off_t(total)) == 0 else {
                throw .system("cannot truncate", path, url)
            }
            state = State()
            state.validator = validator
            state.parts = Parts(total: total)
            try write(state)
        }
    }

    /// Notes how many bytes of parts will be received, and syncs the bytes received so far.
    ///
    /// An interruption then costs a small share of them.
    func expectParts(of bytes: Int64) throws(DeliveryError) {
        try locked { state throws(DeliveryError) in
            state.parts?.syncInterval = max(Self.smallInterval, min(Self.syncInterval, bytes / 64))
            try sync(&state)
        }
    }

    /// Returns the parts of ranges that aren't there.
    func missing(in ranges: [Range<Int64>]) -> [Range<Int64>] {
        state.withLock { state in
            guard let parts = state.parts else { return ranges }
            return ranges.flatMap { parts.present.missing(in: $0) }
        }
    }

    /// Writes received bytes of a part.
    ///
    /// - Parameters:
    ///   - bytes: The bytes.
    ///   - offset: Where they are in the package.
    ///   - isReceived: False for bytes that were predicted, which aren't part of the package until they are received.
    /// - Throws: ``DeliveryError`` if the file can't be written, or the disk is full.
    func write(_ bytes: UnsafeRawBufferPointer, at offset: Int64, isReceived: Bool = true) throws(DeliveryError) {
        try locked { state throws(DeliveryError) in
            guard var parts = state.parts else { preconditionFailure("the file doesn't have parts") }
            try requireRoom(for: bytes, &state)
            guard Descriptor.write(bytes, to: descriptor, at: offset) else { throw .system("cannot write", path, url) }
            guard isReceived else { return }
            // Only one copy of the ranges, so that they are changed in place.
            state.parts = nil
            parts.present.insert(offset..<(offset + Int64(bytes.count)))
            parts.unsynced += Int64(bytes.count)
            let isDue = parts.unsynced >= parts.syncInterval || state.syncTime.duration(to: .now) >= Self.syncPause
            state.parts = parts
            if isDue { try sync(&state) }
        }
    }

    /// Notes that bytes of a part will be overwritten by others that aren't the package's.
    ///
    /// An interruption after that doesn't take them for the package's.
    func forget(_ range: Range<Int64>) throws(DeliveryError) {
        try locked { state throws(DeliveryError) in
            guard let before = state.parts?.present.count else { return }
            state.parts?.present.remove(range)
            if state.parts?.present.count != before { try sync(&state) }
        }
    }

    /// Notes that another response continues the same version.
    func patch() { state.withLock { $0.isPatched = true } }

    /// Appends received bytes.
    func append(_ bytes: UnsafeRawBufferPointer) throws(DeliveryError) {
        try locked { state throws(DeliveryError) in
            try requireRoom(for: bytes, &state)
            guard Descriptor.write(bytes, to: descriptor, at: state.size) else {
                throw .system("cannot write", path, url)
            }
            state.hash.update(bufferPointer: bytes)
            state.size += Int64(bytes.count)
            let waiting = state.syncTime.duration(to: .now)
            if state.size - state.synced >= Self.syncInterval || waiting >= Self.syncPause { try sync(&state) }
        }
    }

    private func requireRoom(for bytes: UnsafeRawBufferPointer, _ state: inout State) throws(DeliveryError) {
        guard !state.room.admits(bytes.count, to: descriptor) else { return }
        throw DeliveryError(
            .inputOutput,
            url,
            "the disk that holds \(PrintableText.quoted(path)) is full, apart from a reserve; free some space"
        )
    }

    /// Syncs the received bytes, so that they survive a power failure.
    func sync() throws(DeliveryError) { try locked { state throws(DeliveryError) in try sync(&state) } }

    /// Removes the file, and releases the lock; nothing is written afterwards.
    func remove() {
        state.withLock { state in
            guard !state.isRemoved else { return }
            state.isRemoved = true
            unlink(statePath)
            unlink(path)
            lock.remove()
        }
    }

    /// Removes the file if it can't be resumed.
    ///
    /// - Returns: True if it is kept.
    func keepWhereResumable() async -> Bool {
        let isOfUse = size > 0 && state.withLock { !$0.isRemoved && $0.validator.forRange != nil }
        if !isOfUse { remove() }
        return isOfUse
    }

    /// Returns true if a partial download can be resumed, by the state beside it.
    static func isResumable(_ base: String) -> Bool {
        // A state that can't be read is useless to the next download, too.
        guard let text = contents(of: base + ".json"), let json = try? JSONValue(parsing: text) else { return false }
        return Validator(json).forRange != nil
    }

    /// Checks that the disk has room for the rest before it is downloaded.
    func requireRoom(for more: Int64) throws(DeliveryError) {
        guard let free = DiskRoom.available(descriptor), free < more else { return }
        throw DeliveryError(
            .inputOutput,
            url,
            "the rest of the package has \(more) bytes, but the disk of \(PrintableText.quoted(path)) has room for only \(free)"
        )
    }

    private func locked(_ body: (inout State) throws(DeliveryError) -> Void) throws(DeliveryError) {
        let result: Result<Void, DeliveryError> = state.withLock { state in
            Result { () throws(DeliveryError) in
                if !state.isRemoved { try body(&state) }
            }
        }
        try result.get()
    }

    private func sync(_ state: inout State) throws(DeliveryError) {
        guard fsync(descriptor) == 0 else { throw .system("cannot sync", path, url) }
        state.synced = state.size
        state.parts?.unsynced = 0
        state.syncTime = .now
        try write(state)
    }

    /// Reads the state; if it doesn't match, the download starts over.
    private func resume() throws(DeliveryError) {
        var status = stat()
        // A state that can't be read counts as none: the whole package is requested.
        guard let text = Self.contents(of: statePath), let json = try? JSONValue(parsing: text),
            RemoteLocation(json) == RemoteLocation(url), fstat(descriptor, &status) == 0
        else { return try begin(Validator()) }
        if let total = json["total"]?.integer {
            guard Int64(status.st_size) == total, let present = Self.ranges(json["parts"], total: total) else {
                return try begin(Validator())
            }
            return state.withLock { state in
                state.validator = Validator(json)
                state.parts = Parts(total: total, present: present)
            }
        }
        guard let known = json["synced"]?.integer, known >= 0, let digest = json["sha256"]?.string,
            Int64(status.st_size) >= known
        else { return try begin(Validator()) }
        guard ftruncate(descriptor, off_t(known)) == 0 else { throw .system("cannot truncate", path, url) }
        try hash(upTo: known)
        guard self.digest == digest else { return try begin(Validator()) }
        state.withLock { state in
            state.validator = Validator(json)
            state.synced = known
        }
    }

    /// Reads the parts that are there; nil if they can't be right.
    private static func ranges(_ json: JSONValue?, total: Int64) -> ByteRanges? {
        guard let bounds = json?.array?.map({ $0.integer }), bounds.count % 2 == 0 else { return nil }
        var ranges = ByteRanges()
        for place in stride(from: 0, to: bounds.count, by: 2) {
            guard let start = bounds[place], let end = bounds[place + 1], start >= 0, start < end, end <= total else {
                return nil
            }
            ranges.insert(start..<end)
        }
        return ranges
    }

    private func hash(upTo end: Int64) throws(DeliveryError) {
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 18, alignment: 16)
        defer { buffer.deallocate() }
        try locked { state throws(DeliveryError) in
            while state.size < end {
                guard let count = Descriptor.read(descriptor, into: buffer, at: state.size), count > 0 else {
                    throw .system("cannot read", path, url)
                }
                state.hash.update(bufferPointer: UnsafeRawBufferPointer(rebasing: buffer[..<count]))
                state.size += Int64(count)
            }
        }
    }

    private func write(_ state: State) throws(DeliveryError) {
        var members: [(String, JSONValue)] = RemoteLocation(url).json
        if let parts = state.parts {
            let bounds = parts.present.ranges.flatMap { [$0.lowerBound, $0.upperBound] }
            members.append(("total", .number(String(parts.total))))
            members.append(("parts", .array(bounds.map { .number(String($0)) })))
        } else {
            members.append(("synced", .number(String(state.synced))))
            members.append(("sha256", .string(Hexadecimal.text(state.hash.finalize()))))
        }
        let json = JSONValue.object(members + state.validator.json)
        let temporary = statePath + ".tmp"
        let file = openFile(temporary, O_WRONLY | O_CREAT | O_TRUNC)
        guard file >= 0 else { throw .system("cannot create", temporary, url) }
        defer { close(file) }
        var bytes: [UInt8] = []
        json.write(to: &bytes)
        guard pwrite(file, bytes, bytes.count, 0) == bytes.count, fsync(file) == 0,
            rename(temporary, statePath) == 0
        else { throw .system("cannot write", statePath, url) }
    }

    private static func contents(of path: String) -> [UInt8]? {
        let descriptor = openFile(path, O_RDONLY)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        var bytes = [UInt8](repeating: 0, count: 64 << 10)
        let count = pread(descriptor, &bytes, bytes.count, 0)
        return count > 0 ? Array(bytes[..<count]) : nil
    }
}

/// Opens a file; inside the type, `open` would mean its own member.
private func openFile(_ path: String, _ flags: Int32) -> Int32 {
    // Non-blocking, in case it is a pipe; the file is private to its owner.
    open(path, flags | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0o600)
}
