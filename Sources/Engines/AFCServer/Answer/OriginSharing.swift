internal import AFCHTTP
internal import AFCURL
internal import HTTPTypes

/// What a page of one packaged origin may read of another, by their names on this server; docs/reference/serve.md,
/// "Between packaged origins".
///
/// A response that allows an origin allows the name that stands for it. Every other origin, such as a website that the
/// reader visits, gets nothing.
struct OriginSharing {
    /// The packaged origin that the requester's name stands for.
    let requester: PackagedOrigin
    /// The requester's name, as the value of Origin.
    private let name: String

    /// Finds the packaged origin of a request's Origin; nil if there is none.
    ///
    /// - Parameters:
    ///   - origin: The value of Origin.
    ///   - form: The form of the request.
    ///   - packaged: The packaged origins.
    init?(_ origin: String, form: LinkForm, packaged: Set<PackagedOrigin>) {
        guard let url = try? WebURL(origin + "/"), url.origin == origin, let host = url.host,
            url.scheme == (form.isSecure ? "https" : "http")
        else { return nil }
        let requester: PackagedOrigin?
        switch form.kind {
        case .originName where url.port == form.port && host.hasSuffix("." + form.base):
            let meaning = OriginName(label: String(host.dropLast(form.base.utf8.count + 1)))
            requester = meaning.flatMap { packaged.first(where: $0.means) }
        case .port where host == form.reached:
            requester = form.sitePorts?.origin(at: url.effectivePort ?? 0).flatMap { packaged.contains($0) ? $0 : nil }
        default: requester = nil
        }
        guard let requester else { return nil }
        self.requester = requester
        name = origin
    }

    /// Adds the fields with which a browser lets the requester read a response.
    ///
    /// - Parameters:
    ///   - fields: The fields of the answer.
    ///   - stored: The stored response's fields.
    ///   - isOnePackage: Whether the response and the requester's origin are in one package. A crawl sends no Origin, so
    ///     a server may have left out what it would have sent to a browser.
    func apply(to fields: inout HTTPFields, stored: HTTPFields, isOnePackage: Bool) {
        let allowed = stored[.accessControlAllowOrigin]
        if allowed.map({ Self.names($0, requester) }) ?? isOnePackage {
            fields[.accessControlAllowOrigin] = name
            for field: HTTPField.Name in [.accessControlAllowCredentials, .accessControlExposeHeaders] {
                fields[field] = stored[field]
            }
            if fields[.crossOriginResourcePolicy] != nil { fields[.crossOriginResourcePolicy] = "cross-origin" }
        }
        if let timing = stored[.timingAllowOrigin],
            timing.split(separator: ",").contains(where: { Self.names(String($0), requester) })
        {
            fields[.timingAllowOrigin] = name
        }
    }

    /// Returns true if a value of Access-Control-Allow-Origin, or one of Timing-Allow-Origin, allows an origin.
    static func names(_ value: String, _ origin: PackagedOrigin) -> Bool {
        let value = FieldText.trimmed(value[...])
        return value == "*" || value == origin.text
    }
}
