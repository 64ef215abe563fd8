internal import AFCCrawlRules
internal import AFCHTTP
internal import AFCOrigin
internal import AFCText
internal import HTTPTypes

/// A request header field that the user adds, written as `Name: value`.
enum UserField {
    /// Reads a field.
    ///
    /// - Parameters:
    ///   - text: `Name: value`.
    ///   - isSeen: Whether other users of the machine can see the text, as they can see a process's arguments.
    ///   - source: The subject of errors.
    /// - Returns: The field.
    /// - Throws: ``PackagingError`` if the text is not a field, or users may not set the field; the error contains no
    ///   value.
    static func parse(_ text: some StringProtocol, isSeen: Bool, source: String) throws(PackagingError) -> HTTPField {
        func failure(_ message: String, remedy: Remedy? = nil) -> PackagingError {
            PackagingError(.badOption, subject: source, message: message, remedy: remedy)
        }
        guard let colon = text.firstIndex(of: ":"), let name = HTTPField.Name(String(text[..<colon])) else {
            throw failure("not a header field; write 'Name: value', or '@FILE' for a file of such lines")
        }
        let canonical = name.canonicalName
        if let reason = refused[canonical] {
            let remedy: Remedy? = canonical == "cookie" ? .giveCookies : nil
            throw failure("'\(name.rawName)' can't be set: \(reason)", remedy: remedy)
        }
        if isSeen, canonical == "authorization" {
            throw failure(
                "other users can see passwords on the command line; put the line into a file, and write '@FILE'"
            )
        }
        let value = FieldText.trimmed(String(text[text.index(after: colon)...])[...])
        guard value.utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7F || $0 == 0x09 }) else {
            throw failure("the value of '\(name.rawName)' contains a control character")
        }
        return HTTPField(name: name, value: String(value))
    }

    private static let connection = "it describes the connection"
    private static let condition = "the response might not be the whole resource"
    private static let refused = [
        "accept-encoding": "the crawler asks for the codings that it can decode",
        "connection": connection, "content-length": connection, "expect": connection, "host": connection,
        "keep-alive": connection, "proxy-connection": connection, "te": connection, "trailer": connection,
        "transfer-encoding": connection, "upgrade": connection,
        "if-match": condition, "if-modified-since": condition, "if-none-match": condition, "if-range": condition,
        "if-unmodified-since": condition, "range": condition,
        "cookie": "put cookies in a cookie file",
        "proxy-authorization": "put 'user:password' in \(OriginProxy.variable)",
        "user-agent": "it has an option of its own",
    ]
}
