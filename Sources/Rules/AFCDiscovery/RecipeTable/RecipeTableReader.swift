/// Reads files of recipes, and checks them.
struct RecipeTableReader {
    private let text: ScanBuffer

    /// The largest number of texts or patterns for one key.
    private static let maxItems = 32
    /// The longest text, in bytes.
    private static let maxLength = 512

    /// The keys of a row.
    private static let keys = [
        "name", "in", "file", "generator", "loads", "element", "inline", "text", "unlessText", "read", "where",
        "starts", "ends", "contains", "without", "cut", "add", "base", "as", "guess", "link", "limit",
    ]

    /// Returns the rows of a file.
    static func rows(of bytes: [UInt8]) throws(RecipeTableError) -> [RecipeRow] {
        // A closure with a typed error can't be inferred, so the result is passed out.
        let result = bytes.withUnsafeBufferPointer { buffer in
            Result { () throws(RecipeTableError) in try RecipeTableReader(text: ScanBuffer(buffer)).rows() }
        }
        return try result.get()
    }

    private func error(_ message: String, at offset: Int) -> RecipeTableError {
        RecipeTableError(message, at: offset, in: text)
    }

    private func rows() throws(RecipeTableError) -> [RecipeRow] {
        guard text.count <= RecipeTable.byteLimit else {
            throw error("the file has more than \(RecipeTable.byteLimit) bytes; split it", at: 0)
        }
        let table = try RecipeJSON(text)
        guard case .object(let members) = table.value else {
            throw error("the table must be an object with 'version' and 'recipes'", at: table.offset)
        }
        for member in members where member.key != "version" && member.key != "recipes" {
            throw error("unknown key '\(member.key)'; a table has 'version' and 'recipes'", at: member.offset)
        }
        guard let version = members.first(where: { $0.key == "version" })?.value else {
            throw error("'version' is missing; add \"version\": 1", at: table.offset)
        }
        guard case .scalar("1") = version.value else {
            throw error("this program knows version 1 of recipes only", at: version.offset)
        }
        guard case .array(let items)? = members.first(where: { $0.key == "recipes" })?.value.value else {
            throw error("'recipes' is missing, or no list", at: table.offset)
        }
        guard items.count <= RecipeTable.rowLimit else {
            throw error("there are more than \(RecipeTable.rowLimit) recipes; remove some", at: table.offset)
        }
        var rows: [RecipeRow] = []
        for item in items { rows.append(try row(item)) }
        return rows
    }

    private func row(_ item: RecipeJSON) throws(RecipeTableError) -> RecipeRow {
        guard case .object(let members) = item.value else { throw error("a recipe must be an object", at: item.offset) }
        for member in members where !Self.keys.contains(member.key) {
            throw error(
                "unknown key '\(member.key)'; a recipe has \(Self.keys.joined(separator: ", "))",
                at: member.offset
            )
        }
        func value(_ key: String) -> RecipeJSON? { members.first { $0.key == key }?.value }
        var row = RecipeRow(recipe: Recipe(try name(value("name"), item)), place: try place(value("in"), item))
        row.files = try globs("file", value("file"))
        row.generators = try strings("generator", value("generator"))
        row.loads = try globs("loads", value("loads"))
        row.element = try value("element").map { (item) throws(RecipeTableError) in try string("element", item) }
        row.inline = try strings("inline", value("inline")).map { Array($0.utf8) }
        row.texts = try strings("text", value("text")).map { Array($0.utf8) }
        row.absentTexts = try strings("unlessText", value("unlessText")).map { Array($0.utf8) }
        if let read = value("read") { row.source = try source(read, row) }
        row.members = try pairs(value("where"))
        row.starts = try strings("starts", value("starts"))
        row.ends = try strings("ends", value("ends"))
        row.contains = try strings("contains", value("contains"))
        row.without = try strings("without", value("without"))
        row.cut = try value("cut").map { (item) throws(RecipeTableError) in try string("cut", item) }
        if let cut = row.cut, !cut.utf8.allSatisfy({ $0 < 0x80 }) {
            throw error("'cut' must be ASCII", at: value("cut")?.offset ?? item.offset)
        }
        guard let add = value("add") else {
            throw error(
                "'add' is missing; it lists the addresses that follow, for example \"{}index.json\"",
                at: item.offset
            )
        }
        row.templates = try templates(add, row)
        if let base = value("base") { row.base = try choice("base", base) }
        if let loads = value("as") { row.destination = try choice("as", loads) }
        row.isGuess = try flag("guess", value("guess"))
        row.isLink = try flag("link", value("link"))
        if let limit = value("limit") { row.limit = try number(limit, row) }
        try check(row, item)
        return row
    }

