internal import AFCPackageFormat
internal import AFCText
public import AFCYAML

/// Reads a sync file.
public enum SyncFile {
    /// The maximum size of a sync file in bytes.
    public static let byteLimit = 1 << 20
    /// The maximum number of packages in a sync file.
    public static let packageLimit = 10_000

    /// Reads a sync file.
    ///
    /// - Parameter text: The text of the file.
    /// - Returns: The plan.
    /// - Throws: ``SyncFileError`` for the first error.
    public static func parse(_ text: String) throws(SyncFileError) -> SyncPlan {
        guard let root = try YAMLDocument.value(of: text, byteLimit: byteLimit) else {
            throw SyncFileError(line: 1, column: 1, message: "the file is empty; it must begin with 'version: 1'")
        }
        return try plan(root)
    }

    private static func plan(_ node: YAMLValue) throws(SyncFileError) -> SyncPlan {
        let root = try YAMLMapping(
            node,
            what: "the file",
            keys: [
                "version", "cache", "remove-others", "require-signature", "trust", "cacert", "netrc", "limits",
                "channel", "packages",
            ]
        )
        guard try root.integer("version") == 1 else {
            throw SyncFileError(
                at: root["version"] ?? node,
                "the file must contain 'version: 1'; this program supports no other version"
            )
        }
        var plan = SyncPlan()
        plan.cache = try root.text("cache")
        if plan.cache == "" {
            throw SyncFileError(at: root["cache"] ?? node, "'cache' is empty; it must name a folder")
        }
        for key in ["cache", "cacert", "netrc"] {
            if let node = root[key], let problem = SyncSource.problem(ofPath: node.text) {
                throw SyncFileError(at: node, problem)
            }
        }
        plan.removesOthers = try root.flag("remove-others") ?? false
        plan.requiresSignature = try root.flag("require-signature") ?? false
        if let node = root["trust"], let text = node.text {
            throw SyncFileError(at: node, "'trust' must be a list; write 'trust: [\(PrintableText.escaped(text))]'")
        }
        for node in try root.list("trust") {
            let path = try YAMLMapping.text(node, "'trust'")
            plan.trust.append(path)
            plan.lines[path] = node.line
            if let problem = SyncSource.problem(ofPath: node.text) { throw SyncFileError(at: node, problem) }
        }
        if plan.requiresSignature, plan.trust.isEmpty {
            throw SyncFileError(
                at: root["require-signature"] ?? node,
                "'require-signature' needs 'trust' with files of public keys"
            )
        }
        plan.trustRoots = try root.text("cacert")
        if plan.trustRoots == "" {
            throw SyncFileError(at: root["cacert"] ?? node, "'cacert' is empty; it must name a file of certificates")
        }
        plan.netrc = try root.text("netrc")
        if plan.netrc == "" {
            throw SyncFileError(at: root["netrc"] ?? node, "'netrc' is empty; it must name a netrc file")
        }
        for key in ["cache", "cacert", "netrc"] {
            if let node = root[key], let path = node.text { plan.lines[path] = node.line }
        }
        if let limits = root["limits"] {
            if let text = limits.text, !text.isEmpty {
                throw SyncFileError(
                    at: limits,
                    "'limits' must be a mapping; write 'limits: { bytes: \(PrintableText.escaped(text)) }'"
                )
            }
            let limits = try YAMLMapping(limits, what: "'limits'", keys: ["bytes", "entries"])
            plan.byteLimit = try limits.size("bytes")
            plan.entryLimit = try limits.count("entries").map { Int($0) }
            // A number of gigabytes without its unit, for example.
            if let bytes = plan.byteLimit, bytes < 1024, let node = limits["bytes"] {
                throw SyncFileError(
                    at: node,
                    "'bytes: \(bytes)' is less than any cache needs, and would evict everything; write a unit, as in 2G"
                )
            }
            if plan.entryLimit == 0, let node = limits["entries"] {
                throw SyncFileError(at: node, "'entries: 0' would evict everything; leave it out for no limit")
            }
        }
        if let node = root["channel"] {
            plan.channel = try channel(node)
            guard !plan.trust.isEmpty else {
                throw SyncFileError(at: node, "'channel' needs 'trust' with files of public keys")
            }
        }
        // A file that was cut off must not empty the cache.
        if plan.removesOthers, root["packages"] == nil, plan.channel == nil {
            throw SyncFileError(
                at: root["remove-others"] ?? node,
                "with 'remove-others: true', the file must have 'packages' or 'channel', and it may be cut off; "
                    + "'packages: []' says that all packages are to be removed"
            )
        }
        let packages = try root.list("packages")
        guard packages.count <= packageLimit else {
            throw SyncFileError(at: root["packages"] ?? node, "the file lists more than \(packageLimit) packages")
        }
        var names: Set<String> = []
        for node in packages {
            let package = try self.package(node)
            if let name = package.name, !names.insert(name).inserted {
                throw SyncFileError(at: node, "two packages have the name '\(name)'; give one another 'name'")
            }
            plan.packages.append(package)
        }
        return plan
    }

