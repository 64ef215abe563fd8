/// A text that is searched for without regard to white space between its characters.
struct TextMark: Sendable {
    private let bytes: [UInt8]
    private let startsWithName: Bool

    /// Creates a mark; nil if it has no characters.
    init?(_ text: String) {
        bytes = text.utf8.filter { !$0.isSpace }
        guard let first = bytes.first else { return nil }
        startsWithName = first.isNamePart
    }

    /// Returns the position after the first mark, or nil; no name continues the mark on its left.
    func end(in text: ScanBuffer, from start: Int) -> Int? {
        var index = start
        while true {
            index = text.find(bytes[0], from: index)
            guard index < text.count else { return nil }
            if !startsWithName || index == 0 || !text[index - 1].isNamePart, let end = match(text, index) { return end }
            index += 1
        }
    }

    private func match(_ text: ScanBuffer, _ start: Int) -> Int? {
        var index = start
        for byte in bytes {
            while let next = text.at(index), next.isSpace { index += 1 }
            guard text.at(index) == byte else { return nil }
            index += 1
        }
        return index
    }
}

extension ScanBuffer {
    /// Returns true if some bytes occur in the text.
    func contains(_ bytes: [UInt8]) -> Bool {
        guard let first = bytes.first else { return true }
        var index = 0
        while true {
            index = find(first, from: index)
            guard index + bytes.count <= count else { return false }
            if slice(index..<index + bytes.count).elementsEqual(bytes) { return true }
            index += 1
        }
    }
}
