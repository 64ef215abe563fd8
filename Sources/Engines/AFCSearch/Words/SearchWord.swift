/// A word of a text, as pages are indexed and queries are read: both sides split and fold in the same way.
///
/// A word is a run of letters and digits. In scripts without spaces between words, each character is one. Case,
/// diacritics and width make no difference; an apostrophe between letters is dropped; `c++` and `c#` are words.
package struct SearchWord: Equatable {
    /// The folded word in UTF-8: ASCII letters and digits, and bytes from 0x80 on.
    var folded: [UInt8]
    /// The bytes of the word in its text.
    var range: Range<Int>

    /// The word as a text.
    var text: String { String(decoding: folded, as: UTF8.self) }

    /// The most bytes of a word; the rest of a longer one is ignored on both sides.
    static let byteLimit = 48

    /// Calls a body with each word of a text, until it returns false.
    ///
    /// - Parameters:
    ///   - text: The text in UTF-8; bytes that aren't UTF-8 separate words.
    ///   - body: Receives a word, and returns whether it wants more.
    static func forEach(in text: UnsafeBufferPointer<UInt8>, _ body: (SearchWord) -> Bool) {
        var word: [UInt8] = []
        var start = 0
        var end = 0
        var index = 0
        /// Passes the word on that was read so far, if there is one.
        func finish() -> Bool {
            guard !word.isEmpty else { return true }
            var range = start..<end
            if word.count == 1, let suffix = Self.suffix(in: text, at: end) {
                word += suffix.folded
                range = start..<end + suffix.length
            }
            if word.count > byteLimit { word.removeSubrange(byteLimit...) }
            let isMore = body(SearchWord(folded: word, range: range))
            word.removeAll(keepingCapacity: true)
            return isMore
        }
        while index < text.count {
            let byte = text[index]
            if byte < 0x80 {
                if isWordByte(byte) {
                    if word.isEmpty { start = index }
                    word.append(byte &- 0x41 < 26 ? byte | 0x20 : byte)
                    end = index + 1
                } else if byte != UInt8(ascii: "'") || !isBetweenLetters(index, in: text, length: 1) {
                    guard finish() else { return }
                }
                index += 1
                continue
            }
            guard let (scalar, length) = Self.scalar(in: text, at: index) else {
                guard finish() else { return }
                index += 1
                continue
            }
            switch Self.kind(of: scalar) {
            case .letter:
                if word.isEmpty { start = index }
                if word.count <= byteLimit { LetterFolding.append(scalar, to: &word) }
                end = index + length
            case .single:
                guard finish() else { return }
                start = index
                end = index + length
                LetterFolding.append(scalar, to: &word)
                guard finish() else { return }
            case .ignored:
                if !word.isEmpty { end = index + length }
            case .other:
                if scalar != "\u{2019}" || !isBetweenLetters(index, in: text, length: length) {
                    guard finish() else { return }
                }
            }
            index += length
        }
        _ = finish()
    }

    /// Calls a body with each folded word of a text.
    package static func forEach(inText text: String, _ body: (UnsafeBufferPointer<UInt8>) -> Void) {
        var text = text
        text.withUTF8 { bytes in
            forEach(in: bytes) { word in
                word.folded.withUnsafeBufferPointer(body)
                return true
            }
        }
    }

    /// Returns the words of a text.
    ///
    /// - Parameters:
    ///   - text: The text.
    ///   - limit: The most words.
    /// - Returns: The words, in their order.
    static func all(in text: String, limit: Int = .max) -> [SearchWord] {
        var words: [SearchWord] = []
        var text = text
        text.withUTF8 { bytes in
            forEach(in: bytes) { word in
                words.append(word)
                return words.count < limit
            }
        }
        return words
    }

    /// Appends the folded words of a text, separated by spaces, and returns their number.
    static func fold(_ text: String, into result: inout [UInt8]) -> Int {
        var count = 0
        var text = text
        text.withUTF8 { bytes in
            result.reserveCapacity(result.count + bytes.count)
            forEach(in: bytes) { word in
                if !result.isEmpty { result.append(0x20) }
                result += word.folded
                count += 1
                return true
            }
        }
        return count
    }

    // MARK: Characters

    private enum Kind { case letter, single, ignored, other }

    private static func isWordByte(_ byte: UInt8) -> Bool {
        (byte | 0x20) &- 0x61 < 26 || byte &- 0x30 < 10
    }

    /// Returns true if letters are on both sides of the character at an index.
    private static func isBetweenLetters(_ index: Int, in text: UnsafeBufferPointer<UInt8>, length: Int) -> Bool {
        guard index > 0, index + length < text.count else { return false }
        let (before, after) = (text[index - 1], text[index + length])
        return (isWordByte(before) || before >= 0x80) && (isWordByte(after) || after >= 0xC3)
    }

    /// Returns the rest of a name such as `c++` or `f#`, in a form that the tokenizer keeps.
    private static func suffix(in text: UnsafeBufferPointer<UInt8>, at index: Int) -> (folded: [UInt8], length: Int)? {
        func byte(_ offset: Int) -> UInt8? { index + offset < text.count ? text[index + offset] : nil }
        if byte(0) == UInt8(ascii: "+"), byte(1) == UInt8(ascii: "+") { return (Array("⁺⁺".utf8), 2) }
        guard byte(0) == UInt8(ascii: "#"), !(byte(1).map(isWordByte) ?? false) else { return nil }
        return (Array("♯".utf8), 1)
    }

    /// Returns the character at an index; nil if the bytes aren't UTF-8.
    private static func scalar(in text: UnsafeBufferPointer<UInt8>, at index: Int) -> (Unicode.Scalar, Int)? {
        let first = UInt32(text[index])
        let (length, bits): (Int, UInt32) =
            switch first {
            case 0xC2...0xDF: (2, first & 0x1F)
            case 0xE0...0xEF: (3, first & 0x0F)
            case 0xF0...0xF4: (4, first & 0x07)
            default: (0, 0)
            }
        guard length > 0, index + length <= text.count else { return nil }
        var value = bits
        for offset in 1..<length {
            let byte = UInt32(text[index + offset])
            guard byte & 0xC0 == 0x80 else { return nil }
            value = value << 6 | byte & 0x3F
        }
        return Unicode.Scalar(value).map { ($0, length) }
    }

    private static func kind(of scalar: Unicode.Scalar) -> Kind {
        let value = scalar.value
        if LetterFolding.isMark(value) { return .ignored }
        if isSingle(value) { return .single }
        if value < 0x370 {
            return value >= 0xC0 && value != 0xD7 && value != 0xF7 || [0xAA, 0xB5, 0xBA].contains(value)
                ? .letter : .other
        }
        switch scalar.properties.generalCategory {
        case .uppercaseLetter, .lowercaseLetter, .titlecaseLetter, .modifierLetter, .otherLetter, .nonspacingMark,
            .spacingMark, .decimalNumber, .letterNumber:
            return .letter
        default: return .other
        }
    }

    /// True for characters of scripts that are written without spaces, and of Korean, whose words have many endings.
    private static func isSingle(_ value: UInt32) -> Bool {
        guard value >= 0x0E01 else { return false }
        switch value {
        case 0x0E01...0x0E30, 0x0E32...0x0E33, 0x0E40...0x0E46, 0x0E81...0x0EB0, 0x1000...0x102A, 0x1780...0x17B3,
            0x3005...0x3007, 0x3041...0x3096, 0x30A1...0x30FA, 0x30FC...0x30FE, 0x3400...0x4DBF, 0x4E00...0x9FFF,
            0xAC00...0xD7A3, 0xF900...0xFAFF, 0xFF66...0xFF9D, 0x20000...0x3FFFF:
            return true
        default: return false
        }
    }
}
