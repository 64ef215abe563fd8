internal import AFCURL

/// Path and query of a URL as they are compared with the patterns of a `robots.txt` (RFC 9309 §2.2.2).
struct RobotsPath {
    /// Normalised, `*` and `$` percent-encoded (§2.2.3).
    let bytes: [UInt8]
    /// The same with the delimiters in the query as they stand, or nil where that makes no difference.
    let decodedQuery: [UInt8]?

    init(_ url: WebURL) {
        bytes = Self.normalized(url.requestTarget.utf8, isPattern: false)
        decodedQuery = Self.decodingQuery(bytes)
    }

    /// Bytes as they are compared.
    ///
    /// Those that a URL has encoded are percent-encoded (RFC 9309 §2.2.2 compares octets of URLs), `\` in a path is `/` as in
    /// URLs, escapes of unreserved bytes are undone, the other escapes in capitals. In a pattern `*`, and `$` at the end,
    /// stay.
    static func normalized(_ text: some Collection<UInt8>, isPattern: Bool) -> [UInt8] {
        let text = Array(text)
        var result: [UInt8] = []
        result.reserveCapacity(text.count)
        var index = 0
        var isQuery = false
        while index < text.count {
            var byte = text[index]
            if byte == UInt8(ascii: "?") { isQuery = true }
            if byte == UInt8(ascii: "\\"), !isQuery { byte = UInt8(ascii: "/") }
            if byte == UInt8(ascii: "%"), index + 2 < text.count,
                let value = PercentDecoding.byte(text[index + 1], text[index + 2])
            {
                if PercentDecoding.isUnreserved(value) {
                    result.append(value)
                } else {
                    PercentEncodeSet.appendEscape(value, to: &result)
                }
                index += 3
                continue
            }
            let isSpecial =
                byte == UInt8(ascii: "*") && !isPattern
                || byte == UInt8(ascii: "$") && !(isPattern && index == text.count - 1)
            if isSpecial || isEncoded(byte, isQuery: isQuery) {
                PercentEncodeSet.appendEscape(byte, to: &result)
            } else {
                result.append(byte)
            }
            index += 1
        }
        return result
    }

    /// Whether browsers and crawlers ask for a byte by its escape.
    private static func isEncoded(_ byte: UInt8, isQuery: Bool) -> Bool {
        if byte == UInt8(ascii: "#") || byte == UInt8(ascii: "?") { return false }
        if byte == UInt8(ascii: "|") { return !isQuery }
        return (isQuery ? PercentEncodeSet.specialQuery : .path).contains(byte)
    }

    /// The same with `:/?[]@` in the query unescaped, or nil where that makes no difference.
    ///
    /// RFC 9309 §2.2.2 takes `?u=https://a` and `?u=https%3A%2F%2Fa` for the same.
    static func decodingQuery(_ bytes: [UInt8]) -> [UInt8]? {
        guard let mark = bytes.firstIndex(of: UInt8(ascii: "?")),
            bytes[mark...].contains(UInt8(ascii: "%"))
        else { return nil }
        var result = Array(bytes[...mark])
        var index = mark + 1
        while index < bytes.count {
            if bytes[index] == UInt8(ascii: "%"), index + 2 < bytes.count,
                let value = PercentDecoding.byte(bytes[index + 1], bytes[index + 2]), queryDelimiters.contains(value)
            {
                result.append(value)
                index += 3
            } else {
                result.append(bytes[index])
                index += 1
            }
        }
        return result.count == bytes.count ? nil : result
    }

    private static let queryDelimiters = Array(":/?[]@".utf8)
}
