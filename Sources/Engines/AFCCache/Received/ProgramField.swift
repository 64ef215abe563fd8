internal import AFCCaching
internal import AFCText
internal import HTTPTypes

/// The program's part of a stored response, in the form in which a row keeps it: a field beside the request fields that
/// Vary selects.
///
/// It is never compared with a request, and never sent. A program that doesn't know it ignores it, since only fields
/// that Vary names are read back.
struct ProgramField: Equatable {
    /// The name of the field.
    static let name = HTTPField.Name("AFCache-Program") ?? .server
    /// The name of the field of rows whose responses are found by more than their URL (``ReceivedRelations``).
    static let related = HTTPField.Name("AFCache-Related") ?? .server

    /// The assigned lifetime in seconds.
    var lifetime: Int64?
    /// The program's data.
    var userInfo: [UInt8]?

    /// Returns the field of a response; nil if it needs none.
    static func field(for response: StoredResponse) -> HTTPField? {
        guard response.assignedLifetime != nil || response.userInfo != nil else { return nil }
        let lifetime = response.assignedLifetime.map { String($0) } ?? ""
        let info = response.userInfo.map { Base64.encode($0) } ?? "-"
        return HTTPField(name: name, value: "\(lifetime);\(info)")
    }

    /// Removes the field from those that a row keeps.
    ///
    /// - Returns: The program's part; nil if there is none.
    static func remove(from fields: inout HTTPFields) -> ProgramField? {
        fields[fields: related] = []
        guard let value = fields[name] else { return nil }
        fields[fields: name] = []
        let parts = value.split(separator: ";", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2 else { return nil }
        return ProgramField(lifetime: Int64(parts[0]), userInfo: parts[1] == "-" ? nil : Base64.decode(parts[1]))
    }
}

extension ReceivedVariant {
    /// The request fields that a row keeps.
    var rowFields: HTTPFields {
        var fields = key.fields
        // A peer can't put anything there: the name is taken from requests, too.
        fields[fields: ProgramField.name] = []
        fields[fields: ProgramField.related] = []
        if isRelated { fields.append(HTTPField(name: ProgramField.related, value: "1")) }
        if let field = ProgramField.field(for: response) { fields.append(field) }
        return fields
    }
}
