/// Reads the values of a row in a text, and adds what follows from them.
struct RecipeValueReader {
    let row: RecipeRow
    var found: RecipeReferences
    private var count = 0
    /// True once the row takes no more values.
    private var isFull = false

    /// The longest string that is read, in bytes.
    private static let maxLength = 4_096

    init(row: RecipeRow, found: RecipeReferences) {
        self.row = row
        self.found = found
    }

    /// Adds what follows from a value.
    mutating func add(_ value: RecipeValue) {
        if !isFull { isFull = !row.add(value, to: &found, after: &count) }
    }

    /// Reads a script, data file, or `script` element.
    ///
    /// - Parameters:
    ///   - text: The text.
    ///   - offset: The place of the text in the file.
    ///   - isModule: False if the text may have comments of HTML.
    mutating func read(_ text: ScanBuffer, offset: Int, isModule: Bool) {
        switch row.source {
        case .nothing: add(RecipeValue(offset: offset))
        case .after(let marks, let until):
            for mark in marks { read(text, after: mark, until: until, offset) }
        case .strings: readStrings(text, offset, isModule: isModule)
        case .json(let walk, let mark): read(text, walk, from: mark, offset)
        case .markdown: readMarkdown(text, offset)
        case .attribute, .meta, .loads: return
        }
    }

    private mutating func read(_ text: ScanBuffer, after mark: TextMark, until: UInt8?, _ offset: Int) {
        var index = 0
        while !isFull, let end = mark.end(in: text, from: index) {
            index = end
            if let until {
                let close = text.find(until, from: end, to: min(text.count, end + Self.maxLength))
                guard text.at(close) == until else { continue }
                add(RecipeValue(text: text.string(end..<close).trimmedASCII, offset: offset + end))
                index = close
            } else {
                while let byte = text.at(index), byte.isSpace { index += 1 }
                let limit = min(text.count, index + Self.maxLength)
                guard let literal = JavaScriptText.literal(text, at: index, to: limit),
                    let string = JavaScriptText.string(text, literal)
                else { continue }
                add(RecipeValue(text: string, offset: offset + literal.lowerBound))
                index = literal.upperBound
            }
        }
    }

    private mutating func readStrings(_ text: ScanBuffer, _ offset: Int, isModule: Bool) {
        var tokenizer = JavaScriptTokenizer(text, 0..<text.count, hasHTMLComments: !isModule)
        while !isFull, let token = tokenizer.next(all: true) {
            guard token == .string, tokenizer.range.count <= Self.maxLength,
                let string = JavaScriptText.string(text, tokenizer.range)
            else { continue }
            add(RecipeValue(text: string, offset: offset + tokenizer.range.lowerBound))
        }
    }

    private mutating func read(_ text: ScanBuffer, _ walk: JSONPathWalk, from mark: TextMark?, _ offset: Int) {
        var start = 0
        if let mark {
            guard let end = mark.end(in: text, from: 0) else { return }
            start = end
        }
        // What a malformed text seemed to contain is forgotten.
        var reader = self
        let isJSON = walk.forEach(in: ScanBuffer(text.slice(start..<text.count))) { value in
            var value = value
            value.offset += offset + start
            reader.add(value)
            return !reader.isFull
        }
        if isJSON { self = reader }
    }

    /// Reads the targets of `[text](target)` and `[label]: target`, without fragments.
    private mutating func readMarkdown(_ text: ScanBuffer, _ offset: Int) {
        var index = 0
        while !isFull {
            index = text.find(UInt8(ascii: "]"), from: index)
            guard index + 1 < text.count else { return }
            index += 2
            guard text[index - 1] == UInt8(ascii: "(") || text[index - 1] == UInt8(ascii: ":") else { continue }
            while text.at(index) == 0x20 { index += 1 }
            let start = index
            while let byte = text.at(index), !byte.isSpace, byte != UInt8(ascii: ")"), byte != UInt8(ascii: "#"),
                byte != UInt8(ascii: "?"), index - start < Self.maxLength
            { index += 1 }
            guard index > start else { continue }
            let target = text.string(start..<index)
            if !target.contains(":"), !target.hasPrefix("//"), !target.hasPrefix("<") {
                add(RecipeValue(text: target, offset: offset + start))
            }
        }
    }

    // MARK: Pages

    /// Reads the first value of an attribute.
    mutating func readAttribute(_ text: ScanBuffer, _ name: [UInt8]) {
        guard let place = place(of: name, in: text), let value = TagText(text, around: place).value(of: name) else {
            return
        }
        add(RecipeValue(text: value, offset: place))
    }

    /// Reads the content of the first `meta` element with a name or property.
    mutating func readMeta(_ text: ScanBuffer, _ name: [UInt8]) {
        guard let place = place(of: name, in: text) else { return }
        let tag = TagText(text, around: place)
        let names = [tag.value(of: "name"), tag.value(of: "property")]
        guard names.contains(String(decoding: name, as: UTF8.self)), let content = tag.value(of: "content") else {
            return
        }
        add(RecipeValue(text: content, offset: place))
    }

    /// Returns the place of a name that no other name continues.
    private func place(of name: [UInt8], in text: ScanBuffer) -> Int? {
        func isName(_ byte: UInt8?) -> Bool { byte.map { $0.isNamePart || $0 == UInt8(ascii: "-") } ?? false }
        var index = 0
        while true {
            index = text.find(name[0], from: index)
            let end = index + name.count
            guard end <= text.count else { return nil }
            if text.slice(index..<end).elementsEqual(name), !isName(text.at(end)),
                index == 0 || !isName(text[index - 1])
            {
                return index
            }
            index += 1
        }
    }
}
