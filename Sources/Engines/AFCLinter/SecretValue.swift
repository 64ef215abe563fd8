/// Parameters that hold what only one person or program should know.
enum SecretValue {
    /// Whether a parameter is one: by its name, or by a value that can be nothing else.
    static func isOne(_ parameter: URLParameter) -> Bool {
        let name = parameter.name.lowercased()
        if names.contains(name) || randomNames.contains(name) && isRandom(parameter.value) { return true }
        return isSignedToken(parameter.value)
    }

    /// The names that make a value one, or may, in lower case.
    static let parameterNames = Array(names.union(randomNames))
    /// How a value begins that is one whatever its name.
    static let tokenStart = Array("eyJ".utf8)

    private static let names: Set<String> = [
        "access_token", "refresh_token", "id_token", "auth_token", "authtoken", "private_token", "api_key", "apikey",
        "api-key", "client_secret", "password", "passwd", "pwd", "x-amz-signature", "x-amz-security-token",
        "x-goog-signature", "awsaccesskeyid",
    ]
    /// Names that other things have, too.
    private static let randomNames: Set<String> = [
        "token", "secret", "auth", "sig", "signature", "bearer", "jwt",
    ]

    /// Whether a text is 20 or more letters and digits, both among them, as nobody writes them.
    private static func isRandom(_ value: String) -> Bool {
        var digits = 0
        var letters = 0
        for byte in value.utf8 {
            switch byte {
            case UInt8(ascii: "0")...UInt8(ascii: "9"): digits += 1
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"): letters += 1
            case UInt8(ascii: "-"), UInt8(ascii: "_"), UInt8(ascii: "."), UInt8(ascii: "%"), UInt8(ascii: "+"),
                UInt8(ascii: "/"),
                UInt8(ascii: "="):
                continue
            default: return false
            }
        }
        return digits + letters >= 20 && digits >= 4 && letters >= 4
    }

    /// Whether a text is a JSON Web Token (RFC 7519): two JSON objects and a signature in Base64, dots between them.
    private static func isSignedToken(_ value: String) -> Bool {
        guard value.hasPrefix("eyJ") else { return false }
        let parts = value.split(separator: ".", omittingEmptySubsequences: false)
        return parts.count == 3 && parts[1].hasPrefix("eyJ") && parts.allSatisfy { $0.utf8.count >= 10 }
    }
}
