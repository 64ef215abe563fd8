package import AFCCaching
package import AFCPackageFormat
internal import AFCURL

/// The choice of a stored URL for a request whose own URL isn't stored, by the queries alone.
///
/// At most one URL fits: if two do, the result is nil, since a wrong page is worse than none.
/// docs/reference/matching.md has the rules and their reasons.
package struct QueryMatch: Equatable, Sendable {
    /// A stored URL of the request's path.
    package struct Stored: Sendable {
        /// The query, without its question mark; nil for none.
        package var query: String?
        /// The status of the response.
        package var status: Int
        /// The media type of the response, with its parameters.
        package var mediaType: String?
        /// The SHA-256 of the body, in the same form for all URLs of a path; empty if it isn't known.
        package var digest: [UInt8]
        /// The rule of its package for the path.
        package var rule: MatchRules.Rule?
        /// The parts of a query on which it depends, if its origin said so.
        package var variance: SearchVariance?

        /// Creates the description of a stored URL.
        package init(
            query: String?,
            status: Int = 200,
            mediaType: String? = nil,
            digest: [UInt8] = [],
            rule: MatchRules.Rule? = nil,
            variance: SearchVariance? = nil
        ) {
            (self.query, self.status, self.mediaType, self.digest) = (query, status, mediaType, digest)
            (self.rule, self.variance) = (rule, variance)
        }
    }

    /// The index of the stored URL.
    package let index: Int
    /// The reason why it fits.
    package let reason: MatchReason

    /// The maximum number of stored URLs of a path; in a longer list, nothing is found.
    package static let storedLimit = 64

    /// Finds the stored URL that a request means.
    ///
    /// - Parameters:
    ///   - path: The path of the request and of the stored URLs, as serialized.
    ///   - query: The query of the request, without its question mark; nil for none.
    ///   - stored: The stored URLs of the path, each one once.
    /// - Returns: The one that fits; nil if there is none, or more than one.
    package static func find(path: String, query: String?, among stored: [Stored]) -> QueryMatch? {
        guard !stored.isEmpty, stored.count <= storedLimit, let asked = QueryParameters(query) else { return nil }
        let kind = PathKind(path)
        var literal: [QueryMatch] = []
        var fitting: [QueryMatch] = []
        let plain = asked.meaningful(in: kind, by: nil)
        var ruled: (rule: MatchRules.Rule, wanted: [QueryParameters.Parameter])?
        for (index, one) in stored.enumerated() {
            guard let all = QueryParameters(one.query) else { continue }
            if let rule = one.rule, ruled?.rule != rule { ruled = (rule, asked.meaningful(in: kind, by: rule)) }
            let wanted = one.rule == nil ? plain : ruled?.wanted ?? plain
            guard all.meaningful(in: kind, by: one.rule) == wanted else { continue }
            let isByRule = one.rule != nil && all.meaningful(in: kind, by: nil) != plain
            let match = QueryMatch(index: index, reason: isByRule ? .rule : .equal)
            fitting.append(match)
            if all.sorted == wanted { literal.append(match) }
        }
        // What is stored without any such parameter is the resource that the others repeat.
        if literal.count == 1 { return literal[0] }
        if fitting.count == 1 { return fitting[0] }
        // The origin itself calls those equivalent, so any of them will do.
        if let index = stored.firstIndex(where: { $0.variance?.areEquivalent(query, $0.query) ?? false }) {
            return QueryMatch(index: index, reason: .variance)
        }
        return fitting.isEmpty ? withoutQuery(kind, asked, stored) : nil
    }

    /// Finds the stored URL of a path whose query makes no difference.
    private static func withoutQuery(_ kind: PathKind, _ asked: QueryParameters, _ stored: [Stored]) -> QueryMatch? {
        // A redirect would lose the query, and a program or an interface answers each query differently.
        guard let index = representative(kind, stored), stored[index].status == 200,
            kind == .file || kind == .plain && isPage(stored[index].mediaType)
        else { return nil }
        for rule in stored.compactMap(\.rule) where asked.names.contains(where: { rule.ignores($0) == false }) {
            return nil
        }
        return QueryMatch(index: index, reason: .ignored)
    }

    /// Returns the index of the stored URL that stands for all of a path, or nil if they may differ.
    private static func representative(_ kind: PathKind, _ stored: [Stored]) -> Int? {
        let plain = stored.firstIndex { $0.query == nil }
        // Only a server of files gives several queries the same answer by rule; that of a program may be an error.
        guard let index = plain ?? (kind == .file && stored.count > 1 ? 0 : nil) else { return nil }
        let digest = stored[index].digest
        let isSame = stored.allSatisfy { $0.status == stored[index].status && !digest.isEmpty && $0.digest == digest }
        return stored.count == 1 || isSame ? index : nil
    }

    /// Returns true if a media type is that of a page.
    static func isPage(_ mediaType: String?) -> Bool {
        let essence = mediaType?.prefix { $0 != ";" && $0 != " " }.lowercased()
        return essence == "text/html" || essence == "application/xhtml+xml"
    }
}

/// The parameters of a query, decoded as forms encode them.
private struct QueryParameters {
    /// A parameter's name and value.
    struct Parameter: Hashable {
        var name: [UInt8]
        var value: [UInt8]
    }

    private static let limit = 64
    private let all: [Parameter]

    /// Parses a query; nil if it has too many parameters to be compared.
    init?(_ query: String?) {
        var all: [Parameter] = []
        for part in (query ?? "").utf8.split(separator: UInt8(ascii: "&")) {
            guard all.count < Self.limit else { return nil }
            let name = part.prefix { $0 != UInt8(ascii: "=") }
            let value = part.dropFirst(name.count + 1)
            all.append(Parameter(name: Self.decode(name), value: Self.decode(value)))
        }
        self.all = all
    }

    /// The decoded names.
    var names: [String] { all.map { String(decoding: $0.name, as: UTF8.self) } }

    /// All parameters in the order that is compared.
    var sorted: [Parameter] { Self.sorted(all) }

    /// Returns the parameters that make a difference, in the order that is compared.
    func meaningful(in kind: PathKind, by rule: MatchRules.Rule?) -> [Parameter] {
        Self.sorted(
            all.filter { parameter in
                let name = String(decoding: parameter.name, as: UTF8.self)
                if let ignores = rule?.ignores(name) { return !ignores }
                let value = String(decoding: parameter.value, as: UTF8.self)
                return !ReaderParameter.isTracking(name) && !ReaderParameter.isSession(name, value: value)
                    && !CacheBuster.matches(name, value, in: kind)
            }
        )
    }

    /// Decodes a text as forms encode it, with a plus sign for a space.
    private static func decode(_ bytes: some Sequence<UInt8>) -> [UInt8] {
        PercentDecoding.decode(bytes.map { $0 == UInt8(ascii: "+") ? UInt8(ascii: " ") : $0 })
    }

    /// Sorts by name, once each; several values of one name keep their order, since programs take the first or the last.
    private static func sorted(_ parameters: [Parameter]) -> [Parameter] {
        var seen: Set<Parameter> = []
        return parameters.filter { seen.insert($0).inserted }.enumerated().sorted { one, other in
            one.element.name == other.element.name
                ? one.offset < other.offset : one.element.name.lexicographicallyPrecedes(other.element.name)
        }.map(\.element)
    }
}
