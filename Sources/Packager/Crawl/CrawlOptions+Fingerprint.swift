internal import HTTPCaching
internal import URLStandard

extension CrawlOptions {
    /// What decides on the crawl's result, as text: an interrupted crawl goes on only under the same.
    ///
    /// How fast it goes, how it proves who asks, and when it gives up may change meanwhile.
    func fingerprint(_ output: Packaging.Output, updating older: OlderPackage? = nil) -> String {
        let parts: [(String, String)] = [
            ("program", output.generator),
            ("seeds", seeds.map(\.description).joined(separator: " ")),
            ("scope", "\(scope)"),
            ("pages", "\(limits.pages.map { String($0) } ?? "any")"),
            ("bytes", "\(limits.bytes.map { String($0) } ?? "any")"),
            ("body bytes", "\(limits.bodyBytes)"),
            ("redirects", "\(limits.redirects)"),
            ("requisite chain", "\(limits.requisiteChain)"),
            ("URLs", "\(limits.urls)"),
            ("traps", "\(traps)"),
            ("query rules", "\(queryRules)"),
            ("robots", "\(!ignoresRobots) \(productToken) \(obeysNofollow) \(obeysNoindex)"),
            ("sitemaps", "\(usesSitemaps)"),
            ("maximum age", maxAge.map { String($0) } ?? "origin's"),
            ("time", pinnedTime?.iso8601 ?? "clock's"),
            ("update", older.map { "\($0.path) \($0.identity)" } ?? "none"),
            ("level", "\(output.level)"),
        ]
        return parts.map { "\($0): \($1)" }.joined(separator: "\n")
    }
}
