extension URLParser {
    /// Credentials, host and port, after the slashes; then the path.
    mutating func authority() throws(WebURL.ParseError) {
        var end = position
        var lastAt: Int?
        while end < input.count {
            let byte = input[end]
            if byte == UInt8(ascii: "/") || byte == UInt8(ascii: "?") || byte == UInt8(ascii: "#") { break }
            if isSpecial, byte == UInt8(ascii: "\\") { break }
            if byte == UInt8(ascii: "@") { lastAt = end }
            end += 1
        }
        beginAuthority()
        if let lastAt {
            appendCredentials(input[position..<lastAt])
            position = lastAt + 1
            guard position < end else { throw .hostMissing }
        }
        let host = input[position..<end]
        position = end
        try appendHostAndPort(host)
        pathStart()
    }

    /// Writes the slashes; the scheme and its colon stand before them.
    mutating func beginAuthority() {
        output.append(UInt8(ascii: "/"))
        output.append(UInt8(ascii: "/"))
        offsets.hasAuthority = true
        offsets.usernameEnd = UInt32(truncatingIfNeeded: output.count)
    }

    mutating func endAuthority(hostStart: Int, hostEnd: Int) {
        offsets.hostStart = UInt32(truncatingIfNeeded: hostStart)
        offsets.hostEnd = UInt32(truncatingIfNeeded: hostEnd)
        offsets.pathStart = UInt32(truncatingIfNeeded: output.count)
    }

    /// Writes user name and password, and the `@` where there is one of them.
    private mutating func appendCredentials(_ text: ArraySlice<UInt8>) {
        let colon = text.firstIndex(of: UInt8(ascii: ":")) ?? text.endIndex
        let start = output.count
        PercentEncodeSet.userinfo.append(text[..<colon], to: &output)
        offsets.usernameEnd = UInt32(truncatingIfNeeded: output.count)
        let password = text[colon...].dropFirst()
        if !password.isEmpty {
            output.append(UInt8(ascii: ":"))
            PercentEncodeSet.userinfo.append(password, to: &output)
        }
        if output.count > start { output.append(UInt8(ascii: "@")) }
    }

    private mutating func appendHostAndPort(_ text: ArraySlice<UInt8>) throws(WebURL.ParseError) {
        let colon = Self.portColon(text)
        let host = text[..<(colon ?? text.endIndex)]
        if host.isEmpty, colon != nil || isSpecial { throw .hostMissing }
        let start = output.count
        try HostParser.append(host, isSpecial: isSpecial, to: &output)
        let end = output.count
        if let colon, let port = try Self.port(text[(colon + 1)...]), port != offsets.kind.defaultPort {
            output.append(UInt8(ascii: ":"))
            output.append(contentsOf: String(port).utf8)
        }
        endAuthority(hostStart: start, hostEnd: end)
    }

    /// The colon before the port; those in brackets are an IPv6 address's.
    private static func portColon(_ text: ArraySlice<UInt8>) -> Int? {
        var isInBrackets = false
        for index in text.indices {
            switch text[index] {
            case UInt8(ascii: "["): isInBrackets = true
            case UInt8(ascii: "]"): isInBrackets = false
            case UInt8(ascii: ":") where !isInBrackets: return index
            default: continue
            }
        }
        return nil
    }

    /// The number, or nil where there are no digits.
    private static func port(_ digits: ArraySlice<UInt8>) throws(WebURL.ParseError) -> UInt16? {
        guard !digits.isEmpty else { return nil }
        var port: UInt32 = 0
        for byte in digits {
            guard isDigit(byte) else { throw .invalidPort }
            port = min(port * 10 + UInt32(byte - UInt8(ascii: "0")), 65536)
        }
        guard let port = UInt16(exactly: port) else { throw .outOfRangePort }
        return port
    }
}
