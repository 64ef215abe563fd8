public import HTTPTypes

extension HTTPFields {
    /// A field's value as the subscript gives it, without joining where the field has one line (RFC 9110 §5.3).
    ///
    /// - Parameter name: The field.
    /// - Returns: The value, or nil where there is no such field.
    public func value(of name: HTTPField.Name) -> String? {
        guard let first = firstIndex(where: { $0.name == name }) else { return nil }
        guard !self[(first + 1)...].contains(where: { $0.name == name }) else { return self[name] }
        return self[first].value
    }
}
