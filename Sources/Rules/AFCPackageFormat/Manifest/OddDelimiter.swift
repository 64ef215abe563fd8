internal import AFCHTTP
internal import AFCURL

/// Finds text that was meant to end a field but isn't exactly space, semicolon, space.
///
/// Text after such a delimiter is read as part of the field and all later fields shift, so the line means something
/// else than its author intended. The search is made only where a field isn't in normal form, which is rare. Ranges
/// count from the start of the bytes.
enum OddDelimiter {
    /// Returns the first odd delimiter in a URL.
    ///
    /// A semicolon may be part of a path. Next to white space, or before a date or `NULL`, it is a delimiter.
    static func inURL(_ bytes: UnsafeBufferPointer<UInt8>, _ part: Range<Int>) -> Range<Int>? {
        guard bytes[part].contains(where: { $0 == UInt8(ascii: ";") || $0 <= 0x20 || $0 >= 0x80 }) else { return nil }
        let semicolons = semicolons(bytes, part)
        for (range, isSpaced) in semicolons {
            if isSpaced || isDateOrNone(bytes, range.upperBound..<part.upperBound) { return range }
        }
        // A date after white space, a comma or a bar; and tabs, which the URL standard removes from a URL.
        for range in spaces(bytes, part) {
            if bytes[range].contains(0x09) || isDateOrNone(bytes, range.upperBound..<part.upperBound) { return range }
        }
        return nil
    }

    /// Returns the first odd delimiter in a text that is not a date: a date has no semicolon.
    static func inDate(_ bytes: UnsafeBufferPointer<UInt8>, _ part: Range<Int>) -> Range<Int>? {
        semicolons(bytes, part).first?.range
    }

    /// Returns the first odd delimiter in a media type, where a semicolon may begin a parameter with a name and a
    /// value.
    static func inType(_ bytes: UnsafeBufferPointer<UInt8>, _ part: Range<Int>) -> Range<Int>? {
        guard !bytes[part].contains(UInt8(ascii: "\"")) else { return nil }
        let semicolons = semicolons(bytes, part)
        for (number, found) in semicolons.enumerated() {
            let end = number + 1 < semicolons.count ? semicolons[number + 1].range.lowerBound : part.upperBound
            let rest = bytes[found.range.upperBound..<max(end, found.range.upperBound)]
            if !rest.isEmpty, !rest.contains(UInt8(ascii: "=")) { return found.range }
        }
        return nil
    }

    /// Returns true if a part, up to the next semicolon, is `NULL` or a date in a common format.
    ///
    /// It looks at a limited number of bytes, since it is called for each white space of a line.
    private static func isDateOrNone(_ bytes: UnsafeBufferPointer<UInt8>, _ part: Range<Int>) -> Bool {
        let limit = min(part.upperBound, part.lowerBound + leadingLimit)
        var start = part.lowerBound
        while start < limit, let count = leading(bytes, start) { start += count }
        guard start < part.upperBound else { return false }
        var end = start
        while end < part.upperBound, semicolonLength(bytes, end) == 0 {
            guard end - start < dateLimit else { return false }
            end += 1
        }
        while let count = spaceLength(bytes, endingAt: end), end - count >= start { end -= count }
        let text = UnsafeBufferPointer(rebasing: bytes[start..<max(end, start)])
        guard !text.isEmpty else { return false }
        return isNone(text) || (text.contains(UInt8(ascii: ":")) && LenientDate.parse(text) != nil)
    }

    /// The maximum number of bytes of white space, commas and bars before a date.
    private static let leadingLimit = 16
    /// The maximum length of a text that is read as a date, including the white space after it, in bytes.
    private static let dateLimit = 64

    /// Returns the number of bytes of the white space, comma or bar at a place.
    private static func leading(_ bytes: UnsafeBufferPointer<UInt8>, _ index: Int) -> Int? {
        if bytes[index] == UInt8(ascii: ",") || bytes[index] == UInt8(ascii: "|") { return 1 }
        return spaceLength(bytes, at: index)
    }

    // MARK: Characters

    /// Returns the semicolons, including full-width ones, each with the white space around it.
    private static func semicolons(
        _ bytes: UnsafeBufferPointer<UInt8>,
        _ part: Range<Int>
    ) -> [(range: Range<Int>, isSpaced: Bool)] {
        var found: [(range: Range<Int>, isSpaced: Bool)] = []
        var index = part.lowerBound
        while index < part.upperBound {
            let length = semicolonLength(bytes, index)
            guard length > 0 else {
                index += 1
                continue
            }
            var (start, end) = (index, index + length)
            let least = found.last?.range.upperBound ?? part.lowerBound
            while let count = spaceLength(bytes, endingAt: start), start - count >= least { start -= count }
            while end < part.upperBound, let count = spaceLength(bytes, at: end) { end += count }
            end = min(end, part.upperBound)
            found.append((start..<end, end - start > length))
            index = end
        }
        return found
    }

    /// Returns the runs of white space.
    private static func spaces(_ bytes: UnsafeBufferPointer<UInt8>, _ part: Range<Int>) -> [Range<Int>] {
        var found: [Range<Int>] = []
        var index = part.lowerBound
        while index < part.upperBound {
            let start = index
            while index < part.upperBound, let count = spaceLength(bytes, at: index) { index += count }
            if index > start { found.append(start..<min(index, part.upperBound)) } else { index += 1 }
        }
        return found
    }

    /// Returns the number of bytes of the semicolon at a place, or 0 if there is none.
    private static func semicolonLength(_ bytes: UnsafeBufferPointer<UInt8>, _ index: Int) -> Int {
        if bytes[index] == UInt8(ascii: ";") { return 1 }
        return bytes[index] == 0xEF && bytes[index...].starts(with: [0xEF, 0xBC, 0x9B]) ? 3 : 0
    }

    /// Returns the number of bytes of the white-space character at a place, or nil if there is none.
    private static func spaceLength(_ bytes: UnsafeBufferPointer<UInt8>, at index: Int) -> Int? {
        guard index < bytes.count else { return nil }
        if bytes[index] == 0x20 || bytes[index] == 0x09 { return 1 }
        guard bytes[index] >= 0xC2 else { return nil }
        return wideSpaces.first { bytes[index...].starts(with: $0) }?.count
    }

    private static func spaceLength(_ bytes: UnsafeBufferPointer<UInt8>, endingAt end: Int) -> Int? {
        (1...3).first { end >= $0 && spaceLength(bytes, at: end - $0) == $0 }
    }

    /// The no-break space, U+2000 to U+200B, U+202F, U+205F and the ideographic space, in UTF-8.
    private static let wideSpaces: [[UInt8]] =
        [[0xC2, 0xA0], [0xE2, 0x80, 0xAF], [0xE2, 0x81, 0x9F], [0xE3, 0x80, 0x80]]
        + (UInt8(0x80)...0x8B).map { [0xE2, 0x80, $0] }
}
