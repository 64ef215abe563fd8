internal import AFCFiles
internal import AFCPackageFormat
import AFCPlatform
internal import AFCText
internal import Crypto
internal import Dispatch
internal import Synchronization

/// Compares the files of a generation with what catalogue and index say.
struct GenerationCheck {
    /// A body that is not as it should be.
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
    ///   - package: The package's name.
    ///   - generation: What the catalogue says of it.
    ///   - files: Where it lies.
    ///   - isQuick: Whether sizes are enough, and no body is read.
    ///   - readsChanged: Whether bodies are read nevertheless that something wrote to after they were loaded.
    /// - Throws: ``CacheError`` where the index can't be read.
    init(
        package: String,
        _ generation: Generation,
        files: GenerationLayout,
        isQuick: Bool,
        readsChanged: Bool = false
    ) throws(CacheError) {
        // The index is written last, so a body that is younger was written to since.
        let loaded = readsChanged ? FileTime(files.index) : nil
        let judge = try BodyJudge(package: package, files: files, isQuick: isQuick, loaded: loaded)
        self.judge = judge
        self.generation = generation
        guard let index = try checkedIndex() else {
            isIndexDamaged = true
            findings.append(judge.finding(.indexDamaged, files.index, nil, "the index is missing or has other bytes"))
            return
        }
        let bad = Mutex<[BadBody]>([])
        let failure = Mutex<CacheError?>(nil)
        var batch: [IndexedResource] = []
        var members: Set<String> = []
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
        try index.forEach { resource throws(CacheError) in
            guard let member = resource.member else { return true }
            members.insert(member)
            guard !generation.evicted.contains(resource.number) else { return true }
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
        _ members: Set<String>
    ) throws(CacheError) {
        for name in try folder.names() {
            let path = folder.path + "/" + name
            guard let kind = folder.kind(of: name) else { continue }
            if kind == .folder {
                let inner = try folder.folder(name)
                try findUnknown(in: inner, below: prefix + name + "/", members)
            } else if !members.contains(prefix + name) {
                let message = "no entry refers to this file; move or remove it yourself"
                findings.append(judge.finding(.fileUnknown, path, nil, message))
            }
        }
    }
}

/// Looks at one body after the other; any number of threads may ask at once.
struct BodyJudge: Sendable {
    let package: String
    let files: GenerationLayout
    let isQuick: Bool
    /// The folder of the bodies; nil where it isn't there, or isn't a folder.
    let folder: OpenFolder?
    /// When the generation was written; bodies that changed later are read also where a quick look is enough.
    let loaded: FileTime?

    init(package: String, files: GenerationLayout, isQuick: Bool, loaded: FileTime?) throws(CacheError) {
        (self.package, self.files, self.isQuick, self.loaded) = (package, files, isQuick, loaded)
        folder = try files.openFilesIfThere()
    }

    /// What is wrong with a body, or nil.
    ///
    /// - Throws: ``CacheError`` where that can't be found out: the file can't be opened, though it may be sound.
    func finding(for resource: IndexedResource) throws(CacheError) -> CacheFinding? {
        guard let member = resource.member else { return nil }
        let path = files.body(member)
        guard let folder else {
            let message = "the folder of the body of '\(resource.url)' is missing or a link"
            return finding(.bodyMissing, path, resource, message)
        }
        if let stranger = folder.stranger(on: member) {
            return finding(
                .bodyDamaged,
                path,
                resource,
                "the path to the body of '\(resource.url)' leads through '\(stranger)', which is not a folder; "
                    + "remove it, then repair"
            )
        }
        guard let status = try folder.status(of: member) else {
            return finding(.bodyMissing, path, resource, "the body of '\(resource.url)' is missing")
        }
        guard status.st_mode & S_IFMT == S_IFREG else {
            let message = "the body of '\(resource.url)' is not a regular file; remove it, then repair"
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
        return finding(.bodyDamaged, path, resource, "the body of '\(resource.url)' has other bytes than were loaded")
    }

    func finding(
        _ kind: CacheFinding.Kind,
        _ path: String,
        _ resource: IndexedResource?,
        _ message: String
    ) -> CacheFinding {
        CacheFinding(kind: kind, path: path, package: package, url: resource?.url, message: message)
    }

    /// The SHA-256 of a file below a folder; nil where there is none, or the disk doesn't give its bytes back.
    ///
    /// - Throws: ``CacheError`` where it can't be opened or read for another reason.
    static func digest(of path: String, in folder: OpenFolder) throws(CacheError) -> [UInt8]? {
        let opened: Int32?
        do throws(CacheError) {
            opened = try folder.file(path)
        } catch {
            // A thing of another kind is no file, and a link none of ours.
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

/// When a file was last written to.
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

    /// The time of a path; nil where there is none.
    init?(_ path: String) {
        var status = stat()
        guard lstat(path, &status) == 0 else { return nil }
        self.init(status)
    }

    static func < (one: FileTime, other: FileTime) -> Bool {
        (one.seconds, one.nanoseconds) < (other.seconds, other.nanoseconds)
    }
}
