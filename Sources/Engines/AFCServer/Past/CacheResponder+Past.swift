internal import AFCCache
internal import AFCCaching
internal import AFCHTTP
internal import AFCPackageFormat
internal import AFCText
internal import AFCURL
internal import HTTPTypes

/// Versions of resources; docs/reference/time-travel.md.
extension CacheResponder {
    /// Returns the versions of the first URL that has some, if possible of one that isn't a redirect.
    ///
    /// Both http and https may be meant. If no URL has versions, those without its query count, as far as queries make no
    /// difference.
    private func versions(of urls: [WebURL]) throws -> (url: WebURL, versions: [ResourceVersion])? {
        guard let kept else { return nil }
        func found(_ url: WebURL) throws -> [ResourceVersion] {
            try versions.all(of: url, changes: watch == nil ? nil : changes) { try kept.versions(of: url) }
        }
        var redirects: (url: WebURL, versions: [ResourceVersion])?
        for url in urls {
            let all = try found(url)
            guard let last = all.last else { continue }
            if !(300..<400).contains(last.status) { return (url, all) }
            redirects = redirects ?? (url, all)
        }
        guard redirects == nil, matching != .exact else { return redirects }
        for url in urls where url.query != nil {
            let all = try (try? WebURL(url.description.prefix { $0 != "?" })).map(found) ?? []
            if !all.isEmpty { return (url, all) }
        }
        return nil
    }

    /// Returns true if the user wants several versions of packages with a host to be kept, and a reader has a way to them.
    private func keeps(_ urls: [WebURL], _ form: LinkForm) -> Bool {
        guard let kept, form.home != nil, let host = urls.first?.host else { return false }
        // What can't be read is noticed by the look-up.
        return (try? kept.keepsVersions(ofHost: host)) ?? false
    }

    /// Returns what ``keeps(_:_:)`` does if that takes no wait for a disk; nil if it would.
    func keepsAtOnce(_ urls: [WebURL], _ form: LinkForm) -> Bool? {
        guard let kept, form.home != nil, let host = urls.first?.host else { return false }
        return kept.keepsVersionsAtOnce(ofHost: host)
    }

    /// Answers a request for versions.
    func answer(_ target: PastTarget, form: LinkForm, head: ServerRequest, now: Timestamp) throws -> ServerAnswer {
        func own(_ status: HTTPResponse.Status, _ text: OwnText) -> ServerAnswer {
            ServerAnswer(own: status, text, detail: "own-page", now: now, isHead: head.isHead)
        }
        let wish: Timestamp?
        do throws(DatetimeFault) { wish = try Self.wish(head) } catch { return own(.badRequest, .plain(error.words)) }
        let urls: [WebURL]
        switch target {
        case .resource(_, let all), .versions(let all), .comparison(_, _, let all): urls = all
        }
        let isMoment: Bool
        if case .resource(let moment?, _) = target, moment.isExact, let kept, try kept.hasVersion(of: moment.time) {
            let view = try kept.packages(at: moment.time)
            if try urls.contains(where: view.contains) {
                return try memento(urls, at: moment, form: form, head: head, now: now)
            }
            isMoment = true
        } else {
            isMoment = false
        }
        guard let (url, versions) = try versions(of: urls) else {
            if isMoment, case .resource(let moment?, _) = target {
                // Another query, or a page of the site for what it doesn't have.
                let answer = try memento(urls, at: moment, form: form, head: head, now: now)
                if answer.package != nil { return answer }
            }
            let words = "no version of \(urls.first?.description ?? "") is kept"
            let page = HTML.page(title: "Not kept", body: "<h1>Not kept</h1><p>\(Markup.escaped(words))</p>")
            var answer = own(.notFound, head.wantsHTML ? .html(page) : .plain(words))
            answer.fields[.vary] = "Accept"
            return answer
        }
        switch target {
        case .resource(let moment, _):
            let current = versions.first(where: \.isCurrent)?.time
            let time = moment?.time ?? wish ?? current ?? now
            // What the packages of that moment don't have may be in those of another one, unless only the query differs.
            if isMoment, let moment, ResourceVersion.chosen(from: versions, at: time).time == time {
                return try memento(urls, at: moment, form: form, head: head, now: now)
            }
            return redirect(to: time, versions, of: url, form: form, head: head, now: now)
        case .versions:
            let list = VersionList(url: url, versions: versions, base: base(form, head))
            guard !head.wantsHTML else { return own(.ok, .html(list.html)) }
            var answer = own(.ok, OwnText(text: list.links, isHTML: false))
            answer.fields[.contentType] = "application/link-format"
            answer.fields[.vary] = "Accept"
            return answer
        case .comparison(let old, let new, _):
            let page = try comparison(of: url, versions, old, new, now)
            return own(.ok, .html(page.html))
        }
    }

