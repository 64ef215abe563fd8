extension WebURL {
    /// Recognises http and https URLs that are in normal form already, in one pass: most of those in a manifest.
    ///
    /// Whatever is in doubt (credentials, addresses, letters beyond ASCII, dot segments, a fragment, anything to encode) gives nil and is
    /// left to the parser.
    init?(normalized bytes: UnsafeBufferPointer<UInt8>) {
        let count = bytes.count
        guard count > 10, count < 1 << 20, Self.has("http", in: bytes, at: 0) else { return nil }
        let isSecure = bytes[4] == UInt8(ascii: "s")
        let schemeEnd = isSecure ? 5 : 4
        guard Self.has("://", in: bytes, at: schemeEnd) else { return nil }
        var layout = Layout()
        layout.schemeEnd = UInt32(schemeEnd)
        let hostStart = schemeEnd + 3
        var index = hostStart
        var labelStart = hostStart
        while index < count, Self.isPlainHost(bytes[index]) {
            if bytes[index] == UInt8(ascii: ".") {
                guard index > labelStart else { return nil }
                labelStart = index + 1
            }
            index += 1
        }
        // A last label that begins with a digit may be an address; an empty one is rare.
        guard index > labelStart, !isDigit(bytes[labelStart]), index < count else { return nil }
        layout.hasAuthority = true
        layout.authorityStart = UInt32(hostStart)
        layout.usernameEnd = UInt32(hostStart)
        layout.hostStart = UInt32(hostStart)
        layout.hostEnd = UInt32(index)
        guard bytes[index] == UInt8(ascii: "/") else { return nil }
        layout.pathStart = UInt32(index)
        while index < count {
            let byte = bytes[index]
            if byte == UInt8(ascii: "?") { break }
            guard !PercentEncodeSet.path.contains(byte), byte != UInt8(ascii: "\\") else { return nil }
            if byte == UInt8(ascii: "/"), index + 1 < count {
                let next = bytes[index + 1]
                guard next != UInt8(ascii: "."), next != UInt8(ascii: "%") else { return nil }
            }
            index += 1
        }
        layout.pathEnd = UInt32(index)
        while index < count {
            guard !PercentEncodeSet.specialQuery.contains(bytes[index]) else { return nil }
            index += 1
        }
        self.init(serialization: String(decoding: bytes, as: UTF8.self), layout: layout)
    }

    @inline(__always)
    private static func has(_ text: StaticString, in bytes: UnsafeBufferPointer<UInt8>, at start: Int) -> Bool {
        guard start + text.utf8CodeUnitCount <= bytes.count else { return false }
        for index in 0..<text.utf8CodeUnitCount where bytes[start + index] != text.utf8Start[index] { return false }
        return true
    }

    @inline(__always)
    private static func isPlainHost(_ byte: UInt8) -> Bool {
        byte &- UInt8(ascii: "a") < 26 || isDigit(byte) || byte == UInt8(ascii: "-") || byte == UInt8(ascii: ".")
            || byte == UInt8(ascii: "_")
    }
}
