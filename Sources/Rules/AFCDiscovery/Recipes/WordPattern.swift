/// A regular expression that matches a list of words, as bundlers make one of a list: groups, alternatives and classes.
struct WordPattern {
    /// The largest number of bytes that are copied while words are put together.
    private static let maxWork = 4_000_000
    private static let maxDepth = 32

    private let text: ScanBuffer
    private let end: Int
    private var index: Int
    private var depth = 0
    private var work = 0

    /// Returns the words that the content of a regular expression matches, or nil if it is another kind of expression.
    static func words(_ text: ScanBuffer, _ range: Range<Int>) -> Set<String>? {
        var pattern = WordPattern(text: text, end: range.upperBound, index: range.lowerBound)
        guard let words = pattern.alternatives(), pattern.index == pattern.end else { return nil }
        return Set(words.map { String(decoding: $0, as: UTF8.self) })
    }

    private mutating func alternatives() -> [[UInt8]]? {
        depth += 1
        defer { depth -= 1 }
        guard depth <= Self.maxDepth else { return nil }
        var all: [[UInt8]] = []
        while true {
            guard let words = sequence(), spend(words.count) else { return nil }
            all += words
            guard index < end, text[index] == UInt8(ascii: "|") else { return all }
            index += 1
        }
    }

    private mutating func sequence() -> [[UInt8]]? {
        var words: [[UInt8]] = [[]]
        while index < end, text[index] != UInt8(ascii: "|"), text[index] != UInt8(ascii: ")") {
            guard let next = part() else { return nil }
            let bytes = words.count * Self.size(next) + next.count * Self.size(words)
            guard spend(bytes) else { return nil }
            words = words.flatMap { word in next.map { word + $0 } }
        }
        return words
    }

    private static func size(_ words: [[UInt8]]) -> Int { words.reduce(0) { $0 + 1 + $1.count } }

    private mutating func spend(_ bytes: Int) -> Bool {
        work += bytes
        return work <= Self.maxWork
    }

    private mutating func part() -> [[UInt8]]? {
        let byte = text[index]
        index += 1
        switch byte {
        case UInt8(ascii: "("):
            guard let words = alternatives(), index < end, text[index] == UInt8(ascii: ")") else { return nil }
            index += 1
            return words
        case UInt8(ascii: "["):
            var words: [[UInt8]] = []
            while index < end, text[index] != UInt8(ascii: "]") {
                guard let letter = letter() else { return nil }
                words.append([letter])
            }
            guard index < end, !words.isEmpty else { return nil }
            index += 1
            return words
        case UInt8(ascii: "*"), UInt8(ascii: "+"), UInt8(ascii: "?"), UInt8(ascii: "."), UInt8(ascii: "^"),
            UInt8(ascii: "$"), UInt8(ascii: "{"):
            return nil
        default:
            index -= 1
            return letter().map { [[$0]] }
        }
    }

    private mutating func letter() -> UInt8? {
        if text[index] == UInt8(ascii: "\\") {
            index += 1
            // An escaped letter is a class such as \d.
            guard index < end, !text[index].isLetter, !text[index].isDigit else { return nil }
        }
        index += 1
        return text[index - 1]
    }
}
