internal import AFCCrawlRules
internal import AFCCredentials
internal import AFCHTTP
internal import AFCText
internal import AFCURL

/// A credentials file with one line per origin.
///
///     # comment
///     https://docs.example basic user:password
///     https://docs.example:8443 bearer TOKEN
enum CredentialFile {
    /// Reads the file.
    ///
    /// - Parameters:
    ///   - bytes: The file's bytes.
    ///   - name: The file's name, for errors.
    /// - Returns: One credential for each line.
    /// - Throws: ``PackagingError`` with the number of a malformed line, but nothing of its text.
    static func credentials(_ bytes: [UInt8], name: String) throws(PackagingError) -> [OriginCredential] {
        var credentials: [OriginCredential] = []
        let lines = String(decoding: bytes, as: UTF8.self).split(
            omittingEmptySubsequences: false,
            whereSeparator: \.isNewline
        )
        for (number, line) in zip(1..., lines) {
            func failure(_ message: String) -> PackagingError {
                PackagingError(.badOption, subject: name, message: "line \(number): \(message)")
            }
            let words = line.split(maxSplits: 2, whereSeparator: { $0 == " " || $0 == "\t" }).map(String.init)
            guard let first = words.first, !first.hasPrefix("#") else { continue }
            guard words.count == 3 else {
                throw failure("write 'https://host basic user:password' or '… bearer TOKEN'")
            }
            guard let url = Self.origin(first) else {
                throw failure("the first word must be an origin such as 'https://host:port'")
            }
            let secret = String(FieldText.trimmed(words[2][...]))
            let credential: OriginCredential
            switch words[1].lowercased() {
            case "basic":
                do throws(BasicCredentials.Malformation) {
                    credential = OriginCredential(for: url, basic: try BasicCredentials(secret))
                } catch {
                    throw failure("invalid 'user:password': \(error)")
                }
            case "bearer":
                guard let bearer = OriginCredential(for: url, bearer: secret) else {
                    throw failure("the token contains a space or another character that tokens can't have")
                }
                credential = bearer
            default: throw failure("the second word must be 'basic' or 'bearer'")
            }
            guard !credentials.contains(where: { $0.origin == credential.origin }) else {
                throw failure("an earlier line has the same origin")
            }
            credentials.append(credential)
        }
        return credentials
    }

    private static func origin(_ text: String) -> WebURL? {
        do throws(WebURL.ParseError) {
            let url = try WebURL(text)
            return url.isHTTP && !url.hasCredentials && url.requestTarget == "/" ? url : nil
        } catch {
            return nil
        }
    }
}
