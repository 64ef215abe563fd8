internal import URLStandard

/// An import map as its page writes it: which address a module specifier stands for; HTML §8.1.6.
struct ImportMap: Sendable {
    struct Entry: Sendable {
        /// The prefix of the addresses of the scripts that the entry is for, or nil for all.
        var scope: String?
        var specifier: String
        var address: String
        /// Where the address is, in the map's text.
        var offset: Int
    }

    private(set) var entries: [Entry] = []

    /// Reads the text of a `script type=importmap`; one that isn't JSON maps nothing.
    init(_ bytes: ScanBuffer, _ limits: DiscoveryLimits) {
        var entries: [Entry] = []
        let isJSON = JSONWalk.forEachString(in: bytes) { found in
            let isScoped = found.path.count == 3 && found.isAtScope
            guard isScoped || found.path.count == 2 && found.isAtImports, entries.count < limits.references,
                let address = found.text(limit: limits.referenceBytes),
                let specifier = found.name(ofStep: found.path.count - 1, limit: limits.referenceBytes)
            else { return }
            let scope = isScoped ? found.name(ofStep: 1, limit: limits.referenceBytes) : nil
            if isScoped, scope == nil { return }
            entries.append(Entry(scope: scope, specifier: specifier, address: address, offset: found.range.lowerBound))
        }
        self.entries = isJSON ? entries : []
    }

    /// A map that maps nothing.
    init() {}

    /// Adds a later map of the same page; what an earlier one says stays.
    mutating func add(_ later: ImportMap) { entries += later.entries }
}

extension JSONWalk.Found {
    fileprivate var isAtImports: Bool { first == "imports" }
    fileprivate var isAtScope: Bool { first == "scopes" }
    private var first: String? { name(ofStep: 0, limit: 64) }
}

/// An import map with its addresses resolved, for the scripts in one page.
struct ModuleResolver: Sendable {
    /// More prefixes than these count for nothing: each specifier is compared with all of them.
    private static let maxPrefixes = 64

    private let base: WebURL
    private var addresses: [String: WebURL] = [:]
    /// The longest first.
    private var prefixes: [(prefix: String, address: WebURL)] = []

    /// Resolves the entries that count for scripts at a base: the most specific scope's first.
    init(_ map: ImportMap, base: WebURL) {
        self.base = base
        let here = base.description
        let scoped = map.entries.compactMap { entry -> (scope: String, entry: ImportMap.Entry)? in
            guard let scope = entry.scope else { return nil }
            let prefix = (try? WebURL(scope, base: base))?.description ?? scope
            return prefix == here || prefix.hasSuffix("/") && here.hasPrefix(prefix) ? (prefix, entry) : nil
        }
        let inOrder =
            scoped.sorted { $0.scope.utf8.count > $1.scope.utf8.count }.map(\.entry)
            + map.entries.filter { $0.scope == nil }
        for entry in inOrder {
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

    /// What a specifier stands for, or nil where it is a bare one that nothing says anything about.
    func resolve(_ specifier: String) -> WebURL? {
        let address = Self.address(specifier, base: base)
        let name = address?.description ?? specifier
        if let mapped = addresses[name] { return mapped }
        for (prefix, address) in prefixes where name.hasPrefix(prefix) {
            return try? WebURL(String(name.dropFirst(prefix.count)), base: address)
        }
        return address
    }

    /// The URL of a specifier that looks like one, which `name` and `dir/name` don't; HTML §8.1.6.2.
    static func address(_ specifier: String, base: WebURL) -> WebURL? {
        if ["/", "./", "../"].contains(where: specifier.hasPrefix) { return try? WebURL(specifier, base: base) }
        return try? WebURL(specifier)
    }
}
