internal import AFCCache
internal import AFCCaching
internal import AFCDiscovery
internal import AFCHTTP
internal import AFCText
internal import AFCURL
internal import Crypto
internal import HTTPTypes
internal import NIOCore

/// The replacement of references in pages and style sheets for browsers without a proxy; docs/reference/rewriting.md.
struct PageRewriting {
    /// The largest body in which references are replaced, in bytes.
    static let limit: Int64 = 32 << 20

    /// The origin that stands for this server where only its paths are written.
    private static let unnamed = "http://server.invalid"

    /// The form of the request.
    let form: LinkForm
    /// The packaged origins that have an address in this form.
    let origins: Set<PackagedOrigin>
    /// The packaged origins whose modules a page's scripts may import by absolute addresses.
    var importable: [PackagedOrigin] = []
    /// The source of the server's script for policies, which is its URL or `'self'`; nil to give pages no script.
    var scriptSource: String?
    /// True if links that lead out of the packages are asked about.
    var asks = false
    /// The bar of versions at the end of pages, in ASCII; nil for none.
    var bar: String?
    /// The largest size of the entries in an import map, and of its scopes, in bytes.
    private static let importBytes = 640

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

    /// Replaces the references of a body.
    ///
    /// - Parameters:
    ///   - bytes: The body.
    ///   - fields: The answer's fields.
    ///   - url: The body's URL.
    /// - Returns: The outcome.
    func outcome(_ bytes: [UInt8], _ fields: HTTPFields, url: WebURL) -> RewrittenBodies.Outcome {
        guard let type = fields[.contentType], let shown = shown(url) else { return .unchanged }
        let changes: ReferenceRewriter.Changes = form.kind.hasOneHost ? .prefix : .origin
        var rewriter = ReferenceRewriter(url: url, shown: shown, changes: changes, map: shown(_:))
        rewriter.unnamedOrigin = form.kind.hasOneHost ? Self.unnamed : nil
        let policies = policies
        rewriter.policy = { policies.rewritten($0, digests: StyleDigests.of($1, for: $0)) }
        rewriter.addition = addition(shown)
        let charset = MediaType(type)?.parameter("charset")
        let bar = Array((bar.flatMap { VersionBar.fits(bytes, type) ? $0 : nil } ?? "").utf8)
        let body: [UInt8]
        var (styles, added): ([ChangedStyle], AddedParts) = ([], AddedParts())
        switch rewriter.rewrite(bytes, mediaType: type, charset: charset) {
        case .rewritten(let new, let changed, let parts): (body, styles, added) = (new + bar, changed, parts)
        case .unchanged where !bar.isEmpty: body = bytes + bar
        case .unchanged, .impossible: return .unchanged
        }
        let digest = SHA256.hash(data: body).prefix(16).map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
        let sources = RewrittenBodies.Sources(
            styles: StyleDigests.of(styles, for: fields[.contentSecurityPolicy] ?? ""),
            hasScript: added.hasScript,
            importMap: added.importMap.map(PageScript.sourceDigest(of:))
        )
        return .body(ByteBuffer(bytes: body), digest: digest, sources)
    }

    /// Returns the parts for what the scripts of a page do; nil if it gets none.
    ///
    /// - Parameter page: The URL at which the browser finds the page.
    /// - Returns: The parts, or nil.
    private func addition(_ page: WebURL) -> PageAddition? {
        guard scriptSource != nil else { return nil }
        var imports = PageAddition.Imports()
        var (size, scopeSize) = (0, 0)
        for origin in importable {
            guard let real = try? WebURL(origin.text + "/"), let other = shown(real) else { continue }
            let target = other.origin == page.origin ? other.path : other.description
            size += real.description.utf8.count + target.utf8.count + 6
            guard size <= Self.importBytes else { break }
            imports.entries.append((real.description, target))
            guard form.kind == .site, target != "/" else { continue }
            // What its modules import by a path is its own, unless that is a path on this server already.
            let kept = PageScript.folder
            let scope = PageAddition.Scope(of: target, entries: [("/", target), (kept, kept)])
            scopeSize += scope.member.utf8.count + 1
            if scopeSize <= Self.importBytes { imports.scopes.append(scope) }
        }
        let asks = asks
        return PageAddition(
            script: PageScript.element(site: form.site?.origin, hasPorts: form.kind == .port),
            imports: imports,
            leadsOut: { _ in asks },
            policy: { admitting($0, importMap: $1.map(PageScript.sourceDigest(of:))) }
        )
    }

