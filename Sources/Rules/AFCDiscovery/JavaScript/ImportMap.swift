internal import AFCURL

/// An import map as written in a page, which maps module specifiers to addresses; HTML §8.1.6.
struct ImportMap: Sendable {
    struct Entry: Sendable {
        /// The index of the entry's scope, or nil if the entry is for all scripts.
        var scope: Int?
        var specifier: String
        var address: String
        /// The place of the address in the map's text.
        var range: Range<Int>
        /// True if the map precedes the page's `base` element.
        var precedesBase = false
    }

    private(set) var entries: [Entry] = []
    /// The address prefixes of scripts that have entries of their own.
    private(set) var scopes: [String] = []

    /// Parses the text of a `script type=importmap`; invalid JSON maps nothing.
    init(_ bytes: ScanBuffer, _ limits: DiscoveryLimits) {
        var entries: [Entry] = []
        var scopes: [String] = []
        var lastScope: JSONWalk.Step?
        let isJSON = JSONWalk.forEachString(in: bytes) { found in
            let isScoped = found.isInScope
            guard isScoped || found.isInImports, entries.count < limits.references,
                let address = found.text(limit: limits.referenceBytes),
                let specifier = found.name(ofStep: found.path.count - 1, limit: limits.referenceBytes)
            else { return }
            if isScoped, found.path[1] != lastScope {
                guard let scope = found.name(ofStep: 1, limit: limits.referenceBytes) else { return }
                lastScope = found.path[1]
                scopes.append(scope)
            }
            let scope = isScoped ? scopes.count - 1 : nil
            entries.append(Entry(scope: scope, specifier: specifier, address: address, range: found.range))
        }
        if isJSON { (self.entries, self.scopes) = (entries, scopes) }
    }

    /// Creates an empty map.
    init() {}

    /// Adds a later map of the same page; earlier entries take precedence.
    mutating func add(_ later: ImportMap, precedesBase: Bool) {
        let count = scopes.count
        scopes += later.scopes
        entries += later.entries.map { entry in
            var entry = entry
            entry.scope = entry.scope.map { $0 + count }
            entry.precedesBase = precedesBase
            return entry
        }
    }
}

extension JSONWalk.Found {
    fileprivate var isInImports: Bool { path.count == 2 && name(ofStep: 0, limit: 64) == "imports" }
    fileprivate var isInScope: Bool { path.count == 3 && name(ofStep: 0, limit: 64) == "scopes" }
}

/// The resolved import map for the scripts of one page.
struct ModuleResolver: Sendable {
    /// The largest number of prefixes, because each specifier is compared with all of them; further ones are ignored.
    private static let maxPrefixes = 64

    private var addresses: [String: WebURL] = [:]
    /// The prefixes, longest first.
    private var prefixes: [(prefix: String, address: WebURL)] = []

    /// Resolves the entries for scripts at a base, those of the most specific scope first.
    ///
    /// - Parameters:
    ///   - map: The page's import maps.
    ///   - base: The page's base.
    ///   - url: The page's URL, to which maps before its `base` element are relative.
    init(_ map: ImportMap, base: WebURL, url: WebURL) {
        let here = base.description
        let scopes = map.scopes.enumerated().compactMap { index, scope -> (index: Int, length: Int)? in
            let prefix = Self.scope(scope, base: base)
            let isHere = prefix == here || prefix.hasSuffix("/") && here.hasPrefix(prefix)
            return isHere ? (index, prefix.utf8.count) : nil
        }
        let ranks = Dictionary(scopes.map { ($0.index, $0.length) }) { one, _ in one }
        // Entries without a scope are last.
        let ranked = map.entries.compactMap { entry -> (rank: Int, entry: ImportMap.Entry)? in
            guard let scope = entry.scope else { return (-1, entry) }
            return ranks[scope].map { ($0, entry) }
        }
        let inOrder = ranked.enumerated().sorted {
            ($1.element.rank, $0.offset) < ($0.element.rank, $1.offset)
        }.map(\.element.entry)
        for entry in inOrder {
            let base = entry.precedesBase ? url : base
            guard let address = Self.address(entry.address, base: base) else { continue }
            let specifier = Self.address(entry.specifier, base: base)?.description ?? entry.specifier
            guard addresses[specifier] == nil else { continue }
            addresses[specifier] = address
            if specifier.hasSuffix("/"), address.description.hasSuffix("/"), prefixes.count < Self.maxPrefixes {
                prefixes.append((specifier, address))
            }
        }
        prefixes.sort { $0.prefix.utf8.count > $1.prefix.utf8.count }
    }

    /// Returns the URL of a specifier, or nil for a bare one that isn't mapped.
    func resolve(_ specifier: String, base: WebURL) -> WebURL? {
        let address = Self.address(specifier, base: base)
        let name = address?.description ?? specifier
        if let mapped = addresses[name] { return mapped }
        for (prefix, address) in prefixes where name.hasPrefix(prefix) {
            return try? WebURL(String(name.dropFirst(prefix.count)), base: address)
        }
        return address
    }

    /// Returns the URL, or the beginning of URLs, of a scope's modules.
    static func scope(_ scope: String, base: WebURL) -> String {
        (try? WebURL(scope, base: base))?.description ?? scope
    }

    /// Returns the URL of a specifier that looks like one, unlike `name` and `dir/name`; HTML §8.1.6.2.
    static func address(_ specifier: String, base: WebURL) -> WebURL? {
        if ["/", "./", "../"].contains(where: specifier.hasPrefix) { return try? WebURL(specifier, base: base) }
        return try? WebURL(specifier)
    }
}
