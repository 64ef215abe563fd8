internal import AFCText

/// Reading of typed values from the mappings of files.
extension YAMLMapping {
    /// Reads a mapping.
    ///
    /// - Parameters:
    ///   - value: The value to read.
    ///   - what: The name of the mapping in errors.
    ///   - keys: The permitted keys.
    /// - Throws: ``YAMLFileError`` if the value is not a mapping or has another key.
    package init(_ value: YAMLValue, what: String, keys: [String]) throws(YAMLFileError) {
        try self.init(value, what: what) { name in
            if let name, keys.contains(name) { return nil }
            let meant =
                name.flatMap { Self.synonyms[$0.lowercased()] }.flatMap { keys.contains($0) ? $0 : nil }
                ?? name.flatMap { name in keys.first { $0 == name.lowercased().replacing("_", with: "-") } }
            let name = name.map { PrintableText.quoted($0) } ?? "that is not text"
            if let meant { return "\(what) has a key \(name), which is not known; did you mean '\(meant)'?" }
            let known = keys.map { "'\($0)'" }.joined(separator: ", ")
            return "\(what) has a key \(name), which is not known; the known keys are \(known)"
        }
    }

    /// Keys that other programs' files have for the same thing.
    private static let synonyms = [
        "url": "from", "source": "from", "path": "from", "file": "from", "src": "from", "package": "packages",
        "keys": "trust", "key": "trust", "prune": "remove-others", "sha-256": "sha256", "checksum": "sha256",
        "pinned": "pin", "http": "allow-http", "insecure": "allow-http", "ca": "cacert",
    ]

    package func text(_ key: String) throws(YAMLFileError) -> String? {
        guard let node = self[key] else { return nil }
        return try Self.text(node, "'\(key)'")
    }

    package static func text(_ node: YAMLValue, _ what: String) throws(YAMLFileError) -> String {
        guard let text = node.text else { throw YAMLFileError(at: node, "\(what) must be text") }
        guard !node.isPlain || !["", "~", "null", "Null", "NULL"].contains(text) else {
            throw YAMLFileError(at: node, "\(what) has no value; add one or remove the key")
        }
        return text
    }

    package func flag(_ key: String) throws(YAMLFileError) -> Bool? {
        guard let node = self[key] else { return nil }
        switch node.text {
        case "true": return true
        case "false": return false
        default: throw YAMLFileError(at: node, "'\(key)' must be true or false")
        }
    }

    package func integer(_ key: String) throws(YAMLFileError) -> Int64? {
        guard let node = self[key] else { return nil }
        guard let number = node.text.flatMap({ Int64($0) }) else {
            throw YAMLFileError(at: node, "'\(key)' must be a whole number")
        }
        return number
    }

    /// Returns a number of bytes, written with a unit as in options.
    package func size(_ key: String) throws(YAMLFileError) -> Int64? {
        guard let node = self[key] else { return nil }
        guard let bytes = ByteSize.parse(node.text ?? "") else {
            throw YAMLFileError(at: node, "'\(key)' must be a number of bytes such as 500M or 1.5G")
        }
        return bytes
    }

    /// Returns a count, written with k, M, G or T for powers of 1,000.
    package func count(_ key: String) throws(YAMLFileError) -> Int64? {
        guard let node = self[key] else { return nil }
        guard let count = ByteSize.parseCount(node.text ?? "") else {
            throw YAMLFileError(at: node, "'\(key)' must be a number such as 100000 or 100k")
        }
        return count
    }
}
