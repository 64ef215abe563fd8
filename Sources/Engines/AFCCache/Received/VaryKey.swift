internal import AFCCaching
internal import HTTPTypes

/// The request fields that distinguish the responses of one URL: those that Vary names, and ``LeadingFields`` (RFC 9111
/// §4.1).
struct VaryKey: Sendable, Equatable {
    /// True if no request matches because Vary has `*`.
    private let isUnmatchable: Bool
    /// The field names in lower case, each with the elements of its value, or nil if the request had no such field.
    private let elements: [String: [String]?]
    /// The values of further request fields that influence origins although Vary doesn't name them.
    private let leading: [String]
    /// The stored request fields, as they were sent.
    let fields: HTTPFields

    /// Selects the fields of a request that Vary names.
    init(of response: HTTPFields, request: HTTPFields) {
        let names = Self.names(response)
        isUnmatchable = names.contains("*")
        var elements: [String: [String]?] = [:]
        for name in names {
            guard let field = HTTPField.Name(name) else { continue }
            elements[name] = .some(Self.elements(request, field))
        }
        self.elements = elements
        leading = LeadingFields.values(request)
        let kept = request.filter { names.contains($0.name.canonicalName) || LeadingFields.contains($0.name) }
        fields = isUnmatchable ? HTTPFields() : HTTPFields(kept)
    }

    /// Returns true if the response may answer a request with these fields.
    func matches(_ request: HTTPFields) -> Bool {
        guard !isUnmatchable, LeadingFields.values(request) == leading else { return false }
        return elements.allSatisfy { name, elements in
            HTTPField.Name(name).map { Self.elements(request, $0) == elements } ?? false
        }
    }

    static func == (one: VaryKey, other: VaryKey) -> Bool {
        one.isUnmatchable == other.isUnmatchable && one.elements == other.elements && one.leading == other.leading
    }

    private static func names(_ response: HTTPFields) -> Set<String> {
        Set(response[values: .vary].flatMap(split).map { $0.lowercased() })
    }

    private static func elements(_ fields: HTTPFields, _ name: HTTPField.Name) -> [String]? {
        let values = fields[values: name]
        return values.isEmpty ? nil : values.flatMap(split)
    }

    private static func split(_ value: String) -> [String] {
        value.split(separator: ",").compactMap { part in
            var part = part
            while let first = part.utf8.first, first == 0x20 || first == 0x09 { part = part.dropFirst() }
            while let last = part.utf8.last, last == 0x20 || last == 0x09 { part = part.dropLast() }
            return part.isEmpty ? nil : String(part)
        }
    }
}
