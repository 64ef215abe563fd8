internal import AFCText

/// The result of a tool, in the forms that clients read: blocks of text, and a structured value.
///
/// Some clients give the model the blocks, others the structured value; so both are complete. In the structured value,
/// the text of pages is a JSON string, which can't end before its end.
struct ToolResult {
    /// What the server says: the citation, and what to do next.
    var said: [String]
    /// The text of pages; nil if there is none.
    var quoted: String?
    /// The same as a value.
    var structure: JSONValue

    /// The result of `tools/call`.
    ///
    /// - Parameter version: The revision of the protocol.
    /// - Returns: An object.
    func json(for version: ProtocolVersion) -> JSONValue {
        var lines = said
        var blocks: [JSONValue] = []
        if let quoted {
            let quotation = QuotedText()
            lines.append(quotation.notice)
            blocks.append(Self.block(quotation.quoted(QuotedText.visible(quoted))))
        }
        blocks.insert(Self.block(lines.joined(separator: "\n")), at: 0)
        var members: [(String, JSONValue)] = [("content", .array(blocks))]
        if version.hasStructure { members.append(("structuredContent", structure)) }
        members.append(("isError", .bool(false)))
        return .object(members)
    }

    /// The result of a call that can't be carried out, for the model that made it.
    static func refusal(_ sentence: String) -> JSONValue {
        .object([("content", .array([block(sentence)])), ("isError", .bool(true))])
    }

    private static func block(_ text: String) -> JSONValue {
        .object([("type", .string("text")), ("text", .string(text))])
    }
}
