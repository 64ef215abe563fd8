import AFCCrawlRules
import AFCCrawler
import AFCHTTP
import AFCOrigin
import AFCPackageFormat
import AFCText
import AFCURL

/// The lines that a crawl prints on standard error at its end: one per failure if there are few, or else one group per
/// reason.
struct CrawlSummary {
    let report: CrawlReport
    /// True if a report lists all failures.
    let hasReport: Bool
    /// The path of a file of certificates that are trusted, too.
    let trustRoots: String?

    /// The most failures that get a line each.
    private static let lineLimit = 10
    /// The most URLs named per group.
    private static let exampleLimit = 3

    /// The lines.
    var lines: [String] {
        var lines = report.failed <= Self.lineLimit ? report.failures.map(Self.line) : groups
        lines += loginAdvice + transportAdvice
        for cut in report.cuts.prefix(Self.lineLimit) {
            let limits = cut.limits.map(\.description).joined(separator: "; ")
            lines.append("incomplete: \(Self.text(cut.url)): \(limits)")
        }
        if report.cutCount > Self.lineLimit {
            lines.append("incomplete: \(Quantity.count(report.cutCount - Self.lineLimit, "further resource"))")
        }
        for skip in report.skipped
        where skip.rule != .unlikelyGuess && (skip.rule != .robotsUnavailable || !isUnreachable) {
            let advice = skip.rule.advice.map { "; \($0)" } ?? ""
            lines.append("skipped: \(Quantity.count(skip.count, "URL")) \(skip.rule.description)\(advice)")
        }
        if report.renderings > 0 { lines.append("opened \(Quantity.count(report.renderings, "page")) in a browser") }
        lines += scriptWarnings
        if report.foreignScript == nil, let first = report.foreign.first {
            lines.append(
                "note: pages need \(Quantity.count(report.foreignCount, "style sheet or script")) of other hosts, for example "
                    + "\(Self.text(first)); '--foreign-requisites' takes \(report.foreignCount == 1 ? "it" : "them")"
            )
        }
        for url in report.missingSitemaps {
            lines.append("note: robots.txt names no sitemap, and there is none at \(Self.text(url))")
        }
        if report.misplacedCount > 0 {
            let example = report.misplaced.first.map { ", for example \(Self.text($0))" } ?? ""
            lines.append(
                "note: the site answers with a page where \(Quantity.count(report.misplacedCount, "file")) that pages need "
                    + "\(report.misplacedCount == 1 ? "was" : "were") requested\(example); "
                    + "\(report.misplacedCount == 1 ? "it is" : "they are") probably missing"
            )
        }
        if let folder = report.folder, folder.isSmallPart {
            lines.append(
                "note: \(Quantity.count(folder.outside, "page")) of \(folder.outside + folder.inside) are outside of "
                    + "\(Self.text(folder.url)); '--scope prefix' keeps to it"
            )
        }
        let usages = report.disallowedUsages.sorted
        if !usages.isEmpty {
            let counts = usages.map { "\($0.key) of \(Quantity.count($0.share.count, "resource"))" }
            lines.append("note: origins disallow \(counts.joined(separator: ", "))")
        }
        if let changes = report.changes {
            let counts = CrawlReport.Change.allCases.map { "\(changes[$0]?.count ?? 0) \($0.rawValue)" }
            lines.append("since the older package: \(counts.joined(separator: ", "))")
        }
        return lines
    }

    /// The lines about what scripts load and the package probably lacks.
    private var scriptWarnings: [String] {
        var lines: [String] = []
        if report.needsScriptsCount > 0 {
            let example = report.needsScripts.first.map { ", for example \(Self.text($0))" } ?? ""
            let pages = Quantity.count(report.needsScriptsCount, "page")
            let show = report.needsScriptsCount == 1 ? "shows" : "show"
            if let script = report.foreignScript {
                lines.append(
                    "warning: \(pages) \(show) nothing without scripts of other hosts\(example); \(Self.text(script)) isn't "
                        + "in the package: '--foreign-requisites' takes it"
                )
            } else {
                lines.append(
                    "warning: \(pages) \(show) nothing without scripts\(example), and the crawl couldn't find what they load; "
                        + Self.scriptAdvice
                )
            }
        }
        if let first = report.unfound.first {
            let files = Quantity.count(report.unfoundCount, "file")
            lines.append(
                "warning: scripts of the start page load \(files) that the crawl didn't find, for example "
                    + "'\(PrintableText.escaped(first.name))' in \(Self.text(first.url)); " + Self.scriptAdvice
            )
        }
        let early = report.unread.filter(\.isEarly)
        guard !early.isEmpty else { return lines }
        lines.append(
            "warning: scripts of the start page load addresses that the crawl can't read; " + Self.scriptAdvice
        )
        return lines
            + early.map { unread in
                let code = PrintableText.escaped(unread.code)
                return "  \(Self.text(unread.url)):\(unread.line):\(unread.column): \(code)"
            }
    }

