package import AFCHTTP
internal import AFCText

/// What readers are told about where the pages of a package are from, and how much they can rely on them.
package struct ProvenanceFacts: Sendable, Equatable {
    /// The most keys that are named.
    private static let keyLimit = 3

    /// The time when the package was made, if it says so.
    package var created: Timestamp?
    /// The keys that signed the package, and were verified.
    package var signers: [String]
    /// The time when the last entry expires; nil if one never expires or doesn't say.
    package var latestExpiry: Timestamp?
    /// The number of URLs that weren't found when the package was crawled, without guesses; nil if it doesn't say.
    package var missing: Int?
    /// The stated preferences about use by machines; empty for none.
    package var usage: String

    /// Creates the facts.
    package init(
        created: Timestamp? = nil,
        signers: [String] = [],
        latestExpiry: Timestamp? = nil,
        missing: Int? = nil,
        usage: String = ""
    ) {
        (self.created, self.signers, self.latestExpiry) = (created, signers, latestExpiry)
        (self.missing, self.usage) = (missing, usage)
    }

    /// Returns the facts in words, in the order in which readers ask.
    ///
    /// - Parameter now: The current time; nil in what has to be the same whenever it is made.
    /// - Returns: A few words for each fact that is known.
    package func words(now: Timestamp?) -> [String] {
        var facts: [String] = []
        if let created { facts.append("packed \(created.day)") }
        if !signers.isEmpty {
            let keys = signers.prefix(Self.keyLimit).joined(separator: ", ")
            facts.append("signed by \(keys)" + (signers.count > Self.keyLimit ? ", …" : ""))
        }
        if let latestExpiry {
            let word = now.map { latestExpiry <= $0 ? "expired" : "fresh until" } ?? "expires"
            facts.append("\(word) \(latestExpiry.day)")
        }
        if let missing, missing > 0 { facts.append("\(Quantity.count(missing, "URL")) not found") }
        if !usage.isEmpty { facts.append(usage) }
        return facts
    }
}
