/// The named character references, prepared for searching.
struct NamedCharacters: Sendable {
    static let shared = NamedCharacters()

    /// A name at the start of a text.
    struct Match {
        var characters: ArraySlice<UInt8>
        var end: Int
        var endsInSemicolon: Bool
    }

    private struct Entry {
        var name: Range<Int>
        var characters: Range<Int>
        var needsSemicolon: Bool
    }

    private var text: [UInt8] = []
    private var entries: [Entry] = []

    private init() {
        let table = NamedCharacterTable.text
        let bytes = UnsafeBufferPointer(start: table.utf8Start, count: table.utf8CodeUnitCount)
        for item in bytes.split(whereSeparator: { $0.isSpace }) {
            guard let mark = item.firstIndex(where: { $0 == UInt8(ascii: ";") || $0 == UInt8(ascii: ":") }) else {
                continue
            }
            let nameStart = text.count
            text += item[..<mark]
            let nameEnd = text.count
            for number in item[(mark + 1)...].split(separator: UInt8(ascii: "+")) {
                let value = number.reduce(UInt32(0)) { $0 << 4 | ($1.hexValue ?? 0) }
                text += Array(String(Unicode.Scalar(value).map(Character.init) ?? "\u{FFFD}").utf8)
            }
            let entry = Entry(
                name: nameStart..<nameEnd,
                characters: nameEnd..<text.count,
                needsSemicolon: item[mark] == UInt8(ascii: ";")
            )
            entries.append(entry)
        }
    }

    /// Returns the longest name at the start of the bytes; the search narrows the sorted names byte by byte.
    func longestMatch(_ bytes: ScanBuffer, _ range: Range<Int>) -> Match? {
        var candidates = 0..<entries.count
        var best: Match?
        var index = range.lowerBound
        while index < range.upperBound {
            let depth = index - range.lowerBound
            let byte = bytes[index]
            let lower = boundary(candidates, at: depth) { $0 < Int(byte) }
            let upper = boundary(lower..<candidates.upperBound, at: depth) { $0 <= Int(byte) }
            candidates = lower..<upper
            guard let first = candidates.first else { break }
            index += 1
            let entry = entries[first]
            guard entry.name.count == depth + 1 else { continue }
            if index < range.upperBound, bytes[index] == UInt8(ascii: ";") {
                return Match(characters: text[entry.characters], end: index + 1, endsInSemicolon: true)
            }
            if !entry.needsSemicolon {
                best = Match(characters: text[entry.characters], end: index, endsInSemicolon: false)
            }
        }
        return best
    }

    /// Returns the first entry whose byte at a depth isn't smaller than the byte sought; a shorter name comes first.
    private func boundary(_ range: Range<Int>, at depth: Int, isBefore: (Int) -> Bool) -> Int {
        var lower = range.lowerBound
        var upper = range.upperBound
        while lower < upper {
            let middle = (lower + upper) / 2
            let name = entries[middle].name
            let byte = depth < name.count ? Int(text[name.lowerBound + depth]) : -1
            if isBefore(byte) { lower = middle + 1 } else { upper = middle }
        }
        return lower
    }
}
