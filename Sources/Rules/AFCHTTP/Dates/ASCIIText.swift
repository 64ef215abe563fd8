/// A builder of short ASCII texts, whose string is the only allocation.
struct ASCIIText {
    private var bytes: [UInt8] = []

    init() { bytes.reserveCapacity(32) }

    var string: String { String(decoding: bytes, as: UTF8.self) }

    mutating func append(_ text: StaticString) {
        bytes.append(contentsOf: UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
    }

    /// Appends a number that isn't negative, with at least so many digits.
    mutating func append(_ value: Int, digits: Int) {
        var scale = 1
        for _ in 1..<digits { scale *= 10 }
        while scale > 0 {
            bytes.append(UInt8(ascii: "0") + UInt8(value / scale % 10))
            scale /= 10
        }
    }

    /// Appends a time as `HH:MM:SS`.
    mutating func append(_ time: CivilTime) {
        append(time.hour, digits: 2)
        append(":")
        append(time.minute, digits: 2)
        append(":")
        append(time.second, digits: 2)
    }
}

/// Access to the UTF-8 bytes of texts.
package enum Bytes {
    /// Lends the bytes of a text; copies them only if they aren't contiguous.
    @inline(__always)
    package static func of<Result>(_ text: some StringProtocol, _ body: (UnsafeBufferPointer<UInt8>) -> Result)
        -> Result
    {
        if let result = text.utf8.withContiguousStorageIfAvailable(body) { return result }
        return Array(text.utf8).withUnsafeBufferPointer(body)
    }
}
