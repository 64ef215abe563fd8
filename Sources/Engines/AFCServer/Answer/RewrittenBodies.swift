internal import AFCCache
internal import AFCDiscovery
internal import AFCMemory
internal import AFCURL
internal import NIOCore
internal import Synchronization

/// Bodies with their references replaced, kept in memory, and made once for all requests that wait for one.
final class RewrittenBodies: Sendable {
    /// The body that is replaced, and the browser's names for its references.
    struct Key: Hashable, Sendable {
        var url: WebURL
        var type: String
        var form: LinkForm
        /// The source of the page's script, which policies in the page may name; nil if pages get no script.
        var scriptSource: String?
        /// True if pages with links that lead out get the script.
        var asks = false
        /// The bar of versions; nil for none.
        var bar: String?
        /// The package, and the path of the body.
        var package: String?
        var path: String
        /// The change number of the cache, which counts changes of the packaged origins, too.
        var changes: UInt64
    }

    /// What the policies of a page have to admit.
    struct Sources: Sendable {
        /// The digests of changed styles, and those of what they became.
        var styles: [String: Set<String>] = [:]
        /// True if the page has the server's script.
        var hasScript = false
        /// The digest of an import map that was added or changed; nil if there is none.
        var importMap: String?
    }

    /// What became of a body.
    enum Outcome: Sendable {
        /// Nothing has to be replaced.
        case unchanged
        /// The new body, its digest, and what its policies have to admit.
        case body(ByteBuffer, digest: String, Sources)

        /// The memory that the outcome takes, in bytes.
        fileprivate var cost: Int {
            switch self {
            case .unchanged: 500
            case .body(let bytes, _, let sources): bytes.readableBytes + 150 * sources.styles.count + 600
            }
        }
    }

    /// The most bytes that all bodies together take, unless another limit is set.
    static let defaultLimit = 32 << 20
    /// The size from which on bodies are replaced one after the other, so that a few requests don't take much memory.
    static let largeBody: Int64 = 4 << 20
    /// The number of smaller bodies that are replaced at the same time.
    private static let laneCount = 16

    private let table: Mutex<CostTable<Key, Outcome>>
    private let large = Lane()
    private let lanes = (0..<laneCount).map { _ in Lane() }

    private final class Lane: Sendable {
        let work = Mutex(())
    }

    /// Creates an empty memory.
    ///
    /// - Parameter byteLimit: The most bytes that all bodies together may take.
    init(byteLimit: Int) { table = Mutex(CostTable(limit: byteLimit, prefersNew: true)) }

    /// Returns the outcome for a body if it is known.
    func known(_ key: Key) -> Outcome? { table.withLock { $0.use(key) } }

    /// Returns the outcome for a body; blocks.
    ///
    /// - Parameters:
    ///   - key: The key.
    ///   - isKept: True if the same key always means the same body.
    ///   - size: The size of the body, in bytes.
    ///   - make: Makes the outcome.
    /// - Returns: The outcome.
    /// - Throws: The error of the closure.
    func outcome(_ key: Key, isKept: Bool, size: Int64, _ make: () throws -> Outcome) throws -> Outcome {
        if isKept, let known = known(key) { return known }
        let lane = size > Self.largeBody ? large : lanes[Int(UInt(bitPattern: key.hashValue) % UInt(Self.laneCount))]
        return try lane.work.withLock { _ in
            // Another request may have made it meanwhile.
            if isKept, let known = table.withLock({ $0.value(for: key) }) { return known }
            let outcome = try make()
            if isKept { table.withLock { _ = $0.insert(outcome, for: key, cost: outcome.cost) } }
            return outcome
        }
    }
}
