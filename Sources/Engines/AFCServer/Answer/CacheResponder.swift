internal import AFCBlocking
public import AFCCache
public import AFCCaching
internal import AFCDiscovery
public import AFCHTTP
internal import AFCPackageFormat
package import AFCSearch
internal import AFCURL
public import HTTPTypes
internal import NIOCore

/// A responder that answers from a cache alone; see docs/reference/serve.md.
public struct CacheResponder: LookingUp {
    /// The cache that answers come from.
    var store: any OfflineAnswering
    /// The policy for responses that are no longer fresh.
    var policy: OfflinePolicy
    /// The differences in the query that a response may have if nothing is stored for a URL.
    let matching: QueryMatching
    /// The search over the cache; nil if there is none.
    var search: SearchLibrary?
    /// The clock.
    let now: @Sendable () -> Timestamp
    /// The watch that notices changes of the cache; nil if the cache doesn't report changes.
    var watch: CacheWatch?
    /// Whether https requests to a proxy (CONNECT) are answered, too.
    package var answersTunnels = false
    /// Whether references are replaced for browsers without a proxy.
    package var rewrites = true
    /// The bodies with replaced references that are kept in memory.
    private var bodies = RewrittenBodies(byteLimit: RewrittenBodies.defaultLimit)
    /// What is done with links that lead out of the packages.
    package var external = ExternalLinks.ask
    /// The origins that the cache has.
    var origins: StoredOrigins
    /// The same cache, if it may have earlier versions of packages.
    let kept: (any KeepsVersions)?
    /// The versions that were looked up last.
    let versions = VersionMemory()
    /// Returns the bar for a page, or nil if it has none; nil if no page has one.
    var bar: (@Sendable (WebURL) -> VersionBar?)?
    /// What the home page says of the sites if there is no search.
    private let descriptions: SiteDescriptions

    /// Creates a responder.
    ///
    /// - Parameters:
    ///   - store: The cache that answers come from.
    ///   - policy: The policy for responses that are no longer fresh.
    ///   - matching: The differences in the query that a response may have if nothing is stored for a URL.
    ///   - now: The clock.
    public init(
        store: any OfflineAnswering,
        policy: OfflinePolicy,
        matching: QueryMatching = .exact,
        now: @escaping @Sendable () -> Timestamp
    ) {
        self.init(store: store, policy: policy, matching: matching, search: nil, now: now)
    }

    /// Creates a responder whose pages have a search.
    package init(
        store: any OfflineAnswering,
        policy: OfflinePolicy,
        matching: QueryMatching,
        search: SearchLibrary?,
        now: @escaping @Sendable () -> Timestamp
    ) {
        self.store = store
        kept = store as? any KeepsVersions
        self.policy = policy
        self.matching = matching
        self.search = search
        self.now = now
        watch = CacheWatch(store)
        origins = StoredOrigins(store)
        descriptions = SiteDescriptions(store)
    }

    /// Limits the memory for bodies with replaced references, which is 32 MiB at most.
    package mutating func limitMemory(_ bytes: some BinaryInteger) {
        bodies = RewrittenBodies(byteLimit: min(Int(clamping: bytes), RewrittenBodies.defaultLimit))
    }

    /// The change number of the cache.
    public var changes: UInt64 { watch?.value ?? 0 }
    /// False: without origins, there is nothing to reload from.
    public var heedsCacheControl: Bool { false }

    /// Answers a request with another method than GET and HEAD; all others have been answered by ``lookUp(_:)``.
    public func answer(
        _ request: ServerRequest,
        interim: @escaping @Sendable (HTTPResponse.Status, HTTPFields) async -> Void
    ) async throws -> ServerAnswer {
        guard Self.mayBeRecorded(request) else { return try find(request) }
        return try await recorded(request) ?? find(request)
    }

    /// Answers a request.
    ///
    /// - Parameter request: The request.
    /// - Returns: The answer; refusals are answers too. Nil if the request's body must be read first.
    /// - Throws: An error if the cache or a body can't be read.
    public func lookUp(_ request: ServerRequest) throws -> ServerAnswer? {
        try Self.mayBeRecorded(request) && mayHaveRecorded(request) ? nil : find(request)
    }

