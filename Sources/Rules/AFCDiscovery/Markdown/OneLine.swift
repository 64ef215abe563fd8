extension String {
    /// Returns the text with each run of white space as one space, cut at a number of bytes.
    ///
    /// The last word is left out if it doesn't fit, unless little would be left: text of some languages has no spaces. Takes as
    /// long as what is returned, and the white space before it, are.
    func oneLine(limit: Int) -> String {
        var text = ""
        var (length, wordStart) = (0, 0)
        var isAfterSpace = false
        for scalar in unicodeScalars {
            if scalar.properties.isWhitespace {
                isAfterSpace = length > 0
                continue
            }
            let isNewWord = isAfterSpace || length == 0
            let width = UTF8.width(scalar) + (isAfterSpace ? 1 : 0)
            guard length + width <= limit else {
                if isNewWord { return text }
                return text.cut(before: scalar, wordStart: wordStart, isWordKept: wordStart < limit / 2)
            }
            if isNewWord { wordStart = length }
            if isAfterSpace { text += " " }
            text.unicodeScalars.append(scalar)
            (length, isAfterSpace) = (length + width, false)
        }
        return text
    }

    /// Returns the text that ends within a word, before a scalar that doesn't fit.
    private func cut(before scalar: Unicode.Scalar, wordStart: Int, isWordKept: Bool) -> String {
        guard isWordKept, let last else { return String(decoding: utf8.prefix(wordStart), as: UTF8.self) }
        // A character isn't cut.
        var longer = String(last)
        longer.unicodeScalars.append(scalar)
        return longer.count == 1 ? String(dropLast()) : self
    }
}
