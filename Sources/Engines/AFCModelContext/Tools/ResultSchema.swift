internal import AFCText

/// The JSON Schemas (2020-12) of what the tools return.
enum ResultSchema {
    static let sites = object(
        [
            (
                "sites",
                list(
                    object(
                        [
                            ("site", text), ("start", text), ("title", text), ("pages", number), ("withheld", number),
                            ("resources", number),
                            (
                                "versions",
                                list(
                                    object(
                                        [("version", text), ("package", text), ("date", text), ("resources", number)],
                                        required: ["version", "package", "date", "resources"]
                                    )
                                )
                            ),
                            (
                                "earlier",
                                list(
                                    object(
                                        [("version", text), ("package", text), ("date", text)],
                                        required: ["version", "package", "date"]
                                    )
                                )
                            ),
                        ],
                        required: ["site", "resources", "versions"]
                    )
                )
            ),
            ("omitted", number),
        ],
        required: ["sites"]
    )

    static let search = object(
        [
            (
                "results",
                list(
                    object(
                        [("title", text), ("snippet", text), ("source", source)],
                        required: ["title", "snippet", "source"]
                    )
                )
            ),
            ("found", number), ("withheld", number), ("note", text),
        ],
        required: ["results", "found"]
    )

    static let page = object(
        [
            ("source", source), ("title", text), ("format", text), ("text", text),
            (
                "outline",
                list(
                    object(
                        [("level", number), ("text", text), ("anchor", text)],
                        required: ["level", "text"]
                    )
                )
            ),
            ("cursor", text), ("note", text),
        ],
        required: ["source", "title", "format", "text"]
    )

    static let pages = object(
        [
            (
                "pages",
                list(
                    object(
                        [
                            ("url", text), ("version", text), ("type", text), ("size", number), ("modified", text),
                            ("withheld", text),
                        ],
                        required: ["url", "version", "type", "size"]
                    )
                )
            ),
            ("cursor", text),
        ],
        required: ["pages"]
    )

    static let changes = object(
        [
            ("from", version), ("to", version), ("added", number), ("removed", number), ("changed", number),
            ("equal", number),
            (
                "changes",
                list(
                    object(
                        [("change", text), ("url", text), ("size", number)],
                        required: ["change", "url"]
                    )
                )
            ),
            ("cursor", text),
        ],
        required: ["from", "to", "added", "removed", "changed", "equal", "changes"]
    )

    private static let text = JSONValue.object([("type", .string("string"))])
    private static let number = JSONValue.object([("type", .string("integer"))])

    private static let version = object(
        [("version", text), ("package", text), ("date", text)],
        required: ["version", "package", "date"]
    )

    /// The schema of a ``Citation``.
    private static let source = object(
        [
            ("url", text), ("package", text), ("version", text), ("packaged", text), ("fetched", text),
            ("modified", text), ("freshness", text), ("until", text), ("since", text),
            ("usage", text),
        ],
        required: ["url", "package", "version", "packaged", "freshness"]
    )

    private static func object(_ members: [(String, JSONValue)], required: [String]) -> JSONValue {
        .object([
            ("type", .string("object")), ("properties", .object(members)),
            ("required", .array(required.map { .string($0) })),
        ])
    }

    private static func list(_ elements: JSONValue) -> JSONValue {
        .object([("type", .string("array")), ("items", elements)])
    }
}
