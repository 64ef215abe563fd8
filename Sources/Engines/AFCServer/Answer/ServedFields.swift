internal import AFCCaching
internal import HTTPTypes

/// The selection of stored fields that reach a client; docs/serve.md has the table.
///
/// Anybody can make a package. What is in it may show itself, but mustn't stay in a browser, or speak for the server.
enum ServedFields {
    /// Fields that would bind a browser beyond the visit, ask it for credentials, lead it elsewhere by itself, or have
    /// it report.
    ///
    /// RFC 6797, RFC 7838, Clear Site Data, RFC 7469, RFC 9163; RFC 6265, Service Workers; RFC 9110 §11, RFC 7615,
    /// Device Bound Session Credentials, Login Status; Client Hints; the Refresh field, Speculation Rules; Network
    /// Error Logging, Reporting, Attribution Reporting, Topics, Content Security Policy for reports only, RFC 9842.
    private static let harmful: Set<String> = [
        "strict-transport-security", "alt-svc", "clear-site-data", "public-key-pins", "public-key-pins-report-only",
        "expect-ct",
        "set-cookie", "set-cookie2", "service-worker-allowed",
        "www-authenticate", "authentication-info", "proxy-authenticate", "proxy-authentication-info",
        "sec-session-registration", "secure-session-registration", "set-login", "login-status",
        "accept-ch", "accept-ch-lifetime", "critical-ch", "delegate-ch", "activate-storage-access",
        "refresh", "speculation-rules",
        "nel", "report-to", "reporting-endpoints", "content-security-policy-report-only",
        "attribution-reporting-register-source", "attribution-reporting-register-trigger",
        "attribution-reporting-register-os-source", "attribution-reporting-register-os-trigger",
        "observe-browsing-topics", "shared-storage-write", "ad-auction-signals", "use-as-dictionary",
    ]

    /// Fields that let pages of other sites read the answer (the Fetch Standard, §3.3): at a host of this server it
    /// would let in all that a browser visits.
    private static let sharing: Set<String> = [
        "access-control-allow-origin", "access-control-allow-credentials", "access-control-allow-methods",
        "access-control-allow-headers", "access-control-allow-private-network", "access-control-expose-headers",
        "access-control-max-age", "timing-allow-origin",
    ]

    /// Fields with which an origin makes promises about its own transport: RFC 6797, RFC 7838, RFC 7469, RFC 9163.
    private static let promises: Set<String> = [
        "strict-transport-security", "alt-svc", "public-key-pins", "public-key-pins-report-only", "expect-ct",
    ]

    /// Directives that are removed from a Content-Security-Policy: this server has no TLS and no endpoint for reports.
    private static let directives: Set<Substring> = ["upgrade-insecure-requests", "report-uri", "report-to"]

    /// Gives a page an origin that no other page has: it reads nothing of others, and stores nothing.
    ///
    /// Scripts, forms and windows of its own still work.
    private static let sandbox =
        "sandbox allow-downloads allow-forms allow-modals allow-popups allow-popups-to-escape-sandbox allow-scripts"

    /// In Vary of a script, so that a browser doesn't take one that it has for a service worker (Service Workers §4.5.3).
    static let serviceWorkerVary = "Service-Worker"

    /// The fields without those that would harm.
    ///
    /// - Parameters:
    ///   - fields: What is stored, or the answer made of it.
    ///   - form: How the client reaches the resource.
    /// - Returns: What may go out.
    static func safe(_ fields: HTTPFields, form: LinkForm.Kind) -> HTTPFields {
        var kept = HTTPFields()
        for field in fields.withoutConnectionFields {
            let name = field.name.canonicalName
            guard !harmful.contains(name), !form.isOfServer || !sharing.contains(name) else { continue }
            guard field.name == .contentSecurityPolicy else {
                kept.append(field)
                continue
            }
            let policy = harmless(field.value)
            if !policy.isEmpty { kept.append(HTTPField(name: field.name, value: policy)) }
        }
        let type = (kept[.contentType] ?? "").prefix { $0 != ";" }.lowercased()
        // Viewers of PDF don't start in a sandbox, and run no scripts of the page's origin.
        if form.isShared, !type.hasPrefix("application/pdf") {
            kept.append(HTTPField(name: .contentSecurityPolicy, value: sandbox))
        }
        if type.contains("javascript") || type.contains("ecmascript") {
            kept.append(HTTPField(name: .vary, value: serviceWorkerVary))
        }
        return kept
    }

    /// The fields without what the origin says of its own TLS and of other ways to it.
    static func withoutTransportPromises(_ fields: HTTPFields) -> HTTPFields {
        HTTPFields(fields.filter { !promises.contains($0.name.canonicalName) })
    }

    /// A list of policies without the directives that are taken out (Content Security Policy §2.2.1).
    private static func harmless(_ policies: String) -> String {
        let lowered = policies.lowercased()
        guard directives.contains(where: { lowered.contains($0) }) else { return policies }
        let kept = policies.split(separator: ",").map { policy in
            policy.split(separator: ";").filter { directive in
                guard let name = directive.split(whereSeparator: { " \t\u{C}".contains($0) }).first else { return true }
                return !directives.contains(Substring(name.lowercased()))
            }.joined(separator: ";")
        }
        return kept.filter { $0.contains { $0 != " " && $0 != "\t" } }.joined(separator: ",")
    }
}

extension HTTPField.Name {
    /// In requests for the script of a service worker (Service Workers §4.5.3).
    static let serviceWorker: HTTPField.Name = {
        guard let name = HTTPField.Name("Service-Worker") else { preconditionFailure("Service-Worker") }
        return name
    }()
}