    /// Checks the parts of a row together.
    private func check(_ row: RecipeRow, _ item: RecipeJSON) throws(RecipeTableError) {
        if row.place == .page {
            guard row.files.isEmpty else {
                throw error(
                    "'file' is for scripts and data; a page has 'generator', 'loads', 'element' or 'inline'",
                    at: item.offset
                )
            }
            let isMarked = !row.generators.isEmpty || !row.loads.isEmpty || row.element != nil || !row.inline.isEmpty
            guard isMarked || !row.texts.isEmpty else {
                throw error(
                    "nothing says which pages are meant; add 'generator', 'loads', 'element', 'inline' or 'text'",
                    at: item.offset
                )
            }
        } else {
            guard !row.files.isEmpty else {
                throw error(
                    "'file' is missing; it says which files are meant, for example \"search.js\"",
                    at: item.offset
                )
            }
            guard row.generators.isEmpty, row.loads.isEmpty, row.element == nil, row.inline.isEmpty else {
                throw error("'generator', 'loads', 'element' and 'inline' are for pages; use 'text'", at: item.offset)
            }
        }
        guard !row.isGuess || !row.isLink else {
            throw error(
                "a recipe is either a guess or a link; a guess 'as' a document is followed, too",
                at: item.offset
            )
        }
    }

    // MARK: Sources

    private func source(_ item: RecipeJSON, _ row: RecipeRow) throws(RecipeTableError) -> RecipeRow.Source {
        guard case .object(let members) = item.value else { throw error("'read' must be an object", at: item.offset) }
        let kinds = ["after", "strings", "attribute", "meta", "json", "keys", "objects", "loads", "markdown"]
        let options = ["until", "from"]
        for member in members where !kinds.contains(member.key) && !options.contains(member.key) {
            throw error(
                "unknown key '\(member.key)'; 'read' has one of \(kinds.joined(separator: ", "))",
                at: member.offset
            )
        }
        let found = members.filter { kinds.contains($0.key) }
        guard found.count == 1, let kind = found.first else {
            throw error("'read' must have one of \(kinds.joined(separator: ", "))", at: item.offset)
        }
        let until = members.first { $0.key == "until" }?.value
        let from = members.first { $0.key == "from" }?.value
        guard until == nil || kind.key == "after" else { throw error("'until' belongs to 'after'", at: kind.offset) }
        guard from == nil || ["json", "keys", "objects"].contains(kind.key) else {
            throw error("'from' belongs to 'json', 'keys' and 'objects'", at: kind.offset)
        }
        let isForPages = ["attribute", "meta", "loads"].contains(kind.key)
        guard !isForPages || row.place == .page else {
            throw error("'\(kind.key)' is for pages", at: kind.offset)
        }
        switch kind.key {
        case "after":
            var marks: [TextMark] = []
            for text in try strings(kind.key, kind.value) { marks.append(try mark(kind.key, text, kind.value)) }
            return .after(marks, until: try byte(until))
        case "strings", "markdown":
            guard try flag(kind.key, kind.value) else {
                throw error("'\(kind.key)' must be true", at: kind.value.offset)
            }
            return kind.key == "strings" ? .strings : .markdown
        case "attribute": return .attribute(Array(try string(kind.key, kind.value).utf8))
        case "meta": return .meta(Array(try string(kind.key, kind.value).utf8))
        case "loads":
            let globs = try globs(kind.key, kind.value)
            guard globs.count == 1 else { throw error("'loads' in 'read' must be one pattern", at: kind.value.offset) }
            return .loads(globs[0])
        default:
            let taken: JSONPathWalk.Taken = kind.key == "json" ? .strings : kind.key == "keys" ? .keys : .objects
            let walk = JSONPathWalk(steps: try steps(kind.key, kind.value), taken: taken)
            return .json(
                walk,
                from: try from.map { (item) throws(RecipeTableError) in try mark("from", item) }
            )
        }
    }

