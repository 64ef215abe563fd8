public import HTTPTypes

/// The directives of Cache-Control (RFC 9111 §5.2), of all lines together.
public struct CacheControl: Equatable, Sendable {
    /// Directives in the order received: the name in lower case, and the argument without quotes.
    public private(set) var directives: [(name: String, argument: String?)] = []

    /// Reads the directives of a message's fields.
    public init(_ fields: HTTPFields) {
        self.init(values: fields[values: .cacheControl])
    }

    /// Reads directives from the values of a field's lines.
    public init(values: [String]) {
        for element in values.flatMap(FieldText.list) {
            let equals = element.firstIndex(of: "=")
            // White space before the equals sign is no grammar, but dropping the directive would make the response fresher.
            let name = FieldText.trimmed(element[..<(equals ?? element.endIndex)]).lowercased()
            guard FieldText.isToken(name) else { continue }
            let argument = equals.map { element[element.index(after: $0)...] }
            directives.append((name, argument.map { FieldText.unquoted($0) ?? String($0) }))
        }
    }

    /// Whether the same directives stand in the same order.
    public static func == (one: CacheControl, other: CacheControl) -> Bool {
        one.directives.count == other.directives.count
            && zip(one.directives, other.directives).allSatisfy { $0.name == $1.name && $0.argument == $1.argument }
    }

    /// Whether a directive is there, whatever its argument.
    public func has(_ name: String) -> Bool { directives.contains { $0.name == name } }

    /// The seconds of a directive: the first where it comes twice, 0 where the argument is malformed (RFC 9111 §4.2.1
    /// encourages to take such a response as stale), nil where it is not there.
    public func seconds(_ name: String) -> Int64? {
        guard let directive = directives.first(where: { $0.name == name }) else { return nil }
        return directive.argument.flatMap { FieldText.deltaSeconds($0) } ?? 0
    }

    /// How long a response is fresh, in seconds (RFC 9111 §5.2.2.1), or how old it may be (§5.2.1.1).
    public var maxAge: Int64? { seconds("max-age") }
    /// How long a response is fresh in a shared cache, in seconds (RFC 9111 §5.2.2.10).
    public var sharedMaxAge: Int64? { seconds("s-maxage") }
    /// How much longer than its age a response must stay fresh, in seconds (RFC 9111 §5.2.1.3).
    public var minFresh: Int64? { seconds("min-fresh") }
    /// Whether a stored response must be validated before each use (RFC 9111 §5.2.2.4); not where fields are named.
    public var isNoCache: Bool { directives.contains { $0.name == "no-cache" && Self.names($0.argument).isEmpty } }

    /// The fields that may not be served without validation, in lower case (RFC 9111 §5.2.2.4).
    public var noCacheFields: Set<String> {
        Set(directives.filter { $0.name == "no-cache" }.flatMap { Self.names($0.argument) })
    }

    private static func names(_ argument: String?) -> [String] {
        FieldText.list(argument ?? "").map { $0.lowercased() }.filter { FieldText.isToken($0) }
    }
    /// Whether nothing may be stored (RFC 9111 §5.2.2.5).
    public var isNoStore: Bool { has("no-store") }
    /// Whether a stale response must not be used without validation (RFC 9111 §5.2.2.2).
    public var mustRevalidate: Bool { has("must-revalidate") }
    /// Whether only a stored response is wanted (RFC 9111 §5.2.1.7).
    public var isOnlyIfCached: Bool { has("only-if-cached") }

    /// How stale a response a client takes (RFC 9111 §5.2.1.2): nil for not at all, the greatest number for any.
    public var maxStale: Int64? {
        guard let directive = directives.first(where: { $0.name == "max-stale" }) else { return nil }
        guard let argument = directive.argument else { return .max }
        return FieldText.deltaSeconds(argument) ?? 0
    }
}
