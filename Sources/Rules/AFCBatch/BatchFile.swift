internal import AFCPackageFormat
internal import AFCText
public import AFCYAML

/// The file of a batch: sites that are packed, checked and published.
public struct BatchFile: Sendable, Equatable {
    /// The maximum size of the file in bytes.
    public static let byteLimit = 16 << 20
    /// The maximum number of sites.
    public static let siteLimit = 100_000

    /// The sites, in the order of the file; their names are distinct.
    public var sites: [Site] = []

    /// A site, with what the file says for all sites.
    public struct Site: Sendable, Equatable {
        /// The name: letters, digits, `.`, `_` and `-`.
        public var name: String
        /// The URLs where a crawl starts.
        public var urls: [String] = []
        /// URLs whose bodies say whether anything has changed, such as a site map; empty to ask for each resource.
        public var check: [String] = []
        /// The options of packing, as arguments.
        public var arguments: [String] = []
        /// The severity from which on a finding keeps the package from being published.
        public var lint = "error"
        /// Where the package goes.
        public var publish = Publishing()
        /// The place in the file.
        public var place = Place()
        /// The places of what the site has in the file, or takes from its head: by the names of the options, and for the keys
        /// `urls`, `check`, `folder`, `registry` and `channel`, by these with a colon behind.
        public var places: [String: Place] = [:]
    }

    /// A place in the file.
    public struct Place: Sendable, Equatable, CustomStringConvertible {
        /// The line, from 1.
        public var line = 1
        /// The column, from 1.
        public var column = 1

        init() {}

        init(_ node: YAMLValue) { (line, column) = (node.line, node.column) }

        /// The place in the form `line:column`.
        public var description: String { "\(line):\(column)" }
    }

    /// Where packages go.
    public struct Publishing: Sendable, Equatable {
        /// A folder that gets each package under the site's name.
        public var folder: String?
        /// A name in a registry.
        public var registry: String?
        /// A channel that lists the packages.
        public var channel: Channel?
    }

    /// A channel, beside whose file the packages lie.
    public struct Channel: Sendable, Equatable {
        /// The path of the channel's file.
        public var file: String
        /// The options of the change, as arguments.
        public var arguments: [String] = []
    }

    /// The options that a batch sets itself.
    private static let ownOptions: Set<String> = [
        "output", "overwrite", "update", "report", "name", "json", "quiet", "verbose", "help", "version", "dry-run",
        "restart", "events",
    ]

    /// Reads a file.
    ///
    /// - Parameter text: The text of the file.
    /// - Throws: `YAMLFileError` for the first error.
    public init(_ text: String) throws(YAMLFileError) {
        guard let node = try YAMLDocument.value(of: text, byteLimit: Self.byteLimit) else {
            throw YAMLFileError(line: 1, column: 1, message: "the file is empty; it must begin with 'version: 1'")
        }
        let root = try YAMLMapping(node, what: "the file", keys: ["version", "options", "lint", "publish", "sites"])
        guard try root.integer("version") == 1 else {
            throw YAMLFileError(
                at: root["version"] ?? node,
                "the file must contain 'version: 1'; this program supports no other version"
            )
        }
        let common = try Self.options(root["options"])
        let lint = try Self.severity(root) ?? "error"
        let publish = try root["publish"].map(Self.publishing) ?? Publishing()
        let places = root["publish"].map(Self.places) ?? [:]
        let listed = try root.list("sites")
        guard !listed.isEmpty else {
            throw YAMLFileError(at: root["sites"] ?? node, "the file lists no site; add one below 'sites'")
        }
        guard listed.count <= Self.siteLimit else {
            throw YAMLFileError(
                at: root["sites"] ?? node,
                "the file lists more than \(Self.siteLimit) sites; divide it"
            )
        }
        var names: Set<String> = []
        var registries: Set<String> = []
        for node in listed {
            let site = try Self.site(node, common, lint, publish, places)
            if let registry = site.publish.registry, !registries.insert(registry).inserted {
                throw YAMLFileError(
                    at: node,
                    "two sites would be pushed to \(PrintableText.quoted(registry)); give each one its own name in the registry"
                )
            }
            // File systems may take two names that differ only in case for one.
            guard names.insert(site.name.lowercased()).inserted else {
                throw YAMLFileError(at: node, "two sites have the name \(PrintableText.quoted(site.name)); rename one")
            }
            sites.append(site)
        }
    }

    private static func site(
        _ node: YAMLValue,
        _ common: [Option],
        _ lint: String,
        _ publish: Publishing,
        _ publishPlaces: [String: Place]
    ) throws(YAMLFileError) -> Site {
        let mapping = try YAMLMapping(
            node,
            what: "a site",
            keys: ["name", "urls", "check", "options", "lint", "publish"]
        )
        guard let name = try mapping.text("name") else {
            throw YAMLFileError(at: node, "a site needs 'name', which names its package")
        }
        guard isName(name) else {
            throw YAMLFileError(
                at: mapping["name"] ?? node,
                "\(PrintableText.quoted(name)) can't be the name of a site; use at most 100 letters, digits, '.', '_' and '-', "
                    + "and begin with a letter or digit"
            )
        }
        var site = Site(name: name, place: Place(node))
        site.urls = try texts("urls", of: mapping)
        site.check = try texts("check", of: mapping)
        let own = try options(mapping["options"])
        let ownNames = Set(own.map(\.name))
        let all = common.filter { !ownNames.contains($0.name) } + own
        guard !site.urls.isEmpty || all.contains(where: { ["list", "folder"].contains($0.name) }) else {
            throw YAMLFileError(
                at: mapping["urls"] ?? node,
                "the site \(PrintableText.quoted(name)) has nothing to pack; add 'urls', or 'list' or 'folder' in 'options'"
            )
        }
        guard site.check.isEmpty || !all.contains(where: { $0.name == "folder" }) else {
            throw YAMLFileError(at: mapping["check"] ?? node, "'check' is for crawls; remove it to pack a folder")
        }
        site.arguments = all.flatMap(\.arguments)
        for option in all { site.places[option.name] = option.place }
        for key in ["urls", "check"] { site.places[key + ":"] = mapping[key].map(Place.init) }
        site.places.merge(mapping["publish"].map(Self.places) ?? publishPlaces) { _, new in new }
        site.lint = try severity(mapping) ?? lint
        site.publish = try mapping["publish"].map(publishing) ?? publish
        return site
    }

