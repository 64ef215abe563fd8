internal import AFCCache
internal import AFCFiles
import AFCPlatform
internal import AFCText

/// The folder of a cache for what is remembered of channels.
///
/// As everywhere in a cache, no link is followed, and nothing is believed that another user could have written.
struct ChannelFolder: Sendable {
    let path: String
    private let cache: String

    init(of store: DiskCache) { (path, cache) = (store.channelFolder, store.path) }

    /// Reads a file; nil if there is none.
    func contents(of name: String, upTo limit: Int) throws(FileError) -> [UInt8]? {
        guard let folder = try Folder<FileError>(path: cache).folderIfThere(Durable.name(of: path)),
            let descriptor = try folder.file(name)
        else { return nil }
        let file = OpenFile(descriptor: descriptor, path: path + "/" + name)
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { throw .system("cannot access", file.path) }
        guard status.st_uid == geteuid() || status.st_uid == 0, status.st_mode & 0o022 == 0 else {
            throw FileError(file.path, "another user can write to this file; remove it", .misplaced)
        }
        return try file.contents(upTo: limit)
    }

    /// Writes a file as a whole.
    func write(_ bytes: [UInt8], to name: String, replacing isReplacing: Bool) throws(FileError) {
        try make()
        try Durable.write(bytes, to: path + "/" + name, mode: 0o644, replacing: isReplacing)
    }

    /// Runs a closure while no other process reads or changes the folder under the lock.
    func locked<Value>(_ body: () throws -> Value) throws -> Value {
        try make()
        let lock = try FileLock(file: path + "/lock")
        // It is held for a few reads and writes.
        switch lock.take(within: 30, pause: 20) {
        case .held: break
        case .failed: throw lock.failure()
        case .busy:
            throw CacheError(.busy, subject: path, message: "another process is reading a channel; try again")
        }
        defer { lock.release() }
        return try body()
    }

    /// Creates the folder if it is missing, and refuses one that isn't ours.
    private func make() throws(FileError) {
        let root = try Folder<FileError>(path: cache)
        let name = Durable.name(of: path)
        try root.make(name)
        try root.folder(name).requireOwn()
    }
}
