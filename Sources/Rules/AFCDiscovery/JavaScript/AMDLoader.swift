internal import AFCURL

/// What a page or a script configures an AMD loader with, for the names in other scripts.
///
/// The names become specifiers of a ``ModuleMap``, with a beginning that no specifier of a module has.
struct AMDLoader: Sendable {
    /// The largest numbers of paths and packages, of which each becomes two entries.
    private static let limits = (paths: 100, packages: 25)

    /// The address that names are relative to, as configured, with a slash at its end.
    private(set) var base: String?
    /// The main module in `data-main`.
    var main: String?
    /// The addresses of modules, or of the folders of modules, without `.js`.
    private(set) var paths: [(name: String, text: String)] = []
    /// The folders of packages, and their main modules.
    private(set) var packages: [(name: String, folder: String, main: String)] = []
    /// True if something shows that there is a loader.
    var isUsed = false

    /// Adds a configuration to those before; further paths and packages than the limit are left out.
    mutating func configure(
        base: String?,
        paths: [(name: String, text: String)],
        packages: [(name: String, folder: String, main: String)]
    ) {
        isUsed = true
        if let base { self.base = base.isEmpty || base.hasSuffix("/") ? base : base + "/" }
        self.paths += paths.prefix(Self.limits.paths - self.paths.count)
        self.packages += packages.prefix(Self.limits.packages - self.packages.count)
    }

    /// The address that names are relative to: as configured, or the folder of the main module.
    var folder: String { base ?? main.map { String($0.prefix(upTo: $0.lastSegment.startIndex)) } ?? "" }

    /// Returns the specifier of a name.
    static func specifier(_ name: some StringProtocol) -> String { "amd!/" + name }

    /// Returns the entries of the module map of a page.
    ///
    /// - Parameter url: The page's base.
    /// - Returns: The entries.
    func entries(in url: WebURL) -> [ModuleMap.Entry] { entries(below: Self.resolve(folder, url)) }

    /// Returns the entries of the module map of a script that configures the loader.
    ///
    /// A base in a script is relative to its page. That is found by the first folder of the base, if the script is in it, too;
    /// without a base, the script is taken for the main module.
    ///
    /// - Parameter url: The script.
    /// - Returns: The entries; none if the base is unknown.
    func entries(ofScript url: WebURL) -> [ModuleMap.Entry] {
        guard let base else { return entries(below: Self.resolve("", url)) }
        guard !base.hasPrefix("/"), !base.contains("://") else { return entries(below: Self.resolve(base, url)) }
        let text = base.hasPrefix("./") ? base.dropFirst(2) : base[...]
        let first = text.prefix { $0 != "/" }
        let folders = url.path.split(separator: "/", omittingEmptySubsequences: false).dropFirst().dropLast()
        guard !first.isEmpty, first != "..", let place = folders.lastIndex(of: first) else { return [] }
        return entries(below: Self.resolve("/" + (folders[..<place] + [text]).joined(separator: "/"), url))
    }

    private func entries(below folder: WebURL?) -> [ModuleMap.Entry] {
        guard isUsed, let folder else { return [] }
        var entries: [ModuleMap.Entry] = []
        func add(_ name: String, _ address: WebURL?) {
            let name = Self.specifier(name)
            guard let address, ModuleMap.isName(name) else { return }
            entries.append(ModuleMap.Entry(scope: nil, name: name, address: address))
        }
        for (name, text) in paths {
            add(name + ".js", Self.resolve(text + ".js", folder))
            add(name + "/", Self.resolve(text + "/", folder))
        }
        for (name, place, main) in packages {
            let place = place.hasSuffix("/") ? place : place + "/"
            add(name + ".js", Self.resolve(place + main + (main.hasSuffix(".js") ? "" : ".js"), folder))
            add(name + "/", Self.resolve(place, folder))
        }
        add("", folder)
        return entries
    }

    private static func resolve(_ text: String, _ base: WebURL) -> WebURL? {
        guard let url = try? WebURL(text.isEmpty ? "./" : text, base: base), url.isHTTP else { return nil }
        return url
    }
}
