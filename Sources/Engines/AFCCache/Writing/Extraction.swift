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
        /// The SHA-256 of each member that was read; empty if nobody needs them.
        var digests = MemberDigests()
        /// The resources together.
        var summary: ContentSummary

        init(seeds: [String]) { summary = ContentSummary(seeds: seeds) }
    }

    private struct State {
        var next = 0
        var error: CacheError?
        var result: Result
    }

    private let package: PackageReader
    private let contents: GenerationContents
    private let bodies: BodyExtraction
    private let runs: [Range<Int>]
    private let keepsDigests: Bool
    private let state: Mutex<State>
    private let index: OrderedIndexWriter

    private init(
        _ package: PackageReader,
        _ contents: GenerationContents,
        _ bodies: BodyExtraction,
        _ writer: consuming IndexWriter,
        keepsDigests: Bool
    ) {
        self.package = package
        self.contents = contents
        self.bodies = bodies
        runs = Self.runs(of: package)
        self.keepsDigests = keepsDigests || package.archive.member(named: PackageLayout.signature) != nil
        state = Mutex(State(result: Result(seeds: package.index.info?.seeds ?? [])))
        index = OrderedIndexWriter(consume writer)
    }

    /// Extracts a package.
    ///
    /// - Parameters:
    ///   - package: The package, which was checked to be loadable.
    ///   - contents: The contents for the index.
    ///   - target: The folder of the new generation, which is created.
    ///   - previous: The previous generation, whose unchanged bodies are shared.
    ///   - held: The members whose data the package's file lacks, and their bodies; nil for none.
    ///   - keepsDigests: True to return the digests of all bodies even if the package isn't signed.
    ///   - workers: The number of threads.
    /// - Returns: The result.
    /// - Throws: ``CacheError`` for the first body that can't be extracted; the folder is then incomplete.
    static func run(
        _ package: PackageReader,
        _ contents: GenerationContents,
        into target: GenerationLayout,
        sharingWith previous: GenerationLayout?,
        held: HeldBodies? = nil,
        keepsDigests: Bool,
        workers: Int
    ) throws(CacheError) -> Result {
        try Folders.make(target.files)
        let writer = try IndexWriter(path: target.index, capacity: package.index.resources.count)
        let bodies = BodyExtraction(package, into: target, sharingWith: previous, held: held)
        let extraction = Extraction(package, contents, bodies, writer, keepsDigests: keepsDigests)
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
        for number in package.index.resources.indices {
            let name = package.index.resources.member(at: number).map { package.archive.members[$0].name } ?? ""
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
            var summary = ContentSummary(seeds: package.index.info?.seeds ?? [])
            try work(using: &buffers, &summary)
            state.withLock { $0.result.summary.add(summary) }
        } catch {
            state.withLock { $0.error = $0.error ?? error }
        }
    }

    private func work(
        using buffers: inout ExtractionBuffers,
        _ summary: inout ContentSummary
    ) throws(CacheError) {
        var resources = PackageIndex.Resources.Cursor(package.index.resources)
        while true {
            let place: Int? = state.withLock { state in
                guard state.error == nil, state.next < runs.count else { return nil }
                defer { state.next += 1 }
                return state.next
            }
            guard let place else { return }
            try work(on: place, using: &buffers, &resources, &summary)
        }
    }

    private func work(
        on place: Int,
        using buffers: inout ExtractionBuffers,
        _ resources: inout PackageIndex.Resources.Cursor,
        _ summary: inout ContentSummary
    ) throws(CacheError) {
        var batch = IndexBatch()
        var (written, shared, sharedBytes) = (0, 0, Int64(0))
        var digests: [(member: Int, digest: [UInt8])] = []
        for number in runs[place] {
            let resource = resources.resource(at: number)
            let member = resource.member.map { package.archive.members[$0] }
            var digest: [UInt8] = []
            if let index = resource.member, let member {
                let body = try bodies.extract(
                    member,
                    index,
                    expecting: resource.record?.sha256,
                    using: &buffers
                )
                digest = body.digest
                if keepsDigests { digests.append((index, digest)) }
                written += body.isShared ? 0 : 1
                shared += body.isShared ? 1 : 0
                sharedBytes += body.isShared ? member.uncompressedSize : 0
            }
            summary.add(resource, size: member?.uncompressedSize)
            batch.append(contents.indexed(number, resource, member, digest: digest))
        }
        try index.append(batch, at: place)
        state.withLock { state in
            state.result.written += written
            state.result.shared += shared
            state.result.sharedBytes += sharedBytes
            for (member, digest) in digests { state.result.digests[member] = digest }
        }
    }

    private func finish(_ result: Result) throws(CacheError) -> Result {
        var result = result
        result.indexDigest = try index.finish()
        guard !package.index.userData.isEmpty else { return result }
        var buffers = try bodies.buffers()
        for member in package.index.userData {
            result.digests[member] = try bodies.extractUserData(member, using: &buffers)
        }
        return result
    }
}

/// The SHA-256 of members, by their index in the archive, without an allocation for each.
struct MemberDigests: Sendable {
    private static let size = 32

    private var bytes: [UInt8] = []
    private var isKnown: [Bool] = []

    /// The 32 bytes of a member's digest; nil if it isn't known.
    subscript(member: Int) -> [UInt8]? {
        get {
            guard member < isKnown.count, isKnown[member] else { return nil }
            return Array(bytes[(member * Self.size)..<((member + 1) * Self.size)])
        }
        set {
            if member >= isKnown.count {
                isKnown.append(contentsOf: repeatElement(false, count: member + 1 - isKnown.count))
                bytes.append(contentsOf: repeatElement(0, count: isKnown.count * Self.size - bytes.count))
            }
            isKnown[member] = newValue != nil
            guard let newValue else { return }
            precondition(newValue.count == Self.size, "a SHA-256 has \(newValue.count) bytes")
            bytes.replaceSubrange((member * Self.size)..<((member + 1) * Self.size), with: newValue)
        }
    }
}
