/// An expression from which a bundler's runtime makes a chunk's file name.
indirect enum FileNameExpression {
    case text(String)
    /// The chunk's id.
    case id
    /// A table with a text for each id.
    case table([String: String])
    /// The first part, or the second for ids that aren't in the first one's table.
    case fallback(FileNameExpression, FileNameExpression)
    /// Texts that are joined.
    case sum([FileNameExpression])
    /// An expression for each of some ids, and one for all others.
    case choice([String: FileNameExpression], FileNameExpression?)
    /// The first characters of a text.
    case prefix(FileNameExpression, Int)

    /// The ids that the expression names.
    var ids: Set<String> {
        switch self {
        case .text, .id: []
        case .table(let names): Set(names.keys)
        case .fallback(let first, let second): first.ids.union(second.ids)
        case .sum(let parts): parts.reduce(into: []) { $0.formUnion($1.ids) }
        case .choice(let cases, let other): Set(cases.keys).union(other?.ids ?? [])
        case .prefix(let part, _): part.ids
        }
    }

    /// True if the expression depends on the id.
    var isVariable: Bool {
        switch self {
        case .text: false
        case .id, .table, .choice: true
        case .fallback(let first, let second): first.isVariable || second.isVariable
        case .sum(let parts): parts.contains(where: \.isVariable)
        case .prefix(let part, _): part.isVariable
        }
    }

    /// True if ids that the expression doesn't name have a file name, too.
    var namesEveryID: Bool {
        switch self {
        case .text, .id: true
        case .table: false
        case .fallback(let first, let second): first.namesEveryID || second.namesEveryID
        case .sum(let parts): parts.allSatisfy(\.namesEveryID)
        case .choice(_, let other): other?.namesEveryID ?? false
        case .prefix(let part, _): part.namesEveryID
        }
    }

    /// The largest number of bytes that a file name takes, with one for each part.
    var cost: Int {
        switch self {
        case .text(let text): 1 + text.utf8.count
        case .id: 64
        case .table(let names): 1 + (names.values.lazy.map(\.utf8.count).max() ?? 0)
        case .fallback(let first, let second): first.cost + second.cost
        case .sum(let parts): parts.reduce(1) { $0 + $1.cost }
        case .choice(let cases, let other):
            1 + max(cases.values.lazy.map(\.cost).max() ?? 0, other?.cost ?? 0)
        case .prefix(let part, _): 1 + part.cost
        }
    }

    /// Returns the file name for an id, or nil if a table doesn't contain the id.
    func value(of id: String) -> String? {
        switch self {
        case .text(let text): return text
        case .id: return id
        case .table(let names): return names[id]
        case .fallback(let first, let second): return first.value(of: id) ?? second.value(of: id)
        case .choice(let cases, let other): return (cases[id] ?? other)?.value(of: id)
        case .prefix(let part, let length): return part.value(of: id).map { String($0.prefix(length)) }
        case .sum(let parts):
            var result = ""
            for part in parts {
                guard let text = part.value(of: id) else { return nil }
                result += text
            }
            return result
        }
    }
}

/// Reads file name expressions of scripts: sums of strings, tables and the id, as bundlers and minifiers write them.
struct FileNameParser {
    /// The deepest nesting of expressions.
    static let maxDepth = 32
    /// The largest number of parts of an expression, without the rows of its tables.
    static let maxParts = 20_000

    /// The largest number of indexes and calls after an operand.
    private static let maxSuffixes = 8

    let text: ScanBuffer
    let end: Int
    private(set) var index: Int
    /// The name of the parameter that is the id; the first other name if it is unknown.
    private var parameter: Range<Int>?
    /// The text of a call of `h`, which returns the hash of the build.
    private let hash: String?
    private var depth = 0
    private var parts = 0

    init(_ text: ScanBuffer, at index: Int, to end: Int, hash: String? = nil) {
        self.text = text
        self.index = index
        self.end = end
        self.hash = hash
    }

