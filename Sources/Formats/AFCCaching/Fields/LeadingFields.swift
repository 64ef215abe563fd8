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
        "forwarded", "front-end-https", "proxy-host", "x-backend-host", "x-envoy-original-host",
        "x-envoy-original-path", "x-forwarded-host", "x-forwarded-path", "x-forwarded-port", "x-forwarded-prefix",
        "x-forwarded-proto", "x-forwarded-protocol",
        "x-forwarded-scheme", "x-forwarded-server", "x-forwarded-ssl", "x-forwarded-uri", "x-forwarded-url", "x-host",
        "x-http-host-override", "x-http-method", "x-http-method-override", "x-method-override", "x-original-host",
        "x-original-uri", "x-original-url", "x-rewrite-uri", "x-rewrite-url", "x-scheme", "x-url-scheme",
    ]

    /// The first letters of the names.
    private static let initials = "fpx".utf8

    /// Returns true if a field is one of them.
    public static func contains(_ name: HTTPField.Name) -> Bool {
        let name = name.canonicalName
        // Most fields begin with other letters, and this runs for each field of each request.
        guard let first = name.utf8.first, initials.contains(first) else { return false }
        return names.contains(name)
    }

    /// Returns true if two requests have the same values in these fields.
    static func areSame(_ one: HTTPFields?, _ other: HTTPFields) -> Bool {
        let (one, other) = (one.map(values) ?? [], values(other))
        return one == other
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
