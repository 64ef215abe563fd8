internal import HTTPCaching
internal import HTTPTypes
internal import OfflineCache
internal import URLStandard

/// A request's head as it came over the wire.
struct RequestHead: Sendable {
    /// The method.
    var method: String
    /// The request target.
    var target: String
    /// The values of all Host fields.
    var hosts: [String]
    /// All other fields.
    var fields: HTTPFields
    /// Whether it is HTTP/1.1 or later.
    var needsHost: Bool

    /// Whether only the head of the answer goes out.
    var isHead: Bool { method == "HEAD" }

    /// Whether the client asks for a page, as browsers do for what they will show.
    var wantsHTML: Bool {
        fields[values: .accept].contains { value in
            let text = value.lowercased()
            return text.contains("text/html") || text.contains("application/xhtml+xml")
        }
    }
}

/// Makes the answer to a request; blocks, and belongs on a thread of its own.
struct Answerer: Sendable {
    /// Where answers come from.
    var store: any OfflineResponding
    /// What becomes of a response that is no longer fresh.
    var policy: OfflinePolicy
    /// The clock.
    var now: @Sendable () -> Timestamp

    /// Answers a request.
    ///
    /// - Parameters:
    ///   - head: The request.
    ///   - server: By what hosts the server itself is meant.
    /// - Returns: The answer; refusals are answers too.
    /// - Throws: Where the store or a body can't be read.
    func answer(_ head: RequestHead, server: ServerIdentity) throws -> Answer {
        let now = now()
        let target: RequestTarget
        do throws(RequestTarget.Refusal) {
            target = try RequestTarget(
                method: head.method,
                target: head.target,
                hosts: head.hosts,
                needsHost: head.needsHost,
                server: server
            )
        } catch {
            return refusal(error, head: head, now: now)
        }
        switch target {
        case .resource(let candidates, let form):
            return try resource(candidates, form: form, head: head, now: now)
        case .page(.home, let form):
            let page = HomePage(
                packages: try store.installedPackages(),
                origins: try store.originSummaries(),
                form: form
            )
            return Answer(own: .ok, .html(page.html), detail: "own-page", now: now, isHead: head.isHead)
        case .page(.health, _):
            return Answer(own: .ok, .plain("ok"), detail: "own-page", now: now, isHead: head.isHead)
        case .page(.nothing, _):
            let text = OwnText.plain("this server has nothing here; its home page is /")
            return Answer(own: .notFound, text, detail: "own-page", now: now, isHead: head.isHead)
        case .redirect(let path):
            var answer = Answer(
                own: .permanentRedirect,
                .plain(path),
                detail: "own-page",
                now: now,
                isHead: head.isHead
            )
            answer.fields[.location] = path
            return answer
        }
    }

    // MARK: Resources

    private func resource(
        _ candidates: [WebURL],
        form: LinkForm,
        head: RequestHead,
        now: Timestamp
    ) throws -> Answer {
        var miss: (url: WebURL, response: StoreAnswer)?
        for (index, url) in candidates.enumerated() {
            let request = OfflineRequest(method: head.isHead ? .head : .get, url: url, fields: head.fields)
            let response = try store.answer(request, now: now, policy: policy)
            if response.resolution.verdict == .missing {
                miss = miss ?? (url, response)
                continue
            }
            // A redirect from http to https of the same URL would lead the client back to where it is.
            if leads(response.resolution, from: url, to: candidates[(index + 1)...]) {
                miss = nil
                continue
            }
            return try served(response, url: url, form: form, head: head, now: now)
        }
        guard let miss else { throw NoCandidate() }
        return try gatewayTimeout(miss.response.resolution, url: miss.url, form: form, head: head, now: now)
    }

    /// There is always a candidate, and the last one is never passed over without a miss.
    private struct NoCandidate: Error {}

    private func leads(_ resolution: Resolution, from url: WebURL, to others: ArraySlice<WebURL>) -> Bool {
        guard !others.isEmpty, (300..<400).contains(resolution.status.code),
            let location = resolution.fields[.location], let next = try? WebURL(location, base: url)
        else { return false }
        return others.contains(next)
    }

    private func served(
        _ response: StoreAnswer,
        url: WebURL,
        form: LinkForm,
        head: RequestHead,
        now: Timestamp
    ) throws -> Answer {
        let resolution = response.resolution
        switch resolution.verdict {
        case .fresh, .stale: break
        case .missing, .expiredRefused, .originForbidsStale:
            return try gatewayTimeout(resolution, url: url, form: form, head: head, now: now)
        case .methodNotAllowed: return refusal(.methodNotAllowed, head: head, now: now)
        }
        var answer = Answer(
            status: resolution.status,
            fields: ServedFields.safe(resolution.fields),
            url: url,
            verdict: resolution.verdict
        )
        if let location = answer.fields[.location], let own = form.rewritten(location: location, base: url) {
            answer.fields[.location] = own
        }
        if !head.isHead, resolution.body != .none, let body = response.body {
            answer.body = BodyStream(resolution.body, of: body)
        }
        return answer
    }

    private func gatewayTimeout(
        _ resolution: Resolution,
        url: WebURL,
        form: LinkForm,
        head: RequestHead,
        now: Timestamp
    ) throws -> Answer {
        let page = MissingPage(
            url: url,
            verdict: resolution.verdict,
            packages: try store.packageNames(host: url.host ?? ""),
            home: form.home
        )
        let text = head.wantsHTML ? OwnText.html(page.html) : .plain(page.plain)
        var answer = Answer(own: .gatewayTimeout, text, detail: "offline-miss", now: now, isHead: head.isHead)
        if let status = resolution.fields[.cacheStatus] { answer.fields[.cacheStatus] = status }
        answer.fields[.vary] = "Accept"
        answer.url = url
        answer.verdict = resolution.verdict
        return answer
    }

    // MARK: Refusals

    private func refusal(_ refusal: RequestTarget.Refusal, head: RequestHead, now: Timestamp) -> Answer {
        let (status, words): (HTTPResponse.Status, String) =
            switch refusal {
            case .hostMissing: (.badRequest, "the request has no Host field")
            case .severalHosts: (.badRequest, "the request has more than one Host field")
            case .malformedHost: (.badRequest, "the Host field is not a host")
            case .malformedTarget: (.badRequest, "the request target is not a URL")
            case .unknownScheme: (.badRequest, "the request target is neither an http nor an https URL")
            case .targetTooLong: (.uriTooLong, "the request target is longer than any URL here")
            case .methodNotAllowed: (.methodNotAllowed, "this is an offline server, which answers GET and HEAD only")
            }
        let isMethod = refusal == .methodNotAllowed
        let detail = isMethod ? "offline-method" : "bad-request"
        var answer = Answer(own: status, .plain(words), detail: detail, now: now, isHead: head.isHead)
        if isMethod { answer.fields[.allow] = "GET, HEAD" }
        return answer
    }
}