    private static let scriptAdvice =
        "'afcache try' says if the package works offline, '--render-auto' or 'afcache record' finds what they load"

    /// The line about the first server that speaks TLS where it wasn't expected, or whose certificate isn't trusted.
    private var transportAdvice: [String] {
        let (reset, cut) = (ConnectionTrouble.reset.words, ConnectionTrouble.cut.words)
        let untrusted = [ConnectionTrouble.untrusted(.selfSigned), .untrusted(.unknownIssuer), .untrusted(nil)].map(
            \.words
        )
        for failure in report.failures.prefix(Self.lineLimit) {
            switch failure.reason {
            case .proxy(let words) where words.contains("login"):
                return [
                    "note: the proxy's 'user:password' belongs into \(OriginProxy.variable) with '--proxy', else into the URL in "
                        + "http_proxy, https_proxy or all_proxy"
                ]
            case .proxy:
                return [
                    "note: '--proxy', or else the variables http_proxy, https_proxy and all_proxy, name the proxy; without a port, "
                        + "that is port 80"
                ]
            case .status(429, _):
                return [
                    "note: \(PrintableText.escaped(failure.url.origin)) wants fewer requests: '--delay 2s' waits between them"
                ]
            case .connection(let words)
            where failure.url.scheme == "http" && (words == reset || words == cut && failure.url.port != nil):
                return ["note: if \(PrintableText.escaped(failure.url.origin)) speaks TLS at this port, use 'https://'"]
            case .tls(let words) where untrusted.contains(words):
                let others = trustRoots.map { ", since \(PrintableText.quoted($0)) doesn't have it" } ?? ""
                return ["note: to trust \(Self.subject(of: failure)), \(Remedy.trustServer.words)\(others)"]
            case .tls(let words) where words.contains("clock"):
                return [
                    "note: this machine's clock says \(Clock.now.iso8601); if that is right, the server needs a new certificate"
                ]
            default: continue
            }
        }
        return startAdvice
    }

    /// The line about a start URL that can't be fetched, or that robots.txt forbids.
    private var startAdvice: [String] {
        if report.fetched == 0, report.skipped.contains(where: { $0.rule == .robots }) {
            return ["note: robots.txt forbids the start URL; if the site is your own, use '--ignore-robots'"]
        }
        let isStart = { (failure: CrawlReport.Failure) in
            failure.importance == .seed || failure.url.path == "/robots.txt" && report.fetched == 0
        }
        guard let failure = report.failures.prefix(Self.lineLimit).first(where: isStart) else { return [] }
        let (shown, origin) = (Self.text(failure.url), PrintableText.escaped(failure.url.origin))
        let isPrivate = ["localhost", "127."].contains { (failure.url.host ?? "").hasPrefix($0) }
        switch failure.reason {
        case .refused:
            return [
                "note: no server listens at \(origin)\(isPrivate ? "; start it first, or correct the port" : "; check the port")"
            ]
        case .unknownHost:
            return [
                "note: check the spelling of '\(PrintableText.escaped(failure.url.host ?? ""))', and this machine's network"
            ]
        case .timeout, .connection, .truncated: return ["note: try again later; the same command resumes the crawl"]
        case .status(404, _), .status(410, _):
            // A web server that a variable names in place of a proxy answers like this, too.
            if let proxy = (try? ProxyRules.environment())?.proxy(for: failure.url) {
                return [
                    "note: the site has no page at \(shown), or \(proxy.address), which a variable names, isn't a proxy; check both"
                ]
            }
            return ["note: the site has no page at \(shown); check the path"]
        case .status(403, _):
            return ["note: \(origin) refuses access; it may want a login ('--cookies'), or another '--user-agent'"]
        case .status(500..., let reason) where reason.contains(" through the proxy "):
            return ["note: \(origin), or the proxy before it, has an error of its own; try again later"]
        case .status(500..., _): return ["note: \(origin) has an error of its own; try again later"]
        case .redirectLoop, .redirects:
            return [
                "note: the site may want a cookie; log in with a browser, and name a file of its cookies with '--cookies'"
            ]
        default: return []
        }
    }

