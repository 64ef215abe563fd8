/// Percent-decoding; see https://url.spec.whatwg.org/#percent-decode.
public enum PercentDecoding {
    /// The bytes with each `%XX` replaced; a percent sign that isn't followed by two digits stays.
    public static func decode(_ bytes: some Sequence<UInt8>) -> [UInt8] {
        let source = Array(bytes)
        guard source.contains(UInt8(ascii: "%")) else { return source }
        var result: [UInt8] = []
        result.reserveCapacity(source.count)
        var index = 0
        while index < source.count {
            if source[index] == UInt8(ascii: "%"), index + 2 < source.count,
                let high = hexValue(source[index + 1]), let low = hexValue(source[index + 2])
            {
                result.append(high << 4 | low)
                index += 3
            } else {
                result.append(source[index])
                index += 1
            }
        }
        return result
    }
}

extension StringProtocol {
    /// The bytes that the text stands for: each `%XX` replaced, all else as UTF-8.
    ///
    /// They may be any bytes: not UTF-8, slashes, NUL. For a part of a path this is what its author named it.
    public var percentDecoded: [UInt8] { PercentDecoding.decode(utf8) }
}
