internal import AFCText

/// A mapping whose keys are text; the reader of each kind of file checks the values.
package struct YAMLMapping {
    /// The keys and values in the order of the file; all keys are distinct.
    package let pairs: [(key: YAMLValue, name: String, value: YAMLValue)]

    /// Creates a mapping without keys.
    package init() { pairs = [] }

    /// Reads a mapping.
    ///
    /// - Parameters:
    ///   - value: The value to read.
    ///   - what: The name of the mapping in errors.
    ///   - problem: Returns what is wrong with a key, or nil. A key that is not text is passed as nil.
    /// - Throws: ``YAMLFileError`` if the value is not a mapping, or a key is wrong.
    package init(
        _ value: YAMLValue,
        what: String,
        problem: (_ name: String?) -> String?
    ) throws(YAMLFileError) {
        guard case .mapping(let values) = value.content else {
            let text = value.text.map { ", as in 'from: \(PrintableText.escaped($0))'" } ?? ""
            throw YAMLFileError(
                at: value,
                "\(what) must be a mapping of keys to values" + (what == "a package" ? text : "")
            )
        }
        var pairs: [(key: YAMLValue, name: String, value: YAMLValue)] = []
        var names: Set<String> = []
        for index in stride(from: 0, to: values.count - 1, by: 2) {
            let (key, value) = (values[index], values[index + 1])
            if let problem = problem(key.text) { throw YAMLFileError(at: key, problem) }
            guard let name = key.text else { throw YAMLFileError(at: key, "\(what) has a key that is not text") }
            guard names.insert(name).inserted else {
                throw YAMLFileError(at: key, "a key occurs twice: \(PrintableText.quoted(name))")
            }
            pairs.append((key, name, value))
        }
        self.pairs = pairs
    }

    /// Returns the value of a key.
    package subscript(name: String) -> YAMLValue? { pairs.first { $0.name == name }?.value }

    /// Returns the values of a list; empty if the key is missing.
    package func list(_ name: String) throws(YAMLFileError) -> [YAMLValue] {
        guard let value = self[name] else { return [] }
        guard let items = value.items else {
            throw YAMLFileError(at: value, "'\(name)' must be a list, of which each item begins with '- '")
        }
        return items
    }
}
