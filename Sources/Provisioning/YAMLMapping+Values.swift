internal import BoundedYAML
internal import PackageFormat

/// The mappings of a sync file, whose values are read by what they must be.
extension YAMLMapping {
    /// Reads a mapping.
    ///
    /// - Parameters:
    ///   - value: What should be one.
    ///   - what: What it is for, for errors.
    ///   - keys: The keys that it may have.
    /// - Throws: ``SyncFileError`` where it is something else, or has another key.
    init(_ value: YAMLValue, what: String, keys: [String]) throws(SyncFileError) {
        try self.init(value, what: what) { name in
            if let name, keys.contains(name) { return nil }
            let name = name.map { PackageProblem.quoted($0) } ?? "that is no text"
            let known = keys.map { "'\($0)'" }.joined(separator: ", ")
            return "\(what) has a key \(name), which isn't known; it may have \(known)"
        }
    }

    func text(_ key: String) throws(SyncFileError) -> String? {
        guard let node = self[key] else { return nil }
        return try Self.text(node, "'\(key)'")
    }

    static func text(_ node: YAMLValue, _ what: String) throws(SyncFileError) -> String {
        guard let text = node.text else { throw SyncFileError(at: node, "\(what) must be a text") }
        guard !node.isPlain || !["", "~", "null", "Null", "NULL"].contains(text) else {
            throw SyncFileError(at: node, "\(what) has no value; write one, or leave the key out")
        }
        return text
    }

    func flag(_ key: String) throws(SyncFileError) -> Bool? {
        guard let node = self[key] else { return nil }
        switch node.text {
        case "true": return true
        case "false": return false
        default: throw SyncFileError(at: node, "'\(key)' must be true or false")
        }
    }

    func integer(_ key: String) throws(SyncFileError) -> Int64? {
        guard let node = self[key] else { return nil }
        guard let number = node.text.flatMap({ Int64($0) }) else {
            throw SyncFileError(at: node, "'\(key)' must be a whole number")
        }
        return number
    }

    /// A number with k, M, G or T for powers of 1,000.
    func size(_ key: String) throws(SyncFileError) -> Int64? {
        guard let node = self[key] else { return nil }
        let text = node.text ?? ""
        let unit = "kmgt".firstIndex { String($0) == text.suffix(1).lowercased() }
        var factor: Int64 = 1
        if let unit { for _ in "kmgt"[...unit] { factor *= 1000 } }
        let number = Int64(unit == nil ? text : String(text.dropLast()))
        guard let number, number >= 0, case let (product, isTooLarge) = number.multipliedReportingOverflow(by: factor),
            !isTooLarge
        else { throw SyncFileError(at: node, "'\(key)' must be a number such as 500M or 2G") }
        return product
    }
}