    /// Answers a request for a resource that asks for another time by Accept-Datetime (RFC 7089 §4.1); nil for others.
    func negotiated(
        _ urls: [WebURL],
        form: LinkForm,
        head: ServerRequest,
        now: Timestamp
    ) throws -> ServerAnswer? {
        guard head.fields[.acceptDatetime] != nil, keeps(urls, form) else { return nil }
        let wish: Timestamp?
        do throws(DatetimeFault) { wish = try Self.wish(head) } catch {
            return ServerAnswer(
                own: .badRequest,
                .plain(error.words),
                detail: "bad-request",
                now: now,
                isHead: head.isHead
            )
        }
        guard let wish, let (url, versions) = try versions(of: urls) else { return nil }
        let version = ResourceVersion.chosen(from: versions, at: wish)
        guard form.kind != .path, form.kind != .pathElsewhere else {
            return redirect(to: wish, versions, of: url, form: form, head: head, now: now)
        }
        let moment = Moment(version.time)
        var answer = try memento([url], at: moment, form: form, head: head, now: now, hasAddress: false)
        answer.fields.append(HTTPField(name: .vary, value: "Accept-Datetime"))
        return answer
    }

    /// Returns true if a page with versions may get a bar, which takes a look-up of them.
    func mayHaveBar(_ form: LinkForm, _ head: ServerRequest) -> Bool { form.kind.isOfServer && head.wantsHTML }

    /// Answers a request for a resource, with the bar on a page that has one.
    func resourceWithBar(
        _ urls: [WebURL],
        form: LinkForm,
        head: ServerRequest,
        now: Timestamp
    ) throws -> ServerAnswer {
        guard keeps(urls, form) else { return try resource(urls, form: form, head: head, now: now) }
        var responder = self
        if VersionBar.isWanted(by: head), mayHaveBar(form, head) {
            let base = base(form, head)
            responder.bar = { url in
                // Without its versions, the page is shown as it is.
                guard let all = try? versions(of: [url])?.versions, all.count > 1,
                    let shown = all.first(where: \.isCurrent)
                else { return nil }
                return VersionBar(url: url, versions: all, shown: shown, facts: facts(shown, now), base: base)
            }
        }
        var answer = try responder.resource(urls, form: form, head: head, now: now)
        if let url = answer.url ?? urls.first { stateVersions(in: &answer, url, form: form, head: head) }
        return answer
    }

    /// Returns what the bar says about where a version is from.
    ///
    /// - Parameters:
    ///   - version: The version.
    ///   - now: The current time.
    /// - Returns: The facts in words; empty if they can't be read.
    private func facts(_ version: ResourceVersion, _ now: Timestamp) -> [String] {
        guard var facts = try? kept?.provenance(of: version) else { return [] }
        facts.usage = version.usage
        return facts.words(now: now)
    }

    /// States in a current response that it has versions: what decides about them, and where they are (RFC 7089 §2.2).
    func stateVersions(in answer: inout ServerAnswer, _ url: WebURL, form: LinkForm, head: ServerRequest) {
        answer.fields.append(HTTPField(name: .vary, value: Self.timeVary))
        guard answer.fields.isOfPage else { return }
        if form.kind.isOfServer { answer.fields.append(HTTPField(name: .vary, value: "Accept, Sec-Fetch-Dest")) }
        if answer.status == .ok { link(&answer, url, base(form, head), [], nil) }
    }

    /// The value of Vary for a response that Accept-Datetime may replace; answers in memory are for requests without it.
    static let timeVary = "Accept-Datetime"

    // MARK: Parts

    /// A value of Accept-Datetime that can't be read.
    private struct DatetimeFault: Error {
        let words = "Accept-Datetime must have one date such as 'Thu, 01 Oct 2026 12:00:00 GMT'"
    }

    /// Returns the time that a request asks for; nil if it asks for none (RFC 7089 §2.1.1).
    private static func wish(_ head: ServerRequest) throws(DatetimeFault) -> Timestamp? {
        let values = head.fields[values: .acceptDatetime]
        guard let value = values.first else { return nil }
        guard values.count == 1, let time = HTTPDate.parse(value) else { throw DatetimeFault() }
        return time
    }

    /// Returns the address of the server's own pages, as far as it must be written for a form.
    private func base(_ form: LinkForm, _ head: ServerRequest) -> String {
        if let home = form.home, home.hasPrefix("http") { return String(home.dropLast()) }
        return "\(head.isSecure ? "https" : "http")://\(form.address(host: head.host, server: head.server))"
    }

