internal import AFCPackageFormat
internal import AFCURL

/// The names of parameters that rules look for, so that URLs with other parameters needn't be parsed.
struct ParameterNames: Sendable {
    /// The names of all rules.
    static let known = ParameterNames(ReaderParameter.tracking + ReaderParameter.session + SecretValue.parameterNames)

    /// The lengths of names by their first two bytes: a bit for each length, the last for all longer ones.
    private var lengths = [UInt64](repeating: 0, count: 256)

    /// - Parameter patterns: Names in any case; a `*` at the end stands for any text, after at least two other bytes.
    init(_ patterns: [String]) {
        for pattern in patterns {
            let isPrefix = pattern.hasSuffix("*")
            let name = Array(pattern.utf8.dropLast(isPrefix ? 1 : 0))
            let place = Self.place(of: name)
            for length in min(63, name.count)...(isPrefix ? 63 : min(63, name.count)) {
                lengths[place] |= Self.bit(length)
            }
        }
    }

    /// Returns the index in the table for names that begin like this one, in any case.
    @inline(__always)
    private static func place(of name: some RandomAccessCollection<UInt8>) -> Int {
        guard let first = name.first else { return 0 }
        let second = name.dropFirst().first ?? 0
        // One bit distinguishes uppercase from lowercase; other characters may share an index.
        return Int((first | 0x20) &* 31 &+ (second | 0x20))
    }

    private static func bit(_ length: Int) -> UInt64 { 1 << UInt64(min(63, length)) }

    /// Returns true if a URL in normal form may have a known name, or a value that is a secret under any name.
    func mayBe(in item: ManifestReader.Item) -> Bool {
        item.withBytes(item.fields.url) { mayBe(in: $0) }
    }

    private func mayBe(in url: UnsafeBufferPointer<UInt8>) -> Bool {
        var start = 0
        var isInQuery = false
        // Only the first '=' of a part ends a name.
        var isInName = true
        for (index, byte) in url.enumerated() {
            switch byte {
            case UInt8(ascii: "?") where !isInQuery:
                isInQuery = true
                (start, isInName) = (index + 1, true)
            case UInt8(ascii: "&") where isInQuery, UInt8(ascii: "/") where !isInQuery,
                UInt8(ascii: ";") where !isInQuery:
                (start, isInName) = (index + 1, true)
            case UInt8(ascii: "=") where isInName:
                isInName = false
                if isKnown(url[start..<index]) || url[(index + 1)...].starts(with: SecretValue.tokenStart) {
                    return true
                }
            default: break
            }
        }
        return false
    }

    private func isKnown(_ name: Slice<UnsafeBufferPointer<UInt8>>) -> Bool {
        lengths[Self.place(of: name)] & Self.bit(name.count) != 0
    }
}
