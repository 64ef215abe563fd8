/// The addresses in a `srcset` or `imagesrcset` attribute; HTML §4.8.4.3.10 "parse a srcset attribute".
struct SourceSet {
    /// The addresses of the valid candidates in order; candidates with invalid descriptors are left out.
    var addresses: [String] { ranges.map { String(decoding: bytes[$0], as: UTF8.self) } }
    /// The places of these addresses in the value, in UTF-8.
    let ranges: [Range<Int>]
    private let bytes: [UInt8]

    /// Parses the attribute's decoded value.
    init(_ text: String) {
        let bytes = Array(text.utf8)
        var ranges: [Range<Int>] = []
        var index = 0
        while true {
            while index < bytes.count, bytes[index].isSpace || bytes[index] == UInt8(ascii: ",") { index += 1 }
            guard index < bytes.count else { break }
            let start = index
            while index < bytes.count, !bytes[index].isSpace { index += 1 }
            var end = index
            var isValid = true
            if bytes[end - 1] == UInt8(ascii: ",") {
                while end > start, bytes[end - 1] == UInt8(ascii: ",") { end -= 1 }
            } else {
                isValid = Self.areValid(Self.descriptors(bytes, &index))
            }
            if isValid { ranges.append(start..<end) }
        }
        self.ranges = ranges
        self.bytes = bytes
    }

    /// Returns the descriptors up to the comma that ends the candidate; commas in parentheses don't.
    private static func descriptors(_ bytes: [UInt8], _ index: inout Int) -> [Substring] {
        var descriptors: [Substring] = []
        var current: [UInt8] = []
        var isInParentheses = false
        func take() {
            if !current.isEmpty { descriptors.append(Substring(decoding: current, as: UTF8.self)) }
            current = []
        }
        while index < bytes.count {
            let byte = bytes[index]
            index += 1
            if isInParentheses {
                current.append(byte)
                isInParentheses = byte != UInt8(ascii: ")")
            } else if byte.isSpace {
                take()
            } else if byte == UInt8(ascii: ",") {
                break
            } else {
                current.append(byte)
                isInParentheses = byte == UInt8(ascii: "(")
            }
        }
        take()
        return descriptors
    }

    /// Returns true for at most one density, or one width with at most one height, each a valid number.
    private static func areValid(_ descriptors: [Substring]) -> Bool {
        var seen: Set<Character> = []
        for descriptor in descriptors {
            guard let unit = descriptor.last, seen.insert(unit).inserted else { return false }
            let number = descriptor.dropLast()
            switch unit {
            case "w", "h":
                guard number.utf8.allSatisfy(\.isDigit), number.contains(where: { $0 != "0" }) else { return false }
            case "x":
                guard isFloat(number), !number.hasPrefix("-") else { return false }
            default: return false
            }
        }
        if seen.contains("x") { return seen.count == 1 }
        return !seen.contains("h") || seen.contains("w")
    }

    /// Returns true if text is a valid floating-point number; §2.3.4.3.
    private static func isFloat(_ text: Substring) -> Bool {
        let bytes = Array(text.utf8)
        var index = bytes.first == UInt8(ascii: "-") ? 1 : 0
        func digits() -> Int {
            let start = index
            while index < bytes.count, bytes[index].isDigit { index += 1 }
            return index - start
        }
        let whole = digits()
        if index < bytes.count, bytes[index] == UInt8(ascii: ".") {
            index += 1
            guard digits() > 0 else { return false }
        } else if whole == 0 {
            return false
        }
        if index < bytes.count, bytes[index] | 0x20 == UInt8(ascii: "e") {
            index += 1
            if index < bytes.count, bytes[index] == UInt8(ascii: "-") || bytes[index] == UInt8(ascii: "+") {
                index += 1
            }
            guard digits() > 0 else { return false }
        }
        return index == bytes.count
    }
}

extension Substring {
    fileprivate init(decoding bytes: [UInt8], as encoding: UTF8.Type) {
        self = Substring(String(decoding: bytes, as: encoding))
    }
}
