internal import AFCHTTP
internal import AFCPackageFormat

/// What suffixes say: a manifest has many lines and few of them.
///
/// Each place of the table holds the suffix that was last looked up there, so that a hostile manifest can't make it grow.
struct SuffixMeanings {
    /// What a suffix says.
    enum Meaning {
        /// Nothing that browsers treat differently.
        case nothing
        /// What it is for browsers.
        case kind(LintedType.Kind)
        /// It is too long to tell.
        case unknown
    }

    private var places = [(suffix: UInt64, meaning: Meaning)](repeating: (0, .nothing), count: 64)

    /// What a suffix says.
    ///
    /// - Parameter suffix: As ``URLGlance`` tells it.
    /// - Returns: What it says.
    @inline(__always)
    mutating func meaning(_ suffix: UInt64) -> Meaning {
        let place = Int(truncatingIfNeeded: (suffix &* 0x9E37_79B9_7F4A_7C15) >> 58)
        if places[place].suffix != suffix { places[place] = (suffix, Self.look(suffix)) }
        return places[place].meaning
    }

    private static func look(_ suffix: UInt64) -> Meaning {
        if suffix == 0 { return .nothing }
        if suffix == URLGlance.longSuffix { return .unknown }
        let bytes = withUnsafeBytes(of: suffix.bigEndian) { Array($0.drop { $0 == 0 }) }
        guard let type = MediaType(suffixOf: "a." + String(decoding: bytes, as: UTF8.self)),
            let kind = LintedType.kind(of: type.essence)
        else { return .nothing }
        return .kind(kind)
    }
}
