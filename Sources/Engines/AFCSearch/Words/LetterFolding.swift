/// Folds letters that readers type in several ways to one form: lower case, without diacritics, of normal width.
enum LetterFolding {
    /// Letters that don't consist of a base letter and a mark.
    private static let special: [UInt32: String] = [
        0xDF: "ss", 0x1E9E: "ss", 0xC6: "ae", 0xE6: "ae", 0x152: "oe", 0x153: "oe", 0xDE: "th", 0xFE: "th", 0xD0: "d",
        0xF0: "d", 0x131: "i", 0x130: "i", 0x149: "n", 0x17F: "s", 0x3C2: "σ", 0xFB00: "ff", 0xFB01: "fi", 0xFB02: "fl",
        0xFB03: "ffi", 0xFB04: "ffl", 0x401: "е", 0x451: "е",
    ]

    /// The base letters of Latin, Greek and Cyrillic letters with marks, by their names in Unicode.
    private static let bases: [UInt32: Unicode.Scalar] = {
        let ranges: [ClosedRange<UInt32>] = [0xC0...0x24F, 0x370...0x52F, 0x1E00...0x1FFF]
        let scalars = ranges.joined().compactMap(Unicode.Scalar.init)
        var named: [Substring: Unicode.Scalar] = [:]
        for scalar in (UInt32(0x61)...0x7A).compactMap(Unicode.Scalar.init) + scalars {
            if let name = scalar.properties.name { named[name[...]] = scalar }
        }
        var bases: [UInt32: Unicode.Scalar] = [:]
        for scalar in scalars {
            guard let lower = scalar.properties.lowercaseMapping.unicodeScalars.first,
                let name = lower.properties.name, let end = name.utf8.firstRange(of: " WITH "),
                let base = named[name[..<end]]
            else { continue }
            bases[scalar.value] = base
        }
        return bases
    }()

    /// Appends the folded form of a character that isn't ASCII; nothing for a mark that doesn't make another letter.
    static func append(_ scalar: Unicode.Scalar, to word: inout [UInt8]) {
        if isMark(scalar.value) { return }
        if let base = bases[scalar.value] { return word.append(contentsOf: Array(String(base).utf8)) }
        if let special = special[scalar.value] { return word.append(contentsOf: Array(special.utf8)) }
        if (0xFF01...0xFF5E).contains(scalar.value) {
            let narrow = UInt8(scalar.value - 0xFEE0)
            return word.append(narrow &- 0x41 < 26 ? narrow | 0x20 : narrow)
        }
        word += Array(scalar.properties.lowercaseMapping.utf8)
    }

    /// True for marks that readers leave out: accents, and the vowels of Hebrew and Arabic.
    static func isMark(_ value: UInt32) -> Bool {
        guard value >= 0x300 else { return value == 0xAD }
        switch value {
        case 0x300...0x36F, 0x591...0x5BD, 0x5BF...0x5C7, 0x610...0x61A, 0x64B...0x65F, 0x670, 0x1AB0...0x1AFF,
            0x1DC0...0x1DFF, 0x200B...0x200D, 0x20D0...0x20FF, 0xFE00...0xFE0F, 0xFE20...0xFE2F:
            return true
        default: return false
        }
    }
}

extension String.UTF8View {
    /// Returns the start of the first occurrence of a text.
    fileprivate func firstRange(of text: StaticString) -> Index? {
        let count = text.utf8CodeUnitCount
        var index = startIndex
        while index < endIndex {
            if self[index...].prefix(count).elementsEqual(UnsafeBufferPointer(start: text.utf8Start, count: count)) {
                return index
            }
            index = self.index(after: index)
        }
        return nil
    }
}
