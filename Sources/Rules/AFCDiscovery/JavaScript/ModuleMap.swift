public import AFCURL

/// A page's import maps with their addresses, for the modules in files that the page loads; HTML §8.1.6.
///
/// Only entries for names such as `three` and `three/addons/` are kept, because a name has no address without them.
public struct ModuleMap: Hashable, Sendable {
    /// A name, or the beginning of names, with its address.
    public struct Entry: Hashable, Sendable {
        /// The URL, or the beginning of the URLs, of the modules for which the entry counts; nil for all modules.
        public var scope: String?
        /// The name, or with a slash at its end, the beginning of names.
        public var name: String
        /// The address; with a slash at its end if the name has one.
        public var address: WebURL

        /// Creates an entry.
        public init(scope: String?, name: String, address: WebURL) {
            self.scope = scope
            self.name = name
            self.address = address
        }
    }

    /// The entries; those of a more specific scope first, longer names first.
    public let entries: [Entry]

    /// The largest number of entries; further ones are ignored.
    private static let limit = 256

    /// Creates a map.
    ///
    /// - Parameter entries: The entries in the order of the page, of which the first for a name counts.
    public init(_ entries: [Entry]) {
        let ranked = entries.prefix(Self.limit).enumerated().map { place, entry in
            (scope: entry.scope?.utf8.count ?? -1, name: entry.name.utf8.count, place: -place, entry: entry)
        }
        self.entries = ranked.sorted { ($1.scope, $1.name, $1.place) < ($0.scope, $0.name, $0.place) }.map(\.entry)
    }

    /// Resolves a page's maps.
    ///
    /// - Parameters:
    ///   - map: The maps as written.
    ///   - loaded: The entries of an AMD loader.
    ///   - base: The page's base.
    ///   - url: The page's URL, to which maps before its `base` element are relative.
    init(_ map: ImportMap, _ loaded: [Entry], base: WebURL, url: WebURL) {
        struct Place: Hashable {
            var scope: Int
            var precedesBase: Bool
        }
        // A scope's name may be long and have many entries.
        var scopes: [Place: String] = [:]
        var entries: [Entry] = []
        for written in map.entries where entries.count < Self.limit {
            let base = written.precedesBase ? url : base
            guard Self.isName(written.specifier),
                let address = ModuleResolver.address(written.address, base: base), address.isHTTP,
                !written.specifier.hasSuffix("/") || address.description.hasSuffix("/")
            else { continue }
            let scope = written.scope.map { number in
                let place = Place(scope: number, precedesBase: written.precedesBase)
                let name = scopes[place] ?? ModuleResolver.scope(map.scopes[number], base: base)
                scopes[place] = name
                return name
            }
            entries.append(Entry(scope: scope, name: written.specifier, address: address))
        }
        self.init(entries + loaded)
    }

    /// Returns true for a specifier that no module can import without a map, and that fits a line of text.
    static func isName(_ specifier: String) -> Bool {
        guard !specifier.isEmpty, specifier.utf8.count <= longestName else { return false }
        guard !["/", "./", "../"].contains(where: specifier.hasPrefix) else { return false }
        return specifier.utf8.allSatisfy { (0x21...0x7E).contains($0) } && !specifier.utf8.contains(UInt8(ascii: ":"))
    }

    /// The longest name, in bytes.
    private static let longestName = 512

    /// Returns the URL that a name stands for.
    ///
    /// - Parameters:
    ///   - name: The specifier in a module, such as `three/addons/loaders/A.js`.
    ///   - module: The URL of the module.
    /// - Returns: The URL, or nil if the map has none, or none of http or https.
    public func resolve(_ name: String, in module: WebURL) -> WebURL? {
        let here = module.description
        for entry in entries {
            if let scope = entry.scope, scope != here, !(scope.hasSuffix("/") && here.hasPrefix(scope)) { continue }
            if entry.name == name { return entry.address }
            guard entry.name.hasSuffix("/"), name.hasPrefix(entry.name) else { continue }
            do throws(WebURL.ParseError) {
                let url = try WebURL(String(name.dropFirst(entry.name.count)), base: entry.address)
                // What leads out of the entry's folder is an error; HTML §8.1.6.2.
                return url.isHTTP && url.description.hasPrefix(entry.address.description) ? url : nil
            } catch {
                return nil
            }
        }
        return nil
    }
}

/// A name that a module in a file imports, which only a page's import map resolves.
public struct ModuleName: Hashable, Sendable {
    /// The name.
    public var name: String
    /// The destination of the request.
    public var loads: Destination
    /// True if the module may never be imported, as for `import("name")`.
    public var isConditional: Bool

    /// Creates a name.
    public init(_ name: String, loads: Destination, isConditional: Bool) {
        self.name = name
        self.loads = loads
        self.isConditional = isConditional
    }
}

/// The distinct names that a module imports.
struct ModuleNameList {
    private(set) var names: [ModuleName] = []
    private var places: [String: Int] = [:]
    private static let limit = 1_024

    /// Adds a name; one that is imported in a certain way, too, is certain.
    mutating func add(_ name: ModuleName) {
        if let place = places[name.name] {
            names[place].isConditional = names[place].isConditional && name.isConditional
        } else if names.count < Self.limit {
            places[name.name] = names.count
            names.append(name)
        }
    }
}
