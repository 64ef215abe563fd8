internal import AFCFiles
internal import AFCPackageFormat
import AFCPlatform
internal import AFCText
internal import Crypto
internal import Dispatch
internal import Synchronization

/// Compares the files of a generation with the catalogue and the index.
struct GenerationCheck {
    /// A body that differs from what was loaded.
    struct BadBody: Sendable {
        var resource: IndexedResource
        var finding: CacheFinding
    }

    private(set) var findings: [CacheFinding] = []
    private(set) var badBodies: [BadBody] = []
    private(set) var isIndexDamaged = false
    private(set) var bodies = 0
    private(set) var bytes: Int64 = 0

    private let judge: BodyJudge
    private let generation: Generation

    /// Checks a generation.
    ///
    /// - Parameters:
    ///   - package: The name of the package.
    ///   - generation: The catalogue's description of the generation.
    ///   - layout: The cache.
    ///   - isQuick: Whether to check sizes only, without reading bodies.
    ///   - readsChanged: Whether to read bodies anyway if they were written to after they were loaded.
    /// - Throws: ``CacheError`` if the index can't be read.
    init(
        package: String,
        _ generation: Generation,
        in layout: CacheLayout,
        isQuick: Bool,
        readsChanged: Bool = false
    ) throws(CacheError) {
        let files = layout.generation(generation.folder)
        // The index is written last, so a newer body was changed after loading.
        let loaded = readsChanged ? FileTime(files.index) : nil
        let judge = try BodyJudge(package: package, files: files, isQuick: isQuick, loaded: loaded)
        self.judge = judge
        self.generation = generation
        guard let index = try checkedIndex() else {
            isIndexDamaged = true
            findings.append(judge.finding(.indexDamaged, files.index, nil, "the index is missing or was changed"))
            return
        }
        let bad = Mutex<[BadBody]>([])
        let failure = Mutex<CacheError?>(nil)
        var batch: [IndexedResource] = []
        // Hashes instead of names, because a generation may have a million; two names with one hash could at worst hide
        // a file that nobody refers to.
        var members: Set<Int> = []
        func check(_ batch: [IndexedResource]) throws(CacheError) {
            let part = (batch.count + 3) / 4
            DispatchQueue.concurrentPerform(iterations: 4) { worker in
                for resource in batch.dropFirst(worker * part).prefix(part) {
                    do throws(CacheError) {
                        guard let finding = try judge.finding(for: resource) else { continue }
                        bad.withLock { $0.append(BadBody(resource: resource, finding: finding)) }
                    } catch {
                        return failure.withLock { $0 = $0 ?? error }
                    }
                }
            }
            if let error = failure.withLock({ $0 }) { throw error }
        }
        let evicted = try EvictionBitmap.of(generation, in: layout)
        try index.forEach { resource throws(CacheError) in
            guard let member = resource.member else { return true }
            members.insert(member.hashValue)
            guard !evicted.contains(resource.number) else { return true }
            bodies += 1
            bytes += resource.size
            batch.append(resource)
            if batch.count == 1024 {
                try check(batch)
                batch.removeAll(keepingCapacity: true)
            }
            return true
        }
        try check(batch)
        badBodies = bad.withLock { $0 }.sorted { $0.resource.url < $1.resource.url }
        findings += badBodies.map(\.finding)
        if let folder = judge.folder { try findUnknown(in: folder, below: "", members) }
    }

    private func checkedIndex() throws(CacheError) -> GenerationIndex? {
        guard let folder = try judge.files.openIfThere(),
            let digest = try BodyJudge.digest(of: GenerationLayout.indexName, in: folder),
            Hexadecimal.text(digest) == generation.indexDigest
        else { return nil }
        return try GenerationIndex(judge.files)
    }

    private mutating func findUnknown(
        in folder: OpenFolder,
        below prefix: String,
        _ members: Set<Int>
    ) throws(CacheError) {
        for name in try folder.names() {
            let path = folder.path + "/" + name
            guard let kind = folder.kind(of: name) else { continue }
            if kind == .folder {
                let inner = try folder.folder(name)
                try findUnknown(in: inner, below: prefix + name + "/", members)
            } else if !members.contains((prefix + name).hashValue) {
                let message = "no entry refers to this file; move or remove it yourself"
                findings.append(judge.finding(.fileUnknown, path, nil, message))
            }
        }
    }
}

