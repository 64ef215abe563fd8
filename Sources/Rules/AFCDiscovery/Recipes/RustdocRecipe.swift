internal import AFCURL

/// Reads what the search and the settings of rustdoc load.
///
/// Each page names the scripts in the attributes of an element `rustdoc-vars` (1.50 and later). The search index
/// `search-index.js` (1.79 to 1.91) has the number of each crate's descriptions in `search.desc`; `search.index/root.js`
/// (1.92 and later) has the names of the columns' files and of the search trees' nodes, which name further nodes.
///
/// Not found: the settings before 1.67.
enum RustdocRecipe: RecipeReader {
    static func read(_ page: RecipePage, into found: inout RecipeReferences) {
        guard page.generator == "rustdoc", let place = page.text.position(of: "rustdoc-vars") else { return }
        let variables = TagText(page.text, around: place)
        guard let root = variables.value(of: "data-root-path") else { return }
        let suffix = variables.value(of: "data-resource-suffix") ?? ""
        let files = variables.value(of: "data-static-root-path")
        let search = variables.value(of: "data-search-js")
        if let files {
            if let search { found.add(files + search, .script, at: place) }
            if let settings = variables.value(of: "data-settings-js") {
                found.add(files + settings, .script, at: place)
            }
            let themes = variables.value(of: "data-themes") ?? ""
            for theme in themes.split(separator: ",").prefix(16) {
                found.addGuess("\(root)\(theme).css", .style, at: place)
            }
        } else {
            found.add(search ?? "\(root)search\(suffix).js", .script, at: place)
        }
        if let files, let library = variables.value(of: "data-stringdex-js") {
            found.add(files + library, .script, at: place)
            found.add("\(root)search.index/root\(suffix).js", .script, at: place)
        } else {
            let index = variables.value(of: "data-search-index-js")
            found.add(index ?? "\(root)search-index\(suffix).js", .script, at: place)
        }
    }

    static func read(_ script: RecipeScript, into found: inout RecipeReferences) {
        guard script.name.hasSuffix(".js") else { return }
        if script.name.hasPrefix("search-index") {
            descriptions(script, suffix: script.name.dropFirst("search-index".count), into: &found)
        } else if script.name.hasPrefix("root"), script.url.path.contains("/search.index/") {
            columns(script.text, into: &found)
        } else if script.url.path.hasSuffix("/search.index/\(script.name)") {
            node(script, into: &found)
        }
    }

    // MARK: Descriptions

    /// The largest number of files with descriptions of an index.
    private static let descriptionLimit = 65_536

    /// Reads lines such as `["demo",{"t":"…","D":"CnBa"}],\`, in which `D` has the sizes of files.
    private static func descriptions(
        _ script: RecipeScript,
        suffix: Substring,
        into found: inout RecipeReferences
    ) {
        let text = script.text
        var line = 0
        var room = descriptionLimit
        while line < text.count, room > 0 {
            let end = text.find(0x0A, from: line)
            if let name = crate(text, line..<end), let sizes = member(text, name.upperBound..<end) {
                let crate = text.string(name)
                // A digit from "`" on ends a number.
                for (number, index) in sizes.lazy.filter({ text[$0] >= 0x60 }).prefix(room).enumerated() {
                    found.add("search.desc/\(crate)/\(crate)-desc-\(number)-\(suffix)", .script, at: index)
                    room -= 1
                }
            }
            line = end + 1
        }
    }

    /// Returns the range of the crate's name in a line that starts with `["name",{`.
    private static func crate(_ text: ScanBuffer, _ line: Range<Int>) -> Range<Int>? {
        guard line.count > 6, text[line.lowerBound] == UInt8(ascii: "["),
            text[line.lowerBound + 1] == UInt8(ascii: "\"")
        else { return nil }
        let start = line.lowerBound + 2
        var end = start
        while end < line.upperBound, end - start < 128,
            text[end].isLetter || text[end].isDigit || text[end] == UInt8(ascii: "_")
        { end += 1 }
        guard end > start, text.hasPrefix("\",{", at: end) else { return nil }
        return start..<end
    }

    /// Returns the range of the text of the member `D`.
    private static func member(_ text: ScanBuffer, _ range: Range<Int>) -> Range<Int>? {
        var index = range.lowerBound
        while true {
            index = text.find(UInt8(ascii: "D"), from: index, to: range.upperBound)
            guard index + 4 < range.upperBound else { return nil }
            index += 1
            guard text[index - 2] == UInt8(ascii: "\""), text.hasPrefix("\":\"", at: index) else { continue }
            let start = index + 3
            let end = text.find(UInt8(ascii: "\""), from: start, to: range.upperBound)
            return end < range.upperBound ? start..<end : nil
        }
    }

    // MARK: Columns and search trees

    /// What `root.js` says about a column.
    private struct Column {
        /// The hashes of its files.
        var hashes: [UInt8] = []
        var place = 0
        /// The number of its files.
        var count = 0
        /// The root of its search tree.
        var tree: [UInt8] = []
        var treePlace = 0
    }

