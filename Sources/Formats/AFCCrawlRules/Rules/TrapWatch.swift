internal import AFCDiscovery
internal import AFCURL

/// When a crawl takes URLs for a site's endless loop.
public struct TrapOptions: Sendable, Equatable {
    /// Whether traps are looked for at all.
    public var isEnabled = true
    /// How many links of one shape are asked for on one host, where their queries differ.
    ///
    /// Ten times as many where nothing but the path differs, and of requisites ten times as many as of links.
    public var alikeLimit = 10_000
    /// How often a segment, or several, may stand in a path one behind the other.
    public var repetitionLimit = 3
    /// How often one segment may stand in a path at all.
    public var segmentLimit = 6
    /// How many segments a path may have.
    public var depthLimit = 32
    /// How many parameters a query may have.
    public var parameterLimit = 32
    /// How many values a session id may have on one host.
    public var sessionLimit = 4

    /// Creates the defaults.
    public init() {}
}

/// Notices where a site leads in circles: paths that repeat themselves, session ids, and pages without end.
///
/// Asked once for each new URL in scope, always in the same order, it always decides the same. Its memory is bounded: of the
/// shapes that it counts it forgets the rarest, so that it may let through too many, never too few.
struct TrapWatch: Sendable {
    private let options: TrapOptions
    private let capacity: Int
    private var counts: [String: Int] = [:]
    private var sessions: [String: Set<String>] = [:]

    /// Creates a watch that has seen nothing.
    ///
    /// - Parameters:
    ///   - options: What counts as a trap.
    ///   - capacity: How many shapes are counted at once.
    init(_ options: TrapOptions, capacity: Int = 1 << 15) {
        self.options = options
        self.capacity = max(1, capacity)
    }

    /// Why a URL isn't asked for, or nil: it is, and counts from now on.
    mutating func obstacle(to url: WebURL, as role: CrawlScope.Role) -> SkipRule? {
        guard options.isEnabled, role != .seed else { return nil }
        if let rule = PathRepetition.obstacle(to: url, options) { return rule }
        if hasTooManyParameters(url) { return .tooManyParameters }
        if isNewSession(url) { return .sessionIDs }
        return isOneTooMany(URLShape(url), as: role) ? .tooManyAlike : nil
    }

    /// Whether a URL would be asked for; it doesn't count.
    func allows(_ url: WebURL, as role: CrawlScope.Role) -> Bool {
        guard options.isEnabled, role != .seed else { return true }
        guard PathRepetition.obstacle(to: url, options) == nil, !hasTooManyParameters(url) else { return false }
        for (name, value) in url.parameters where ReaderParameter.isSession(name, value: value) {
            guard let values = sessions[sessionKey(name, of: url)] else { continue }
            guard values.contains(String(value.prefix(128))) || values.count < max(1, options.sessionLimit) else {
                return false
            }
        }
        let shape = URLShape(url)
        return limit(of: shape, as: role).map { counts[shape.text] ?? 0 < $0 } ?? true
    }

    private func hasTooManyParameters(_ url: WebURL) -> Bool {
        guard let query = url.query else { return false }
        return query.utf8.count(where: { $0 == UInt8(ascii: "&") }) >= options.parameterLimit
    }

    // MARK: Shapes

    /// How many URLs of a shape are asked for, or nil for any number.
    private func limit(of shape: URLShape, as role: CrawlScope.Role) -> Int? {
        let (limit, overflow) = options.alikeLimit.multipliedReportingOverflow(
            by: (shape.hasQuery ? 1 : 10) * (role == .link ? 1 : 10)
        )
        return overflow ? nil : limit
    }

    private mutating func isOneTooMany(_ shape: URLShape, as role: CrawlScope.Role) -> Bool {
        let limit = limit(of: shape, as: role)
        if let count = counts[shape.text] {
            guard limit.map({ count < $0 }) ?? true else { return true }
            counts[shape.text] = count + 1
            return false
        }
        guard limit.map({ $0 > 0 }) ?? true else { return true }
        // Misra and Gries: where there is no room, every count goes down by one, and those at zero go.
        if counts.count >= capacity {
            counts = counts.compactMapValues { $0 > 1 ? $0 - 1 : nil }
        } else {
            counts[shape.text] = 1
        }
        return false
    }

    // MARK: Session ids

    private func sessionKey(_ name: String, of url: WebURL) -> String {
        (url.host ?? "") + " " + name.lowercased().prefix(64)
    }

    /// Whether the URL has a session id of which the host has shown too many values already.
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
    /// The parameters of path and query, names decoded, values as they stand.
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

/// Paths that grow by what they consist of already, as relative links on a page that answers to every path make them.
enum PathRepetition {
    static func obstacle(to url: WebURL, _ options: TrapOptions) -> SkipRule? {
        var segments: [Substring] = []
        for segment in url.pathSegments {
            guard segments.count < options.depthLimit else { return .pathDepth }
            segments.append(segment)
        }
        // Fewer can't break any of the rules.
        guard segments.count > min(options.repetitionLimit, options.segmentLimit) else { return nil }
        var counts: [Substring: Int] = [:]
        for segment in segments where !segment.isEmpty {
            counts[segment, default: 0] += 1
            if counts[segment, default: 0] > options.segmentLimit { return .repeatedPath }
        }
        return longestRun(in: segments) > options.repetitionLimit ? .repeatedPath : nil
    }

    /// How often the same sequence of segments stands one behind the other, at most.
    static func longestRun(in segments: [Substring]) -> Int {
        var longest = segments.isEmpty ? 0 : 1
        for length in stride(from: 1, through: segments.count / 2, by: 1) {
            // Where each segment is the one so many before it, the sequence repeats.
            var equal = 0
            for index in length..<segments.count {
                equal = segments[index] == segments[index - length] ? equal + 1 : 0
                longest = max(longest, equal / length + 1)
            }
        }
        return longest
    }
}