/// Checks bodies one by one; any number of threads may use it at the same time.
struct BodyJudge: Sendable {
    let package: String
    let files: GenerationLayout
    let isQuick: Bool
    /// The folder of the bodies; nil if it is missing or isn't a folder.
    let folder: OpenFolder?
    /// The time when the generation was written; bodies that changed later are read even in a quick check.
    let loaded: FileTime?

    init(package: String, files: GenerationLayout, isQuick: Bool, loaded: FileTime?) throws(CacheError) {
        (self.package, self.files, self.isQuick, self.loaded) = (package, files, isQuick, loaded)
        folder = try files.openFilesIfThere()
    }

    /// Returns what is wrong with a body, or nil.
    ///
    /// - Throws: ``CacheError`` if that can't be determined: the file can't be opened, but may be intact.
    func finding(for resource: IndexedResource) throws(CacheError) -> CacheFinding? {
        guard let member = resource.member else { return nil }
        let path = files.body(member)
        guard let folder else {
            let message = "the folder of the body of '\(resource.url)' is missing or is a link"
            return finding(.bodyMissing, path, resource, message)
        }
        if let stranger = folder.stranger(on: member) {
            return finding(
                .bodyDamaged,
                path,
                resource,
                "the path to the body of '\(resource.url)' leads through '\(stranger)', which is not a folder; "
                    + "remove it and repair the cache"
            )
        }
        guard let status = try folder.status(of: member) else {
            return finding(.bodyMissing, path, resource, "the body of '\(resource.url)' is missing")
        }
        guard status.st_mode & S_IFMT == S_IFREG else {
            let message = "the body of '\(resource.url)' is not a regular file; remove it and repair the cache"
            return finding(.bodyDamaged, path, resource, message)
        }
        guard Int64(status.st_size) == resource.size else {
            return finding(
                .bodyDamaged,
                path,
                resource,
                "the body of '\(resource.url)' has \(status.st_size) bytes instead of \(resource.size)"
            )
        }
        let isRead = !isQuick || (loaded.map { FileTime(status) > $0 } ?? false)
        guard isRead, try Self.digest(of: member, in: folder) != resource.digest else { return nil }
        return finding(.bodyDamaged, path, resource, "the body of '\(resource.url)' differs from what was loaded")
    }

    func finding(
        _ kind: CacheFinding.Kind,
        _ path: String,
        _ resource: IndexedResource?,
        _ message: String
    ) -> CacheFinding {
        CacheFinding(kind: kind, path: path, package: package, url: resource?.url, message: message)
    }

    /// Returns the SHA-256 of a file below a folder; nil if there is no such file, or if the disk can't read it back.
    ///
    /// - Throws: ``CacheError`` if it can't be opened or read for another reason.
    static func digest(of path: String, in folder: OpenFolder) throws(CacheError) -> [UInt8]? {
        let opened: Int32?
        do throws(CacheError) {
            opened = try folder.file(path)
        } catch {
            // Something of another kind is not a file, and a link is not ours.
            guard error.code == .damaged || error.number == EIO || error.number == nil else { throw error }
            return nil
        }
        guard let descriptor = opened else { return nil }
        defer { close(descriptor) }
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 128 << 10, alignment: 16)
        defer { buffer.deallocate() }
        var hash = SHA256()
        var offset: Int64 = 0
        while true {
            guard let count = Descriptor.read(descriptor, into: buffer, at: offset) else {
                guard errno == EIO else { throw .system("cannot read", path: folder.path + "/" + path) }
                return nil
            }
            if count == 0 { return Array(hash.finalize()) }
            hash.update(bufferPointer: UnsafeRawBufferPointer(rebasing: buffer[..<count]))
            offset += Int64(count)
        }
    }
}

/// The time when a file was last written to.
struct FileTime: Sendable, Comparable {
    /// The seconds since 1970.
    let seconds: Int64
    private let nanoseconds: Int64

    init(_ status: stat) {
        #if canImport(Darwin)
        let time = status.st_mtimespec
        #else
        let time = status.st_mtim
        #endif
        (seconds, nanoseconds) = (Int64(time.tv_sec), Int64(time.tv_nsec))
    }

    /// Reads the time of a path; nil if it doesn't exist.
    init?(_ path: String) {
        var status = stat()
        guard lstat(path, &status) == 0 else { return nil }
        self.init(status)
    }

    static func < (one: FileTime, other: FileTime) -> Bool {
        (one.seconds, one.nanoseconds) < (other.seconds, other.nanoseconds)
    }
}
