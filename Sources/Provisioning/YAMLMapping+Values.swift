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

    /// A number with k, M, G or T for powers of 1,000, perhaps with decimals.
    func size(_ key: String) throws(SyncFileError) -> Int64? {
        guard let node = self[key] else { return nil }
        let text = node.text ?? ""
        let unit = "kmgt".firstIndex { String($0) == text.suffix(1).lowercased() }
        var factor: Int64 = 1
        if let unit { for _ in "kmgt"[...unit] { factor *= 1000 } }
        guard let size = Self.product(unit == nil ? text[...] : text.dropLast(), factor) else {
            throw SyncFileError(at: node, "'\(key)' must be a number such as 500M or 1.5G")
        }
        return size
    }

    /// A decimal number times a power of ten; nil where that is no whole number, or too large.
    private static func product(_ text: Substring, _ factor: Int64) -> Int64? {
        let parts = text.split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false)
        let isDecimal = parts.allSatisfy { !$0.isEmpty && $0.utf8.allSatisfy { (0x30...0x39).contains($0) } }
        guard isDecimal, let whole = Int64(parts[0]) else { return nil }
        var (sum, isTooLarge) = whole.multipliedReportingOverflow(by: factor)
        var unit = factor
        for digit in parts.dropFirst().joined().utf8 where !isTooLarge {
            guard unit >= 10 else { return nil }
            unit /= 10
            (sum, isTooLarge) = sum.addingReportingOverflow(Int64(digit - 0x30) * unit)
        }
        return isTooLarge ? nil : sum
    }
}
