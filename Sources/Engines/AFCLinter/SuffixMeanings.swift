internal import AFCHTTP
internal import AFCPackageFormat

/// A cache of what suffixes mean, for manifests with many lines and few suffixes.
///
/// Each slot holds the suffix that was last looked up there, so that a hostile manifest can't make the table grow.
struct SuffixMeanings {
    /// The meaning of a suffix.
    enum Meaning {
        /// No kind of its own.
        case nothing
        /// A kind that browsers treat differently.
        case kind(LintedType.Kind)
        /// The suffix is too long to tell.
        case unknown
    }

    private var places = [(suffix: UInt64, meaning: Meaning)](repeating: (0, .nothing), count: 64)

    /// Returns the meaning of a suffix.
    ///
    /// - Parameter suffix: The suffix as ``URLGlance`` encodes it.
    /// - Returns: The meaning.
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
