internal import AFCHTTP
public import HTTPTypes

/// Fields of requests by which many origins choose their answer though no Vary of theirs says so.
///
/// A stored response that somebody led the origin to by such a field answers nobody who didn't send the same (RFC 9111 §4.1
/// lets a cache choose more narrowly than Vary). Otherwise one request with `X-Forwarded-Host: evil.example` could decide
/// what all clients get.
public enum LeadingFields {
    /// Their names, in lower case.
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

    /// Whether a field is one of them.
    public static func contains(_ name: HTTPField.Name) -> Bool {
        let name = name.canonicalName
        // Most fields begin otherwise, and this is asked for each field of each request.
        guard let first = name.utf8.first, initials.contains(first) else { return false }
        return names.contains(name)
    }

    /// Whether two requests lead the origin to the same answer, as far as these fields go.
    static func areSame(_ one: HTTPFields?, _ other: HTTPFields) -> Bool {
        let (one, other) = (one.map(values) ?? [], values(other))
        return one == other
    }

    /// Those of a request, to be compared with those of another one: names and values, in an order of their own.
    public static func values(_ fields: HTTPFields) -> [String] {
        var values: [String] = []
        for field in fields where contains(field.name) {
            let value = field.name.canonicalName == "forwarded" ? withoutClients(field.value) : field.value
            values.append(field.name.canonicalName + ":" + value)
        }
        return values.count > 1 ? values.sorted() : values
    }

    /// What Forwarded says but for who asks (RFC 7239 §5.1, §5.2), which is another one each time.
    private static func withoutClients(_ value: String) -> String {
        let pairs = value.split { $0 == ";" || $0 == "," }.map { FieldText.trimmed($0) }
        return pairs.filter {
            let pair = $0.lowercased()
            return !pair.hasPrefix("for=") && !pair.hasPrefix("by=")
        }.joined(separator: ";")
    }
}
