internal import AFCCaching
internal import AFCHTTP
internal import AFCPackageFormat
internal import AFCText
internal import HTTPTypes

/// An immutable received response in memory; changes replace it.
final class ReceivedVariant: Sendable {
    /// The place of a body.
    enum Body: Sendable, Equatable {
        /// In memory, and in the database.
        case bytes([UInt8])
        /// In a separate file.
        case file(UInt64)
    }

    let id: Int64
    let response: StoredResponse
    let digest: [UInt8]
    let body: Body
    let key: VaryKey
    /// The queries that the response also answers; nil if only its own URL.
    let variance: SearchVariance?
    /// The groups of the response (RFC 9875 §2).
    let groups: [String]
    /// The time when the response was generated, or received if that is earlier: a Date in the future doesn't hide
    /// newer ones.
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
        variance = SearchVariance(response.fields)
        let lines = response.fields[values: .cacheGroups]
        groups = lines.isEmpty ? [] : CacheGroups.names(in: lines)
    }

    private init(id: Int64, _ other: ReceivedVariant) {
        self.id = id
        response = other.response
        digest = other.digest
        body = other.body
        key = other.key
        date = other.date
        variance = other.variance
        groups = other.groups
    }

    /// True if the response is found by more than its URL.
    var isRelated: Bool { variance != nil || !groups.isEmpty }

    /// Returns the same response with another number.
    func numbered(_ id: Int64) -> ReceivedVariant { ReceivedVariant(id: id, self) }

    /// Returns the same body with another head.
    func with(_ response: StoredResponse) -> ReceivedVariant {
        var response = response
        response.size = self.response.size
        response.requestFields = response.requestFields ?? self.response.requestFields
        return ReceivedVariant(id: id, response: response, digest: digest, body: body)
    }

    /// Returns true if this variant is tried before another: the most recent comes first (RFC 9111 §4).
    func isBefore(_ other: ReceivedVariant) -> Bool {
        (date, response.received, id) > (other.date, other.response.received, other.id)
    }

    /// Returns true if this variant answers every request that another one answers, so that only one must be kept.
    ///
    /// A part of a body doesn't answer what the whole body does. An error doesn't replace the last good response, which
    /// is served again once the error is over.
    func standsFor(_ other: ReceivedVariant) -> Bool {
        let (status, otherStatus) = (response.status, other.response.status)
        guard status != 206, otherStatus != 206, status < 500 || otherStatus >= 500 else { return false }
        return key == other.key
    }

    /// The time until which the response is fresh; nil if it doesn't say.
    var expires: Timestamp? {
        let freshness = Freshness(of: response, at: response.received, sharing: .shared)
        return freshness.lifetime == nil ? nil : response.received + freshness.ttl
    }

    /// The approximate number of bytes of memory that the variant takes.
    var cost: Int {
        var cost = 512
        for field in response.fields { cost += field.name.rawName.utf8.count + field.value.utf8.count + 96 }
        for field in response.requestFields ?? HTTPFields() { cost += 2 * field.value.utf8.count + 192 }
        if case .bytes(let bytes) = body { cost += bytes.count }
        return cost + (response.userInfo?.count ?? 0)
    }
}

/// The update of a package's entry after it was loaded: new fields, or its invalidation.
final class FreshenedEntry: Sendable {
    /// The folder of the generation that contains the entry.
    let generation: String
    let response: StoredResponse

    init(generation: String, response: StoredResponse) {
        var response = response
        response.source = .package
        // Only received responses keep what the program assigns: a row of this kind has no place for it.
        (response.assignedLifetime, response.userInfo) = (nil, nil)
        self.generation = generation
        self.response = response
    }

    /// Returns the entry with its new fields; the body remains the package's.
    func applied(to entry: StoredResponse) -> StoredResponse {
        var response = response
        response.size = entry.size
        response.sha256 = entry.sha256
        response.requestFields = response.requestFields ?? entry.requestFields
        return response
    }
}

/// The entry of a URL in the received area.
struct ReceivedEntry: Sendable {
    /// The variants, the most recent first.
    private(set) var variants: [ReceivedVariant] = []
    var freshened: FreshenedEntry?

    /// The maximum number of variants of a URL, so that an origin with endless variants can't fill the cache with one
    /// URL.
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
    /// - Returns: The numbers of the variants to remove: those named, those it stands for, and the oldest if there are
    ///   too many.
    mutating func add(_ variant: ReceivedVariant, replacing: [Int64]) -> [Int64] {
        var leaving = variants.filter { replacing.contains($0.id) || variant.standsFor($0) }.map(\.id)
        variants.removeAll { leaving.contains($0.id) }
        while variants.count >= Self.variantLimit { leaving.append(variants.removeLast().id) }
        insert(variant)
        return leaving
    }

    /// Replaces the variant with the same number if it still exists.
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
