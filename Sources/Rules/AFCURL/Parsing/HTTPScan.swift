/// Recognizes http and https URLs in normal form in one pass.
///
/// Most URLs in manifests are in normal form.
///
/// Anything unusual (credentials, addresses, characters beyond ASCII, dot segments, characters to encode) gives nil and
/// is left to the parser, which alone decides what is an error.
struct HTTPScan {
    let offsets: Offsets
    /// The start of a fragment, or the end of the input.
    let end: Int

    init?(_ bytes: Span<UInt8>) {
        // The shortest URL is http://a/.
        guard bytes.count >= 9, bytes.count < UInt32.max else { return nil }
        guard bytes[0] == UInt8(ascii: "h"), bytes[1] == UInt8(ascii: "t"), bytes[2] == UInt8(ascii: "t"),
            bytes[3] == UInt8(ascii: "p")
        else { return nil }
        let kind: SchemeKind = bytes[4] == UInt8(ascii: "s") ? .https : .http
        let schemeEnd = kind == .https ? 5 : 4
        guard bytes[schemeEnd] == UInt8(ascii: ":"), bytes[schemeEnd + 1] == UInt8(ascii: "/"),
            bytes[schemeEnd + 2] == UInt8(ascii: "/"),
            let hostEnd = Self.hostEnd(bytes, from: schemeEnd + 3),
            let pathStart = Self.portEnd(bytes, from: hostEnd, kind: kind),
            let pathEnd = Self.pathEnd(bytes, from: pathStart),
            let end = Self.queryEnd(bytes, from: pathEnd)
        else { return nil }

        var offsets = Offsets(kind: kind, schemeEnd: schemeEnd)
        offsets.hasAuthority = true
        offsets.usernameEnd = UInt32(schemeEnd + 3)
        offsets.hostStart = UInt32(schemeEnd + 3)
        offsets.hostEnd = UInt32(hostEnd)
        offsets.pathStart = UInt32(pathStart)
        offsets.pathEnd = UInt32(pathEnd)
        self.offsets = offsets
        self.end = end
    }

    /// Returns the end of a lower-case name whose last label doesn't begin with a digit, so that it can't be an IPv4
    /// address.
    private static func hostEnd(_ bytes: Span<UInt8>, from start: Int) -> Int? {
        var index = start
        var labelStart = start
        while index < bytes.count, plainHost.contains(bytes[index]) {
            if bytes[index] == UInt8(ascii: ".") { labelStart = index + 1 }
            index += 1
        }
        return index > labelStart && !isDigit(bytes[labelStart]) ? index : nil
    }

    /// Returns the place of the path's first byte, after an optional port in serialized form.
    private static func portEnd(_ bytes: Span<UInt8>, from hostEnd: Int, kind: SchemeKind) -> Int? {
        guard hostEnd < bytes.count else { return nil }
        if bytes[hostEnd] == UInt8(ascii: "/") { return hostEnd }
        guard bytes[hostEnd] == UInt8(ascii: ":") else { return nil }
        var index = hostEnd + 1
        var port = 0
        while index < bytes.count, isDigit(bytes[index]), index - hostEnd <= 5 {
            port = port * 10 + Int(bytes[index] - UInt8(ascii: "0"))
            index += 1
        }
        guard index > hostEnd + 1, index < bytes.count, bytes[index] == UInt8(ascii: "/"),
            bytes[hostEnd + 1] != UInt8(ascii: "0"), port <= 65535, port != kind.defaultPort.map(Int.init)
        else { return nil }
        return index
    }

    /// Returns the end of a special scheme's path that the parser would not change, or nil if the parser might change
    /// it.
    ///
    /// - Parameters:
    ///   - bytes: The input.
    ///   - start: A slash, or the first byte of a segment.
    /// - Returns: The place of `?`, `#` or the end of the input.
    static func pathEnd(_ bytes: Span<UInt8>, from start: Int) -> Int? {
        var index = start
        guard start == bytes.count || !mayBeDotSegment(bytes, from: start) else { return nil }
        while index < bytes.count {
            let byte = bytes[index]
            guard pathStop.contains(byte) || byte >= 0x80 else {
                index += 1
                continue
            }
            guard byte == UInt8(ascii: "/") else {
                return byte == UInt8(ascii: "?") || byte == UInt8(ascii: "#") ? index : nil
            }
            index += 1
            if mayBeDotSegment(bytes, from: index) { return nil }
        }
        return index
    }

    /// Returns the end of a special scheme's query that the parser would not change, or nil if it would.
    static func queryEnd(_ bytes: Span<UInt8>, from start: Int) -> Int? {
        var index = start
        while index < bytes.count, !PercentEncodeSet.specialQuery.contains(bytes[index]) { index += 1 }
        return index == bytes.count || bytes[index] == UInt8(ascii: "#") ? index : nil
    }

    /// Returns true if a segment begins like a dot segment; `.well-known` and `%20` don't.
    @inline(__always)
    private static func mayBeDotSegment(_ bytes: Span<UInt8>, from start: Int) -> Bool {
        guard start < bytes.count else { return false }
        if bytes[start] == UInt8(ascii: ".") {
            guard start + 1 < bytes.count else { return true }
            let next = bytes[start + 1]
            return next == UInt8(ascii: ".") || next == UInt8(ascii: "%") || pathStop.contains(next)
        }
        guard bytes[start] == UInt8(ascii: "%") else { return false }
        return start + 1 < bytes.count && bytes[start + 1] == UInt8(ascii: "2")
            && start + 2 < bytes.count && bytes[start + 2] | 0x20 == UInt8(ascii: "e")
    }

    /// Lower-case letters, digits, `-`, `.` and `_`.
    private static let plainHost = ASCIISet(low: 0x03FF_6000_0000_0000, high: 0x07FF_FFFE_8000_0000)
    /// The bytes of the path's percent-encode set, and both slashes.
    private static let pathStop = ASCIISet(low: 0xD000_800D_FFFF_FFFF, high: 0xA800_0001_5000_0000)
}
