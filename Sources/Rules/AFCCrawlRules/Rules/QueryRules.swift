public import AFCText
public import AFCURL

/// Rules that remove parts of a link's query before the crawl requests it.
///
/// The remaining parts keep their order and bytes. Only links are rewritten. Requisites, seeds and redirect targets are
/// requested as written, because a page that is shown offline requests exactly those.
public struct QueryRules: Sendable, Equatable {
    /// The treatment of queries as a whole.
    public enum Mode: String, Sendable, CaseIterable {
        /// Keep queries.
        case keep
        /// Remove reader parameters, which identify the reader or the referring site, such as session IDs.
        case tracking
        /// Remove queries.
        case ignore
    }

    /// The treatment of queries as a whole.
    public var mode: Mode = .keep
    /// Names of parameters that are always removed, also from paths, as in `;jsessionid=…`.
    public var droppedParameters: [Glob] = []

    /// Creates rules that change no URL.
    public init() {}

    /// True if no URL is changed.
    public var keepsAll: Bool { mode == .keep && droppedParameters.isEmpty }

    /// Returns the URL to request in place of a link's; the same if nothing is removed.
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

    /// Returns the URL to request, depending on the way it was found.
    public func applied(to url: WebURL, as role: CrawlScope.Role) -> WebURL {
        role == .link ? applied(to: url) : url
    }

    /// Returns the remaining query, or nil if there is none.
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

    /// Returns the path without the removed parameters, or nil if it is unchanged.
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

/// Decodes names and values in queries, as forms write them.
enum QueryText {
    /// Decodes `+` and percent-escapes (URL Standard, application/x-www-form-urlencoded parsing).
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
