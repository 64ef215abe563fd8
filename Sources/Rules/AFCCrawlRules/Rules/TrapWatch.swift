internal import AFCURL

/// The signs by which a crawl detects a trap, such as an endless loop of pages.
public struct TrapOptions: Sendable, Equatable {
    /// True to look for traps.
    public var isEnabled = true
    /// The number of links of one shape to request from one host, if their queries differ.
    ///
    /// The limit is ten times as high if only the path differs, and ten times as high for requisites as for links.
    public var alikeLimit = 10_000
    /// The number of times that a segment, or a sequence of segments, may repeat in a row.
    public var repetitionLimit = 3
    /// The number of times that a segment may occur in a path.
    public var segmentLimit = 6
    /// The number of segments that a path may have.
    public var depthLimit = 32
    /// The number of parameters that a query may have.
    public var parameterLimit = 32
    /// The number of values that a session ID may have on one host.
    public var sessionLimit = 4

    /// Creates the defaults.
    public init() {}
}

/// Detects crawler traps: paths that repeat themselves, session IDs, and endless sequences of pages.
///
/// Called once for each new URL in scope, in the same order, it makes the same decisions. Its memory is bounded: it
/// forgets the rarest shapes, so it may let too many URLs pass, but never too few.
struct TrapWatch: Sendable {
    /// The limits on the hosts of a crawl.
    struct Hosts: Sendable {
        /// The number of hosts.
        var all = 10_000
        /// The number of them below one registrable domain.
        var siblings = 1_000
    }

    private let options: TrapOptions
    private let capacity: Int
    private let hostLimits: Hosts
    private var counts: [String: Int] = [:]
    private var sessions: [String: Set<String>] = [:]
    private var hosts: Set<String> = []

    /// Creates a watch that has seen no URL.
    ///
    /// - Parameters:
    ///   - options: The signs of a trap.
    ///   - capacity: The number of shapes to count at once.
    ///   - hosts: The limits on hosts.
    init(_ options: TrapOptions, capacity: Int = 1 << 15, hosts: Hosts = Hosts()) {
        self.options = options
        hostLimits = hosts
        self.capacity = max(1, capacity)
    }

    /// Returns the rule by which the URL is skipped; nil accepts and counts the URL.
    mutating func obstacle(to item: CrawlItem, as role: CrawlScope.Role) -> SkipRule? {
        let growth = RequisiteGrowth(of: item.url, chain: item.chain, from: item.referrer?.url)
        return obstacle(to: item.url, as: role, growth)
    }

    /// Returns the rule by which the URL is skipped; nil accepts and counts the URL.
    mutating func obstacle(to url: WebURL, as role: CrawlScope.Role, _ growth: RequisiteGrowth? = nil) -> SkipRule? {
        guard options.isEnabled, role != .seed else { return nil }
        if let rule = PathRepetition.obstacle(to: url, options) { return rule }
        if hasTooManyParameters(url) { return .tooManyParameters }
        if isNewSession(url) { return .sessionIDs }
        if isOneHostTooMany(url) { return .tooManyHosts }
        if let growth, isOneTooMany(growth.key, limit: limit(of: growth)) {
            return growth.isRepetition ? .repeatedPath : .tooManyAlike
        }
        let shape = URLShape(url)
        if shape.hasQuery, isOneTooMany(shape.anyQuery, limit: limit(ofAnyQuery: role)) { return .tooManyAlike }
        return isOneTooMany(shape.text, limit: limit(of: shape, as: role)) ? .tooManyAlike : nil
    }

    /// Returns true if a URL would be accepted, without counting it.
    func allows(_ item: CrawlItem, as role: CrawlScope.Role) -> Bool {
        guard options.isEnabled, role != .seed else { return true }
        let url = item.url
        guard PathRepetition.obstacle(to: url, options) == nil, !hasTooManyParameters(url) else { return false }
        for (name, value) in url.parameters where ReaderParameter.isSession(name, value: value) {
            guard let values = sessions[sessionKey(name, of: url)] else { continue }
            guard values.contains(String(value.prefix(128))) || values.count < max(1, options.sessionLimit) else {
                return false
            }
        }
        if let growth = RequisiteGrowth(of: url, chain: item.chain, from: item.referrer?.url),
            counts[growth.key] ?? 0 >= limit(of: growth)
        {
            return false
        }
        let shape = URLShape(url)
        if shape.hasQuery, let limit = limit(ofAnyQuery: role), counts[shape.anyQuery] ?? 0 >= limit { return false }
        return limit(of: shape, as: role).map { counts[shape.text] ?? 0 < $0 } ?? true
    }

    private func hasTooManyParameters(_ url: WebURL) -> Bool {
        guard let query = url.query else { return false }
        return query.utf8.count(where: { $0 == UInt8(ascii: "&") }) >= options.parameterLimit
    }

    /// Counts the host; returns true if it is new, and there are too many already, as with a wildcard in the DNS.
    private mutating func isOneHostTooMany(_ url: WebURL) -> Bool {
        guard let host = url.host, !hosts.contains(host) else { return false }
        guard hosts.count < hostLimits.all else { return true }
        if let domain = url.registrableDomain, isOneTooMany("hosts of \(domain)", limit: hostLimits.siblings) {
            return true
        }
        hosts.insert(host)
        return false
    }

    // MARK: Shapes