    /// Answers a request for a stored resource if that takes no wait for a disk.
    ///
    /// Everything else, such as a missing resource or an error, is left to ``lookUp(_:)``.
    public func lookUpAtOnce(_ request: ServerRequest) -> ServerAnswer? {
        let changes = changes
        let now = now()
        var isUnknown = false
        func known(_ origins: Set<PackagedOrigin>?) -> Set<PackagedOrigin> {
            isUnknown = isUnknown || origins == nil
            return origins ?? []
        }
        let target = try? RequestTarget(request) {
            known(origins.known(changes))
        } neighbors: {
            known(origins.knownNeighborhood(of: $0, changes)?.origins)
        }
        guard request.method == "GET" || request.isHead, request.fields[.serviceWorker] == nil,
            request.fields[.acceptDatetime] == nil,
            case .resource(let candidates, let form)? = target
        else { return nil }
        // Versions are looked up where that may wait for a disk.
        guard let keeps = keepsAtOnce(candidates, form), !keeps || !mayHaveBar(form, request) else { return nil }
        let packaged = known(origins.known(form, changes))
        // They are read where that may wait for a disk.
        guard !isUnknown else { return nil }
        for (index, url) in candidates.enumerated() {
            let wanted = OfflineRequest(method: request.isHead ? .head : .get, url: url, fields: request.fields)
            guard let response = try? store.respond(to: wanted, now: now, policy: policy, .urlAtOnce) else {
                return nil
            }
            if response.isUnknown { continue }
            guard response.resolution.verdict == .fresh || response.resolution.verdict == .stale,
                !response.resolution.leads(from: url, to: candidates[(index + 1)...]),
                mayShow(response, form, changes)
            else { return nil }
            let type = form.kind.isOfServer ? ShownType(response.resolution.fields, url) : .stated
            if case .unstated = type { return nil }
            var replaced: ServerAnswer?
            if let rewriting = rewriting(response, type, url: url, form: form, packaged, head: request) {
                // What isn't in memory takes a while.
                let whole = Self.whole(response.matched ?? url, request)
                guard let stored = try? store.respond(to: whole, now: now, policy: policy, .urlAtOnce) else {
                    return nil
                }
                switch try? rewritten(rewriting, type, response, stored, url: url, request, changes, isAtOnce: true) {
                case .answer(let answer): replaced = answer
                case .unchanged: break
                case .unknown, nil: return nil
                }
            }
            var answer = replaced ?? serve(response, type, url: url, form: form, head: request, packaged)
            if keeps { stateVersions(in: &answer, url, form: form, head: request) }
            return repeatable(answer, request, changes, now)
        }
        return nil
    }

    /// Returns the packaged origins, which may block.
    private func packaged(_ server: ServerIdentity) -> Set<PackagedOrigin> { origins.all(changes, server.sitePorts) }

    private func target(of request: ServerRequest) throws(RequestTarget.Fault) -> RequestTarget {
        try RequestTarget(request) {
            packaged(request.server)
        } neighbors: {
            origins.neighborhood(of: $0, changes).origins
        }
    }

    // MARK: Other methods

    /// Returns true if a package may have the answer to a request with another method than GET and HEAD.
    private static func mayBeRecorded(_ request: ServerRequest) -> Bool {
        guard request.method != "GET" else { return false }
        return MethodURL.isUsed(for: request.method) && request.body.length ?? 0 <= Int64(MethodURL.bodyLimit)
    }

    /// Returns false if no package has an answer to the request, whatever its body, so that nobody needs to send that.
    private func mayHaveRecorded(_ request: ServerRequest) throws -> Bool {
        guard case .resource(let candidates, _)? = try? target(of: Self.withoutMethod(request)) else { return false }
        return try candidates.contains { url in
            // An answer is also found by another spelling of its URL.
            guard !url.path.contains("%"),
                let beginning = MethodURL(url, method: request.method, contentType: nil).url
            else { return true }
            return try store.hasResources(beginningWith: beginning)
        }
    }

    /// Returns the request as a GET of the whole resource.
    private static func withoutMethod(_ request: ServerRequest) -> ServerRequest {
        var head = request
        head.method = "GET"
        head.fields = HTTPFields(request.fields.filter { !removed.contains($0.name) })
        return head
    }

