internal import AFCCrawlRules
internal import AFCDiscovery
internal import AFCURL

/// The kinds of a crawl's pages, by the scripts that they run: pages of a kind load the same things.
///
/// A script that only one page has makes that page a kind of its own.
struct PageKinds {
    /// The number of each set of scripts, and the sets by their numbers.
    private var numbers: [[Int]: Int] = [:]
    private var sets: [[Int]] = []
    /// The number of the set of each page.
    private var pages: [URLKey: Int] = [:]
    /// The number of pages that have a script.
    private var counts: [Int: Int] = [:]

    /// True if the scripts of a page are known.
    func knows(_ page: URLKey) -> Bool { pages[page] != nil }

    /// Notes the scripts of a page.
    mutating func note(_ page: WebURL, _ scripts: NamedScripts) {
        let base = scripts.base.flatMap { try? WebURL($0, base: page) } ?? page
        let addresses = scripts.addresses.compactMap { try? WebURL($0, base: base) }.map { URLKey($0).hashValue }
        let set = Set(addresses + scripts.texts.map(\.hashValue)).sorted()
        for script in set { counts[script, default: 0] += 1 }
        if numbers[set] == nil {
            numbers[set] = sets.count
            sets.append(set)
        }
        pages[URLKey(page)] = numbers[set]
    }

    /// A kind of pages, by the scripts that several pages share; that of a page with scripts of its own has its number.
    enum Kind: Hashable {
        case shared([Int])
        case own(Int)
    }

    /// Returns the kind of a page.
    func kind(of page: URLKey) -> Kind? {
        guard let number = pages[page] else { return nil }
        let set = sets[number]
        return set.contains { counts[$0] == 1 } ? .own(number) : .shared(set)
    }
}
