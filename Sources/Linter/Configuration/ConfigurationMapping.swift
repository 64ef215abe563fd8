internal import PackageFormat
internal import Yams

/// A mapping of a configuration file, whose values are read by what they must be.
struct ConfigurationMapping {
    let pairs: [(key: Node, name: String, value: Node)]

    /// - Parameters:
    ///   - node: What should be a mapping; one without a value is empty.
    ///   - what: What it is for, for errors.
    ///   - keys: The keys that it may have; nil for any.
    /// - Throws: ``LintConfigurationError`` where it is something else, or has another key.
    init(_ node: Node, what: String, keys: [String]?) throws(LintConfigurationError) {
        var pairs: [(key: Node, name: String, value: Node)] = []
        if case .scalar(let scalar) = node, scalar.style == .plain, ["", "~", "null"].contains(scalar.string) {
            self.pairs = []
            return
        }
        guard case .mapping(let mapping) = node else {
            throw LintConfigurationError(at: node, "\(what) must be a mapping of keys to values")
        }
        for (key, value) in mapping {
            guard case .scalar(let scalar) = key else {
                throw LintConfigurationError(at: key, "\(what) has a key that is no text")
            }
            let name = scalar.string
            if let keys, !keys.contains(name) {
                let near = NearestName.nearest(to: name, among: keys).map { "did you mean '\($0)'?" }
                let hint = near ?? "it may have " + keys.map { "'\($0)'" }.joined(separator: ", ")
                let message = "\(what) has a key \(PackageProblem.quoted(name)), which isn't known; \(hint)"
                throw LintConfigurationError(at: key, message)
            }
            pairs.append((key, name, value))
        }
        self.pairs = pairs
    }

    subscript(name: String) -> Node? { pairs.first { $0.name == name }?.value }

    func text(_ name: String) throws(LintConfigurationError) -> String? {
        guard let node = self[name] else { return nil }
        return try Self.text(node, "'\(name)'")
    }

    static func text(_ node: Node, _ what: String) throws(LintConfigurationError) -> String {
        guard case .scalar(let scalar) = node, !scalar.string.isEmpty else {
            throw LintConfigurationError(at: node, "\(what) must be a text")
        }
        return scalar.string
    }

    /// One of the texts that a type has values for.
    func choice<Value: RawRepresentable<String> & CaseIterable>(
        _ name: String,
        of type: Value.Type
    ) throws(LintConfigurationError) -> Value? {
        guard let node = self[name] else { return nil }
        return try Self.choice(node, "'\(name)'", of: type)
    }

    static func choice<Value: RawRepresentable<String> & CaseIterable>(
        _ node: Node,
        _ what: String,
        of type: Value.Type
    ) throws(LintConfigurationError) -> Value {
        // YAML 1.1 reads a bare off as false; the text is what counts here.
        let text = node.scalar?.string ?? ""
        if let value = Value(rawValue: text == "false" ? "off" : text) { return value }
        let known = Value.allCases.map { "'\($0.rawValue)'" }.joined(separator: ", ")
        throw LintConfigurationError(at: node, "\(what) must be one of \(known)")
    }

    func count(_ name: String) throws(LintConfigurationError) -> Int? {
        guard let node = self[name] else { return nil }
        guard let number = node.scalar.flatMap({ Int($0.string) }), (0...1_000_000_000).contains(number) else {
            throw LintConfigurationError(at: node, "'\(name)' must be a whole number from 0 on")
        }
        return number
    }

    /// A number of bytes, with k, M or G for powers of 1,000.
    func size(_ name: String) throws(LintConfigurationError) -> Int64? {
        guard let node = self[name] else { return nil }
        let text = node.scalar?.string ?? ""
        let units: [Character: Int64] = ["k": 1000, "m": 1_000_000, "g": 1_000_000_000]
        let unit = text.last.flatMap { units[Character($0.lowercased())] }
        guard let number = Int64(unit == nil ? text : String(text.dropLast())),
            (0...1_000_000_000_000).contains(number),
            case let (product, isTooLarge) = number.multipliedReportingOverflow(by: unit ?? 1), !isTooLarge
        else { throw LintConfigurationError(at: node, "'\(name)' must be a number of bytes such as 500k or 32M") }
        return product
    }

    func list(_ name: String) throws(LintConfigurationError) -> [Node] {
        guard let node = self[name] else { return [] }
        guard case .sequence(let sequence) = node else {
            throw LintConfigurationError(at: node, "'\(name)' must be a list")
        }
        return Array(sequence)
    }
}
