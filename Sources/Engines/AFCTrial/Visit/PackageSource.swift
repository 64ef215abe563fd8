package import AFCBrowser
package import AFCCache
internal import AFCCaching
internal import AFCDiscovery
internal import AFCFiles
package import AFCHTTP
internal import AFCPackageFile
internal import AFCPackageFormat
internal import AFCServer
package import AFCURL
internal import HTTPTypes
internal import NIOCore

/// A mounted package as the source of answers: what an offline server would answer as a proxy.
package struct PackageSource: TrialSource {
    /// The largest body that the browser gets, in bytes.
    private static let bodyLimit = 16 << 20
    /// The bytes of a film that are sent at a time; the browser asks for the next ones.
    private static let mediaPart: Int64 = 4 << 20
    /// The most pages of a package that are looked at.
    private static let pageLimit = 20_000
    /// The bytes of a page whose text is read.
    private static let textLimit = 1 << 20
    private static let pageTypes = ["text/html", "application/xhtml+xml"]
    /// The suffixes of what isn't a page, although a server may answer with one.
    private static let otherSuffixes = [
        ".css", ".js", ".mjs", ".json", ".png", ".jpg", ".jpeg", ".gif", ".svg", ".webp", ".ico", ".woff", ".woff2",
    ]

    /// The URLs that the package's crawl began with.
    package let seeds: [WebURL]
    private let packages: MountedPackages
    private let responder: CacheResponder
    private let hosts: Set<String>
    private let domains: Set<String>
    private let absent: [String: Int]
    private let now: Timestamp

    /// Opens a package; blocks.
    ///
    /// - Parameters:
    ///   - path: The package.
    ///   - now: The time at which freshness is judged.
    /// - Throws: `CacheError` if the package can't be read, is encrypted, or couldn't be loaded.
    package init(_ path: String, now: Timestamp) throws(CacheError) {
        let packages = try MountedPackages([path], now: now)
        self.packages = packages
        self.now = now
        responder = CacheResponder(store: packages, policy: OfflinePolicy(expired: .always), matching: .query) { now }
        let origins = packages.origins().compactMap { try? WebURL($0.origin + "/") }.filter(\.isHTTP)
        hosts = Set(origins.compactMap(Self.host))
        domains = Set(origins.compactMap(\.registrableDomain))
        seeds = packages.packages().flatMap(\.seeds).compactMap { try? WebURL($0) }.filter(\.isHTTP)
        // The package was read a moment ago; without its crawl, nothing is known to be absent.
        let provenance = try? PackageReader(path: path).provenance
        absent = Dictionary(
            (provenance?.failed ?? []).filter { [404, 410].contains($0.status) }.map { ($0.url.description, $0.status) }
        ) { first, _ in first }
    }

    /// The name by which a host is compared: the same for http and https.
    private static func host(_ url: WebURL) -> String? {
        url.host.map { host in host + (url.port.map { ":\($0)" } ?? "") }
    }

    /// Returns true if the package has something of the URL's host.
    package func has(hostOf url: WebURL) -> Bool { Self.host(url).map(hosts.contains) ?? false }

    /// Returns true if the URL is of the same site as one in the package, but of another host.
    package func isSister(_ url: WebURL) -> Bool {
        !has(hostOf: url) && url.registrableDomain.map(domains.contains) ?? false
    }

    /// The status with which the site itself answered, if the crawl found that it doesn't have the URL.
    package func absence(of url: WebURL) -> Int? { absent[url.description] }

    // MARK: Pages

    /// Returns the pages of the package, sorted; blocks.
    ///
    /// - Throws: `CacheError` if the package can't be read.
    package func pages() throws(CacheError) -> [WebURL] {
        var (pages, last): ([WebURL], WebURL?) = ([], nil)
        while pages.count < Self.pageLimit {
            let resources = try packages.resources(after: last, limit: 1000)
            guard let end = resources.last?.url else { break }
            pages += resources.filter { resource in
                resource.status == 200 && resource.url.isHTTP && resource.size > 0
                    && !FallbackRules.isInvented(resource.url)
                    && Self.pageTypes.contains(Self.essence(resource.mediaType ?? ""))
                    && !Self.otherSuffixes.contains { resource.url.path.hasSuffix($0) }
            }.map(\.url)
            last = end
        }
        return Array(pages.prefix(Self.pageLimit))
    }

    /// Returns the first bytes of a stored page; blocks.
    ///
    /// - Throws: `CacheError` if the package can't be read.
    package func beginning(of url: WebURL, limit: Int) throws(CacheError) -> [UInt8] {
        let request = OfflineRequest(url: url)
        let answer = try packages.respond(to: request, now: now, policy: OfflinePolicy(expired: .always))
        guard let body = answer.body else { return [] }
        var bytes = [UInt8](repeating: 0, count: min(limit, Int(clamping: body.size)))
        let count = bytes.withUnsafeMutableBytes { buffer in
            Result { () throws(CacheError) in try body.read(into: buffer, at: 0) }
        }
        return Array(bytes.prefix(try count.get()))
    }

    /// What is written on a stored page.
    package struct Text: Sendable {
        /// The title.
        package var title = ""
        /// The headings, one a line.
        package var headings = ""
        /// The text.
        package var text = ""
        /// True if it has scripts.
        package var hasScripts = false
    }

    /// Returns what is written on a stored page; blocks.
    ///
    /// - Returns: The text; nil if the package has no such page, or it can't be read.
    package func text(of url: WebURL) -> Text? {
        guard let bytes = try? beginning(of: url, limit: Self.textLimit), !bytes.isEmpty else { return nil }
        let page = bytes.withUnsafeBufferPointer { PageText(html: $0, charset: nil) }
        return Text(
            title: page.title,
            headings: page.headings,
            text: page.text,
            hasScripts: PageSkeleton(bytes).hasScripts
        )
    }

    /// What a reader gets who follows a link.
    package enum Target: Sendable {
        case page
        /// A file that the browser shows or saves by itself, such as a PDF.
        case file
    }

    /// Returns what a reader gets who opens the URL; nil if there is no response.
    package func target(of url: WebURL) async -> Target? {
        guard let answer = await respond(to: PageRequest(url: url, type: "Document")), answer.status.code < 400 else {
            return nil
        }
        let isPage =
            answer.status.kind == .redirection
            || Self.pageTypes.contains(Self.essence(answer.fields[.contentType] ?? ""))
        return isPage ? .page : .file
    }

    // MARK: Answers

    package func answer(_ request: PageRequest) async -> (RenderAnswer, PageObservation.Fate) {
        guard has(hostOf: request.url) else { return (.unknown, .elsewhere) }
        guard let answer = await respond(to: request) else { return (.refused, .missing) }
        if answer.status == .gatewayTimeout {
            if let status = absence(of: request.url) { return (.refused, .absent(status: status)) }
            return (.refused, .missing)
        }
        if answer.status == .methodNotAllowed, request.method != "GET" { return (.refused, .needsServer) }
        // The page for missing URLs is shown, as a server would send it.
        let isFallback = answer.status == .notFound && request.isNavigation && !isStored(request.url)
        guard let body = await bytes(of: answer.body) else { return (.refused, .tooLarge) }
        let fields = answer.fields.filter { $0.name != .contentLength }.map { ($0.name.rawName, $0.value) }
        let response = RenderAnswer.response(status: answer.status.code, fields: fields, body: body)
        if isFallback { return (response, absence(of: request.url).map { .absent(status: $0) } ?? .missing) }
        return (
            response,
            .found(
                status: answer.status.code,
                mediaType: Self.essence(answer.fields[.contentType] ?? ""),
                isMarkup: body.first { !" \t\r\n".utf8.contains($0) } == UInt8(ascii: "<")
            )
        )
    }

    private func isStored(_ url: WebURL) -> Bool { (try? packages.contains(url)) ?? false }

    /// Returns what the offline server answers; nil if it can't.
    private func respond(to request: PageRequest) async -> ServerAnswer? {
        let wanted = ServerRequest(
            method: request.method,
            target: request.url.description,
            hosts: [request.url.authority],
            fields: Self.fields(of: request),
            // No URL has this port, so that none is for the server itself.
            server: ServerIdentity(port: 0),
            body: RequestBody(ByteBuffer(bytes: request.body))
        )
        let responder = responder
        do {
            if let found = try await OffPool.run({ try responder.lookUp(wanted) }) { return found }
            return try await responder.answer(wanted) { _, _ in }
        } catch {
            // A body that can't be read is as good as none.
            return nil
        }
    }

    private static let kept: Set<String> = [
        "accept", "accept-language", "content-type", "range", "x-requested-with",
    ]

    private static func fields(of request: PageRequest) -> HTTPFields {
        var fields = HTTPFields()
        for (name, value) in request.fields {
            let isOwn = name.lowercased().hasPrefix("next-") || name.lowercased().hasPrefix("rsc")
            guard kept.contains(name.lowercased()) || isOwn, let name = HTTPField.Name(name) else { continue }
            fields[name] = value
        }
        if let range = fields[.range], request.type == "Media", let first = Self.start(ofOpen: range) {
            fields[.range] = "bytes=\(first)-\(first + mediaPart - 1)"
        }
        guard request.isNavigation else {
            if fields[.accept] == nil { fields[.accept] = "*/*" }
            fields[.secFetchMode] = "no-cors"
            return fields
        }
        fields[.accept] = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"
        fields[.secFetchMode] = "navigate"
        return fields
    }

    /// The first byte of a range that has no end, such as `bytes=0-`.
    private static func start(ofOpen range: String) -> Int64? {
        guard range.hasPrefix("bytes="), range.hasSuffix("-") else { return nil }
        return Int64(range.dropFirst(6).dropLast()).flatMap { $0 >= 0 && $0 < .max - mediaPart ? $0 : nil }
    }

    /// Reads a body; nil if it is too large, or can't be read.
    private func bytes(of body: ServerAnswer.Body) async -> [UInt8]? {
        switch body {
        case .none: return []
        case .bytes(let buffer): return buffer.readableBytes <= Self.bodyLimit ? Array(buffer.readableBytesView) : nil
        case .stored(let stream): return await OffPool.run { Self.read(stream) }
        case .stream: return nil
        }
    }

    private static func read(_ stream: BodyStream) -> [UInt8]? {
        var (stream, bytes): (BodyStream, [UInt8]) = (stream, [])
        do {
            while let piece = try stream.next() {
                bytes += piece.readableBytesView
                guard bytes.count <= bodyLimit else { return nil }
            }
        } catch {
            // What can't be read can't be shown, either.
            return nil
        }
        return bytes
    }

    /// Returns a media type without parameters, in lower case.
    private static func essence(_ mediaType: String) -> String {
        let type = mediaType.prefix { $0 != ";" }.lowercased()
        return type.split(separator: " ").first.map(String.init) ?? ""
    }
}
