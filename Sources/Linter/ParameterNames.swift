internal import PackageFormat

/// The names of parameters that rules look for, so that URLs with other parameters needn't be cut.
struct ParameterNames: Sendable {
    /// Those of all rules.
    static let known = ParameterNames(
        names: SecretValue.parameterNames.union(SessionInURLRule.names).union(TrackingParameterRule.names),
        prefixes: SessionInURLRule.prefixes + TrackingParameterRule.prefixes
    )

    /// Which lengths names have by their first byte, in lower case: a bit each, the last for all longer ones.
    private var lengths = [UInt64](repeating: 0, count: 256)

    /// - Parameters:
    ///   - names: In lower case.
    ///   - prefixes: Beginnings of others, in lower case.
    init(names: Set<String>, prefixes: [String]) {
        for name in names { if let first = name.utf8.first { lengths[Int(first)] |= Self.bit(name.utf8.count) } }
        for prefix in prefixes {
            guard let first = prefix.utf8.first else { continue }
            for length in min(63, prefix.utf8.count)...63 { lengths[Int(first)] |= Self.bit(length) }
        }
    }

    private static func bit(_ length: Int) -> UInt64 { 1 << UInt64(min(63, length)) }

    /// Whether a URL in normal form may have one, or a value that is a secret whatever its name.
    func mayBe(in item: ManifestReader.Item) -> Bool {
        item.withBytes(item.fields.url) { mayBe(in: $0) }
    }

    private func mayBe(in url: UnsafeBufferPointer<UInt8>) -> Bool {
        var start = 0
        var isInQuery = false
        // Only the first of a part ends a name.
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
        guard let first = name.first else { return false }
        let lower = (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(first) ? first | 0x20 : first
        return lengths[Int(lower)] & Self.bit(name.count) != 0
    }
}
