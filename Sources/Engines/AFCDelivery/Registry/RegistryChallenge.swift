/// The challenge of a registry that wants to know who asks: `WWW-Authenticate` with Basic or Bearer (RFC 9110 §11.6.1,
/// RFC 6750 §3).
///
/// Pure.
struct RegistryChallenge: Equatable {
    /// True for Bearer, false for Basic.
    var isBearer: Bool
    /// The parameters, by their names in lower case.
    var parameters: [String: String] = [:]

    /// Reads the first challenge that is Bearer, or else the first that is Basic; nil if there is none.
    init?(_ values: [String]) {
        let found = values.compactMap { Self.challenge($0) }
        guard let chosen = found.first(where: { $0.isBearer }) ?? found.first else { return nil }
        self = chosen
    }

    private init(isBearer: Bool) { self.isBearer = isBearer }

    private static func challenge(_ value: String) -> RegistryChallenge? {
        let parts = value.split(separator: " ", maxSplits: 1, omittingEmptySubsequences: true)
        guard let scheme = parts.first?.lowercased(), ["bearer", "basic"].contains(scheme) else { return nil }
        var challenge = RegistryChallenge(isBearer: scheme == "bearer")
        var rest = parts.count > 1 ? parts[1] : ""
        while !rest.isEmpty {
            rest = rest.drop { $0 == " " || $0 == "," || $0 == "\t" }
            guard let equals = rest.firstIndex(of: "=") else { break }
            let name = rest[..<equals].filter { $0 != " " }.lowercased()
            rest = rest[rest.index(after: equals)...].drop { $0 == " " || $0 == "\t" }
            var text = ""
            if rest.first == "\"" {
                rest = rest.dropFirst()
                while let character = rest.popFirst(), character != "\"" {
                    if character == "\\" {
                        text += rest.popFirst().map(String.init) ?? ""
                    } else {
                        text.append(character)
                    }
                }
            } else {
                text = String(rest.prefix { $0 != "," && $0 != " " })
                rest = rest.dropFirst(text.count)
            }
            if challenge.parameters[name] == nil { challenge.parameters[name] = text }
        }
        return challenge
    }
}