    /// Returns the answer from the packages of a moment.
    private func memento(
        _ urls: [WebURL],
        at moment: Moment,
        form: LinkForm,
        head: ServerRequest,
        now: Timestamp,
        hasAddress: Bool = true
    ) throws -> ServerAnswer {
        guard let view = try kept?.packages(at: moment.time) else {
            return try resource(urls, form: form, head: head, now: now)
        }
        var (responder, form) = (self, form)
        (responder.store, responder.search) = (view, nil)
        responder.origins = versions.origins(of: view)
        // Of a version that the reader chose, it doesn't matter whether it has expired.
        responder.policy = OfflinePolicy(expired: .always)
        if hasAddress {
            form.moment = moment
            if VersionBar.isWanted(by: head) {
                let base = base(form, head)
                responder.bar = { url in
                    guard let all = try? versions(of: [url])?.versions,
                        let shown = all.last(where: { $0.time <= moment.time }),
                        view.time(of: shown.package) == shown.time
                    else { return nil }
                    return VersionBar(
                        url: url,
                        versions: all,
                        shown: shown,
                        facts: facts(shown, now),
                        base: base
                    )
                }
            }
        } else {
            // The same form leads to bodies of other versions.
            responder.watch = nil
        }
        var answer = try responder.resource(urls, form: form, head: head, now: now)
        if hasAddress, answer.fields.isOfPage {
            answer.fields.append(HTTPField(name: .vary, value: "Accept, Sec-Fetch-Dest"))
        }
        guard let package = answer.package, let url = answer.url ?? urls.first else { return answer }
        let time = view.time(of: package) ?? moment.time
        answer.fields[.mementoDatetime] = HTTPDate.format(time)
        // Of what a page needs, nobody asks for other versions, which would cost a look-up in each.
        let all = answer.fields.isOfPage ? (try? versions(of: [url])?.versions) ?? [] : []
        link(&answer, url, base(form, head), all, time)
        return answer
    }

    /// Adds the links of a version, and those of its neighbors (RFC 7089 §2.2).
    ///
    /// - Parameters:
    ///   - answer: The answer.
    ///   - url: The resource.
    ///   - base: The address of the server's own pages.
    ///   - versions: The versions of the resource; empty to leave links to others out.
    ///   - time: The time of the version.
    private func link(
        _ answer: inout ServerAnswer,
        _ url: WebURL,
        _ base: String,
        _ versions: [ResourceVersion],
        _ time: Timestamp?
    ) {
        var links = [
            "<\(url)>; rel=\"original\"", "<\(base)\(PastTarget.gate(of: url))>; rel=\"timegate\"",
            "<\(base)\(PastTarget.list(of: url))>; rel=\"timemap\"; type=\"application/link-format\"",
        ]
        let place = versions.firstIndex { $0.time == time }
        for (number, version) in versions.enumerated() {
            let relations = [
                (number == 0, "first"), (number == versions.count - 1, "last"), (number + 1 == place, "prev"),
                (number - 1 == place, "next"), (number == place, "memento"),
            ].filter(\.0).map(\.1)
            guard !relations.isEmpty else { continue }
            let words = number == place ? relations : relations + ["memento"]
            let target = base + PastTarget.link(to: url, at: Moment(version.time))
            let date = HTTPDate.format(version.time)
            links.append("<\(target)>; rel=\"\(words.joined(separator: " "))\"; datetime=\"\(date)\"")
        }
        // Before those of the origin, which might name others.
        answer.fields[values: .link] = [links.joined(separator: ", ")] + answer.fields[values: .link]
    }

    private func redirect(
        to time: Timestamp,
        _ versions: [ResourceVersion],
        of url: WebURL,
        form: LinkForm,
        head: ServerRequest,
        now: Timestamp
    ) -> ServerAnswer {
        let base = base(form, head)
        let version = ResourceVersion.chosen(from: versions, at: time)
        let target = base + PastTarget.link(to: url, at: Moment(version.time))
        var answer = ServerAnswer(own: .found, .plain(target), detail: "own-page", now: now, isHead: head.isHead)
        answer.fields[.location] = target
        answer.fields[.vary] = "Accept-Datetime"
        link(&answer, url, base, versions, version.time)
        return answer
    }

    private func comparison(
        of url: WebURL,
        _ versions: [ResourceVersion],
        _ old: Moment,
        _ new: Moment,
        _ now: Timestamp
    ) throws -> ComparisonPage {
        func text(_ moment: Moment) throws -> ComparisonPage.Side {
            let version = ResourceVersion.chosen(from: versions, at: moment.time)
            guard let view = try kept?.packages(at: version.time) else { return ComparisonPage.Side(version) }
            let answer = try view.respond(
                to: OfflineRequest(method: .get, url: url),
                now: now,
                policy: OfflinePolicy(expired: .always)
            )
            return try ComparisonPage.Side(version, answer)
        }
        return ComparisonPage(url: url, old: try text(old), new: try text(new))
    }
}

extension ResourceVersion {
    /// Returns the last version until a time, or else the first one (RFC 7089 §4.5.3).
    ///
    /// - Parameters:
    ///   - versions: One version at least, the oldest first.
    ///   - time: The time.
    /// - Returns: The version.
    static func chosen(from versions: [ResourceVersion], at time: Timestamp) -> ResourceVersion {
        versions.last { $0.time <= time } ?? versions[0]
    }
}

extension HTTPField.Name {
    /// The time of the version that a client asks for (RFC 7089 §2.1.1).
    static let acceptDatetime = past("Accept-Datetime")
    /// The time of a version (RFC 7089 §2.1.1).
    static let mementoDatetime = past("Memento-Datetime")
    /// What a browser wants a response for (Fetch Metadata §2.1).
    static let secFetchDest = past("Sec-Fetch-Dest")

    private static func past(_ text: String) -> HTTPField.Name {
        guard let name = HTTPField.Name(text) else { preconditionFailure(text) }
        return name
    }
}
