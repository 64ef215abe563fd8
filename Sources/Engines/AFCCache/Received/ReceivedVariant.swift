internal import AFCCaching
internal import AFCHTTP
internal import AFCPackageFormat
internal import AFCText
internal import HTTPTypes

/// A received response as memory has it; never changed, only replaced.
final class ReceivedVariant: Sendable {
    /// Where the body lies.
    enum Body: Sendable, Equatable {
        /// In memory, and in the database.
        case bytes([UInt8])
        /// In a file of its own.
        case file(UInt64)
    }

    let id: Int64
    let response: StoredResponse
    let digest: [UInt8]
    let body: Body
    let key: VaryKey
    /// When it was made, or received where that is earlier: a Date of the future doesn't shadow what comes later.
    let date: Timestamp

    init(id: Int64, response: StoredResponse, digest: [UInt8], body: Body) {
        var response = response
        key = VaryKey(of: response.fields, request: response.requestFields ?? HTTPFields())
        response.requestFields = key.fields
        response.source = .received
        response.sha256 = Hexadecimal.text(digest)
        self.id = id
        self.response = response
        self.digest = digest
        self.body = body
        date = min(response.date, response.received)
    }

    private init(id: Int64, _ other: ReceivedVariant) {
        self.id = id
        response = other.response
        digest = other.digest
        body = other.body
        key = other.key
        date = other.date
    }

    /// The same response under another number.
    func numbered(_ id: Int64) -> ReceivedVariant { ReceivedVariant(id: id, self) }

    /// The same body with another head.
    func with(_ response: StoredResponse) -> ReceivedVariant {
        var response = response
        response.size = self.response.size
        response.requestFields = response.requestFields ?? self.response.requestFields
        return ReceivedVariant(id: id, response: response, digest: digest, body: body)
    }

    /// Returns true if it is asked before another: the most recent comes first (RFC 9111 §4).
    func isBefore(_ other: ReceivedVariant) -> Bool {
        (date, response.received, id) > (other.date, other.response.received, other.id)
    }

    /// Returns true if it answers all that another one does, so that both needn't be kept.
    ///
    /// A part of a body doesn't answer what the whole does, and an error leaves the last good response, which is served
    /// again when the error is over.
    func standsFor(_ other: ReceivedVariant) -> Bool {
        let (status, otherStatus) = (response.status, other.response.status)
        guard status != 206, otherStatus != 206, status < 500 || otherStatus >= 500 else { return false }
        return key == other.key
    }

    /// When it stops being fresh; nil where it doesn't say.
    var expires: Timestamp? {
        let freshness = Freshness(of: response, at: response.received, sharing: .shared)
        return freshness.lifetime == nil ? nil : response.received + freshness.ttl
    }

    /// About how many bytes it takes in memory.
    var cost: Int {
        var cost = 512
        for field in response.fields { cost += field.name.rawName.utf8.count + field.value.utf8.count + 96 }
        for field in response.requestFields ?? HTTPFields() { cost += 2 * field.value.utf8.count + 192 }
        if case .bytes(let bytes) = body { cost += bytes.count }
        return cost
    }
}

/// What came for a package's entry after it was loaded: new fields, or that it is invalidated.
final class FreshenedEntry: Sendable {
    /// The folder of the generation that it belongs to.
    let generation: String
    let response: StoredResponse

    init(generation: String, response: StoredResponse) {
        var response = response
        response.source = .package
        self.generation = generation
        self.response = response
    }

    /// The entry with its new fields; the body is the package's.
    func applied(to entry: StoredResponse) -> StoredResponse {
        var response = response
        response.size = entry.size
        response.sha256 = entry.sha256
        response.requestFields = response.requestFields ?? entry.requestFields
        return response
    }
}

/// What the received area has for a URL.
struct ReceivedEntry: Sendable {
    /// The variants, the most recent first.
    private(set) var variants: [ReceivedVariant] = []
    var freshened: FreshenedEntry?

    /// How many variants a URL may have; an origin that varies by something endless doesn't fill the cache with one URL.
    static let variantLimit = 32

    init(variants: [ReceivedVariant] = [], freshened: FreshenedEntry? = nil) {
        self.variants = variants.sorted { $0.isBefore($1) }
        self.freshened = freshened
    }

    var isEmpty: Bool { variants.isEmpty && freshened == nil }
    var cost: Int { variants.reduce(256) { $0 + $1.cost } + (freshened == nil ? 0 : 1024) }

    func variant(_ id: Int64) -> ReceivedVariant? { variants.first { $0.id == id } }

    /// Adds a variant.
    ///
    /// - Returns: The numbers of those that leave for it: those named, those that it stands for, the oldest of too many.
    mutating func add(_ variant: ReceivedVariant, replacing: [Int64]) -> [Int64] {
        var leaving = variants.filter { replacing.contains($0.id) || variant.standsFor($0) }.map(\.id)
        variants.removeAll { leaving.contains($0.id) }
        while variants.count >= Self.variantLimit { leaving.append(variants.removeLast().id) }
        insert(variant)
        return leaving
    }

    /// Puts a variant in the place of that of the same number, where it is still there.
    mutating func replace(_ variant: ReceivedVariant) {
        guard variants.contains(where: { $0.id == variant.id }) else { return }
        variants.removeAll { $0.id == variant.id }
        insert(variant)
    }

    mutating func remove(_ ids: Set<Int64>) { variants.removeAll { ids.contains($0.id) } }

    private mutating func insert(_ variant: ReceivedVariant) {
        let place = variants.firstIndex { variant.isBefore($0) } ?? variants.endIndex
        variants.insert(variant, at: place)
    }
}
