internal import AFCDiscovery
internal import AFCURL

/// The import maps of pages, and the scripts that these pages load, also by way of other scripts.
///
/// A module in a file may import a name, which has the address that the import map of its page gives it. If several pages load
/// the module, the map of the page that led to it counts.
struct ModuleMaps {
    /// The largest number of maps, and of scripts.
    private static let limit = 1 << 16

    /// The maps by the numbers of their pages.
    private var maps: [Int64: ModuleMap] = [:]
    /// The page that led to a script, if the page has a map.
    private var pages: [Int64: Int64] = [:]

    /// Notes a page or script whose answer was taken, also a redirect.
    ///
    /// - Parameters:
    ///   - outcome: The answer.
    ///   - item: The page or script.
    /// - Returns: The modules that the script imports by names.
    mutating func note(_ outcome: FetchOutcome, of item: CrawlItem) -> [FoundURL] {
        if let map = outcome.moduleMap, maps.count < Self.limit { maps[item.id] = map }
        guard item.destination == .module || item.destination == .script else { return [] }
        let page = item.referrer.flatMap { maps[$0.id] == nil ? pages[$0.id] : $0.id }
        if let page, pages.count < Self.limit { pages[item.id] = page }
        // A script that configures a loader is itself loaded by it.
        let known = [outcome.moduleMap, page.flatMap { maps[$0] }].compactMap(\.self)
        return outcome.moduleNames.compactMap { name in
            known.lazy.compactMap { $0.resolve(name.name, in: item.url) }.first.map { url in
                FoundURL(url, role: .requisite, destination: name.loads, isOptional: name.isConditional)
            }
        }
    }
}