    // MARK: Functions

    /// Reads a function of an id that returns a file name: an arrow function, or one with `return`.
    mutating func function() -> FileNameExpression? {
        let isArrow = !takeWord("function")
        if !isArrow { _ = name() }
        if take("(") {
            parameter = name()
            guard parameter != nil, take(")") else { return nil }
        } else {
            guard isArrow else { return nil }
            parameter = name()
        }
        guard parameter != nil else { return nil }
        if isArrow {
            guard take("="), take(">") else { return nil }
            guard peek() == UInt8(ascii: "{") else { return expression() }
        }
        guard take("{") else { return nil }
        return body()
    }

    /// Reads statements `if (…) return …` and the last `return`.
    private mutating func body() -> FileNameExpression? {
        var cases: [String: FileNameExpression] = [:]
        while takeWord("if") {
            guard take("("), let ids = condition(), take(")"), takeWord("return"), let value = expression() else {
                return nil
            }
            _ = take(";")
            for id in ids where cases[id] == nil { cases[id] = value }
        }
        guard takeWord("return"), let value = expression() else { return nil }
        return cases.isEmpty ? value : .choice(cases, value)
    }

    /// Reads `id === 1` or `{1:1,2:1}[id]`, and returns the ids.
    private mutating func condition() -> [String]? {
        guard let left = operand() else { return nil }
        if case .table(let names) = left { return Array(names.keys) }
        guard let isEqual = takeEquality(), isEqual, let right = operand() else { return nil }
        return Self.id(left, right).map { [$0] }
    }

    /// Returns the text that a comparison compares the id with.
    private static func id(_ left: FileNameExpression, _ right: FileNameExpression) -> String? {
        switch (left, right) {
        case (.id, .text(let id)), (.text(let id), .id): id
        default: nil
        }
    }

    /// Reads a function without parameters that returns a string.
    mutating func constantFunction() -> String? {
        if takeWord("function") { _ = name() }
        guard take("("), take(")") else { return nil }
        if take("=") { guard take(">") else { return nil } }
        if take("{") {
            guard takeWord("return") else { return nil }
        } else if take("(") {
            guard let text = scalar(), take(")") else { return nil }
            return text
        }
        return scalar()
    }

    // MARK: Expressions

    /// Reads one side of a comparison, which ends at a position.
    mutating func comparand(before end: Int? = nil) -> FileNameExpression? {
        guard let value = primary() else { return nil }
        return end == nil || peek() != nil && index == end ? value : nil
    }

    /// True if nothing continues the expression that was read.
    var isAtEndOfExpression: Bool {
        var next = self
        guard let byte = next.peek() else { return true }
        return ",;})".utf8.contains(byte) || text.find(0x0A, from: index, to: next.index) < next.index
    }

    /// Reads a string and the sign after it.
    mutating func text(before sign: Unicode.Scalar) -> String? {
        guard let text = string(), take(sign) else { return nil }
        return text
    }

    /// Reads a literal string or number.
    mutating func id() -> String? { scalar() }

    /// Reads an expression, including a chain of `id === 1 ? … : …`.
    mutating func expression() -> FileNameExpression? {
        depth += 1
        defer { depth -= 1 }
        guard depth <= Self.maxDepth else { return nil }
        var cases: [String: FileNameExpression] = [:]
        while true {
            guard let left = alternatives() else { return nil }
            let ids: [String]
            if case .table(let names) = left, peek() == UInt8(ascii: "?") {
                ids = Array(names.keys)
            } else if let isEqual = takeEquality() {
                guard isEqual, let right = alternatives(), let id = Self.id(left, right) else { return nil }
                ids = [id]
            } else {
                return cases.isEmpty ? left : .choice(cases, left)
            }
            guard take("?"), let value = expression(), take(":") else { return nil }
            for id in ids where cases[id] == nil { cases[id] = value }
        }
    }

