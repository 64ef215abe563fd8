internal import AFCURL

extension WebURL {
    /// The URL as browsers ask for it.
    ///
    /// Chromium writes `|` in a path as `%7C`, where the URL Standard leaves it as it stands, so a resource under the latter
    /// would never be found by it. Queries are the same in both.
    var asBrowsersAsk: WebURL {
        let path = path
        guard path.utf8.contains(UInt8(ascii: "|")) else { return self }
        let written = path.replacing("|", with: "%7C") + (query.map { "?" + $0 } ?? "")
        do throws(ParseError) {
            return try WebURL(written, base: self)
        } catch {
            return self
        }
    }
}
