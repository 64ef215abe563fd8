/// The lines of a text, whatever ends them.
enum TextLines {
    /// Calls back for each line that has more than white space, until told to stop.
    ///
    /// - Parameters:
    ///   - text: The text; a byte order mark at its beginning belongs to no line.
    ///   - body: Gets the line without white space at its ends; returns whether to go on.
    static func forEach(in text: ScanBuffer, _ body: (Range<Int>) -> Bool) {
        var index = text.hasPrefix("\u{FEFF}", at: 0) ? 3 : 0
        while index < text.count {
            var start = index
            while index < text.count, text[index] != 0x0A, text[index] != 0x0D { index += 1 }
            var end = index
            index += 1
            while start < end, text[start].isSpace { start += 1 }
            while end > start, text[end - 1].isSpace { end -= 1 }
            guard end > start else { continue }
            guard body(start..<end) else { return }
        }
    }
}