    private mutating func alternatives() -> FileNameExpression? {
        guard let first = sum() else { return nil }
        guard text.at(index) == UInt8(ascii: "|"), text.at(index + 1) == UInt8(ascii: "|") else { return first }
        index += 2
        guard let second = sum() else { return nil }
        return .fallback(first, second)
    }

    private mutating func sum() -> FileNameExpression? {
        guard let first = operand() else { return nil }
        var all = [first]
        while peek() == UInt8(ascii: "+") {
            index += 1
            guard let next = operand() else { return nil }
            all.append(next)
        }
        return all.count == 1 ? first : .sum(all)
    }

    /// Reads an operand with its indexes and calls.
    private mutating func operand() -> FileNameExpression? {
        guard var value = primary() else { return nil }
        for _ in 0..<Self.maxSuffixes {
            guard let byte = peek() else { break }
            if byte == UInt8(ascii: "[") {
                index += 1
                guard case .table = value, isID(), take("]") else { return nil }
                continue
            }
            guard byte == UInt8(ascii: ".") else { break }
            index += 1
            if takeWord("slice") {
                guard take("("), number() == 0, take(","), let length = number(), take(")") else { return nil }
                value = .prefix(value, length)
            } else if takeWord("concat") {
                guard take("("), let joined = arguments(after: value) else { return nil }
                value = joined
            } else {
                return nil
            }
        }
        return value
    }

    private mutating func arguments(after first: FileNameExpression) -> FileNameExpression? {
        var all = [first]
        repeat {
            guard let next = expression() else { return nil }
            all.append(next)
        } while take(",")
        return take(")") ? .sum(all) : nil
    }

    private mutating func primary() -> FileNameExpression? {
        parts += 1
        guard parts <= Self.maxParts, let byte = peek() else { return nil }
        switch byte {
        case UInt8(ascii: "("):
            index += 1
            guard let value = expression(), take(")") else { return nil }
            return value
        case UInt8(ascii: "{"): return table().map { .table($0) }
        case UInt8(ascii: "`"): return template()
        case UInt8(ascii: "\""), UInt8(ascii: "'"): return string().map { .text($0) }
        case _ where byte.isDigit: return numberText().map { .text($0) }
        default: return named()
        }
    }

    /// Reads the id, or the call of `h`.
    private mutating func named() -> FileNameExpression? {
        guard let name = name() else { return nil }
        if text.at(index) == UInt8(ascii: ".") {
            guard text.at(index + 1) == UInt8(ascii: "h"), let hash else { return nil }
            index += 2
            guard take("("), take(")") else { return nil }
            return .text(hash)
        }
        if let parameter { guard isSame(parameter, name) else { return nil } } else { parameter = name }
        return .id
    }

    /// Reads a template with substitutions.
    private mutating func template() -> FileNameExpression? {
        var all: [FileNameExpression] = []
        index += 1
        var start = index
        while index < end {
            switch text[index] {
            case UInt8(ascii: "`"):
                guard let part = JavaScriptText.string(text, start..<index) else { return nil }
                all.append(.text(part))
                index += 1
                return .sum(all)
            case UInt8(ascii: "$") where text.at(index + 1) == UInt8(ascii: "{"):
                guard let part = JavaScriptText.string(text, start..<index) else { return nil }
                index += 2
                guard let value = expression(), take("}") else { return nil }
                all += [.text(part), value]
                start = index
            case UInt8(ascii: "\\"): index += 2
            default: index += 1
            }
        }
        return nil
    }

    // MARK: Tables and tokens

    /// Reads an object whose values are strings or numbers.
    mutating func table() -> [String: String]? {
        guard take("{") else { return nil }
        var rows: [String: String] = [:]
        while !take("}") {
            guard let key = key(), take(":"), let value = scalar() else { return nil }
            rows[key] = value
            guard take(",") else { return take("}") ? rows : nil }
        }
        return rows
    }