    /// Finds the answer to a request by its method and body; nil if there is none.
    private func recorded(_ request: ServerRequest) async throws -> ServerAnswer? {
        let head = Self.withoutMethod(request)
        guard case .resource(let candidates, let form)? = try? target(of: head) else { return nil }
        let type = request.fields[.contentType]
        var urls = candidates.map { MethodURL($0, method: request.method, contentType: type) }
        var size = 0
        for try await piece in request.body {
            size += piece.readableBytes
            guard size <= MethodURL.bodyLimit else { return nil }
            piece.withUnsafeReadableBytes { bytes in for index in urls.indices { urls[index].append(bytes) } }
        }
        let (found, fields) = (urls.compactMap(\.url), head.fields)
        let (store, policy, now) = (store, policy, now())
        let response = try await Blocking.run { () throws -> (url: WebURL, answer: CacheAnswer)? in
            for url in found {
                let request = OfflineRequest(method: .get, url: url, fields: fields)
                let answer = try store.respond(to: request, now: now, policy: policy)
                if answer.resolution.verdict != .missing { return (url, answer) }
            }
            return nil
        }
        return try response.map { try served($0.answer, url: $0.url, form: form, head: head, now: now) }
    }

    /// The fields that select a part of a stored answer or a condition, which have another meaning for other methods.
    private static let removed: [HTTPField.Name] = [
        .ifMatch, .ifNoneMatch, .ifModifiedSince, .ifUnmodifiedSince, .ifRange, .range,
    ]

    private func find(_ head: ServerRequest) throws -> ServerAnswer {
        let changes = changes
        let now = now()
        let target: RequestTarget
        do throws(RequestTarget.Fault) {
            target = try self.target(of: head)
        } catch {
            return ServerAnswer(error, isHead: head.isHead, now: now)
        }
        func own(_ status: HTTPResponse.Status, _ text: OwnText, detail: String = "own-page") -> ServerAnswer {
            ServerAnswer(own: status, text, detail: detail, now: now, isHead: head.isHead)
        }
        switch target {
        case .resource where head.fields[.serviceWorker] != nil:
            let words = "this server refuses service workers, because they would stay installed in the browser"
            return own(.forbidden, .plain(words), detail: "service-worker")
        case .resource(let candidates, let form):
            if let past = try negotiated(candidates, form: form, head: head, now: now) { return past }
            return repeatable(try resourceWithBar(candidates, form: form, head: head, now: now), head, changes, now)
        case .page(.home, let form):
            // New origins get their ports, which the page names.
            _ = packaged(head.server)
            var page = HomePage(
                packages: try store.packages(),
                origins: try store.origins(),
                form: form,
                address: "\(head.isSecure ? "https" : "http")://\(form.address(host: head.host, server: head.server))",
                now: now
            )
            (page.descriptions, page.search) = describe(page.origins, changes, now)
            return own(.ok, .html(page.html, nonce: page.search?.nonce, formTarget: page.search.map { _ in "'self'" }))
        case .page(.proxySettings, let form):
            let page = ProxySettingsPage(
                origins: packaged(head.server),
                address: form.address(host: head.host, server: head.server),
                includesSecure: answersTunnels
            )
            var answer = own(.ok, OwnText(text: page.text, isHTML: false))
            answer.fields[.contentType] = "application/x-ns-proxy-autoconfig"
            return answer
        case .page(.script, _):
            var answer = own(.ok, OwnText(text: PageScript.text, isHTML: false))
            answer.fields[.contentType] = "text/javascript; charset=utf-8"
            answer.fields[.cacheControl] = "public, max-age=31536000, immutable"
            // Other websites would learn that this server is here.
            answer.fields[.crossOriginResourcePolicy] = "same-origin"
            return answer
        case .page(.leaving(let query), let form): return try leaving(query, form: form, head: head, now: now)
        case .page(.outside(let url), _): return outside(url, head: head, now: now)
        case .page(.past(let past), let form): return try answer(past, form: form, head: head, now: now)
        case .page(.nothing, _): return own(.notFound, .plain("this server has no such page; its home page is /"))
        case .redirect(let path):
            var answer = own(.permanentRedirect, .plain(path))
            answer.fields[.location] = path
            return answer
        }
    }

