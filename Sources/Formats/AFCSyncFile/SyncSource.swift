internal import AFCURL

/// The rules for where a package comes from, and for its name.
enum SyncSource {
    /// Why packages don't come from there; nil where they may.
    static func problem(of from: String) -> String? {
        guard let colon = from.firstIndex(of: ":"), isScheme(from[..<colon]) else {
            return from.hasPrefix("~")
                ? "'~' isn't expanded here; write the whole path" : nil
        }
        guard from[colon...].hasPrefix("://") else { return nil }
        guard from.hasPrefix("https://") || from.hasPrefix("http://") else {
            return "packages come from 'https://…', 'http://…' or a path"
        }
        let url: WebURL
        do throws(WebURL.ParseError) {
            url = try WebURL(from)
        } catch {
            return "'from' is not a URL: \(error)"
        }
        return url.hasCredentials
            ? "a URL with a password in it is seen by everybody who sees this file; leave it out" : nil
    }

    /// Whether a store takes the name: one line that people can read, of 1 to 255 bytes.
    static func isName(_ name: String) -> Bool {
        let isPlain = name.unicodeScalars.allSatisfy { scalar in
            switch scalar.properties.generalCategory {
            case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate: false
            default: true
            }
        }
        return !name.isEmpty && name.utf8.count <= 255 && isPlain
    }

    private static func isScheme(_ text: Substring) -> Bool {
        guard let first = text.first, first.isASCII, first.isLetter else { return false }
        return text.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || "+-.".contains($0)) }
    }
}
