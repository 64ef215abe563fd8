internal import AFCDiscovery
internal import AFCURL

/// The experience with kinds of guesses of which a site has either all or none, such as the data beside each page.
///
/// Modules that a script may import when it runs have kinds, too. A library of imports names many that a site lacks and a few
/// that it has, so such a kind is given up only if four are missing, and more than three times as many as exist.
///
/// The first guess of a kind is requested alone. If it exists, all others are requested, and if two are missing, none. Of modules,
/// the first are requested one after the other, until three exist and most do.
/// A kind is also given up later once more of its guesses are missing than exist.
struct GuessTrials {
    /// The number of missing guesses after which a kind is given up, unless as many exist.
    private static let patience = 2
    /// The number of missing modules of dynamic imports after which their kind is given up, unless a quarter exists.
    private static let patienceWithImports = 4
    /// The largest number of kinds; guesses of further kinds are requested as all others.
    private static let maxKinds = 1_024

    /// A kind of guesses of an origin.
    private struct Kind: Hashable {
        var origin: String
        var guess: GuessKind
    }

    private struct Count {
        var hits = 0
        var misses = 0

        /// Returns true if no more guesses of the kind are made.
        func isGivenUp(_ guess: GuessKind) -> Bool {
            if case .dynamicImport = guess {
                misses >= GuessTrials.patienceWithImports && misses > 3 * hits
            } else {
                misses >= GuessTrials.patience && misses > hits
            }
        }

        /// Returns true if guesses of the kind needn't wait for the answers of the first.
        func isProven(_ guess: GuessKind) -> Bool {
            if case .dynamicImport = guess { return hits >= 3 && hits > misses }
            return hits > 0 && !isGivenUp(guess)
        }
    }

    private var counts: [Kind: Count] = [:]
    /// The scripts and style sheets that may never be loaded, unless they were also found in a certain way.
    private var conditional: Set<URLKey> = []

    /// Notes a script or style sheet that may never be loaded.
    mutating func noteConditional(_ key: URLKey) { conditional.insert(key) }

    /// Notes that something needs a URL for certain.
    ///
    /// - Returns: True if it was conditional before.
    mutating func noteCertain(_ key: URLKey) -> Bool { conditional.remove(key) != nil }

    /// Returns true for a script or style sheet that may never be loaded.
    func isConditional(_ key: URLKey) -> Bool { conditional.contains(key) }

    /// Returns true if a URL may be requested before earlier ones are taken.
    func allows(_ item: CrawlItem, as role: CrawlScope.Role) -> Bool {
        guard let kind = kind(of: item, role) else { return true }
        guard let count = counts[kind] else { return counts.count >= Self.maxKinds }
        return count.isProven(kind.guess)
    }

    /// Returns the rule by which a URL whose turn has come is skipped, or nil.
    func obstacle(to item: CrawlItem, as role: CrawlScope.Role) -> SkipRule? {
        kind(of: item, role).flatMap {
            $0.guess.isNamedByPages || counts[$0]?.isGivenUp($0.guess) == true ? .unlikelyGuess : nil
        }
    }

    /// Counts the answer of a URL.
    ///
    /// - Returns: True if the others of its kind needn't wait for their turn from now on.
    mutating func note(_ outcome: FetchOutcome, of item: CrawlItem, as role: CrawlScope.Role) -> Bool {
        guard let kind = kind(of: item, role), counts[kind] != nil || counts.count < Self.maxKinds,
            !Self.addsSlash(outcome, to: item.url)
        else { return false }
        var count = counts[kind] ?? Count()
        let wasProven = count.isProven(kind.guess)
        if Self.exists(outcome) {
            count.hits += 1
        } else if role == .guess || Self.isAbsent(outcome) {
            count.misses += 1
        }
        counts[kind] = count
        return !wasProven && count.isProven(kind.guess)
    }

    private func kind(of item: CrawlItem, _ role: CrawlScope.Role) -> Kind? {
        guard let page = item.referrer?.url else { return nil }
        if role == .requisite, conditional.contains(item.key) {
            return GuessKind(ofImport: item.url, by: page).map { Kind(origin: item.url.origin, guess: $0) }
        }
        guard role == .guess, let guess = GuessKind(of: item.url, loads: item.destination, in: page) else { return nil }
        return Kind(origin: item.url.origin, guess: guess)
    }

    /// Returns true for a redirect to the same path with a slash, whose target is a guess of the same kind and tells more.
    private static func addsSlash(_ outcome: FetchOutcome, to url: WebURL) -> Bool {
        guard case .redirect(_, let target) = outcome.content else { return false }
        return target.origin == url.origin && target.path == url.path + "/"
    }

    /// Returns true if the origin says that it doesn't have the resource.
    private static func isAbsent(_ outcome: FetchOutcome) -> Bool {
        if case .failure(let reason) = outcome.content { reason.saysAbsent } else { false }
    }

    private static func exists(_ outcome: FetchOutcome) -> Bool {
        switch outcome.content {
        case .resource, .kept, .notModified, .planned, .leftOut: !outcome.isMisplaced
        case .redirect, .failure, .again: false
        }
    }
}
