internal import AFCHTTP
internal import AFCText

/// A cache of parsed media types by their text: a manifest has many lines and few media types.
///
/// Each slot holds the text that was last looked up there, so a hostile manifest can't make the cache grow.
struct MediaTypeCache: Sendable {
    /// The meaning of a text.
    struct Reading: Sendable {
        /// The media type's normal form, or nil if the text isn't a media type.
        var normal: String?
        /// True if the text is in normal form.
        var isNormal: Bool
    }

    private struct Place: Sendable {
        var written: [UInt8] = []
        var reading = Reading(normal: nil, isNormal: false)
    }

    private static let placeCount = 256
    private var places = [Place](repeating: Place(), count: Self.placeCount)

    /// Returns the meaning of a text that isn't empty.
    mutating func look(_ bytes: UnsafeBufferPointer<UInt8>) -> Reading {
        let place = Self.place(bytes)
        let isKnown = places[place].written.withUnsafeBufferPointer { ByteCursor.isEqual($0, bytes) }
        if isKnown { return places[place].reading }
        let written = String(decoding: bytes, as: UTF8.self)
        let normal = MediaType(written)?.description
        let reading = Reading(normal: normal, isNormal: normal == written)
        // Longer texts are hardly media types, and 256 of them would take much memory.
        if bytes.count <= 1024 { places[place] = Place(written: Array(bytes), reading: reading) }
        return reading
    }

    /// Returns a number that differs for most media types, computed from their first, middle and last bytes.
    @inline(__always)
    private static func place(_ bytes: UnsafeBufferPointer<UInt8>) -> Int {
        guard let first = bytes.first, let last = bytes.last else { return 0 }
        let raw = UnsafeRawBufferPointer(bytes)
        var key = UInt64(first) << 8 | UInt64(last) ^ UInt64(bytes.count) << 32
        if raw.count >= 8 {
            key ^= raw.loadUnaligned(fromByteOffset: raw.count / 2 - 4, as: UInt64.self)
            key = key &* 0x9E37_79B9_7F4A_7C15 ^ raw.loadUnaligned(fromByteOffset: raw.count - 8, as: UInt64.self)
        }
        return Int(truncatingIfNeeded: key &* 0x9E37_79B9_7F4A_7C15 >> 56) & (placeCount - 1)
    }
}
