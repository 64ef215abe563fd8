internal import AFCText

/// The place at which an answer continues, as a text that clients give back unread.
///
/// It names the version that the beginning came from, so that a package which was replaced in the meantime is noticed.
/// It isn't signed: a forged one says nothing that its sender couldn't have asked for.
struct AnswerCursor: Equatable {
    /// The tool, or the method, that continues.
    let kind: String
    /// What must be the same as in the first call, such as the version.
    let subject: [String]
    /// The place: an offset, a number or a URL.
    let place: String

    /// The text for the client.
    var text: String {
        let value = JSONValue.array(([kind, place] + subject).map { .string($0) })
        return Base64.encode(Array(value.serialized.utf8))
    }

    /// Creates a cursor.
    init(_ kind: String, _ subject: [String], at place: String) {
        (self.kind, self.subject, self.place) = (kind, subject, place)
    }

    /// Reads the text of a cursor; nil for anything else.
    init?(_ text: String) {
        guard text.utf8.count <= Tool.Limits.cursor, let bytes = Base64.decode(text),
            case .array(let values)? = try? JSONValue(parsing: bytes), values.count >= 2
        else { return nil }
        let words = values.compactMap(\.string)
        guard words.count == values.count else { return nil }
        self.init(words[0], Array(words[2...]), at: words[1])
    }

    /// Returns the place of a client's cursor.
    ///
    /// - Parameters:
    ///   - text: The client's text; nil for the beginning.
    ///   - kind: The tool or the method.
    ///   - subject: What must be the same as in the first call.
    /// - Returns: The place; nil for the beginning.
    /// - Throws: ``ToolRefusal`` if the cursor is of another call, or the packages were changed.
    static func place(of text: String?, _ kind: String, _ subject: [String]) throws(ToolRefusal) -> String? {
        guard let text else { return nil }
        guard let cursor = AnswerCursor(text), cursor.kind == kind else {
            throw ToolRefusal("the cursor isn't one of this server's for '\(kind)'; leave it out to begin again")
        }
        guard cursor.subject == subject else {
            throw ToolRefusal(
                "the cursor belongs to a call with other arguments, or the package changed; call again without it"
            )
        }
        return cursor.place
    }
}
