/// Bytes for a tokenizer, valid only as long as the array they are borrowed from.
///
/// Every access is checked, even in release builds: the bytes are hostile, and an error in a state machine must cause a
/// trap, not a read past the end.
struct ScanBuffer {
    private let start: UnsafePointer<UInt8>?
    let count: Int

    #if DEBUG || COUNTING
    /// A counter of the bytes read, for tests that reading takes linear time.
    var steps: UnsafeMutablePointer<Int>?
    #endif

    init(_ buffer: UnsafeBufferPointer<UInt8>) {
        start = buffer.baseAddress
        count = start == nil ? 0 : buffer.count
    }

    /// Counts bytes, or other steps, for tests.
    @inline(__always)
    func note(_ bytes: Int) {
        #if DEBUG || COUNTING
        steps?.pointee += bytes
        #endif
    }

    @inline(__always)
    subscript(_ index: Int) -> UInt8 {
        precondition(UInt(bitPattern: index) < UInt(bitPattern: count), "a byte outside the text")
        guard let start else { return 0 }
        note(1)
        return start[index]
    }

    /// Returns the byte at an index, or nil at the end.
    @inline(__always)
    func at(_ index: Int) -> UInt8? { index < count ? self[index] : nil }

    func slice(_ range: Range<Int>) -> UnsafeBufferPointer<UInt8> {
        precondition(range.lowerBound >= 0 && range.upperBound <= count, "a range outside the text")
        note(range.count)
        return UnsafeBufferPointer(start: start.map { $0 + range.lowerBound }, count: range.count)
    }

    func string(_ range: Range<Int>) -> String { String(decoding: slice(range), as: UTF8.self) }

    /// Returns the position of the next occurrence of a byte, or `count`; it checks eight bytes at a time.
    @inline(__always)
    func find(_ byte: UInt8, from index: Int) -> Int { find(byte, from: index, to: count) }

    /// Returns the position of the next occurrence of a byte before an end, or that end.
    @inline(__always)
    func find(_ byte: UInt8, from index: Int, to end: Int) -> Int {
        precondition(index >= 0 && end <= count, "a range outside the text")
        guard let start, index < end else { return max(index, end) }
        let raw = UnsafeRawPointer(start)
        let ones: UInt64 = 0x0101_0101_0101_0101
        let pattern = ones &* UInt64(byte)
        var index = index
        while index &+ 8 <= end {
            let word = UInt64(littleEndian: raw.loadUnaligned(fromByteOffset: index, as: UInt64.self)) ^ pattern
            let zeros = (word &- ones) & ~word & (ones << 7)
            note(8)
            if zeros != 0 { return index &+ zeros.trailingZeroBitCount &>> 3 }
            index &+= 8
        }
        while index < end, start[index] != byte {
            note(1)
            index &+= 1
        }
        return index
    }

    /// Returns true if text is at an index; letters in the text must be lower case and match both cases.
    func hasPrefix(_ text: StaticString, at index: Int) -> Bool {
        let length = text.utf8CodeUnitCount
        guard index + length <= count else { return false }
        for offset in 0..<length where self[index + offset].lowercased != text.utf8Start[offset] { return false }
        return true
    }
}

extension UInt8 {
    /// The byte with an ASCII letter converted to lower case.
    @inline(__always)
    var lowercased: UInt8 { self &- 0x41 < 26 ? self | 0x20 : self }

    @inline(__always)
    var isLetter: Bool { (self | 0x20) &- 0x61 < 26 }

    @inline(__always)
    var isDigit: Bool { self &- 0x30 < 10 }

    /// True for HTML's white space, including carriage returns, which stand for line feeds.
    @inline(__always)
    var isSpace: Bool { self == 0x20 || self &- 0x09 < 2 || self == 0x0C || self == 0x0D }

    /// The value of a hexadecimal digit.
    var hexValue: UInt32? {
        if isDigit { return UInt32(self & 0x0F) }
        let letter = self | 0x20
        return letter &- 0x61 < 6 ? UInt32(letter &- 0x61 &+ 10) : nil
    }
}

/// The lines of a text, with any kind of line end.
enum TextLines {
    /// Calls a closure for each line that isn't blank, until it returns false.
    ///
    /// - Parameters:
    ///   - text: The text; a byte order mark at its start is skipped.
    ///   - body: Takes the line without surrounding white space; returns true to continue.
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