    /// Returns policies that also admit the page's script, and an import map with a digest.
    private func admitting(_ policies: String, importMap: String?) -> String {
        guard let scriptSource else { return policies }
        return ContentPolicy.admitting(policies, script: (PageScript.digest, scriptSource), importMap: importMap)
    }

    /// Adapts the fields of a page to the names of origins, and to what became of the page.
    ///
    /// - Parameters:
    ///   - fields: The fields.
    ///   - sources: What the policies have to admit.
    func adapt(_ fields: inout HTTPFields, admitting sources: RewrittenBodies.Sources) {
        guard let old = fields[.contentSecurityPolicy] else { return }
        let new = policies.rewritten(old, digests: sources.styles)
        fields[.contentSecurityPolicy] = sources.hasScript ? admitting(new, importMap: sources.importMap) : new
    }

    /// Adapts the addresses in fields of a response.
    ///
    /// - Parameters:
    ///   - fields: The fields.
    ///   - url: The response's URL, to which they are relative.
    func adaptAddresses(_ fields: inout HTTPFields, of url: WebURL) {
        func link(_ text: String) -> String? {
            guard let (target, fragment) = try? WebURL.parseWithFragment(text, base: url), shown(target) != nil else {
                return nil
            }
            return form.link(to: target) + (fragment.map { "#" + $0 } ?? "")
        }
        if let location = fields[.contentLocation] { fields[.contentLocation] = link(location) ?? location }
        let links = fields[values: .link]
        guard !links.isEmpty else { return }
        fields[values: .link] = links.map { HeaderReferences.replacingTargets(in: $0, link) }
    }

    /// The replacement in content security policies.
    private var policies: ContentPolicy {
        let names = origins.compactMap { origin -> (real: WebURL, source: String)? in
            guard let real = try? WebURL(origin.text + "/"), let shown = shown(real) else { return nil }
            return (real, form.kind.hasOneHost ? "'self'" : shown.origin)
        }
        return ContentPolicy(names.sorted { $0.real.origin < $1.real.origin })
    }

    /// Returns the URL at which the browser finds a packaged resource; nil for others.
    ///
    /// In the forms with one host, only paths are written.
    private func shown(_ url: WebURL) -> WebURL? {
        guard let origin = PackagedOrigin(url), origins.contains(origin) else { return nil }
        let link = form.link(to: url)
        return try? WebURL(link.hasPrefix("/") ? Self.unnamed + link : link)
    }
}

/// The digests of styles in content security policies (Content Security Policy Level 3 §2.3.1).
enum StyleDigests {
    /// Returns the digests of styles before they were changed, and those of what they became.
    ///
    /// - Parameters:
    ///   - styles: The styles.
    ///   - policies: The policies, which tell the algorithms.
    /// - Returns: The digests, each an algorithm, a hyphen and Base64.
    static func of(_ styles: [ChangedStyle], for policies: String) -> [String: Set<String>] {
        guard !styles.isEmpty else { return [:] }
        var digests: [String: Set<String>] = [:]
        for algorithm in ContentPolicy.algorithms(in: policies) {
            for style in styles {
                digests[digest(algorithm, style.old), default: []].insert(digest(algorithm, style.new))
            }
        }
        return digests
    }

    private static func digest(_ algorithm: String, _ text: String) -> String {
        let bytes = Array(text.utf8)
        let digest =
            switch algorithm {
            case "sha384": Array(SHA384.hash(data: bytes))
            case "sha512": Array(SHA512.hash(data: bytes))
            default: Array(SHA256.hash(data: bytes))
            }
        return "\(algorithm)-\(Base64.encode(digest))"
    }
}

extension HTTPFields {
    /// True if fields besides Location have addresses.
    var hasAddresses: Bool { contains(.link) || contains(.contentLocation) }

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
    ///   - digest: Its digest.
    ///   - request: The request, whose conditions are evaluated with that validator.
    mutating func replaceBody(_ body: ByteBuffer, digest: String, for request: ServerRequest) {
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
        fields[.contentLength] = String(body.readableBytes)
        self.body = request.isHead ? .none : .bytes(body)
    }

    /// The fields that describe the stored body.
    private static let bodyFields: [HTTPField.Name] =
        [
            .eTag, .lastModified, .acceptRanges, .contentRange, .contentEncoding,
        ] + ["Content-MD5", "Digest", "Repr-Digest", "Content-Digest"].compactMap { HTTPField.Name($0) }
}
