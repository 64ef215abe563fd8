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
        guard item.destination == .module || item.destination == .script, let referrer = item.referrer?.id,
            let page = maps[referrer] == nil ? pages[referrer] : referrer, let map = maps[page]
        else { return [] }
        if pages.count < Self.limit { pages[item.id] = page }
        return outcome.moduleNames.compactMap { name in
            map.resolve(name.name, in: item.url).map { url in
                FoundURL(url, role: .requisite, destination: name.loads, isOptional: name.isConditional)
            }
        }
    }
}