    /// Returns what the home page says of the sites, and what it needs for its search; nil if there is none, or it can't
    /// be used now.
    private func describe(
        _ origins: [OriginSummary],
        _ changes: UInt64,
        _ now: Timestamp
    ) -> ([WebURL: StoredSite], HomePage.Search?) {
        let starts = origins.compactMap(\.start).prefix(HomePage.rowLimit)
        guard let search, let progress = try? search.progress(), let sites = try? search.sites(starts.map(\.self))
        else {
            // Without descriptions, the page shows the hosts.
            let kept = watch == nil ? nil : changes
            return ((try? descriptions.all(starts, changes: kept, now: now)) ?? [:], nil)
        }
        return (sites, HomePage.Search(missing: progress.missing, nonce: HTML.nonce()))
    }

    /// Returns the answer to a page's script that asks where a reader goes.
    private func leaving(_ query: String, form: LinkForm, head: ServerRequest, now: Timestamp) throws -> ServerAnswer {
        guard let (url, fragment) = LeavingPage.target(query) else {
            return Self.leaving(.notFound, .plain("this server has no such page"), head, now)
        }
        let packaged = origins.all(form, changes, head.server.sitePorts)
        // A host that is packaged with the other scheme only is meant, as in requests by name.
        let other =
            url.port == nil
            ? try? WebURL((url.scheme == "http" ? "https:" : "http:") + url.description.drop { $0 != "/" }) : nil
        let known = [url, other].compactMap(\.self).first { PackagedOrigin($0).map(packaged.contains) ?? false }
        let end = fragment.map { "#" + $0 } ?? ""
        guard head.fields.isNavigation else {
            // A script could read from the answer what is packaged, so what it requests is always at the origin's name.
            let target = form.kind == .originName ? url : form.kind == .site ? known : nil
            guard let target else {
                return Self.leaving(.gatewayTimeout, .plain("this server has no address for that"), head, now)
            }
            return Self.led(to: form.link(to: target) + end, head, now)
        }
        if let known { return Self.led(to: form.link(to: known) + end, head, now) }
        return leaving(url, fragment: fragment, head: head, now: now)
    }

    /// Returns the answer to a reader who goes to a page outside the packages.
    private func leaving(_ url: WebURL, fragment: String?, head: ServerRequest, now: Timestamp) -> ServerAnswer {
        // Another website's link could hide behind this server's name.
        if external == .open, head.isOfOwnPage {
            return Self.led(to: url.description + (fragment.map { "#" + $0 } ?? ""), head, now)
        }
        let page = LeavingPage(url: url, fragment: fragment, allows: external != .block)
        return Self.leaving(external == .block ? .forbidden : .ok, .html(page.html), head, now)
    }

    private static func led(to target: String, _ head: ServerRequest, _ now: Timestamp) -> ServerAnswer {
        var answer = leaving(.temporaryRedirect, .plain(target), head, now)
        answer.fields[.location] = target
        return answer
    }

    private static func leaving(
        _ status: HTTPResponse.Status,
        _ text: OwnText,
        _ head: ServerRequest,
        _ now: Timestamp
    ) -> ServerAnswer {
        var answer = ServerAnswer(own: status, text, detail: "own-page", now: now, isHead: head.isHead)
        answer.fields[.referrerPolicy] = "no-referrer"
        return answer
    }

    /// Returns the answer for what isn't packaged with the one site, which tells nothing of other packages.
    private func outside(_ url: WebURL, head: ServerRequest, now: Timestamp) -> ServerAnswer {
        guard !head.fields.isNavigation else { return leaving(url, fragment: nil, head: head, now: now) }
        let words = "no package of this site has this resource of another origin"
        var answer = ServerAnswer(
            own: .gatewayTimeout,
            .plain(words),
            detail: "other-package",
            now: now,
            isHead: head.isHead
        )
        answer.unanswered = .stopped(url)
        return answer
    }

    /// Returns false for what a page of the one site may not read beside the site: a response of another package, unless
    /// its origin lets the site read it.
    private func mayShow(_ response: CacheAnswer, _ form: LinkForm, _ changes: UInt64) -> Bool {
        guard form.kind == .besideSite, let site = form.site, let origin = PackagedOrigin(site) else { return true }
        let packages = origins.neighborhood(of: site, changes).packages
        if let package = response.package, packages.contains(package) { return true }
        let allowed = response.resolution.fields[.accessControlAllowOrigin]
        return allowed.map { OriginSharing.names($0, origin) } ?? false
    }

    // MARK: Resources

