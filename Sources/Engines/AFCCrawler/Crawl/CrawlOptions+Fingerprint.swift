package import AFCCrawlRules
internal import AFCHTTP
internal import AFCText
internal import AFCURL
internal import Crypto

extension CrawlOptions {
    /// Returns everything that determines the crawl's result, as text; an interrupted crawl is resumed only if it
    /// matches.
    ///
    /// Speed, credentials and the conditions for giving up may change between the runs.
    func fingerprint(generator: String, level: Int32, updating older: OlderPackage? = nil) -> String {
        text(
            of: decisions(generator) + [
                ("maximum age", maxAge.map { String($0) } ?? "origin's"),
                ("time", pinnedTime?.iso8601 ?? "clock's"),
                ("update", older.map { "\($0.path) \($0.identity)" } ?? "none"),
                ("level", "\(level)"),
            ]
        )
    }

    /// Returns the SHA-256, as 64 hexadecimal digits, of the options that determine which URLs the crawl requests,
    /// given the origins' responses.
    package func digest(generator: String) -> String {
        Hexadecimal.text(SHA256.hash(data: Array(text(of: decisions(generator)).utf8)))
    }

    private func decisions(_ generator: String) -> [(String, String)] {
        [
            ("program", generator),
            ("seeds", seeds.map(\.description).joined(separator: " ")),
            ("scope", described(scope)),
        ] + limits.decisions + [
            ("traps", described(traps)),
            ("query rules", described(queryRules)),
            ("robots", "\(!ignoresRobots) \(productToken) \(obeysNofollow) \(obeysNoindex)"),
            ("sitemaps", "\(usesSitemaps)"),
            ("icons", "\(asksForIcons)"),
        ]
    }

    /// Describes a value with the module and property names that the first packages used, so that their digests stay
    /// valid.
    private func described(_ value: some Sendable) -> String {
        "\(value)".replacing("AFCCrawlRules.", with: "Packager.").replacing("droppedParameters: ", with: "dropped: ")
    }

    private func text(of parts: [(String, String)]) -> String {
        parts.map { "\($0): \($1)" }.joined(separator: "\n")
    }
}
