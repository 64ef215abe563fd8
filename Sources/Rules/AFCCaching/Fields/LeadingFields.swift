internal import AFCHTTP
public import HTTPTypes

/// Request fields by which many origins choose their answer without naming them in Vary.
///
/// If a request had such a field, its stored response answers only requests with the same value (RFC 9111 §4.1 lets a
/// cache choose more narrowly than Vary). Otherwise one request with `X-Forwarded-Host: evil.example` could decide what
/// all clients get.
public enum LeadingFields {
    /// The names, in lower case.
    public static let names: Set<String> = [
        // Where the client is said to have sent the request, and by which method.
        "forwarded", "front-end-https", "proxy-host", "x-backend-host", "x-envoy-original-host",
        "x-envoy-original-path", "x-forwarded-by", "x-forwarded-host", "x-forwarded-method", "x-forwarded-path",
        "x-forwarded-port", "x-forwarded-prefix", "x-forwarded-proto", "x-forwarded-protocol", "x-forwarded-scheme",
        "x-forwarded-server", "x-forwarded-ssl", "x-forwarded-uri", "x-forwarded-url", "x-host", "x-http-host-override",
        "x-http-method", "x-http-method-override", "x-http-path-override", "x-https", "x-matched-path",
        "x-method-override", "x-original-host", "x-original-uri", "x-original-url", "x-rewrite-uri", "x-rewrite-url",
        "x-scheme", "x-script-name", "x-url-scheme",
        // Next.js: data or a part of a page in place of the page, and what its own proxies tell each other.
        "next-router-prefetch", "next-router-segment-prefetch", "next-router-state-tree", "next-url", "rsc",
        "x-invoke-error", "x-invoke-output", "x-invoke-path", "x-invoke-query", "x-invoke-status",
        "x-middleware-prefetch", "x-middleware-rewrite", "x-nextjs-data", "x-now-route-matches",
        // Astro.
        "x-astro-locals", "x-astro-path",
        // Scripts that ask for a part of a page: htmx, Turbo, Inertia, pjax, jQuery.
        "hx-boosted", "hx-history-restore-request", "hx-request", "hx-target", "turbo-frame", "x-inertia",
        "x-inertia-partial-component", "x-inertia-partial-data", "x-inertia-version", "x-pjax", "x-pjax-container",
        "x-requested-with",
    ]

    /// The lengths of the names by their first byte: bit n is set if a name has n bytes.
    private static let lengths: [UInt64] = names.reduce(into: Array(repeating: 0, count: 256)) { lengths, name in
        precondition((1..<64).contains(name.utf8.count), "the name '\(name)' has no bit")
        if let first = name.utf8.first { lengths[Int(first)] |= 1 << UInt64(name.utf8.count) }
    }

    /// Returns true if a field is one of them.
    public static func contains(_ name: HTTPField.Name) -> Bool { contains(lowercased: name.canonicalName) }

    /// Returns true if a field is one of them, also with underscores, which CGI and WSGI take for hyphens.
    ///
    /// - Parameter name: The name in lower case.
    /// - Returns: True if it is one of them.
    public static func contains(lowercased name: String) -> Bool {
        // Most fields have another length or first byte, and this runs for each field of each request.
        guard let first = name.utf8.first, name.utf8.count < 64,
            lengths[Int(first)] & 1 << UInt64(name.utf8.count) != 0
        else { return false }
        return names.contains(name) || name.contains("_") && names.contains(name.replacing("_", with: "-"))
    }

    /// Returns true if two requests have the same values in these fields.
    static func areSame(_ one: HTTPFields?, _ other: HTTPFields) -> Bool {
        let (one, other) = (one.map(values) ?? [], values(other))
        return one == other && !one.contains(where: FieldText.isDamaged)
    }

    /// Returns these fields of a request for comparison with another request: names and values, sorted.
    public static func values(_ fields: HTTPFields) -> [String] {
        var values: [String] = []
        for field in fields where contains(field.name) {
            let value = field.name.canonicalName == "forwarded" ? withoutClients(field.value) : field.value
            values.append(field.name.canonicalName + ":" + value)
        }
        return values.count > 1 ? values.sorted() : values
    }

    /// Returns the value of Forwarded without the client and proxy (RFC 7239 §5.1, §5.2), which differ each time.
    private static func withoutClients(_ value: String) -> String {
        let pairs = value.split { $0 == ";" || $0 == "," }.map { FieldText.trimmed($0) }
        return pairs.filter {
            let pair = $0.lowercased()
            return !pair.hasPrefix("for=") && !pair.hasPrefix("by=")
        }.joined(separator: ";")
    }
}