    /// Returns the texts of a key that has one or a list.
    private static func texts(_ key: String, of mapping: YAMLMapping) throws(YAMLFileError) -> [String] {
        guard let node = mapping[key] else { return [] }
        guard let items = node.items else { return [try YAMLMapping.text(node, "'\(key)'")] }
        var texts: [String] = []
        for item in items { texts.append(try YAMLMapping.text(item, "a URL")) }
        return texts
    }

    private static func isName(_ name: String) -> Bool {
        guard let first = name.unicodeScalars.first, first.isASCII,
            first.properties.isAlphabetic || first.properties.numericType != nil,
            name.utf8.count <= 100
        else { return false }
        return name.unicodeScalars.allSatisfy { scalar in
            switch scalar {
            case "a"..."z", "A"..."Z", "0"..."9", ".", "_", "-": true
            default: false
            }
        }
    }

    private static func severity(_ mapping: YAMLMapping) throws(YAMLFileError) -> String? {
        guard let node = mapping["lint"] else { return nil }
        let text = try YAMLMapping.text(node, "'lint'")
        guard ["error", "warning", "info", "never"].contains(text) else {
            throw YAMLFileError(at: node, "'lint' must be error, warning, info or never")
        }
        return text
    }

    // MARK: Options

    private struct Option {
        var name: String
        var arguments: [String]
        var place: Place
    }

    private static func options(_ node: YAMLValue?) throws(YAMLFileError) -> [Option] {
        guard let node else { return [] }
        let mapping = try YAMLMapping(node, what: "'options'") { name in
            guard let name else { return "the name of an option must be text" }
            let shown = PrintableText.quoted(name)
            if name.hasPrefix("-") { return "\(shown): write the option without dashes" }
            return ownOptions.contains(name) ? "the option \(shown) is set by the batch itself; remove it" : nil
        }
        var options: [Option] = []
        for (key, name, value) in mapping.pairs {
            var arguments: [String] = []
            switch (value.text, value.items) {
            case ("true", _) where value.isPlain: arguments = ["--" + name]
            case ("false", _) where value.isPlain: arguments = []
            case (_?, _): arguments = ["--" + name + "=" + (try YAMLMapping.text(value, "'\(name)'"))]
            case (nil, let items?):
                for item in items { arguments.append("--" + name + "=" + (try YAMLMapping.text(item, "'\(name)'"))) }
            case (nil, nil): throw YAMLFileError(at: value, "'\(name)' must be text, true, false or a list")
            }
            options.append(Option(name: name, arguments: arguments, place: Place(key)))
        }
        return options
    }

    // MARK: Publishing

    private static func publishing(_ node: YAMLValue) throws(YAMLFileError) -> Publishing {
        let mapping = try YAMLMapping(node, what: "'publish'", keys: ["folder", "registry", "channel"])
        var publishing = Publishing()
        publishing.folder = try filled("folder", of: mapping)
        publishing.registry = try filled("registry", of: mapping)
        guard let node = mapping["channel"] else { return publishing }
        guard node.text == nil else {
            publishing.channel = Channel(file: try local(node, try filled("channel", of: mapping) ?? ""))
            return publishing
        }
        let channel = try YAMLMapping(node, what: "'channel'", keys: ["file", "sign", "base", "rollout", "valid-for"])
        guard let file = try filled("file", of: channel) else {
            throw YAMLFileError(at: node, "'channel' needs 'file' with the path of the channel")
        }
        var listed = Channel(file: try local(channel["file"] ?? node, file))
        for (_, name, value) in channel.pairs where name != "file" {
            let values = value.items ?? [value]
            for value in values { listed.arguments.append("--\(name)=" + (try YAMLMapping.text(value, "'\(name)'"))) }
        }
        publishing.channel = listed
        return publishing
    }

    /// Returns the places of the keys of `publish`, which was read.
    private static func places(_ node: YAMLValue) -> [String: Place] {
        guard let mapping = try? YAMLMapping(node, what: "'publish'", problem: { _ in nil }) else { return [:] }
        return Dictionary(mapping.pairs.map { ($0.name + ":", Place($0.value)) }) { first, _ in first }
    }

    /// Returns the path of a channel, beside which packages can be put.
    private static func local(_ node: YAMLValue, _ path: String) throws(YAMLFileError) -> String {
        guard !path.contains("://") else {
            throw YAMLFileError(
                at: node,
                "packages are put beside the channel, so 'channel' must be a path; copy its folder to the server"
            )
        }
        return path
    }

    private static func filled(_ key: String, of mapping: YAMLMapping) throws(YAMLFileError) -> String? {
        guard let node = mapping[key] else { return nil }
        let text = try YAMLMapping.text(node, "'\(key)'")
        guard !text.isEmpty else { throw YAMLFileError(at: node, "'\(key)' is empty; add a value or remove the key") }
        return text
    }
}
