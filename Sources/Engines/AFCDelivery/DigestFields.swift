internal import AFCPackageFormat
internal import AFCText
internal import HTTPTypes

/// The SHA-256 that a server declares for a response.
enum DigestFields {
    /// Returns the digest of the whole package in lower-case hexadecimal digits; nil if none is declared.
    ///
    /// Repr-Digest (RFC 9530 §3) and its predecessor Digest (RFC 3230 §4.3.2) describe the whole package even in a 206.
    /// Content-Digest (RFC 9530 §2) describes the bytes sent, so it counts in a 200 only. Malformed values are
    /// ignored.
    static func sha256(_ fields: HTTPFields, status: Int) -> String? {
        for (name, isStructured) in [("Repr-Digest", true), ("Content-Digest", true), ("Digest", false)] {
            guard name != "Content-Digest" || status == 200, let name = HTTPField.Name(name) else { continue }
            for value in fields[values: name] {
                if let digest = sha256(value, isStructured: isStructured) { return digest }
            }
        }
        return nil
    }

    /// Parses `sha-256=:…:` as a member of a dictionary (RFC 8941 §3.2), or `SHA-256=…` as an element of a list.
    private static func sha256(_ value: String, isStructured: Bool) -> String? {
        for member in value.split(separator: ",") {
            let text = member.filter { $0 != " " && $0 != "\t" }
            guard text.lowercased().hasPrefix("sha-256=") else { continue }
            var base64 = text.dropFirst("sha-256=".count)
            if isStructured {
                // Parameters may follow; none is defined.
                base64 = base64.prefix { $0 != ";" }
                guard base64.count > 2, base64.first == ":", base64.last == ":" else { continue }
                base64 = base64.dropFirst().dropLast()
            }
            if let bytes = Base64.decode(base64), bytes.count == 32 { return Hexadecimal.text(bytes) }
        }
        return nil
    }
}