    func resource(
        _ candidates: [WebURL],
        form: LinkForm,
        head: ServerRequest,
        now: Timestamp
    ) throws -> ServerAnswer {
        var miss: (url: WebURL, response: CacheAnswer)?
        var isUnknown = true
        for (index, url) in candidates.enumerated() {
            let request = OfflineRequest(method: head.isHead ? .head : .get, url: url, fields: head.fields)
            let response = try store.respond(to: request, now: now, policy: policy)
            if response.resolution.verdict == .missing {
                miss = miss ?? (url, response)
                isUnknown = isUnknown && response.isUnknown
                continue
            }
            // A redirect from http to https of the same URL would lead the client back to the same answer.
            if response.resolution.leads(from: url, to: candidates[(index + 1)...]) {
                miss = nil
                isUnknown = false
                continue
            }
            return try served(response, url: url, form: form, head: head, now: now)
        }
        guard let miss else { throw NoCandidate() }
        // Each URL that the request may mean comes before any URL with another query, then come redirects, then fallbacks, then
        // what the site doesn't have.
        if matching != .exact, isUnknown {
            var later: [(url: WebURL, answer: CacheAnswer)] = []
            for url in candidates {
                let request = OfflineRequest(method: head.isHead ? .head : .get, url: url, fields: head.fields)
                let found = try store.respond(to: request, now: now, policy: policy, .matching(matching))
                guard let found else { continue }
                guard found.fallback != nil || found.redirectsToMatch || found.isAbsent else {
                    return try served(found, url: url, form: form, head: head, now: now)
                }
                later.append((url, found))
            }
            let best =
                later.first { $0.answer.redirectsToMatch } ?? later.first { $0.answer.fallback != nil } ?? later.first
            if let best {
                var answer = try served(best.answer, url: best.url, form: form, head: head, now: now)
                if best.answer.fallback == .missing { answer.unanswered = try unanswered(candidates, head, form) }
                return answer
            }
        }
        if isUnknown, form.kind.isOfServer, head.wantsHTML, let start = try startPage(in: candidates, of: form.site) {
            return redirect(.found, form.link(to: start), detail: "start-page", url: miss.url, head, now)
        }
        var answer = try gatewayTimeout(miss.response.resolution, url: miss.url, form: form, head: head, now: now)
        if isUnknown { answer.unanswered = try unanswered(candidates, head, form) }
        return answer
    }

    /// Returns the start page of an origin whose root is requested; nil if there is none.
    private func startPage(in candidates: [WebURL], of site: WebURL?) throws -> WebURL? {
        guard candidates.contains(where: { $0.requestTarget == "/" }) else { return nil }
        if let site, candidates.contains(where: { $0.origin == site.origin }), site.requestTarget != "/" { return site }
        let starts = try store.origins().compactMap(\.start)
        for url in candidates where url.requestTarget == "/" {
            if let start = starts.first(where: { $0.origin == url.origin && $0 != url }) { return start }
        }
        return nil
    }

    private func redirect(
        _ status: HTTPResponse.Status,
        _ location: String,
        detail: String,
        url: WebURL,
        _ head: ServerRequest,
        _ now: Timestamp
    ) -> ServerAnswer {
        var answer = ServerAnswer(own: status, .plain(location), detail: detail, now: now, isHead: head.isHead)
        answer.fields[.location] = location
        answer.fields[.vary] = "Accept"
        answer.url = url
        return answer
    }

    /// Returns the request for the lists at the server's end; nil if no package has anything from the host, unless a
    /// page's script led the request here.
    private func unanswered(
        _ candidates: [WebURL],
        _ head: ServerRequest,
        _ form: LinkForm
    ) throws -> UnansweredRequest? {
        guard let first = candidates.first, first.isHTTP, let host = first.host else { return nil }
        guard try !store.packages(withHost: host).isEmpty else {
            guard form.kind == .originName, !head.fields.isNavigation else { return nil }
            return .stopped(first)
        }
        guard candidates.count > 1, let scheme = try store.startPage(host: host)?.scheme else {
            return .missing(MissingURLs.Request(first, head))
        }
        // A request that may mean http or https means what the package's pages have.
        return .missing(MissingURLs.Request(candidates.first { $0.scheme == scheme } ?? first, head))
    }

    /// The error for an empty list of candidates, which can't occur: a request has at least one, and the last is always
    /// used.
    private struct NoCandidate: Error {}

