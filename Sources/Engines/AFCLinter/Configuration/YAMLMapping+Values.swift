internal import AFCPackageFormat
internal import AFCText
internal import AFCYAML

/// The mappings of a configuration file, whose values are read by type.
extension YAMLMapping {
    /// Reads a mapping.
    ///
    /// - Parameters:
    ///   - value: The value; a missing one gives an empty mapping.
    ///   - what: The name of the mapping, for errors.
    ///   - keys: The known keys; nil for any.
    /// - Throws: ``LintConfigurationError`` if it isn't a mapping or has an unknown key.
    init(_ value: YAMLValue, what: String, knownKeys keys: [String]?) throws(LintConfigurationError) {
        if value.isPlain, let text = value.text, ["", "~", "null"].contains(text) {
            self.init()
            return
        }
        try self.init(value, what: what) { name in
            guard let name, let keys, !keys.contains(name) else { return nil }
            let near = NearestName.nearest(to: name, among: keys).map { "did you mean '\($0)'?" }
            let hint = near ?? "the known keys are " + keys.map { "'\($0)'" }.joined(separator: ", ")
            return "\(what) has a key \(PrintableText.quoted(name)), which is not known; \(hint)"
        }
    }

    func text(_ name: String) throws(LintConfigurationError) -> String? {
        guard let node = self[name] else { return nil }
        return try Self.text(node, "'\(name)'")
    }

    static func text(_ node: YAMLValue, _ what: String) throws(LintConfigurationError) -> String {
        guard let text = node.text, !text.isEmpty else {
            throw LintConfigurationError(at: node, "\(what) must be text")
        }
        return text
    }

    /// Returns the value of a type whose raw values are strings.
    func choice<Value: RawRepresentable<String> & CaseIterable>(
        _ name: String,
        of type: Value.Type
    ) throws(LintConfigurationError) -> Value? {
        guard let node = self[name] else { return nil }
        return try Self.choice(node, "'\(name)'", of: type)
    }

    static func choice<Value: RawRepresentable<String> & CaseIterable>(
        _ node: YAMLValue,
        _ what: String,
        of type: Value.Type
    ) throws(LintConfigurationError) -> Value {
        // YAML 1.1 reads a bare `off` as false; only the text matters here.
        let text = node.text ?? ""
        if let value = Value(rawValue: text == "false" ? "off" : text) { return value }
        let known = Value.allCases.map { "'\($0.rawValue)'" }.joined(separator: ", ")
        throw LintConfigurationError(at: node, "\(what) must be one of \(known)")
    }

    func count(_ name: String) throws(LintConfigurationError) -> Int? {
        guard let node = self[name] else { return nil }
        guard let number = node.text.flatMap({ Int($0) }), (0...1_000_000_000).contains(number) else {
            throw LintConfigurationError(at: node, "'\(name)' must be a whole number, 0 or greater")
        }
        return number
    }

    /// Returns a number of bytes, which may have a unit.
    func size(_ name: String) throws(LintConfigurationError) -> Int64? {
        guard let node = self[name] else { return nil }
        guard let bytes = ByteSize.parse(node.text ?? "") else {
            throw LintConfigurationError(at: node, "'\(name)' must be a number of bytes such as 500k or 1.5M")
        }
        return bytes
    }
}
