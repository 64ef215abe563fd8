internal import Yams

/// A mapping whose keys are texts; what their values must be, the reader of each kind of file adds.
package struct YAMLMapping {
    /// The keys and values, in the order of the file; no key comes twice.
    package let pairs: [(key: YAMLValue, name: String, value: YAMLValue)]

    /// Creates a mapping without keys.
    package init() { pairs = [] }

    /// Reads a mapping.
    ///
    /// - Parameters:
    ///   - value: What should be one.
    ///   - what: What it is for, for errors.
    ///   - problem: Says what is wrong with a key; nil where nothing is. A key that is no text is given as nil.
    /// - Throws: ``YAMLFileError`` where it is something else, or has another key.
    package init(
        _ value: YAMLValue,
        what: String,
        problem: (_ name: String?) -> String?
    ) throws(YAMLFileError) {
        guard let mapping = value.node.mapping else {
            throw YAMLFileError(at: value, "\(what) must be a mapping of keys to values")
        }
        var pairs: [(key: YAMLValue, name: String, value: YAMLValue)] = []
        for (key, value) in mapping {
            let key = YAMLValue(node: key)
            if let problem = problem(key.text) { throw YAMLFileError(at: key, problem) }
            guard let name = key.text else { throw YAMLFileError(at: key, "\(what) has a key that is no text") }
            pairs.append((key, name, YAMLValue(node: value)))
        }
        self.pairs = pairs
    }

    /// The value of a key.
    package subscript(name: String) -> YAMLValue? { pairs.first { $0.name == name }?.value }

    /// The values of a list; empty where the key isn't there.
    package func list(_ name: String) throws(YAMLFileError) -> [YAMLValue] {
        guard let value = self[name] else { return [] }
        guard let items = value.items else { throw YAMLFileError(at: value, "'\(name)' must be a list") }
        return items
    }
}
