internal import PackageFormat
internal import Yams

/// A mapping of a sync file whose keys are known; values are read by what they must be.
struct SyncMapping {
    private var values: [String: Node] = [:]

    /// Reads a mapping.
    ///
    /// - Parameters:
    ///   - node: What should be one.
    ///   - what: What it is for, for errors.
    ///   - keys: The keys that it may have.
    /// - Throws: ``SyncFileError`` where it is something else, or has another key.
    init(_ node: Node, what: String, keys: [String]) throws(SyncFileError) {
        guard case .mapping(let mapping) = node else {
            throw SyncFileError(at: node, "\(what) must be a mapping of keys to values")
        }
        for (key, value) in mapping {
            guard case .scalar(let scalar) = key, keys.contains(scalar.string) else {
                let name = key.scalar.map { PackageProblem.quoted($0.string) } ?? "that is no text"
                let known = keys.map { "'\($0)'" }.joined(separator: ", ")
                throw SyncFileError(at: key, "\(what) has a key \(name), which isn't known; it may have \(known)")
            }
            values[scalar.string] = value
        }
    }

    subscript(key: String) -> Node? { values[key] }

    func text(_ key: String) throws(SyncFileError) -> String? {
        guard let node = values[key] else { return nil }
        return try Self.text(node, "'\(key)'")
    }

    static func text(_ node: Node, _ what: String) throws(SyncFileError) -> String {
        guard case .scalar(let scalar) = node else { throw SyncFileError(at: node, "\(what) must be a text") }
        guard scalar.style != .plain || !["", "~", "null", "Null", "NULL"].contains(scalar.string) else {
            throw SyncFileError(at: node, "\(what) has no value; write one, or leave the key out")
        }
        return scalar.string
    }

    func flag(_ key: String) throws(SyncFileError) -> Bool? {
        guard let node = values[key] else { return nil }
        switch node.scalar?.string {
        case "true": return true
        case "false": return false
        default: throw SyncFileError(at: node, "'\(key)' must be true or false")
        }
    }

    func integer(_ key: String) throws(SyncFileError) -> Int64? {
        guard let node = values[key] else { return nil }
        guard let number = node.scalar.flatMap({ Int64($0.string) }) else {
            throw SyncFileError(at: node, "'\(key)' must be a whole number")
        }
        return number
    }

    /// A number with k, M, G or T for powers of 1,000.
    func size(_ key: String) throws(SyncFileError) -> Int64? {
        guard let node = values[key] else { return nil }
        let text = node.scalar?.string ?? ""
        let unit = "kmgt".firstIndex { String($0) == text.suffix(1).lowercased() }
        var factor: Int64 = 1
        if let unit { for _ in "kmgt"[...unit] { factor *= 1000 } }
        let number = Int64(unit == nil ? text : String(text.dropLast()))
        guard let number, number >= 0, case let (product, isTooLarge) = number.multipliedReportingOverflow(by: factor),
            !isTooLarge
        else { throw SyncFileError(at: node, "'\(key)' must be a number such as 500M or 2G") }
        return product
    }

    func list(_ key: String) throws(SyncFileError) -> [Node] {
        guard let node = values[key] else { return [] }
        guard case .sequence(let sequence) = node else { throw SyncFileError(at: node, "'\(key)' must be a list") }
        return Array(sequence)
    }
}