    private func served(
        _ response: CacheAnswer,
        url: WebURL,
        form: LinkForm,
        head: ServerRequest,
        now: Timestamp
    ) throws -> ServerAnswer {
        let resolution = response.resolution
        guard mayShow(response, form, changes) else { return outside(url, head: head, now: now) }
        switch resolution.verdict {
        case .fresh, .stale: break
        case .missing, .expiredRefused, .originForbidsStale:
            return try gatewayTimeout(resolution, url: url, form: form, head: head, now: now)
        case .methodNotAllowed: return ServerAnswer(.methodNotAllowed, isHead: head.isHead, now: now)
        }
        if response.isAbsent, head.wantsHTML {
            return try page(
                MissingPage(absent: url, resolution),
                resolution,
                url: url,
                form: form,
                head: head,
                now: now
            )
        }
        var type = form.kind.isOfServer ? ShownType(resolution.fields, url) : .stated
        if case .unstated = type, let read = try typeOfBytes(response.matched ?? url, now) { type = .named(read) }
        // Read before the origins, so that no result for older ones is kept as one for newer ones.
        let changes = changes
        let packaged = origins.all(form, changes, head.server.sitePorts)
        if let rewriting = rewriting(response, type, url: url, form: form, packaged, head: head) {
            let stored = try store.respond(to: Self.whole(response.matched ?? url, head), now: now, policy: policy)
            if case .answer(let answer) =
                try rewritten(rewriting, type, response, stored, url: url, head, changes, isAtOnce: false)
            {
                return answer
            }
        }
        return serve(response, type, url: url, form: form, head: head, packaged)
    }

    /// Returns the replacement of references for a response; nil if it stays as it is stored.
    private func rewriting(
        _ response: CacheAnswer,
        _ type: ShownType,
        url: WebURL,
        form: LinkForm,
        _ packaged: Set<PackagedOrigin>,
        head: ServerRequest
    ) -> PageRewriting? {
        guard rewrites, form.kind.isOfServer, !form.isOtherName(of: url), !response.redirectsToMatch else { return nil }
        var fields = response.resolution.fields
        if case .named(let type) = type { fields[.contentType] = type.description }
        // A part of a body, or none, was selected by conditions on the stored body.
        let status = response.resolution.status
        let whole: HTTPResponse.Status = status == .partialContent || status == .notModified ? .ok : status
        if status == .partialContent, fields[.contentType]?.hasPrefix("multipart/byteranges") ?? false {
            fields[.contentType] = "text/html"
        }
        if status == .notModified, fields[.contentType] == nil { fields[.contentType] = "text/html" }
        guard PageRewriting.applies(to: fields, whole, form) else { return nil }
        var rewriting = PageRewriting(form: form, origins: packaged)
        rewriting.bar = bar?(url)?.html
        switch form.kind {
        case .originName, .port: rewriting.scriptSource = head.host.authority.map { form.scriptSource(at: $0) }
        // Another server in front may have another host.
        case .site: rewriting.scriptSource = "'self'"
        case .proxy, .hostField, .besideSite, .path, .pathElsewhere: break
        }
        rewriting.asks = rewriting.scriptSource != nil && external != .open
        return rewriting
    }

    /// What became of an answer whose references are to be replaced.
    private enum Replacement {
        /// Nothing had to be replaced.
        case unchanged
        case answer(ServerAnswer)
        /// Knowing that takes a wait.
        case unknown
    }

    /// Returns the request for a whole body without a coding, whatever a request's conditions and ranges.
    private static func whole(_ url: WebURL, _ head: ServerRequest) -> OfflineRequest {
        OfflineRequest(method: .get, url: url, fields: whole(head).fields)
    }

    private static func whole(_ head: ServerRequest) -> ServerRequest {
        var whole = head
        for name in removed + [.acceptEncoding] { whole.fields[name] = nil }
        return whole
    }

