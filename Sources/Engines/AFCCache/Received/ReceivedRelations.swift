internal import AFCCaching
internal import AFCURL

/// The URLs of received responses that are found by more than their URL: by an equivalent query (No-Vary-Search), or by a
/// group (RFC 9875).
///
/// Its keys are hashes, so whoever asks must look at the responses that it names.
struct ReceivedRelations {
    /// The most bytes of the table; once it takes more, it starts over.
    private static let byteLimit = 16 << 20
    /// The most variances of a path, and the most URLs that differ only in what makes no difference.
    private static let varianceLimit = 4
    private static let equivalentLimit = 8

    private var variances: [Int: [SearchVariance]] = [:]
    /// The URLs by path, variance and the parameters that make a difference; the most recent first.
    private var equivalents: [Int: [String]] = [:]
    /// The URLs by origin and group.
    private var groups: [Int: Set<String>] = [:]
    private var bytes = 0
    /// False if responses with groups may be missing in the table.
    private(set) var hasAllGroups = true

    /// True if nothing is in the table.
    var isEmpty: Bool { bytes == 0 && hasAllGroups }
    /// True if a response may answer other URLs than its own.
    var hasVariances: Bool { !variances.isEmpty }

    /// Adds a response.
    mutating func add(_ url: String, _ variance: SearchVariance?, _ groups: [String]) {
        if bytes >= Self.byteLimit {
            self = ReceivedRelations()
            hasAllGroups = false
        }
        if let variance { add(url, variance) }
        guard !groups.isEmpty, let origin = Self.origin(of: url) else { return }
        for group in groups where self.groups[Self.key(origin, group), default: []].insert(url).inserted {
            bytes += Self.cost(of: url)
        }
    }

    private mutating func add(_ url: String, _ variance: SearchVariance) {
        let (base, query) = Self.parts(url)
        var known = variances[base.hashValue] ?? []
        if known.first != variance {
            if !known.contains(variance) { bytes += variance.cost }
            known.removeAll { $0 == variance }
            known.insert(variance, at: 0)
            variances[base.hashValue] = Array(known.prefix(Self.varianceLimit))
        }
        let key = Self.key(base, variance, query)
        var urls = equivalents[key] ?? []
        if !urls.contains(url) { bytes += Self.cost(of: url) }
        urls.removeAll { $0 == url }
        urls.insert(url, at: 0)
        equivalents[key] = Array(urls.prefix(Self.equivalentLimit))
    }

    /// Returns the other URLs whose responses may answer a URL.
    func equivalents(of url: String) -> [String] {
        let (base, query) = Self.parts(url)
        guard let variances = variances[base.hashValue] else { return [] }
        var found: [String] = []
        for variance in variances {
            for other in equivalents[Self.key(base, variance, query)] ?? [] where other != url {
                if !found.contains(other) { found.append(other) }
            }
        }
        return found
    }

    /// Removes the URLs of an origin whose responses may be in one of some groups.
    ///
    /// - Returns: The URLs.
    mutating func takeURLs(of groups: Set<String>, at origin: String) -> Set<String> {
        var taken: Set<String> = []
        for group in groups {
            guard let urls = self.groups.removeValue(forKey: Self.key(origin, group)) else { continue }
            bytes -= urls.reduce(0) { $0 + Self.cost(of: $1) }
            taken.formUnion(urls)
        }
        return taken
    }

    /// Notes that responses with groups may be missing.
    mutating func noteMissingGroups() { hasAllGroups = false }

    /// The memory that a URL in the table takes, in bytes.
    private static func cost(of url: String) -> Int { url.utf8.count + 128 }

    /// Splits a URL at its query.
    static func parts(_ url: String) -> (base: Substring, query: String?) {
        let base = url.prefix { $0 != "?" }
        return (base, base.endIndex < url.endIndex ? String(url[url.index(after: base.endIndex)...]) : nil)
    }

    private static func origin(of url: String) -> String? { (try? WebURL(url))?.origin }

    private static func key(_ base: Substring, _ variance: SearchVariance, _ query: String?) -> Int {
        var hasher = Hasher()
        hasher.combine(base)
        hasher.combine(variance)
        hasher.combine(variance.significant(query))
        return hasher.finalize()
    }

    private static func key(_ origin: String, _ group: String) -> Int {
        var hasher = Hasher()
        hasher.combine(origin)
        hasher.combine(group)
        return hasher.finalize()
    }
}
