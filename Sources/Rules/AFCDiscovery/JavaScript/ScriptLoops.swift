/// What the loops of a script run through: the items of its lists of texts, and numbers.
///
/// A list counts if its name is bound once. A loop's variable stands for the list's items, or for its numbers, until the
/// script gives the name another meaning.
struct ScriptLoops {
    /// The most items of a list, and numbers of a loop, that are considered.
    private static let itemLimit = 500
    /// The most lists, and the most names of each kind, of a script.
    private static let limit = 4_096
    /// The largest text of a list, in bytes.
    private static let textLimit = 64 << 10

    /// The places of the lists, from bracket to bracket, by the names of their items; empty for a name that is bound again.
    private var lists: [UInt64: Range<Int>] = [:]
    /// The lists through whose items the variables of loops run.
    private var variables: [UInt64: UInt64] = [:]
    /// The numbers that variables of loops have.
    private var counters: [UInt64: Range<Int>] = [:]
    /// The numbers that names are bound to; nil for a name that is bound again.
    private var numbers: [UInt64: Int?] = [:]
    /// The loop whose header is being read, with the end of the header.
    private var coming: (variable: UInt64, numbers: Range<Int>, end: Int)?

    // MARK: Names

    /// Returns the name for the bytes of one.
    static func hash(_ bytes: ScanBuffer, _ range: Range<Int>) -> UInt64 {
        bytes.slice(range).reduce(0xCBF2_9CE4_8422_2325) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 }
    }

    /// Returns the name of any item of a list.
    static func item(of list: UInt64) -> UInt64 { (list ^ 0x9E37_79B9_7F4A_7C15) &* 0x100_0000_01B3 }

    /// Returns the name of a list that has none.
    static func unnamed(at place: Int) -> UInt64 { ~UInt64(truncatingIfNeeded: place) }

    /// Returns what a name stands for: any item of a list for the variable of a loop, and the name itself otherwise.
    func meaning(of name: UInt64) -> UInt64 { variables[name].map(Self.item) ?? name }

    /// Returns the numbers that a variable has here; nil if it is none of a loop.
    func numbers(of name: UInt64) -> Range<Int>? { counters[name] }

    // MARK: Reading

    mutating func noteList(_ name: UInt64, _ place: Range<Int>, _ bytes: ScanBuffer) {
        forgetMeaning(of: name)
        let item = Self.item(of: name)
        guard lists[item] == nil else { return lists[item] = 0..<0 }
        // A bundle has many lists of other things.
        var first = place.lowerBound + 1
        while let byte = bytes.at(first), byte.isSpace { first += 1 }
        guard lists.count < Self.limit, let quote = bytes.at(first), "\"'".utf8.contains(quote) else { return }
        lists[item] = place
    }

    mutating func noteNumber(_ name: UInt64, _ number: Int) {
        guard numbers.count < Self.limit else { return }
        numbers[name] = numbers[name] == nil ? .some(number) : .some(nil)
    }

    /// Notes that a variable runs through the items of a list.
    mutating func noteVariable(_ name: UInt64, of list: UInt64) {
        guard variables.count < Self.limit else { return }
        forgetMeaning(of: name)
        variables[name] = list
    }

    /// Notes that a name has got another meaning.
    mutating func forgetMeaning(of name: UInt64) {
        if !variables.isEmpty { variables[name] = nil }
        if !counters.isEmpty { counters[name] = nil }
    }

    /// Returns a name for the sum of a variable with numbers and a number; nil for any other name.
    mutating func shifted(_ name: UInt64, by number: Int) -> UInt64? {
        guard let own = counters[name], abs(number) <= 1_000_000, counters.count < Self.limit else { return nil }
        let sum = name ^ UInt64(truncatingIfNeeded: number) &* 0x9E37_79B9_7F4A_7C15
        counters[sum] = own.lowerBound + number..<own.upperBound + number
        return sum
    }

    /// Reads the header of a loop such as `for (let i = 1; i <= 40; i++)`, whose variable counts from its end on.
    mutating func readHeader(_ bytes: ScanBuffer, after position: Int) {
        var header = LoopHeader(bytes: bytes, position: position)
        guard let read = header.read(),
            let end = read.end.number ?? numbers[Self.hash(bytes, read.end.place)] ?? nil,
            case let last = read.includesEnd ? end &+ 1 : end, last > read.start, last - read.start <= Self.itemLimit
        else { return }
        coming = (Self.hash(bytes, read.variable), read.start..<last, header.position)
    }

    /// Begins the loop whose header ends before a position.
    mutating func begin(at position: Int) {
        guard let coming, position >= coming.end else { return }
        self.coming = nil
        forgetMeaning(of: coming.variable)
        if counters.count < Self.limit { counters[coming.variable] = coming.numbers }
    }

    /// True while the header of a loop is read.
    var isBeginning: Bool { coming != nil }

    // MARK: Results

    /// Returns the items of the lists whose items have names, by these; lists with anything but texts are left out.
    func items(_ bytes: ScanBuffer, of names: Set<UInt64>) -> [UInt64: [String]] {
        var items: [UInt64: [String]] = [:]
        for name in names {
            if let place = lists[name] { items[name] = Self.texts(bytes, in: place) }
        }
        return items
    }

    /// Returns true for the name of any item of a list.
    func isItem(_ name: UInt64) -> Bool { lists[name].map { !$0.isEmpty } ?? false }

    /// Returns the texts of a list from bracket to bracket; nil if it has something else.
    private static func texts(_ bytes: ScanBuffer, in place: Range<Int>) -> [String]? {
        guard (2...textLimit).contains(place.count) else { return nil }
        var tokenizer = JavaScriptTokenizer(bytes, place.lowerBound + 1..<place.upperBound - 1, hasHTMLComments: false)
        var texts: [String] = []
        var needsComma = false
        while let token = tokenizer.next(all: true) {
            switch token {
            case .string where !needsComma && texts.count < itemLimit:
                guard let text = JavaScriptText.string(bytes, tokenizer.range) else { return nil }
                texts.append(text)
                needsComma = true
            case .punctuator(UInt8(ascii: ",")) where needsComma: needsComma = false
            default: return nil
            }
        }
        return texts.isEmpty ? nil : texts
    }
}