    /// Reads a path such as `resources.*.name`, or the list of its names.
    private func steps(_ key: String, _ item: RecipeJSON) throws(RecipeTableError) -> [JSONPathWalk.Step] {
        var names: [String] = []
        if case .array = item.value {
            names = try strings(key, item)
        } else if case .string("") = item.value {
            names = []
        } else {
            names = try string(key, item).split(separator: ".", omittingEmptySubsequences: false).map(String.init)
        }
        guard names.count <= 16, !names.contains("") else {
            throw error("'\(key)' must be a path such as \"files.*.name\", with at most 16 names", at: item.offset)
        }
        return names.map { $0 == "*" ? .any : .key($0) }
    }

    private func mark(_ key: String, _ item: RecipeJSON) throws(RecipeTableError) -> TextMark {
        try mark(key, try string(key, item), item)
    }

    private func mark(_ key: String, _ text: String, _ item: RecipeJSON) throws(RecipeTableError) -> TextMark {
        guard text.utf8.count <= 128, let mark = TextMark(text) else {
            throw error("'\(key)' must have 1 to 128 characters other than spaces", at: item.offset)
        }
        return mark
    }

    private func byte(_ item: RecipeJSON?) throws(RecipeTableError) -> UInt8? {
        guard let item else { return nil }
        let text = try string("until", item)
        guard text.utf8.count == 1 else { throw error("'until' must be one ASCII character", at: item.offset) }
        return text.utf8.first
    }

    // MARK: Addresses

    private func templates(_ item: RecipeJSON, _ row: RecipeRow) throws(RecipeTableError) -> [AddressTemplate] {
        var templates: [AddressTemplate] = []
        for text in try strings("add", item) {
            guard let template = AddressTemplate(text) else {
                throw error(
                    "\"\(text)\" has an unknown place; places are {}, {1} to {4}, {.member}, {query} and {*}",
                    at: item.offset
                )
            }
            for part in template.parts {
                guard let problem = problem(with: part, row.source) else { continue }
                throw error("\"\(text)\": \(problem)", at: item.offset)
            }
            templates.append(template)
        }
        guard !templates.isEmpty else { throw error("'add' is empty", at: item.offset) }
        return templates
    }

    /// Returns what is wrong with a place in a template, or nil.
    private func problem(with part: AddressTemplate.Part, _ source: RecipeRow.Source) -> String? {
        switch (part, source) {
        case (.literal, _), (.query, .loads), (.star, .loads), (.member, .json(_, _)): nil
        case (.value, .nothing): "there is no value without 'read'; remove {}"
        case (.value, .json(let walk, _)) where walk.taken == .objects: "an object has members only; use {.name}"
        case (.value, _): nil
        case (.key(let index), .json(let walk, _)):
            walk.steps.count { $0 == .any } > index ? nil : "the path has too few '*' for {\(index + 1)}"
        case (.key, _): "{1} to {4} need a path in JSON"
        case (.member, _): "{.member} needs 'objects'"
        case (.query, _), (.star, _): "{query} and {*} need 'loads' in 'read'"
        }
    }

    // MARK: Values