    private static func channel(_ node: YAMLValue) throws(SyncFileError) -> SyncPlan.Channel {
        if node.text != nil { return try channel(try YAMLMapping.text(node, "'channel'"), name: nil, at: node) }
        let mapping = try YAMLMapping(node, what: "'channel'", keys: ["from", "name", "threshold", "device"])
        guard let from = try mapping.text("from") else {
            throw SyncFileError(at: node, "'channel' needs 'from' with a URL or a path")
        }
        var channel = try channel(from, name: try mapping.text("name"), at: mapping["name"] ?? mapping["from"] ?? node)
        channel.line = mapping["from"]?.line ?? node.line
        channel.nameLine = mapping["name"]?.line ?? channel.line
        channel.thresholdLine = mapping["threshold"]?.line ?? channel.line
        if let threshold = try mapping.integer("threshold") {
            guard (1...16).contains(threshold) else {
                throw SyncFileError(at: mapping["threshold"] ?? node, "'threshold' must be a number from 1 to 16")
            }
            channel.threshold = Int(threshold)
        }
        channel.device = try mapping.text("device")
        guard channel.device.map(PackageName.isValid) ?? true else {
            throw SyncFileError(
                at: mapping["device"] ?? node,
                "a device's ID must have 1 to 255 bytes and no control characters"
            )
        }
        return channel
    }

    private static func channel(_ from: String, name: String?, at node: YAMLValue) throws(SyncFileError)
        -> SyncPlan.Channel
    {
        guard !from.isEmpty else { throw SyncFileError(at: node, "'channel' is empty; it must be a URL or a path") }
        let from = PackageSource.normalized(from)
        if let problem = SyncSource.problem(of: from) { throw SyncFileError(at: node, problem) }
        let name = name ?? PackageSource.defaultName(of: from)
        guard !name.isEmpty else { throw SyncFileError(at: node, "the channel's URL has no last part; add 'name'") }
        var channel = SyncPlan.Channel(from: from, name: name)
        (channel.line, channel.nameLine, channel.thresholdLine) = (node.line, node.line, node.line)
        return channel
    }

    private static func package(_ node: YAMLValue) throws(SyncFileError) -> SyncPlan.Package {
        let mapping = try YAMLMapping(
            node,
            what: "a package",
            keys: [
                "name", "from", "sha256", "digest", "priority", "pin", "separable", "search-index", "allow-older",
                "allow-http",
            ]
        )
        guard let source = try mapping.text("from"), !source.isEmpty else {
            throw SyncFileError(at: node, "a package needs 'from' with a URL or a path")
        }
        let from = PackageSource.normalized(source)
        if let problem = SyncSource.problem(of: from) { throw SyncFileError(at: mapping["from"] ?? node, problem) }
        let name = try mapping.text("name")
        guard name.map(PackageName.isValid) ?? true else {
            throw SyncFileError(
                at: mapping["name"] ?? node,
                "a package's name must have 1 to 255 bytes and no control characters"
            )
        }
        var package = SyncPlan.Package(name: name, from: from)
        package.line = mapping["from"]?.line ?? node.line
        package.sha256 = try digits("sha256", of: mapping, node)
        package.digest = try digits("digest", of: mapping, node)
        package.allowsOlder = try mapping.flag("allow-older") ?? false
        package.settings.priority = Int(try mapping.integer("priority") ?? 0)
        package.settings.isPinned = try mapping.flag("pin") ?? false
        package.settings.isSeparable = try mapping.flag("separable") ?? false
        package.settings.isSearchable = try mapping.flag("search-index") ?? false
        package.allowsPlainHTTP = try mapping.flag("allow-http") ?? false
        return package
    }

    private static func digits(_ key: String, of mapping: YAMLMapping, _ node: YAMLValue) throws(SyncFileError)
        -> String?
    {
        guard let digits = try mapping.text(key)?.lowercased() else { return nil }
        guard digits.utf8.count == 64, digits.allSatisfy(\.isHexDigit) else {
            throw SyncFileError(at: mapping[key] ?? node, "'\(key)' must have 64 hexadecimal digits")
        }
        return digits
    }
}
