internal import Discovery
internal import URLStandard

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
        if let query = url.query, query.utf8.count(where: { $0 == UInt8(ascii: "&") }) >= options.parameterLimit {
            return .tooManyParameters
        }
        if isNewSession(url) { return .sessionIDs }
        return isOneTooMany(URLShape(url), as: role) ? .tooManyAlike : nil
    }

    // MARK: Shapes

    private mutating func isOneTooMany(_ shape: URLShape, as role: CrawlScope.Role) -> Bool {
        let (limit, overflow) = options.alikeLimit.multipliedReportingOverflow(
            by: (shape.hasQuery ? 1 : 10) * (role == .link ? 1 : 10)
        )
        if let count = counts[shape.text] {
            guard overflow || count < limit else { return true }
            counts[shape.text] = count + 1
            return false
        }
        guard overflow || limit > 0 else { return true }
        // Misra and Gries: where there is no room, every count goes down by one, and those at zero go.
        if counts.count >= capacity {
            counts = counts.compactMapValues { $0 > 1 ? $0 - 1 : nil }
        } else {
            counts[shape.text] = 1
        }
        return false
    }

    // MARK: Session ids

    /// Whether the URL has a session id of which the host has shown too many values already.
    private mutating func isNewSession(_ url: WebURL) -> Bool {
        for (name, value) in url.parameters where ReaderParameter.isSession(name, value: value) {
            let key = (url.host ?? "") + " " + name.lowercased().prefix(64)
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