    /// The lines about URLs that want a login.
    private var loginAdvice: [String] {
        var lines: [String] = []
        let refused = report.failures.filter { failure in
            if case .status(401, _) = failure.reason { true } else { false }
        }
        if let first = refused.first {
            let schemes = ["basic", "bearer"]
            let isSupported = schemes.contains { first.reason.description.lowercased().contains($0) }
            let isOther = ["digest", "negotiate", "ntlm"].contains {
                first.reason.description.lowercased().contains($0)
            }
            let how = Remedy.giveCrawlLogin.words
            lines.append(
                isOther && !isSupported
                    ? "note: \(Self.text(first.url)) wants a login of a kind that isn't supported; a cookie file of '--cookies' "
                        + "may help"
                    : report.hadLogin
                        ? "note: \(Self.text(first.url)) refuses the login that was given, or wants another one for this URL; "
                            + "check user, password and origin"
                        : "note: \(Self.text(first.url)) wants a login; \(how)"
            )
        }
        if let first = report.loginForms.first, !report.isLoggedOut {
            lines.append(
                "note: the start URL leads to \(Self.text(first)), which may be a login form; log in with a browser, and "
                    + "name a file of its cookies with '--cookies'"
            )
        }
        return lines
    }

    private struct Group: Hashable {
        var importance: CrawlReport.Importance
        var reason: String
    }

    private var groups: [String] {
        var failures: [Group: [CrawlReport.Failure]] = [:]
        for failure in report.failures {
            let group = Group(importance: failure.importance, reason: failure.reason.description)
            failures[group, default: []].append(failure)
        }
        let order = CrawlReport.Importance.allCases
        func rank(_ group: Group) -> (Int, Int, String) {
            (order.firstIndex(of: group.importance) ?? 0, -(failures[group]?.count ?? 0), group.reason)
        }
        var lines: [String] = []
        for group in failures.keys.sorted(by: { rank($0) < rank($1) }) {
            let members = failures[group] ?? []
            let reason = PrintableText.escaped(group.reason)
            lines.append("failed: \(Quantity.count(members.count, Self.noun(group.importance))): \(reason)")
            for failure in members.prefix(Self.exampleLimit) {
                lines.append("    \(Self.subject(of: failure))\(Self.place(failure))")
            }
            guard members.count > Self.exampleLimit else { continue }
            let advice = hasReport ? "" : "; '--report FILE.html' lists them"
            lines.append("    and \(members.count - Self.exampleLimit) more\(advice)")
        }
        if report.unlistedFailures > 0 {
            let advice = hasReport ? "" : "; '--report FILE.html' lists more"
            lines.append("failed: \(Quantity.count(report.unlistedFailures, "further URL"))\(advice)")
        }
        return lines
    }

    /// True if nothing was fetched since no host can be reached, which the failures already say.
    private var isUnreachable: Bool {
        report.fetched == 0 && !report.failures.isEmpty
            && report.failures.allSatisfy { $0.url.path == "/robots.txt" && $0.reason.isOfHost }
    }

    static func line(_ failure: CrawlReport.Failure) -> String {
        "failed: \(subject(of: failure)): \(PrintableText.escaped(failure.reason.description))\(place(failure))"
    }

    /// Returns the URL, or the host instead of its robots.txt, which is merely the first request to a host.
    private static func subject(of failure: CrawlReport.Failure) -> String {
        guard failure.url.path == "/robots.txt", failure.reason.isOfHost else { return text(failure.url) }
        return PrintableText.escaped(failure.url.origin + "/")
    }

    private static func place(_ failure: CrawlReport.Failure) -> String {
        failure.referrer.map { ", found on \(text($0))" } ?? ""
    }

    private static func text(_ url: WebURL) -> String { PrintableText.escaped(url.description) }

    private static func noun(_ importance: CrawlReport.Importance) -> String {
        switch importance {
        case .seed: "start URL"
        case .requisite: "requisite"
        case .optional: "optional requisite"
        case .link: "link"
        case .guess: "guess"
        }
    }
}
