internal import AFCHTTP
public import HTTPTypes

/// A content coding of bodies that is decoded (RFC 9110 §8.4.1); its raw value is its name.
public enum ContentCoding: String, CaseIterable, Sendable {
    /// gzip (RFC 1952).
    case gzip
    /// zlib's format (RFC 1950), or deflate data without it.
    case deflate
    /// Brotli (RFC 7932).
    case brotli = "br"
    /// Zstandard (RFC 8878).
    case zstandard = "zstd"

    /// A list of codings that isn't decoded.
    public struct Unsupported: Error, Equatable {
        /// The names, in the order in which they were applied.
        public var names: String
    }

    /// The largest number of codings that are decoded after each other.
    static let limit = 3

    /// The value of Accept-Encoding: codings that servers compute for each response at little cost.
    ///
    /// Brotli and Zstandard are decoded if a server sends them unasked, as it does with files that are stored coded.
    public static let accepted = "gzip, deflate"

    /// Other codings in the registry of IANA, whose bodies can't be read; any other name is a mistake, such as `utf-8`.
    private static let undecoded: Set<String> = [
        "aes128gcm", "compress", "dcb", "dcz", "exi", "pack200-gzip", "x-compress",
    ]

    /// True if this build decodes the coding.
    private var isDecoded: Bool {
        switch self {
        case .gzip, .deflate: return true
        case .brotli:
            #if Brotli
            return true
            #else
            return false
            #endif
        case .zstandard:
            #if Zstandard
            return true
            #else
            return false
            #endif
        }
    }

    private init?(name: String) {
        // RFC 9110 §8.4.1.3.
        self.init(rawValue: name == "x-gzip" ? "gzip" : name)
    }

    /// Returns the codings that a response's fields name, in the order in which they were applied.
    ///
    /// A name that isn't a coding's counts as none, as in curl and Chromium.
    ///
    /// - Parameter fields: The fields.
    /// - Returns: The codings; empty if the body isn't coded.
    /// - Throws: ``Unsupported`` if one of the codings isn't decoded, or if there are too many.
    public static func named(by fields: HTTPFields) throws(Unsupported) -> [ContentCoding] {
        guard fields.contains(.contentEncoding) else { return [] }
        let names = fields[values: .contentEncoding].flatMap { FieldText.list($0) }.map { $0.lowercased() }
        let codings = names.compactMap { ContentCoding(name: $0) }
        let isTooMuch = codings.count > limit || codings.count { $0.window != nil } > 1
        guard !isTooMuch, undecoded.isDisjoint(with: names), codings.allSatisfy(\.isDecoded) else {
            throw Unsupported(names: names.filter { $0 != "identity" }.joined(separator: ", "))
        }
        return codings
    }

    /// Returns the names of codings, nil for none.
    public static func words(_ codings: [ContentCoding]) -> String? {
        codings.isEmpty ? nil : codings.map(\.rawValue).joined(separator: ", ")
    }

    /// The largest window that decoding may need, in bytes; nil if it is small.
    ///
    /// RFC 9659 limits Zstandard to 8 MiB for HTTP; Brotli has 16 MiB (RFC 7932 §9.1).
    var window: Int? {
        switch self {
        case .gzip, .deflate: nil
        case .brotli: 1 << 24
        case .zstandard: 1 << 23
        }
    }
}
