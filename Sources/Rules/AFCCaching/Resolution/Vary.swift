internal import AFCHTTP
internal import HTTPTypes

/// The comparison of a stored response's Vary with the fields of a request (RFC 9111 §4.1).
enum Vary {
    enum Match: Equatable {
        /// The fields that Vary names are the same, or it names none.
        case matched
        /// The response depends on some fields, but their values weren't recorded.
        case unknown
        /// At least one differs, or Vary is `*`.
        case mismatched
    }

    /// Compares the fields that Vary names; packaged responses don't depend on Accept-Encoding, since their bodies have
    /// no coding.
    static func match(_ response: StoredResponse, vary: [String], request: HTTPFields) -> Match {
        if response.source == .received, !LeadingFields.areSame(response.requestFields, request) { return .mismatched }
        if vary.isEmpty { return .matched }
        guard let names = names(vary) else { return .mismatched }
        for name in names where response.source == .received || name != .acceptEncoding {
            guard let stored = response.requestFields else { return .unknown }
            guard isSame(name, stored, request, contentLanguage: response.fields) else { return .mismatched }
        }
        return .matched
    }

    /// The most names that are compared; a Vary with more never matches.
    static let nameLimit = 64

    /// The beginning of the names of fields that a cache keeps for itself beside those of a request.
    private static let programPrefix = "afcache-"

    /// Returns the fields that Vary names, or nil if it never matches: with `*`, an invalid or reserved field name, or too
    /// many names.
    static func names(_ lines: [String]) -> [HTTPField.Name]? {
        var names: [HTTPField.Name] = []
        for element in lines.flatMap(FieldText.list) {
            guard element != "*", names.count < nameLimit, let name = HTTPField.Name(String(element)),
                !name.canonicalName.hasPrefix(programPrefix)
            else { return nil }
            names.append(name)
        }
        return names
    }

    /// Returns the fields of a request to store with a response: those that Vary names, and ``LeadingFields``.
    static func selecting(_ names: [HTTPField.Name], from request: HTTPFields) -> HTTPFields {
        var fields = HTTPFields()
        for field in request where names.contains(field.name) || LeadingFields.contains(field.name) {
            fields.append(field)
        }
        return fields
    }

    private static func isSame(
        _ name: HTTPField.Name,
        _ stored: HTTPFields,
        _ request: HTTPFields,
        contentLanguage fields: HTTPFields
    ) -> Bool {
        let (one, other) = (stored[values: name], request[values: name])
        guard !one.contains(where: FieldText.isDamaged) else { return false }
        if one == other { return true }
        // A missing field matches only a missing one.
        guard !one.isEmpty, !other.isEmpty else { return false }
        switch name {
        case .cookie, .authorization, .userAgent, .referer, .origin: return false
        case .acceptLanguage:
            return preferences(one) == preferences(other) || isPreferred(other, fields[values: .contentLanguage])
        case .acceptEncoding: return preferences(one) == preferences(other)
        default: return one.flatMap(FieldText.list) == other.flatMap(FieldText.list)
        }
    }

    /// Returns the elements of a preference list without case, white space and order, which has no meaning (RFC 9110
    /// §12.4.2).
    private static func preferences(_ lines: [String]) -> [String] {
        lines.flatMap(FieldText.list).map { element in
            let parts = element.split(separator: ";").map { FieldText.trimmed($0).lowercased() }
            return parts.filter { $0 != "q=1" && $0 != "q=1.0" && $0 != "q=1.00" && $0 != "q=1.000" }
                .joined(separator: ";")
        }.sorted()
    }

    /// Returns true if the language that a request prefers to all others is that of the response, so that none could
    /// match better.
    private static func isPreferred(_ lines: [String], _ contentLanguage: [String]) -> Bool {
        let languages = contentLanguage.flatMap(FieldText.list)
        guard languages.count == 1 else { return false }
        var best: (language: String, weight: Int)?
        var isUnique = true
        for element in lines.flatMap(FieldText.list) {
            let parts = element.split(separator: ";").map(FieldText.trimmed)
            guard parts.count <= 2, let language = parts.first, let weight = weight(parts.dropFirst().first) else {
                return false
            }
            if weight == (best?.weight ?? 0) { isUnique = false }
            if weight > (best?.weight ?? 0) {
                best = (language.lowercased(), weight)
                isUnique = true
            }
        }
        return isUnique && best?.language == languages[0].lowercased()
    }

    /// Parses a weight in thousandths (RFC 9110 §12.4.2); nil if it is malformed.
    private static func weight(_ parameter: Substring?) -> Int? {
        guard let parameter else { return 1000 }
        return FieldText.weight(parameter)
    }
}
