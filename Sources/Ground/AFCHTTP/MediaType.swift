/// A media type with its parameters (RFC 9110 §8.3.1), in normal form.
///
/// The normal form has type, subtype and parameter names in lower case, `; ` between parts, and quotes only where a
/// parameter's value needs them; so a semicolon never has a space before it, except within quotes, where one is refused.
public struct MediaType: Hashable, Sendable, CustomStringConvertible {
    /// Type and subtype in lower case, for example `text/html`.
    public let essence: String
    /// The parameters in the order written, names in lower case.
    public let parameters: [Parameter]

    /// One parameter.
    public struct Parameter: Hashable, Sendable {
        /// The name in lower case.
        public let name: String
        /// The value without quotes.
        public let value: String
    }

    /// Reads a media type; nil where the text is none.
    ///
    /// A parameter without a value, which some servers send, is left out.
    public init?(_ text: some StringProtocol) {
        let parts = Self.split(String(text))
        guard let first = parts.first else { return nil }
        let names = first.split(separator: "/", omittingEmptySubsequences: false)
        guard names.count == 2, names.allSatisfy({ FieldText.isToken($0) }) else { return nil }
        essence = first.lowercased()
        var parameters: [Parameter] = []
        for part in parts.dropFirst() where !part.isEmpty {
            guard let equals = part.firstIndex(of: "=") else { continue }
            let name = FieldText.trimmed(part[..<equals])
            let value = FieldText.trimmed(part[part.index(after: equals)...])
            guard FieldText.isToken(name) else { return nil }
            let text = FieldText.unquoted(value) ?? (FieldText.isToken(value) ? String(value) : nil)
            guard let text else { continue }
            let isSafe = text.utf8.allSatisfy { $0 >= 0x20 && $0 < 0x7F } && !text.contains(" ;")
            guard isSafe else { return nil }
            parameters.append(Parameter(name: name.lowercased(), value: text))
        }
        self.parameters = parameters
    }

    /// The normal form.
    public var description: String {
        parameters.reduce(essence) { result, parameter in
            let value =
                FieldText.isToken(parameter.value)
                ? parameter.value
                : "\"" + parameter.value.reduce("") { $0 + ($1 == "\"" || $1 == "\\" ? "\\" : "") + String($1) } + "\""
            return result + "; \(parameter.name)=\(value)"
        }
    }

    /// The value of a parameter, or nil where there is none.
    public func parameter(_ name: String) -> String? { parameters.first { $0.name == name }?.value }

    /// The text's parts between semicolons that aren't in quotes, without white space around them.
    private static func split(_ text: String) -> [Substring] {
        var parts: [Substring] = []
        var start = text.startIndex
        var isQuoted = false
        var isEscaped = false
        for index in text.utf8.indices {
            let byte = text.utf8[index]
            if isEscaped {
                isEscaped = false
            } else if isQuoted, byte == UInt8(ascii: "\\") {
                isEscaped = true
            } else if byte == UInt8(ascii: "\"") {
                isQuoted.toggle()
            } else if byte == UInt8(ascii: ";"), !isQuoted {
                parts.append(FieldText.trimmed(text[start..<index]))
                start = text.utf8.index(after: index)
            }
        }
        parts.append(FieldText.trimmed(text[start...]))
        return parts
    }
}