    private mutating func key() -> String? {
        guard let byte = peek() else { return nil }
        if byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "'") { return string() }
        if byte.isDigit { return numberText() }
        return name().map { text.string($0) }
    }

    private mutating func scalar() -> String? {
        guard let byte = peek() else { return nil }
        if byte.isDigit { return numberText() }
        return string()
    }

    private mutating func string() -> String? {
        guard let literal = JavaScriptText.literal(text, at: index, to: end) else { return nil }
        index = literal.upperBound + 1
        return JavaScriptText.string(text, literal)
    }

    private mutating func number() -> Int? { numberText().flatMap { Int($0) } }

    /// Reads digits; `1e3` stands for 1000, as minifiers write it.
    private mutating func numberText() -> String? {
        skipSpace()
        let start = index
        while index < end, text[index].isDigit { index += 1 }
        guard index > start, index - start <= 20 else { return nil }
        let digits = text.string(start..<index)
        guard index < end, text[index] == UInt8(ascii: "e") else {
            return Int(digits).map(String.init)
        }
        index += 1
        let exponent = index
        while index < end, text[index].isDigit { index += 1 }
        guard index > exponent, let zeros = Int(text.string(exponent..<min(index, exponent + 3))), zeros < 16 else {
            return nil
        }
        return digits + String(repeating: "0", count: zeros)
    }

    /// Reads a name.
    mutating func name() -> Range<Int>? {
        skipSpace()
        let start = index
        while index < end, text[index].isNamePart { index += 1 }
        return index > start && !text[start].isDigit ? start..<index : nil
    }

    private mutating func isID() -> Bool {
        guard let name = name() else { return false }
        if let parameter { return isSame(parameter, name) }
        parameter = name
        return true
    }

    private func isSame(_ one: Range<Int>, _ other: Range<Int>) -> Bool {
        one.count == other.count && text.slice(one).elementsEqual(text.slice(other))
    }

    /// Reads `===`, `==`, `!==` or `!=`; returns true for the first two, and nil if there is no comparison.
    private mutating func takeEquality() -> Bool? {
        guard let byte = peek(), byte == UInt8(ascii: "=") || byte == UInt8(ascii: "!"),
            text.at(index + 1) == UInt8(ascii: "=")
        else { return nil }
        index += text.at(index + 2) == UInt8(ascii: "=") ? 3 : 2
        return byte == UInt8(ascii: "=")
    }

    mutating func takeWord(_ word: StaticString) -> Bool {
        skipSpace()
        let next = index + word.utf8CodeUnitCount
        guard next <= end, text.hasPrefix(word, at: index), next == end || !text[next].isNamePart else { return false }
        index = next
        return true
    }

    mutating func take(_ character: Unicode.Scalar) -> Bool {
        guard peek() == UInt8(ascii: character) else { return false }
        index += 1
        return true
    }

    /// Returns the next byte that is neither white space nor in a comment.
    mutating func peek() -> UInt8? {
        skipSpace()
        return index < end ? text[index] : nil
    }

    private mutating func skipSpace() {
        while index < end {
            if text[index].isSpace {
                index += 1
            } else if text[index] == UInt8(ascii: "/"), text.at(index + 1) == UInt8(ascii: "/") {
                index = text.find(0x0A, from: index, to: end)
            } else if text[index] == UInt8(ascii: "/"), text.at(index + 1) == UInt8(ascii: "*") {
                index += 2
                repeat {
                    index = min(text.find(UInt8(ascii: "*"), from: index, to: end) + 1, end)
                } while index < end
                    && text[index] != UInt8(ascii: "/")
                index = min(index + 1, end)
            } else {
                return
            }
        }
    }
}

extension UInt8 {
    /// True for ASCII letters, digits, `_` and `$`.
    var isNamePart: Bool { isLetter || isDigit || self == UInt8(ascii: "_") || self == UInt8(ascii: "$") }
}
