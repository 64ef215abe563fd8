internal import AFCPackageFormat
internal import AFCText
internal import HTTPTypes

/// The SHA-256 that a server declares of what it sends.
enum DigestFields {
    /// The digest of the whole package in lower-case hexadecimal digits; nil where none is declared.
    ///
    /// Read are Repr-Digest (RFC 9530 §3) and its predecessor Digest (RFC 3230 §4.3.2), which both are of the whole also in
    /// a 206; Content-Digest (RFC 9530 §2) is of what is sent, so it counts in a 200 only. Whatever isn't understood is
    /// as good as not there.
    static func sha256(_ fields: HTTPFields, status: Int) -> String? {
        for (name, isStructured) in [("Repr-Digest", true), ("Content-Digest", true), ("Digest", false)] {
            guard name != "Content-Digest" || status == 200, let name = HTTPField.Name(name) else { continue }
            for value in fields[values: name] {
                if let digest = sha256(value, isStructured: isStructured) { return digest }
            }
        }
        return nil
    }

    /// `sha-256=:…:` as a member of a dictionary (RFC 8941 §3.2), or `SHA-256=…` as an element of a list.
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
