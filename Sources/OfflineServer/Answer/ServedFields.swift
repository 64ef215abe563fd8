internal import HTTPCaching
internal import HTTPTypes

/// Which stored fields reach a client.
enum ServedFields {
    /// What would bind a browser to the origin, or send reports to it: RFC 6797, RFC 7838, Clear Site Data, RFC 7469,
    /// Network Error Logging, Reporting API, RFC 9163.
    private static let harmful: Set<String> = [
        "strict-transport-security", "alt-svc", "clear-site-data", "public-key-pins", "public-key-pins-report-only",
        "nel", "report-to", "reporting-endpoints", "expect-ct",
    ]

    /// The fields without those that would harm offline use.
    ///
    /// A Content-Security-Policy stays, but for `upgrade-insecure-requests`: this server has no TLS to upgrade to.
    static func safe(_ fields: HTTPFields) -> HTTPFields {
        var kept = HTTPFields()
        for field in fields.withoutConnectionFields where !harmful.contains(field.name.canonicalName) {
            guard field.name == .contentSecurityPolicy else {
                kept.append(field)
                continue
            }
            let policy = withoutUpgrade(field.value)
            if !policy.isEmpty { kept.append(HTTPField(name: field.name, value: policy)) }
        }
        return kept
    }

    private static func withoutUpgrade(_ policy: String) -> String {
        guard policy.lowercased().contains("upgrade-insecure-requests") else { return policy }
        return policy.split(separator: ";").filter { directive in
            directive.split { $0 == " " || $0 == "\t" }.first?.lowercased() != "upgrade-insecure-requests"
        }.joined(separator: ";")
    }
}
