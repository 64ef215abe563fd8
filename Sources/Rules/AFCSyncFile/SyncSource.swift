internal import AFCURL

/// The rules for the source of a package.
enum SyncSource {
    /// Returns the reason why a source can't be used, or nil if it can.
    static func problem(of from: String) -> String? {
        guard let colon = from.firstIndex(of: ":"), isScheme(from[..<colon]) else {
            return problem(ofPath: from)
        }
        guard from[colon...].hasPrefix("://") else { return nil }
        // The download checks the names of artifacts and objects.
        if from.hasPrefix("oci://") || from.hasPrefix("s3://") { return nil }
        guard from.hasPrefix("https://") || from.hasPrefix("http://") else {
            return "'from' must be a URL that begins with 'https://' or 'http://', or a path"
        }
        let url: WebURL
        do throws(WebURL.ParseError) {
            url = try WebURL(from)
        } catch {
            return "'from' is not a URL: \(error)"
        }
        return url.hasCredentials
            ? "everyone who can read this file would see the password in the URL; remove it" : nil
    }

    /// Returns the reason why a path can't be used, or nil if it can.
    static func problem(ofPath path: String?) -> String? {
        path?.hasPrefix("~") == true ? "'~' is not expanded; write the full path" : nil
    }

    private static func isScheme(_ text: Substring) -> Bool {
        guard let first = text.first, first.isASCII, first.isLetter else { return false }
        return text.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || "+-.".contains($0)) }
    }
}
