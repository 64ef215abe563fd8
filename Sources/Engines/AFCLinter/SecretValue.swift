internal import AFCURL

/// Parameters whose values only one person or program should know.
enum SecretValue {
    /// Returns true if a parameter is a secret by its name, or by a value that can be nothing else.
    static func isOne(_ parameter: URLParameter) -> Bool {
        let name = parameter.name.lowercased()
        if names.contains(name) || randomNames.contains(name) && isRandom(parameter.value) { return true }
        return isSignedToken(parameter.value)
    }

    /// The names, in lower case, of parameters that are secrets or may be.
    static let parameterNames = Array(names.union(randomNames))
    /// The start of a value that is a secret under any name.
    static let tokenStart = Array("eyJ".utf8)

    private static let names: Set<String> = [
        "access_token", "refresh_token", "id_token", "auth_token", "authtoken", "private_token", "api_key", "apikey",
        "api-key", "client_secret", "password", "passwd", "pwd", "x-amz-signature", "x-amz-security-token",
        "x-goog-signature", "awsaccesskeyid",
    ]
    /// Names that are also used for other things.
    private static let randomNames: Set<String> = [
        "token", "secret", "auth", "sig", "signature", "bearer", "jwt",
    ]

    private static func isRandom(_ value: String) -> Bool {
        ReaderParameter.isRandom(value, least: 20, each: 4, signs: "-_.%+/=")
    }

    /// Returns true if a text is a JSON Web Token (RFC 7519): two JSON objects and a signature in Base64, with dots.
    private static func isSignedToken(_ value: String) -> Bool {
        guard value.hasPrefix("eyJ") else { return false }
        let parts = value.split(separator: ".", omittingEmptySubsequences: false)
        return parts.count == 3 && parts[1].hasPrefix("eyJ") && parts.allSatisfy { $0.utf8.count >= 10 }
    }
}
