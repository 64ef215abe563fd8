internal import AFCURL

/// A table of recipes: rows that say where kinds of sites name their files, and how.
///
/// Its format is specified in docs/reference/recipes.md. A row reads only texts that discovery reads anyway, and takes
/// linear time.
public struct RecipeTable: Sendable {
    /// The rows that this program has.
    public static let builtIn: RecipeTable = {
        do throws(RecipeTableError) {
            return RecipeTable(rows: try RecipeTableReader.rows(of: Array(BuiltInRecipes.text.utf8)))
        } catch {
            preconditionFailure("the built-in recipes are malformed: \(error)")
        }
    }()

    /// The largest size of a file, in bytes.
    public static let byteLimit = 1_048_576
    /// The largest number of rows that may be added.
    static let rowLimit = 1_000

    /// The files that were added, in order, to tell tables apart; empty for the built-in rows alone.
    public private(set) var added: [[UInt8]] = []
    private(set) var rows: [RecipeRow] { didSet { rowsByPlace = Dictionary(grouping: rows, by: \.place) } }
    private var rowsByPlace: [RecipeRow.Place: [RecipeRow]]

    private init(rows: [RecipeRow]) {
        self.rows = rows
        rowsByPlace = Dictionary(grouping: rows, by: \.place)
    }

    /// Adds the rows of a file.
    ///
    /// - Parameter file: The content of the file.
    /// - Throws: ``RecipeTableError`` if it is malformed, or there are too many rows.
    public mutating func add(_ file: [UInt8]) throws(RecipeTableError) {
        let new = try RecipeTableReader.rows(of: file)
        guard rows.count - Self.builtIn.rows.count + new.count <= Self.rowLimit else {
            var error = RecipeTableError("", at: 0, in: file.withUnsafeBufferPointer { ScanBuffer($0) })
            error.message = "there are more than \(Self.rowLimit) recipes; remove some"
            throw error
        }
        rows += new
        added.append(file)
    }

    // MARK: Reading

    /// Returns true if a row reads data files of a name.
    func isData(named name: Substring) -> Bool {
        rows.contains { row in row.place == .data && row.files.contains { $0.matches(name: name) } }
    }

    /// Returns the references that all rows find in a page.
    func references(in page: RecipePage) -> [Reference] {
        let facts = RecipePageFacts(page)
        return collect(.page) { row, found in
            guard facts.satisfies(row) else { return }
            facts.read(row, &found)
        }
    }

    /// Returns the references that all rows find in a script.
    func references(in script: RecipeScript) -> [Reference] {
        references(in: script.text, at: script.url, .script)
    }

    /// Returns the references that all rows find in a data file.
    func references(in data: RecipeData) -> [Reference] { references(in: data.text, at: data.url, .data) }

    private func references(in text: ScanBuffer, at url: WebURL, _ place: RecipeRow.Place) -> [Reference] {
        let path = Array(url.path.utf8)[...]
        return collect(place) { row, found in
            guard row.files.contains(where: { $0.match(path) != nil }), row.texts.allSatisfy(text.contains),
                !row.absentTexts.contains(where: text.contains)
            else { return }
            var reader = RecipeValueReader(row: row, found: found)
            reader.read(text, offset: 0, isModule: true)
            found = reader.found
        }
    }

    private func collect(
        _ place: RecipeRow.Place,
        _ read: (RecipeRow, inout RecipeReferences) -> Void
    ) -> [Reference] {
        var references: [Reference] = []
        var found: RecipeReferences?
        // Rows of one recipe follow one another and share its limit for guesses.
        for row in rowsByPlace[place] ?? [] {
            if found?.recipe != row.recipe {
                references += found?.references ?? []
                found = RecipeReferences(row.recipe)
            }
            if var list = found {
                found = nil
                read(row, &list)
                found = list
            }
        }
        return references + (found?.references ?? [])
    }
}

/// What rows ask of a page.
private struct RecipePageFacts {
    /// A file that the page loads.
    private struct Load {
        var path: [UInt8]
        var query: String
        var offset: Int
    }

    /// The largest number of files that rows are compared with.
    private static let maxLoads = 2_000

    private let page: RecipePage
    private let loads: [Load]
    private let scripts: [Range<Int>]

    init(_ page: RecipePage) {
        self.page = page
        var loads: [Load] = []
        for reference in page.references where reference.kind != .link && loads.count < Self.maxLoads {
            let path = reference.path
            let query = reference.text[path.endIndex...].utf8.prefix { $0 != UInt8(ascii: "#") }
            loads.append(Load(path: Array(path.utf8), query: String(Substring(query)), offset: reference.offset))
        }
        self.loads = loads
        scripts = page.scripts.filter { ScriptType(type: $0.type, language: nil) != nil }.map(\.range)
    }

    func satisfies(_ row: RecipeRow) -> Bool {
        if !row.generators.isEmpty, !row.generators.contains(where: page.generator.hasPrefix) { return false }
        if !row.loads.isEmpty,
            !loads.contains(where: { load in row.loads.contains { $0.match(load.path[...]) != nil } })
        {
            return false
        }
        if let element = row.element, !page.scripts.contains(where: { $0.id == element }) { return false }
        for text in row.inline where !scripts.contains(where: { ScanBuffer(page.text.slice($0)).contains(text) }) {
            return false
        }
        return row.texts.allSatisfy(page.text.contains) && !row.absentTexts.contains(where: page.text.contains)
    }

    func read(_ row: RecipeRow, _ found: inout RecipeReferences) {
        var reader = RecipeValueReader(row: row, found: found)
        switch row.source {
        case .nothing: reader.add(RecipeValue())
        case .loads(let glob):
            for load in loads {
                guard let match = glob.match(load.path[...]) else { continue }
                let head = String(decoding: load.path[..<match.start], as: UTF8.self)
                var value = RecipeValue(text: head, offset: load.offset, query: load.query, star: match.star)
                value.address = String(decoding: load.path, as: UTF8.self)
                reader.add(value)
            }
        case .attribute(let name): reader.readAttribute(page.text, name)
        case .meta(let name): reader.readMeta(page.text, name)
        case .after, .strings, .json, .markdown:
            let element = row.element.flatMap { id in page.scripts.first { $0.id == id } }
            for range in element.map({ [$0.range] }) ?? scripts {
                reader.read(ScanBuffer(page.text.slice(range)), offset: range.lowerBound, isModule: false)
            }
        }
        found = reader.found
    }
}