    /// Returns the answer with the references in its body replaced.
    ///
    /// - Parameters:
    ///   - rewriting: The replacement.
    ///   - type: What tells the media type.
    ///   - response: The cache's answer to the request.
    ///   - stored: The cache's answer to a request for the whole body, without a coding.
    ///   - url: The URL that the request means, which the browser has for the page's.
    ///   - head: The request.
    ///   - changes: The change number of the cache before it was asked.
    ///   - isAtOnce: True to do only what takes no wait.
    /// - Returns: What became of it.
    /// - Throws: An error if the body can't be read.
    private func rewritten(
        _ rewriting: PageRewriting,
        _ type: ShownType,
        _ response: CacheAnswer,
        _ stored: CacheAnswer,
        url: WebURL,
        _ head: ServerRequest,
        _ changes: UInt64,
        isAtOnce: Bool
    ) throws -> Replacement {
        let verdict = stored.resolution.verdict
        guard verdict == .fresh || verdict == .stale, stored.resolution.fields[.contentEncoding] == nil,
            let body = stored.body, body.size <= PageRewriting.limit
        else { return .unchanged }
        let isWhole = response.resolution.status != .partialContent && response.resolution.status != .notModified
        var answer = serve(
            isWhole ? response : stored,
            type,
            url: url,
            form: rewriting.form,
            head: Self.whole(head),
            rewriting.origins
        )
        let fields = answer.fields
        guard let mediaType = fields[.contentType] else { return .unchanged }
        let key = RewrittenBodies.Key(
            url: url,
            type: mediaType,
            form: rewriting.form,
            scriptSource: rewriting.scriptSource,
            asks: rewriting.asks,
            bar: rewriting.bar,
            package: stored.package,
            path: body.path,
            changes: changes
        )
        let outcome: RewrittenBodies.Outcome
        if isAtOnce {
            guard let known = bodies.known(key) else { return .unknown }
            outcome = known
        } else {
            // Without a watch, the change number says nothing.
            outcome = try bodies.outcome(key, isKept: watch != nil && stored.package != nil, size: body.size) {
                guard let bytes = try body.contents(upTo: Int(PageRewriting.limit)) else { return .unchanged }
                var rewriting = rewriting
                if rewriting.scriptSource != nil { rewriting.importable = origins.importable(by: url, changes) }
                return rewriting.outcome(bytes, fields, url: url)
            }
        }
        guard case .body(let new, let digest, let sources) = outcome else { return .unchanged }
        rewriting.adapt(&answer.fields, admitting: sources)
        answer.replaceBody(new, digest: digest, for: head)
        return .answer(answer)
    }

    /// Returns the media type that the first bytes of a stored response say; nil if there are none.
    private func typeOfBytes(_ url: WebURL, _ now: Timestamp) throws -> MediaType? {
        // Without fields, so that the body is whole and has no coding.
        let whole = try store.respond(to: OfflineRequest(method: .get, url: url), now: now, policy: policy)
        guard whole.resolution.fields[.contentEncoding] == nil, let body = whole.body, body.size > 0 else { return nil }
        var bytes = [UInt8](repeating: 0, count: min(MediaType.decidingBytes, Int(clamping: body.size)))
        let count = try bytes.withUnsafeMutableBytes { try body.read(into: $0, at: 0) }
        return MediaType(ofUnstated: bytes.prefix(count))
    }

    private func serve(
        _ response: CacheAnswer,
        _ type: ShownType,
        url: WebURL,
        form: LinkForm,
        head: ServerRequest,
        _ packaged: Set<PackagedOrigin>
    ) -> ServerAnswer {
        func stored() -> ServerAnswer {
            var answer = ServerAnswer(response, url: url, isHead: head.isHead, form: form.kind) {
                form.rewritten(location: $0, base: url)
            }
            if case .named(let type) = type, answer.status.kind == .successful {
                answer.fields[.contentType] = type.description
            }
            share(&answer, response, url: url, form: form, head: head, packaged)
            state(response, in: &answer.fields)
            if rewrites, form.kind.isOfServer, answer.fields.hasAddresses {
                PageRewriting(form: form, origins: packaged).adaptAddresses(&answer.fields, of: url)
            }
            if rewrites, let fence = form.fence, answer.fields.isOfPage {
                answer.fields.append(HTTPField(name: .contentSecurityPolicy, value: fence))
            }
            return answer
        }
        guard form.isOtherName(of: url) else { return stored() }
        // Pages belong to their origin's own name, or the origins of their scripts would differ. A redirect leads there.
        if head.wantsHTML, response.resolution.status.kind != .redirection {
            return redirect(.permanentRedirect, form.link(to: url), detail: "other-name", url: url, head, now())
        }
        var answer = stored()
        if !answer.fields[values: .vary].contains(where: { $0.lowercased() == "accept" }) {
            answer.fields.append(HTTPField(name: .vary, value: "Accept"))
        }
        return answer
    }