    private func name(_ value: RecipeJSON?, _ item: RecipeJSON) throws(RecipeTableError) -> String {
        guard let value else { throw error("'name' is missing; reports show it", at: item.offset) }
        let name = try string("name", value)
        let isPlain = name.utf8.allSatisfy { $0.isDigit || $0 == UInt8(ascii: "-") || $0.isLetter && $0 >= 0x61 }
        guard isPlain, name.utf8.count <= 32 else {
            throw error("'name' must have at most 32 characters: a to z, digits and '-'", at: value.offset)
        }
        return name
    }

    private func place(_ value: RecipeJSON?, _ item: RecipeJSON) throws(RecipeTableError) -> RecipeRow.Place {
        guard let value else { throw error("'in' is missing; it is 'page', 'script' or 'data'", at: item.offset) }
        return try choice("in", value)
    }

    private func choice<Choice: RawRepresentable & CaseIterable>(
        _ key: String,
        _ item: RecipeJSON
    ) throws(RecipeTableError) -> Choice where Choice.RawValue == String {
        let text = try string(key, item)
        guard let choice = Choice(rawValue: text) else {
            let choices = Choice.allCases.map { "'\($0.rawValue)'" }.joined(separator: ", ")
            throw error("'\(key)' can't be '\(text)'; it is one of \(choices)", at: item.offset)
        }
        return choice
    }

    private func string(_ key: String, _ item: RecipeJSON) throws(RecipeTableError) -> String {
        guard case .string(let text) = item.value else { throw error("'\(key)' must be a text", at: item.offset) }
        guard !text.isEmpty, text.utf8.count <= Self.maxLength else {
            throw error("'\(key)' must have 1 to \(Self.maxLength) bytes", at: item.offset)
        }
        return text
    }

    /// Reads a text, or a list of texts; none if the key is missing.
    private func strings(_ key: String, _ item: RecipeJSON?) throws(RecipeTableError) -> [String] {
        guard let item else { return [] }
        guard case .array(let items) = item.value else { return [try string(key, item)] }
        guard !items.isEmpty, items.count <= Self.maxItems else {
            throw error("'\(key)' must have 1 to \(Self.maxItems) texts", at: item.offset)
        }
        var texts: [String] = []
        for item in items { texts.append(try string(key, item)) }
        return texts
    }

    private func globs(_ key: String, _ item: RecipeJSON?) throws(RecipeTableError) -> [PathGlob] {
        guard let item else { return [] }
        var globs: [PathGlob] = []
        for text in try strings(key, item) {
            guard let glob = PathGlob(text) else {
                throw error(
                    "\"\(text)\" is no pattern for the end of a path; it has no empty segments and one '*' in each at most",
                    at: item.offset
                )
            }
            globs.append(glob)
        }
        return globs
    }

    private func pairs(_ item: RecipeJSON?) throws(RecipeTableError) -> [(String, String)] {
        guard let item else { return [] }
        guard case .object(let members) = item.value, members.count <= 8 else {
            throw error("'where' must be an object with at most 8 members", at: item.offset)
        }
        var pairs: [(String, String)] = []
        for member in members { pairs.append((member.key, try string(member.key, member.value))) }
        return pairs
    }

    private func flag(_ key: String, _ item: RecipeJSON?) throws(RecipeTableError) -> Bool {
        switch item?.value {
        case nil: return false
        case .scalar("true"): return true
        case .scalar("false"): return false
        default: throw error("'\(key)' must be true or false", at: item?.offset ?? 0)
        }
    }

    private func number(_ item: RecipeJSON, _ row: RecipeRow) throws(RecipeTableError) -> Int {
        guard row.isGuess else { throw error("'limit' is for guesses; add \"guess\": true", at: item.offset) }
        guard case .scalar(let text) = item.value, let number = Int(text), (1...1_024).contains(number) else {
            throw error("'limit' must be a number from 1 to 1024", at: item.offset)
        }
        return number
    }
}
