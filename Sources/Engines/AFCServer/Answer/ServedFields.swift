internal import AFCHTTP
package import HTTPTypes

/// The selection of stored fields that reach a client, by ``FieldPolicy``; docs/reference/serve.md has the table.
///
/// Anyone can make a package. Its pages may be shown, but must not persist in a browser or speak for the server.
enum ServedFields {
    /// Directives that are removed from a Content-Security-Policy: this server has no TLS and no endpoint for reports.
    private static let directives: Set<Substring> = ["upgrade-insecure-requests", "report-uri", "report-to"]

    /// The policy that gives a page an origin of its own, so that it can't read other pages' data or store any.
    ///
    /// Its scripts, forms and windows still work.
    private static let sandbox =
        "sandbox allow-downloads allow-forms allow-modals allow-popups allow-popups-to-escape-sandbox allow-scripts"

    /// An addition to Vary of a script, so that a browser doesn't use a script it has for a service worker (Service
    /// Workers §4.5.3).
    static let serviceWorkerVary = "Service-Worker"

    /// Returns the fields without those that could do harm.
    ///
    /// - Parameters:
    ///   - fields: The fields of the stored response, or of the answer made from it.
    ///   - form: The form in which the client reaches the resource.
    /// - Returns: The fields that may be sent.
    static func safe(_ fields: HTTPFields, form: LinkForm.Kind) -> HTTPFields {
        var kept = HTTPFields()
        for field in fields.without(form.isOfServer ? [.connection, .harmful, .sharing] : [.connection, .harmful]) {
            guard field.name == .contentSecurityPolicy else {
                kept.append(field)
                continue
            }
            let policy = harmless(field.value)
            if !policy.isEmpty { kept.append(HTTPField(name: field.name, value: policy)) }
        }
        if form.isShared, !isPDF(kept[values: .contentType]) {
            kept.append(HTTPField(name: .contentSecurityPolicy, value: sandbox))
        }
        if isScript((kept[.contentType] ?? "").prefix { $0 != ";" }.lowercased()) {
            kept.append(HTTPField(name: .vary, value: serviceWorkerVary))
        }
        return kept
    }

    /// Returns true for what every browser takes for PDF: its viewers don't start in a sandbox, and run no scripts of the
    /// page's origin.
    ///
    /// Of several types after commas, browsers take the last one (Fetch §2.2.2), and `application/pdf+xml` is XML.
    private static func isPDF(_ types: [String]) -> Bool {
        guard types.count == 1, !types[0].contains(","), let type = MediaType(types[0]) else { return false }
        return type.essence == "application/pdf"
    }

    /// Returns true for a media type of scripts; searching for text, not bytes, would take a tenth of a look-up's time.
    private static func isScript(_ type: String) -> Bool {
        type.utf8.indices.contains { index in
            let rest = type.utf8[index...]
            return rest.starts(with: "javascript".utf8) || rest.starts(with: "ecmascript".utf8)
        }
    }

    /// Returns a list of policies without the removed directives (Content Security Policy §2.2.1).
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
    /// The field of requests for a service worker's script (Service Workers §4.5.3).
    package static let serviceWorker = named("Service-Worker")
    /// Links of a response (RFC 8288 §3).
    static let link = named("Link")
    /// The field that says whether another website made a request (Fetch Metadata §2.4).
    static let secFetchSite = named("Sec-Fetch-Site")
    /// The field that says what a page's links tell about it (Referrer Policy §4.1).
    static let referrerPolicy = named("Referrer-Policy")
    /// The field that allows an origin to know how long a request took (Resource Timing §4.5.1).
    static let timingAllowOrigin = named("Timing-Allow-Origin")

    private static func named(_ text: String) -> HTTPField.Name {
        guard let name = HTTPField.Name(text) else { preconditionFailure(text) }
        return name
    }
}
