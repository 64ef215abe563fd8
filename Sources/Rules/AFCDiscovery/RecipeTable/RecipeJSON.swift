/// A value in a file of recipes, with its place.
struct RecipeJSON {
    enum Value {
        case object([(key: String, offset: Int, value: RecipeJSON)])
        case array([RecipeJSON])
        case string(String)
        /// A number, `true`, `false` or `null`, as written.
        case scalar(String)
    }

    var value: Value
    /// The place of the value in the file.
    var offset: Int

    /// The deepest nesting in a file of recipes.
    private static let maxDepth = 8

    /// Reads a file.
    init(_ text: ScanBuffer) throws(RecipeTableError) {
        var scanner = JSONScanner(text)
        self = try Self.value(&scanner, text, 0)
        guard try Self.next(&scanner, text) == nil else {
            throw RecipeTableError("something follows the table; remove it", at: scanner.position, in: text)
        }
    }

    private init(_ value: Value, at offset: Int) {
        self.value = value
        self.offset = offset
    }

    private static func next(
        _ scanner: inout JSONScanner,
        _ text: ScanBuffer
    ) throws(RecipeTableError) -> JSONScanner.Token? {
        do throws(JSONScanner.Malformed) {
            return try scanner.next()
        } catch {
            let message = "this is not JSON; check quotes, commas and brackets before this place"
            throw RecipeTableError(message, at: error.offset, in: text)
        }
    }

    private static func value(
        _ scanner: inout JSONScanner,
        _ text: ScanBuffer,
        _ depth: Int
    ) throws(RecipeTableError) -> RecipeJSON {
        let before = scanner.position
        let token = try next(&scanner, text)
        return try value(token, from: before, &scanner, text, depth)
    }

    private static func value(
        _ token: JSONScanner.Token?,
        from before: Int,
        _ scanner: inout JSONScanner,
        _ text: ScanBuffer,
        _ depth: Int
    ) throws(RecipeTableError) -> RecipeJSON {
        guard depth < maxDepth else {
            throw RecipeTableError("brackets are nested too deeply", at: scanner.position, in: text)
        }
        switch token {
        case .string:
            return RecipeJSON(.string(decoded(text, scanner.range)), at: scanner.range.lowerBound)
        case .scalar:
            let written = text.string(before..<scanner.position).split { ",: \n\r\t[".contains($0) }.last
            return RecipeJSON(.scalar(written.map(String.init) ?? ""), at: scanner.position - 1)
        case .arrayStart:
            let start = scanner.position - 1
            var items: [RecipeJSON] = []
            while true {
                let before = scanner.position
                let token = try next(&scanner, text)
                if token == .arrayEnd { return RecipeJSON(.array(items), at: start) }
                items.append(try value(token, from: before, &scanner, text, depth + 1))
            }
        case .objectStart:
            let start = scanner.position - 1
            var members: [(key: String, offset: Int, value: RecipeJSON)] = []
            while try next(&scanner, text) == .key {
                let key = decoded(text, scanner.range)
                let offset = scanner.range.lowerBound
                guard !members.contains(where: { $0.key == key }) else {
                    throw RecipeTableError("the key '\(key)' occurs twice; remove one", at: offset, in: text)
                }
                members.append((key, offset, try value(&scanner, text, depth + 1)))
            }
            return RecipeJSON(.object(members), at: start)
        case .objectEnd, .arrayEnd, .key, nil:
            throw RecipeTableError("a value is missing", at: scanner.position, in: text)
        }
    }

    private static func decoded(_ text: ScanBuffer, _ range: Range<Int>) -> String {
        JavaScriptText.string(text, range) ?? text.string(range)
    }
}
