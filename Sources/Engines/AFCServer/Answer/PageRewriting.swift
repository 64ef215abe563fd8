internal import AFCCache
internal import AFCCaching
internal import AFCDiscovery
internal import AFCHTTP
internal import AFCURL
internal import Crypto
internal import HTTPTypes
internal import NIOCore

/// The replacement of references in pages and style sheets for browsers without a proxy; docs/rewriting.md.
struct PageRewriting {
    /// The largest body in which references are replaced, in bytes.
    static let limit: Int64 = 4 << 20

    /// The form of the request.
    let form: LinkForm
    /// The packaged origins.
    let origins: Set<PackagedOrigin>

    /// Returns true if an answer's body may have references to replace.
    ///
    /// - Parameters:
    ///   - fields: The answer's fields.
    ///   - status: Its status.
    ///   - form: The form of the request.
    /// - Returns: True if it is of a type that is rewritten, in a form in which that is needed.
    static func applies(to fields: HTTPFields, _ status: HTTPResponse.Status, _ form: LinkForm) -> Bool {
        guard form.kind.isOfServer, status.kind == .successful || status.code >= 400,
            let type = fields[.contentType]
        else { return false }
        return ReferenceRewriter.mayRewrite(mediaType: type)
    }

    /// Returns a body with its references replaced; nil if nothing has to be.
    func body(_ bytes: [UInt8], type: String, url: WebURL) -> [UInt8]? {
        guard let shown = shown(url) else { return nil }
        let charset = MediaType(type)?.parameter("charset")
        let changes: ReferenceRewriter.Changes = form.kind.isShared ? .prefix : .origin
        let rewriter = ReferenceRewriter(url: url, shown: shown, changes: changes, map: shown(_:))
        guard case .rewritten(let body) = rewriter.rewrite(bytes, mediaType: type, charset: charset) else { return nil }
        return body
    }

    /// Adapts the fields of a page to the names of origins.
    func adapt(_ fields: inout HTTPFields) {
        guard let policies = fields[.contentSecurityPolicy] else { return }
        let names = origins.compactMap { origin -> (real: WebURL, shown: WebURL)? in
            guard let real = try? WebURL(origin.text + "/"), let shown = shown(real) else { return nil }
            return (real, shown)
        }
        fields[.contentSecurityPolicy] = ContentPolicy(names.sorted { $0.real.origin < $1.real.origin })
            .rewritten(policies)
    }

    /// Returns the URL at which the browser finds a packaged resource; nil for others.
    ///
    /// By path, and for the one site, the server's host makes no difference, since only its paths are written.
    private func shown(_ url: WebURL) -> WebURL? {
        guard let origin = PackagedOrigin(url), origins.contains(origin) else { return nil }
        let link = form.link(to: url)
        guard form.kind != .site || url.origin == form.site?.origin else { return nil }
        return try? WebURL(link.hasPrefix("/") ? "http://server.invalid" + link : link)
    }
}

extension HTTPFields {
    /// True for a document that may request something.
    var isOfPage: Bool {
        let type = (self[.contentType] ?? "").prefix { $0 != ";" }.lowercased()
        return type == "text/html" || type == "application/xhtml+xml" || type == "image/svg+xml"
    }
}

extension ServerAnswer {
    /// Replaces the body, with a validator of its own (RFC 9110 §8.8.3).
    ///
    /// - Parameters:
    ///   - body: The body.
    ///   - request: The request, whose conditions are evaluated with that validator.
    mutating func replaceBody(_ body: [UInt8], for request: ServerRequest) {
        let digest = SHA256.hash(data: body).prefix(16).map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
        for name in Self.bodyFields { fields[name] = nil }
        let tag = "\"afcache-\(digest)\""
        fields[.eTag] = tag
        let known = request.fields[values: .ifNoneMatch].flatMap { $0.split(separator: ",") }.map {
            FieldText.trimmed($0)
        }
        if status == .ok, known.contains(where: { $0 == "*" || $0 == tag || $0 == "W/" + tag }) {
            status = .notModified
            self.body = .none
            fields[.contentLength] = nil
            return
        }
        fields[.contentLength] = String(body.count)
        self.body = request.isHead ? .none : .bytes(ByteBuffer(bytes: body))
    }

    /// The fields that describe the stored body.
    private static let bodyFields: [HTTPField.Name] =
        [
            .eTag, .lastModified, .acceptRanges, .contentRange, .contentEncoding,
        ] + ["Content-MD5", "Digest", "Repr-Digest", "Content-Digest"].compactMap { HTTPField.Name($0) }
}
