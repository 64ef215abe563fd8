#if canImport(Glibc)
internal import Glibc
#elseif canImport(Musl)
internal import Musl
#else
internal import Darwin
#endif

/// A character set of the C library's `iconv`, for converting single characters.
///
/// Only the tables of the C library are used. ``LegacyDecoder`` assembles multi-byte characters and handles errors,
/// because `iconv` stops at errors and differs between systems.
struct ConversionTable: ~Copyable {
    private let descriptor: iconv_t

    /// Opens a table; nil if the C library lacks it.
    ///
    /// - Parameter name: The C library's name of the character set.
    init?(_ name: String) {
        guard let descriptor = iconv_open("UTF-32LE", name), descriptor != iconv_t(bitPattern: -1) else { return nil }
        self.descriptor = descriptor
    }

    deinit { iconv_close(descriptor) }

    /// Returns the code point of a byte sequence, or 0 if it has none, or several.
    func codePoint(of bytes: [UInt8]) -> UInt32 {
        var input = bytes.map { CChar(bitPattern: $0) }
        var output = [UInt32](repeating: 0, count: 4)
        var room = output.count * 4
        let isWhole = input.withUnsafeMutableBufferPointer { input in
            output.withUnsafeMutableBytes { output in
                var from = input.baseAddress
                var left = input.count
                var into = output.baseAddress?.assumingMemoryBound(to: CChar.self)
                iconv(descriptor, nil, nil, nil, nil)
                guard iconv(descriptor, &from, &left, &into, &room) != .max else { return false }
                // Some tables hold back a character that the next one may change.
                return iconv(descriptor, nil, nil, &into, &room) != .max && left == 0
            }
        }
        guard isWhole, room == output.count * 4 - 4 else { return 0 }
        return UInt32(littleEndian: output[0])
    }
}
