internal import HTTPTypes
internal import PackageFormat

/// Fields as the index keeps them: a JSON array of [name, value].
enum StoredFields {
    static func encode(_ fields: HTTPFields) -> String { ResourceRecord.json(fields).serialized }

    static func decode(_ text: String) throws -> HTTPFields {
        let json = JSONValue.object([("fields", try JSONValue(parsing: Array(text.utf8)))])
        return try ResourceRecord.fields(json, key: "fields")
    }
}
