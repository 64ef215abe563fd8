internal import AFCDiscovery
public import AFCText
public import AFCURL

/// What is left of a link's query before the crawl asks for it.
///
/// Parts that stay keep their order and their bytes. Only links are rewritten: a requisite, a seed and the target of a redirect
/// are asked for as they are written, since a page that is shown offline asks for exactly those.
public struct QueryRules: Sendable, Equatable {
    /// What happens to queries as a whole.
    public enum Mode: String, Sendable, CaseIterable {
        /// They stay.
        case keep
        /// What says who reads, and not what, goes: names that tell where a reader came from, and session ids.
        case tracking
        /// They go.
        case ignore
    }

    /// What happens to queries as a whole.
    public var mode: Mode = .keep
    /// Names of parameters that go in any case; also those in paths, as in `;jsessionid=…`.
    public var droppedParameters: [Glob] = []

    /// Creates rules that leave every URL as it is.
    public init() {}

    /// Whether every URL stays as it is.
    public var keepsAll: Bool { mode == .keep && droppedParameters.isEmpty }

    /// The URL to ask for in the place of a link's; the same where nothing goes.
    public func applied(to url: WebURL) -> WebURL {
        guard !keepsAll, url.isHTTP else { return url }
        let path = rewrittenPath(url)
        let query = url.query.flatMap(rewritten)
        guard path != nil || query != url.query else { return url }
        do throws(WebURL.ParseError) {
            let authority = url.removingQuery.description.utf8.dropLast(url.path.utf8.count)
            let text = String(decoding: authority, as: UTF8.self) + (path ?? url.path) + (query.map { "?" + $0 } ?? "")
            return try WebURL(text)
        } catch {
            return url
        }
    }

    /// The URL to ask for, by how it was found.
    public func applied(to url: WebURL, as role: CrawlScope.Role) -> WebURL {
        role == .link ? applied(to: url) : url
    }

    /// The query without what goes, or nil where nothing of it stays.
    private func rewritten(_ query: String) -> String? {
        guard mode != .ignore else { return nil }
        let parts = query.split(separator: "&", omittingEmptySubsequences: false)
        let kept = parts.filter { part in
            let pair = part.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            return !drops(String(pair.first ?? ""), value: pair.count > 1 ? String(pair[1]) : "")
        }
        guard kept.count < parts.count else { return query }
        let filled = kept.filter { !$0.isEmpty }
        return filled.isEmpty ? nil : filled.joined(separator: "&")
    }

    /// The path without the parameters that go, or nil where all of it stays.
    private func rewrittenPath(_ url: WebURL) -> String? {
        let path = url.path
        guard path.utf8.contains(UInt8(ascii: ";")) else { return nil }
        let segments = path.split(separator: "/", omittingEmptySubsequences: false).map { segment -> Substring in
            let parts = segment.split(separator: ";", omittingEmptySubsequences: false)
            let kept = parts.dropFirst().filter { part in
                let pair = part.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
                guard pair.count == 2 else { return true }
                return !drops(String(pair[0]), value: String(pair[1]), isInPath: true)
            }
            guard kept.count < parts.count - 1 else { return segment }
            return Substring(([parts[0]] + kept).joined(separator: ";"))
        }
        let result = segments.joined(separator: "/")
        return result == path ? nil : result
    }

    private func drops(_ written: String, value: String, isInPath: Bool = false) -> Bool {
        let name = QueryText.decoded(written)
        if droppedParameters.contains(where: { $0.matches(name) }) { return true }
        guard mode == .tracking else { return false }
        return ReaderParameter.isSession(name, value: value) || !isInPath && ReaderParameter.isTracking(name)
    }
}

/// Names and values in queries, as forms write them.
enum QueryText {
    /// The text with `+` and percent-escapes undone (URL Standard, application/x-www-form-urlencoded parsing).
    static func decoded(_ text: String) -> String {
        guard text.utf8.contains(where: { $0 == UInt8(ascii: "%") || $0 == UInt8(ascii: "+") }) else { return text }
        let bytes = Array(text.utf8)
        var result: [UInt8] = []
        var index = 0
        while index < bytes.count {
            if bytes[index] == UInt8(ascii: "%"), index + 2 < bytes.count,
                let value = PercentDecoding.byte(bytes[index + 1], bytes[index + 2])
            {
                result.append(value)
                index += 3
            } else {
                result.append(bytes[index] == UInt8(ascii: "+") ? UInt8(ascii: " ") : bytes[index])
                index += 1
            }
        }
        return String(decoding: result, as: UTF8.self)
    }
}
