internal import AFCFiles
internal import AFCPackageFile
internal import AFCPackageFormat
internal import AFCText
internal import AFCZip
internal import Dispatch
internal import Synchronization

/// Writes the index of a mounted package; several threads read the entries of adjacent resources.
final class MountIndexing: Sendable {
    /// The number of resources that a thread takes at a time.
    private static let batchSize = 512

    private struct State {
        var next = 0
        var error: CacheError?
        var places: [[UInt8]]
        var summary: ContentSummary
    }

    private let package: PackageReader
    private let contents: GenerationContents
    private let index: OrderedIndexWriter
    private let state: Mutex<State>

    init(_ package: PackageReader, _ contents: GenerationContents, _ writer: consuming IndexWriter) {
        self.package = package
        self.contents = contents
        index = OrderedIndexWriter(consume writer)
        let batches = (package.index.resources.count + Self.batchSize - 1) / Self.batchSize
        let summary = ContentSummary(seeds: package.index.info?.seeds ?? [])
        state = Mutex(State(places: Array(repeating: [], count: batches), summary: summary))
    }

    /// Writes the index.
    ///
    /// - Returns: The SHA-256 of the index in hexadecimal digits, the places of the resources' bodies as a mount file
    ///   has them, and the resources together.
    /// - Throws: ``CacheError`` if the index can't be written.
    func run() throws(CacheError) -> (digest: String, places: [UInt8], summary: ContentSummary) {
        let batches = state.withLock { $0.places.count }
        let workers = min(8, batches, ParallelWork.processors)
        DispatchQueue.concurrentPerform(iterations: workers) { _ in work() }
        let (error, places, summary) = state.withLock { ($0.error, $0.places, $0.summary) }
        if let error { throw error }
        return (try index.finish(), Array(places.joined()), summary)
    }

    private func work() {
        var resources = PackageIndex.Resources.Cursor(package.index.resources)
        var summary = ContentSummary(seeds: package.index.info?.seeds ?? [])
        while let number = nextBatch() {
            let start = number * Self.batchSize
            var batch = IndexBatch()
            var places: [UInt8] = []
            places.reserveCapacity(Self.batchSize * MemberPlace.size)
            for resource in start..<min(start + Self.batchSize, package.index.resources.count) {
                add(resource, &resources, to: &batch, &places, &summary)
            }
            do throws(CacheError) {
                try index.append(batch, at: number)
            } catch {
                state.withLock { $0.error = $0.error ?? error }
            }
            state.withLock { $0.places[number] = places }
        }
        state.withLock { $0.summary.add(summary) }
    }

    /// Returns the number of the next batch; nil if there is none, or one failed.
    private func nextBatch() -> Int? {
        state.withLock { state in
            guard state.error == nil, state.next < state.places.count else { return nil }
            defer { state.next += 1 }
            return state.next
        }
    }

    private func add(
        _ number: Int,
        _ resources: inout PackageIndex.Resources.Cursor,
        to batch: inout IndexBatch,
        _ places: inout [UInt8],
        _ summary: inout ContentSummary
    ) {
        let resource = resources.resource(at: number)
        let member = resource.member.map { package.archive.members[$0] }
        let digest = resource.record?.sha256.flatMap { Hexadecimal.bytes($0) } ?? []
        batch.append(contents.indexed(number, resource, member, digest: digest))
        MemberPlace.append(member.map { MemberPlace($0) }, to: &places)
        summary.add(resource, size: member?.uncompressedSize)
    }
}