    /// Returns the number of URLs of one path to request that differ in the names or values of parameters, or nil for no
    /// limit.
    private func limit(ofAnyQuery role: CrawlScope.Role) -> Int? {
        let (limit, overflow) = options.alikeLimit.multipliedReportingOverflow(by: 4 * (role == .link ? 1 : 10))
        return overflow ? nil : limit
    }

    /// Returns the number of URLs of a shape to request, or nil for no limit.
    private func limit(of shape: URLShape, as role: CrawlScope.Role) -> Int? {
        let (limit, overflow) = options.alikeLimit.multipliedReportingOverflow(
            by: (shape.hasQuery ? 1 : 10) * (role == .link ? 1 : 10)
        )
        return overflow ? nil : limit
    }

    /// Returns the number of requisites to request that lengthen the path of another in the same way.
    private func limit(of growth: RequisiteGrowth) -> Int {
        growth.isRepetition ? max(1, options.alikeLimit / 100) : options.alikeLimit
    }

    private mutating func isOneTooMany(_ shape: String, limit: Int?) -> Bool {
        if let count = counts[shape] {
            guard limit.map({ count < $0 }) ?? true else { return true }
            counts[shape] = count + 1
            return false
        }
        guard limit.map({ $0 > 0 }) ?? true else { return true }
        // Misra and Gries: without room, every count is decremented, and those that reach zero are removed.
        if counts.count >= capacity {
            counts = counts.compactMapValues { $0 > 1 ? $0 - 1 : nil }
        } else {
            counts[shape] = 1
        }
        return false
    }

    // MARK: Session ids

    private func sessionKey(_ name: String, of url: WebURL) -> String {
        (url.host ?? "") + " " + name.lowercased().prefix(64)
    }

    /// Returns true if the URL has a new session ID although the host has already used too many.
    private mutating func isNewSession(_ url: WebURL) -> Bool {
        for (name, value) in url.parameters where ReaderParameter.isSession(name, value: value) {
            let key = sessionKey(name, of: url)
            let value = String(value.prefix(128))
            guard var values = sessions[key] else {
                if sessions.count < capacity { sessions[key] = [value] }
                continue
            }
            guard !values.contains(value) else { continue }
            guard values.count < max(1, options.sessionLimit) else { return true }
            values.insert(value)
            sessions[key] = values
        }
        return false
    }
}

extension WebURL {
    /// The parameters of path and query, with decoded names and undecoded values.
    fileprivate var parameters: [(name: String, value: String)] {
        var parts: [Substring] = []
        for segment in pathSegments where segment.utf8.contains(UInt8(ascii: ";")) {
            parts += segment.split(separator: ";").dropFirst()
        }
        let query = query ?? ""
        parts += query.split(separator: "&")
        return parts.compactMap { part in
            guard let equals = part.firstIndex(of: "=") else { return nil }
            return (QueryText.decoded(String(part[..<equals])), String(part[part.index(after: equals)...]))
        }
    }
}

/// The part by which a requisite's path is longer than the folder of the requisite that refers to it.
///
/// On a server that answers each path with the same frame, style sheet or script, the same relative references lengthen
/// the path again and again, in any order: `/a/`, `/a/b/`, `/a/b/a/`.
struct RequisiteGrowth {
    /// The origin and the added part of the path.
    let key: String
    /// True if the path contains all added folders before.
    let isRepetition: Bool

    /// Returns nil if the path isn't longer, or a page refers to the URL that isn't a requisite itself.
    init?(of url: WebURL, chain: Int, from referrer: WebURL?) {
        guard chain >= 2, let referrer, url.origin == referrer.origin else { return nil }
        let folder = Array(referrer.pathSegments.map { $0 }.dropLast())
        let path = Array(url.pathSegments.map { $0 })
        guard path.count > folder.count + 1, path.starts(with: folder) else { return nil }
        let added = path[folder.count...]
        isRepetition = added.dropLast().allSatisfy(folder.contains)
        // A space separates it from shapes, which have none.
        key = String(
            decoding: "\(url.origin) \(added.joined(separator: "/"))".utf8.prefix(URLShape.byteLimit),
            as: UTF8.self
        )
    }
}

/// Detects paths that grow by repeating their segments, as relative links do on a page that answers every path.
enum PathRepetition {
    static func obstacle(to url: WebURL, _ options: TrapOptions) -> SkipRule? {
        var segments: [Substring] = []
        for segment in url.pathSegments {
            guard segments.count < options.depthLimit else { return .pathDepth }
            segments.append(segment)
        }
        // Fewer segments can't break a rule.
        guard segments.count > min(options.repetitionLimit, options.segmentLimit) else { return nil }
        var counts: [Substring: Int] = [:]
        for segment in segments where !segment.isEmpty {
            counts[segment, default: 0] += 1
            if counts[segment, default: 0] > options.segmentLimit { return .repeatedPath }
        }
        return longestRun(in: segments) > options.repetitionLimit ? .repeatedPath : nil
    }

    /// Returns the largest number of times that a sequence of segments repeats in a row.
    static func longestRun(in segments: [Substring]) -> Int {
        var longest = segments.isEmpty ? 0 : 1
        for length in stride(from: 1, through: segments.count / 2, by: 1) {
            // The sequence repeats where each segment equals the one that precedes it by the sequence's length.
            var equal = 0
            for index in length..<segments.count {
                equal = segments[index] == segments[index - length] ? equal + 1 : 0
                longest = max(longest, equal / length + 1)
            }
        }
        return longest
    }
}
