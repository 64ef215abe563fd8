internal import AFCCredentials
internal import AFCHTTP
internal import AFCURL

/// A `cookies.txt` file in Netscape's format, as browser extensions, curl and wget write it.
enum CookieFile {
    /// A line that is not a cookie; the error contains no value.
    struct Malformation: Error, Equatable {
        /// The line's number, from 1.
        var line: Int
        /// The reason; lower case, no full stop.
        var message: String
    }

    /// Reads the file, whose lines have seven tab-separated fields.
    ///
    /// The fields are the domain, whether hosts below it get the cookie, the path, whether only https does, the expiry
    /// in seconds since 1970 (0: at the end of the crawl), the name and the value. An empty value may be missing,
    /// `#HttpOnly_` may precede the domain, and other lines that start with `#` are comments.
    static func cookies(_ bytes: [UInt8]) throws(Malformation) -> [Cookie] {
        var cookies: [Cookie] = []
        let text = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? bytes[3...] : bytes[...]
        let lines = text.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
        for (number, line) in zip(1..., lines) {
            let line = line.last == UInt8(ascii: "\r") ? line.dropLast() : line
            if let cookie = try cookie(String(decoding: line, as: UTF8.self), number) { cookies.append(cookie) }
        }
        return cookies
    }

    private static func cookie(_ line: String, _ number: Int) throws(Malformation) -> Cookie? {
        let mark = "#HttpOnly_"
        let text = line.hasPrefix(mark) ? line.dropFirst(mark.count) : line[...]
        guard !text.allSatisfy({ $0 == " " || $0 == "\t" }), line.hasPrefix(mark) || !text.hasPrefix("#") else {
            return nil
        }
        let fields = text.split(separator: "\t", maxSplits: 6, omittingEmptySubsequences: false).map(String.init)
        guard fields.count == 7 || fields.count == 6 else {
            throw Malformation(line: number, message: "it doesn't have seven tab-separated fields")
        }
        guard let below = boolean(fields[1]), let isSecure = boolean(fields[3]) else {
            throw Malformation(line: number, message: "the second and fourth fields must be TRUE or FALSE")
        }
        guard let seconds = Int64(fields[4]) ?? Double(fields[4]).flatMap({ Int64(exactly: $0.rounded(.down)) }) else {
            throw Malformation(line: number, message: "the fifth field is not a number of seconds")
        }
        let domain = fields[0].hasPrefix(".") ? String(fields[0].dropFirst()) : fields[0]
        guard let url = WebURL(httpsHost: domain), let host = url.host else {
            throw Malformation(line: number, message: "the first field is not a domain")
        }
        guard fields[2].hasPrefix("/") else {
            throw Malformation(line: number, message: "the third field is not a path")
        }
        let value = Secret(fields.count == 7 ? fields[6] : "")
        guard Secret(fields[5]).isFieldValue, value.isFieldValue, !fields[5].contains(where: { ";=".contains($0) }),
            !value.value.contains(";"), fields[5].utf8.count + value.value.utf8.count <= SetCookie.byteLimit
        else { throw Malformation(line: number, message: "the name or value isn't allowed in a Cookie field") }
        return Cookie(
            name: fields[5],
            value: value,
            domain: host,
            // A cookie for a public suffix would be sent to unrelated sites.
            isHostOnly: !below || url.hostKind != .domain || CookieStore.isPublicSuffix(url),
            path: fields[2],
            isSecure: isSecure,
            expires: seconds == 0 ? nil : Timestamp(secondsSinceEpoch: seconds)
        )
    }

    private static func boolean(_ text: String) -> Bool? {
        switch text.uppercased() {
        case "TRUE": true
        case "FALSE": false
        default: nil
        }
    }
}