/// The header of a loop that counts by one.
private struct LoopHeader {
    let bytes: ScanBuffer
    var position: Int

    /// A bound: a number, or the place of a name.
    struct Bound {
        var number: Int?
        var place: Range<Int>
    }

    /// Reads from the opening parenthesis to the closing one.
    mutating func read() -> (variable: Range<Int>, start: Int, end: Bound, includesEnd: Bool)? {
        guard skip("(") else { return nil }
        guard var variable = word() else { return nil }
        if bytes.slice(variable).elementsEqual("let".utf8) || bytes.slice(variable).elementsEqual("var".utf8) {
            guard let next = word() else { return nil }
            variable = next
        }
        guard skip("="), let first = word(), let start = number(first), skip(";"), isSame(variable), skip("<") else {
            return nil
        }
        let includesEnd = bytes.at(position) == UInt8(ascii: "=")
        if includesEnd { position += 1 }
        guard let end = word(), skip(";") else { return nil }
        let isBefore = skip("+") && skip("+")
        guard isSame(variable), isBefore || skip("+"), isBefore || skip("+") || skip("=") && skip("1"), skip(")") else {
            return nil
        }
        return (variable, start, Bound(number: number(end), place: end), includesEnd)
    }

    private mutating func skipSpace() { while let byte = bytes.at(position), byte.isSpace { position += 1 } }

    private mutating func skip(_ byte: Unicode.Scalar) -> Bool {
        skipSpace()
        guard bytes.at(position) == UInt8(ascii: byte) else { return false }
        position += 1
        return true
    }

    /// Reads a name or a number.
    private mutating func word() -> Range<Int>? {
        skipSpace()
        let start = position
        while let byte = bytes.at(position),
            byte.isLetter || byte.isDigit || byte == UInt8(ascii: "_") || byte == UInt8(ascii: "$")
        {
            position += 1
            guard position - start <= 64 else { return nil }
        }
        return start < position ? start..<position : nil
    }

    private mutating func isSame(_ name: Range<Int>) -> Bool {
        word().map { bytes.slice($0).elementsEqual(bytes.slice(name)) } ?? false
    }

    private func number(_ place: Range<Int>) -> Int? {
        guard place.count <= 9, bytes.slice(place).allSatisfy(\.isDigit) else { return nil }
        return bytes.slice(place).reduce(0) { $0 * 10 + Int($1 & 0x0F) }
    }
}