    /// Reads `rr_('{"name":{"N":"…","H":"…","I":"…"}}')`, in which `N` has the sizes of the column's files, `H` their hashes in
    /// base64, and `I` a search tree.
    private static func columns(_ text: ScanBuffer, into found: inout RecipeReferences) {
        guard text.hasPrefix("rr_(", at: 0), let literal = JavaScriptText.literal(text, at: 4, to: text.count) else {
            return
        }
        var columns: [(name: String, column: Column)] = []
        let isJSON = JSONWalk.forEachString(in: ScanBuffer(text.slice(literal))) { string in
            guard string.path.count == 2, let name = string.name(ofStep: 0, limit: 64),
                let member = string.name(ofStep: 1, limit: 1), isName(name)
            else { return }
            if columns.last?.name != name { columns.append((name, Column())) }
            let place = literal.lowerBound + string.range.lowerBound
            var column = columns[columns.count - 1].column
            switch member {
            case "H": (column.hashes, column.place) = (string.scanner.bytes.base64(string.range), place)
            // A digit from "`" on ends a number.
            case "N": column.count = string.scanner.bytes.slice(string.range).count { $0 >= 0x60 }
            case "I": (column.tree, column.treePlace) = (string.scanner.bytes.base64(string.range), place)
            default: return
            }
            columns[columns.count - 1].column = column
        }
        guard isJSON, let form = form(of: columns.map(\.column)) else { return }
        for (name, column) in columns {
            for start in stride(from: 0, through: column.hashes.count - form.rawValue, by: form.rawValue) {
                let hash = hexadecimal(column.hashes[start..<start + form.rawValue])
                found.add("\(name)/\(hash).js", .script, at: column.place)
            }
            for node in StringdexTree.names(in: column.tree, form) {
                found.add("\(node).js", .script, at: column.treePlace)
            }
        }
    }

    /// Returns the form of an index by the length of its hashes, or nil for an unknown one.
    private static func form(of columns: [Column]) -> StringdexTree.Form? {
        guard let column = columns.first(where: { $0.count > 0 }) else { return .long }
        guard column.hashes.count.isMultiple(of: column.count) else { return nil }
        return StringdexTree.Form(rawValue: column.hashes.count / column.count)
    }

    /// Reads `rn_("…")`, the node of a search tree; the file's name is its hash.
    private static func node(_ script: RecipeScript, into found: inout RecipeReferences) {
        let digits = script.name.dropLast(".js".count)
        guard digits.allSatisfy(\.isHexDigit), let form = StringdexTree.Form(rawValue: digits.utf8.count / 2),
            script.text.hasPrefix("rn_(", at: 0),
            let literal = JavaScriptText.literal(script.text, at: 4, to: script.text.count)
        else { return }
        for node in StringdexTree.names(in: script.text.base64(literal), form) {
            found.add("\(node).js", .script, at: literal.lowerBound)
        }
    }

    private static func isName(_ text: String) -> Bool {
        !text.isEmpty && text.utf8.allSatisfy { $0.isLetter || $0.isDigit || $0 == UInt8(ascii: "_") }
    }

    private static func hexadecimal(_ bytes: ArraySlice<UInt8>) -> String {
        var text: [UInt8] = []
        for byte in bytes {
            for digit in [byte >> 4, byte & 0x0F] {
                text.append(digit < 10 ? UInt8(ascii: "0") + digit : UInt8(ascii: "a") + digit - 10)
            }
        }
        return String(decoding: text, as: UTF8.self)
    }
}

/// The text of a tag, for attributes that discovery doesn't know by name.
struct TagText {
    private let text: ScanBuffer
    private let range: Range<Int>

    /// The longest tag; a longer one is cut.
    private static let limit = 16_384

    /// Finds the tag around a position in it.
    init(_ text: ScanBuffer, around position: Int) {
        self.text = text
        var start = position
        while start > max(0, position - Self.limit), text[start] != UInt8(ascii: "<") { start -= 1 }
        range = start..<text.find(UInt8(ascii: ">"), from: position, to: min(text.count, position + Self.limit))
    }

    /// Returns the decoded value of an attribute, or nil if the tag doesn't have it.
    func value(of name: StaticString) -> String? {
        value(of: Array(UnsafeBufferPointer(start: name.utf8Start, count: name.utf8CodeUnitCount)))
    }

    /// Returns the decoded value of an attribute, whose name is in lower case, or nil if the tag doesn't have it.
    func value(of name: [UInt8]) -> String? {
        let length = name.count
        var index = range.lowerBound
        while true {
            index = text.find(UInt8(ascii: "="), from: index, to: range.upperBound)
            guard index < range.upperBound else { return nil }
            index += 1
            let start = index - 1 - length
            guard start > range.lowerBound, text[start - 1].isSpace || text[start - 1] == UInt8(ascii: "\""),
                text.slice(start..<index - 1).elementsEqual(name, by: { $0.lowercased == $1 }), index < range.upperBound
            else { continue }
            let quote = text[index]
            if quote == UInt8(ascii: "\"") || quote == UInt8(ascii: "'") {
                let end = text.find(quote, from: index + 1, to: range.upperBound)
                return HTMLText.attribute(text, index + 1..<end)
            }
            var end = index
            while end < range.upperBound, !text[end].isSpace { end += 1 }
            return HTMLText.attribute(text, index..<end)
        }
    }
}
