internal import AFCFiles
internal import AFCPackageFile
internal import AFCPackageFormat
internal import AFCZip
internal import Dispatch
internal import Synchronization

/// Writes a package's bodies and index to the folder of a new generation.
///
/// Each body is checked against its size, its checksum and, if there is one, its digest. Several threads process runs
/// of adjacent members; the index is written in order as runs are completed.
final class Extraction: Sendable {
    /// The result of an extraction.
    struct Result: Sendable {
        /// The SHA-256 of the index.
        var indexDigest = ""
        /// The number of bodies that were written, and of those shared with the previous generation.
        var written = 0
        var shared = 0
        var sharedBytes: Int64 = 0
        /// The SHA-256 of each member that was read, by its index in the archive; empty if no signature needs them.
        var digests: [Int: [UInt8]] = [:]
    }

    private struct State {
        var next = 0
        var error: CacheError?
        var result = Result()
    }

    private struct IndexState: ~Copyable {
        var writer: IndexWriter?
        var next = 0
        var waiting: [Int: IndexBatch] = [:]
    }

    private let package: PackageReader
    private let contents: GenerationContents
    private let bodies: BodyExtraction
    private let runs: [Range<Int>]
    private let isSigned: Bool
    private let state = Mutex(State())
    private let index: Mutex<IndexState>

    private init(
        _ package: PackageReader,
        _ contents: GenerationContents,
        _ bodies: BodyExtraction,
        _ writer: consuming IndexWriter
    ) {
        self.package = package
        self.contents = contents
        self.bodies = bodies
        runs = Self.runs(of: package)
        isSigned = package.archive.member(named: PackageLayout.signature) != nil
        index = Mutex(IndexState(writer: consume writer))
    }

    /// Extracts a package.
    ///
    /// - Parameters:
    ///   - package: The package, which was checked to be loadable.
    ///   - contents: The contents for the index.
    ///   - target: The folder of the new generation, which is created.
    ///   - previous: The previous generation, whose unchanged bodies are shared.
    ///   - workers: The number of threads.
    /// - Returns: The result.
    /// - Throws: ``CacheError`` for the first body that can't be extracted; the folder is then incomplete.
    static func run(
        _ package: PackageReader,
        _ contents: GenerationContents,
        into target: GenerationLayout,
        sharingWith previous: GenerationLayout?,
        workers: Int
    ) throws(CacheError) -> Result {
        try Folders.make(target.files)
        let writer = try IndexWriter(path: target.index, capacity: package.index.resources.count)
        let bodies = BodyExtraction(package, into: target, sharingWith: previous)
        let extraction = Extraction(package, contents, bodies, writer)
        let count = max(1, min(workers, extraction.runs.count))
        DispatchQueue.concurrentPerform(iterations: count) { _ in extraction.work() }
        let (error, result) = extraction.state.withLock { ($0.error, $0.result) }
        if let error { throw error }
        return try extraction.finish(result)
    }

    /// Returns runs of adjacent members in one folder, so that two threads rarely create files in the same folder.
    private static func runs(of package: PackageReader) -> [Range<Int>] {
        var runs: [Range<Int>] = []
        var start = 0
        var folder: Substring.UTF8View = ""[...].utf8
        for (number, resource) in package.index.resources.enumerated() {
            let name = resource.member.map { package.archive.members[$0].name } ?? ""
            let here = name[..<(name.utf8.lastIndex(of: UInt8(ascii: "/")) ?? name.startIndex)].utf8
            if number - start >= 16, number - start >= 512 || !here.elementsEqual(folder) {
                runs.append(start..<number)
                start = number
            }
            folder = here
        }
        if start < package.index.resources.count { runs.append(start..<package.index.resources.count) }
        return runs
    }

    private func work() {
        do throws(CacheError) {
            var buffers = try bodies.buffers()
            try work(using: &buffers)
        } catch {
            state.withLock { $0.error = $0.error ?? error }
        }
    }

    private func work(using buffers: inout ExtractionBuffers) throws(CacheError) {
        while true {
            let place: Int? = state.withLock { state in
                guard state.error == nil, state.next < runs.count else { return nil }
                defer { state.next += 1 }
                return state.next
            }
            guard let place else { return }
            try work(on: place, using: &buffers)
        }
    }

    private func work(on place: Int, using buffers: inout ExtractionBuffers) throws(CacheError) {
        var batch = IndexBatch()
        var done = Result()
        for number in runs[place] {
            let resource = package.index.resources[number]
            var digest: [UInt8] = []
            if let member = resource.member {
                let body = try bodies.extract(member, expecting: resource.record?.sha256, using: &buffers)
                digest = body.digest
                if isSigned { done.digests[member] = digest }
                done.written += body.isShared ? 0 : 1
                done.shared += body.isShared ? 1 : 0
                done.sharedBytes += body.isShared ? package.archive.members[member].uncompressedSize : 0
            }
            batch.append(contents.indexed(number, digest: digest))
        }
        try append(batch, place)
        state.withLock { state in
            state.result.written += done.written
            state.result.shared += done.shared
            state.result.sharedBytes += done.sharedBytes
            state.result.digests.merge(done.digests) { one, _ in one }
        }
    }

    /// Appends a run's records once those of all earlier runs were appended.
    private func append(_ batch: IndexBatch, _ place: Int) throws(CacheError) {
        try index.withLock { index throws(CacheError) in
            index.waiting[place] = batch
            while let ready = index.waiting.removeValue(forKey: index.next) {
                index.next += 1
                try index.writer?.append(ready)
            }
        }
    }

    private func finish(_ result: Result) throws(CacheError) -> Result {
        var result = result
        result.indexDigest = try index.withLock { index throws(CacheError) -> String in
            guard let writer = index.writer.take() else { return "" }
            return try writer.finish()
        }
        guard !package.index.userData.isEmpty else { return result }
        var buffers = try bodies.buffers()
        for member in package.index.userData {
            result.digests[member] = try bodies.extractUserData(member, using: &buffers)
        }
        return result
    }
}