    /// States the match rule of a package for a resource, as far as a field can say it (No-Vary-Search).
    private func state(_ response: CacheAnswer, in fields: inout HTTPFields) {
        guard matching == .loose, let variance = response.variance, response.resolution.status == .ok,
            response.fallback == nil, !response.redirectsToMatch, !fields.contains(.noVarySearch)
        else { return }
        fields.append(HTTPField(name: .noVarySearch, value: variance.description))
    }

    /// Lets a page of another packaged origin read the answer, if the stored response allows it.
    private func share(
        _ answer: inout ServerAnswer,
        _ response: CacheAnswer,
        url: WebURL,
        form: LinkForm,
        head: ServerRequest,
        _ packaged: Set<PackagedOrigin>
    ) {
        guard form.kind == .originName || form.kind == .port else { return }
        let isPage = answer.fields[.contentType]?.hasPrefix("text/html") ?? false
        // A browser would use what it has got for one origin for another one. Pages are seldom asked for from elsewhere.
        if !isPage || head.fields[.origin] != nil, packaged.count > 1 {
            answer.fields.append(HTTPField(name: .vary, value: "Origin"))
        }
        guard let field = head.fields[.origin],
            let sharing = OriginSharing(field, form: form, packaged: packaged)
        else { return }
        // Whoever can't read the list of packages can't read the response either.
        let own = (try? store.packages(withOrigin: sharing.requester.text)) ?? []
        let isOnePackage = response.package.map(own.contains) ?? false
        sharing.apply(to: &answer.fields, stored: response.resolution.fields, isOnePackage: isOnePackage)
    }

    private func gatewayTimeout(
        _ resolution: Resolution,
        url: WebURL,
        form: LinkForm,
        head: ServerRequest,
        now: Timestamp
    ) throws -> ServerAnswer {
        try page(MissingPage(url, resolution), resolution, url: url, form: form, head: head, now: now)
    }

    /// Returns a page in place of a response, with the status and the Cache-Status of a resolution.
    private func page(
        _ words: MissingPage,
        _ resolution: Resolution,
        url: WebURL,
        form: LinkForm,
        head: ServerRequest,
        now: Timestamp
    ) throws -> ServerAnswer {
        var page = words
        page.home = form.home
        page.takesHostFromPath = form.kind.isShared
        if form.kind == .besideSite {
            // The site could read from it what other packages have of the host.
            page.packages = nil
        } else {
            try page.suggest(from: store, search: search, isForReaders: head.wantsHTML) { form.link(to: $0) }
        }
        if form.home == nil { page.isSearchable = false }
        let origin = form.home.flatMap { $0.hasPrefix("http") ? String($0.dropLast()) : nil } ?? "'self'"
        let text =
            head.wantsHTML
            ? OwnText.html(page.html, formTarget: page.isSearchable ? origin : nil) : .plain(page.plain)
        let detail = resolution.cacheStatus.detail ?? "offline-miss"
        var answer = ServerAnswer(own: resolution.status, text, detail: detail, now: now, isHead: head.isHead)
        answer.fields[.cacheStatus] = resolution.fields[.cacheStatus]
        answer.cacheStatus = resolution.cacheStatus
        answer.fields[.vary] = resolution.fields[.vary] ?? "Accept"
        answer.url = url
        return answer
    }

    /// Returns the answer with the period in which it doesn't change: until it becomes stale, and at most a minute.
    private func repeatable(
        _ answer: ServerAnswer,
        _ head: ServerRequest,
        _ changes: UInt64,
        _ now: Timestamp
    ) -> ServerAnswer {
        guard watch != nil else { return answer }
        // A URL remains missing until the cache changes; an expired response may be served to another client.
        guard answer.status != .gatewayTimeout || answer.cacheStatus?.detail == "offline-miss" else { return answer }
        let ttl = answer.cacheStatus?.ttl ?? -1
        let seconds = min(ttl > 0 ? ttl : 60, CacheControl(head.fields).seconds(met: ttl, age: nil), 60)
        guard seconds > 0 else { return answer }
        var answer = answer
        answer.repetition = Repetition(
            changes: changes,
            made: now,
            end: now + seconds,
            isForAllPlainRequests: answer.fields[values: .vary].allSatisfy {
                $0 == ServedFields.serviceWorkerVary || $0 == Self.timeVary
            }
        )
        return answer
    }
}
