package import AFCCrawlRules
internal import AFCDiscovery
internal import AFCHTTP
internal import AFCText
internal import AFCURL
internal import Crypto

extension CrawlOptions {
    /// Returns everything that determines the crawl's result, as text.
    ///
    /// An interrupted crawl is resumed only if the text matches.
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

    /// Returns the SHA-256 of the options that determine which URLs the crawl requests, as 64 hexadecimal digits.
    ///
    /// The origins' responses determine the rest.
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
        ] + (asksForMissingPage ? [("missing page", "1")] : [])
            + (added.isEmpty ? [] : [("added", added.map { "\($0.isPage) \($0.url)" }.joined(separator: " "))])
            + (usesRecipes ? [("recipes", describedRecipes)] : []) + (takesPreviews ? [("previews", "true")] : [])
            + (media == .all ? [] : [("media", media.rawValue)])
            + (rendering.map { [("rendering", "\($0.opensAll ? "2" : "auto") \($0.behavior ?? "")")] } ?? [])
    }

    /// Describes the recipes by their version and the digest of each file that was added.
    private var describedRecipes: String {
        recipes.added.reduce("\(Recipe.version)") { $0 + " " + Hexadecimal.text(SHA256.hash(data: $1)) }
    }

    /// Describes a value with the names that the first packages used, so that their digests stay valid.
    private func described(_ value: some Sendable) -> String {
        "\(value)".replacing("AFCCrawlRules.", with: "Packager.").replacing("droppedParameters: ", with: "dropped: ")
    }

    private func text(of parts: [(String, String)]) -> String {
        parts.map { "\($0): \($1)" }.joined(separator: "\n")
    }
}
