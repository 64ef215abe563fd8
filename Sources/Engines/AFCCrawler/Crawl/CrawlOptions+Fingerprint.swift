package import AFCCrawlRules
internal import AFCHTTP
internal import AFCText
internal import AFCURL
internal import Crypto

extension CrawlOptions {
    /// What decides on the crawl's result, as text: an interrupted crawl goes on only under the same.
    ///
    /// How fast it goes, how it proves who asks, and when it gives up may change meanwhile.
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

    /// The SHA-256 of what decides which URLs the crawl asks for, given what their origins answer; 64 hexadecimal digits.
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

    /// A value in words that name modules and properties as the first packages did, so that their digests stay the same.
    private func described(_ value: some Sendable) -> String {
        "\(value)".replacing("AFCCrawlRules.", with: "Packager.").replacing("droppedParameters: ", with: "dropped: ")
    }

    private func text(of parts: [(String, String)]) -> String {
        parts.map { "\($0): \($1)" }.joined(separator: "\n")
    }
}
