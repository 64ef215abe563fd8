/// The URL Standard's basic URL parser; see https://url.spec.whatwg.org/#concept-basic-url-parser.
///
/// The standard's states are methods here. The result is written from left to right into one buffer, and the places of
/// its parts are kept in ``Offsets``. Only the path is ever shortened again, at the end of the output.
struct URLParser {
    private let input: [UInt8]
    private let base: WebURL?
    private var position = 0
    private var output: [UInt8] = []
    private var offsets = Offsets(kind: .other, schemeEnd: 0)
    /// The start of the fragment in the input.
    private var fragmentStart: Int?

    /// - Parameters:
    ///   - bytes: Valid UTF-8.
    ///   - base: The base URL for a relative reference.
    init(_ bytes: UnsafeBufferPointer<UInt8>, base: WebURL?) {
        input = Self.cleaned(bytes)
        self.base = base
    }

    /// Returns the input without white space and controls at the ends, and without tabs and line ends.
    private static func cleaned(_ bytes: UnsafeBufferPointer<UInt8>) -> [UInt8] {
        var lower = bytes.startIndex
        var upper = bytes.endIndex
        while lower < upper, bytes[lower] <= 0x20 { lower += 1 }
        while upper > lower, bytes[upper - 1] <= 0x20 { upper -= 1 }
        var result = Array(bytes[lower..<upper])
        result.removeAll { $0 == 0x09 || $0 == 0x0A || $0 == 0x0D }
        return result
    }

    /// Parses the URL without its fragment.
    mutating func parse() throws(WebURL.ParseError) -> WebURL {
        output.reserveCapacity(input.count + (base?.serialization.utf8.count ?? 0) + 16)
        if let length = schemeLength() {
            try appendScheme(length: length)
            try afterScheme()
        } else {
            try withoutScheme()
        }
        // Offsets beyond 32 bits were truncated, but none is used before this check.
        guard output.count <= UInt32.max else { throw .tooLong }
        return WebURL(serialization: String(decoding: output, as: UTF8.self), offsets: offsets)
    }

    /// Returns the percent-encoded fragment, after parsing.
    func fragment() -> String? { fragmentStart.map { PercentEncodeSet.fragment.encode(input[$0...]) } }

    // MARK: Reading

    @inline(__always)
    private var byte: UInt8? { position < input.count ? input[position] : nil }

    private var isSpecial: Bool { offsets.kind.isSpecial }

    @inline(__always)
    private var isAtSlash: Bool { byte == UInt8(ascii: "/") || (isSpecial && byte == UInt8(ascii: "\\")) }

    /// True if a query, a fragment, or nothing follows.
    private var isAtTail: Bool { byte == nil || byte == UInt8(ascii: "?") || byte == UInt8(ascii: "#") }

    private func schemeLength() -> Int? {
        guard let first = input.first, isLetter(first) else { return nil }
        for (index, byte) in input.enumerated() {
            if byte == UInt8(ascii: ":") { return index }
            let isPart = isLetter(byte) || isDigit(byte) || byte == UInt8(ascii: "+") || byte == UInt8(ascii: "-")
            guard isPart || byte == UInt8(ascii: ".") else { return nil }
        }
        return nil
    }

    // MARK: Writing

    private mutating func appendScheme(length: Int) throws(WebURL.ParseError) {
        guard length <= Offsets.maximalSchemeEnd else { throw .tooLong }
        for byte in input[..<length] { output.append(lowercased(byte)) }
        offsets = Offsets(kind: SchemeKind(output), schemeEnd: length)
        output.append(UInt8(ascii: ":"))
        position = length + 1
    }

    /// Starts over with the base's text up to a place, including its parts.
    private mutating func takeOver(_ base: WebURL, upTo end: Int) {
        output.removeAll(keepingCapacity: true)
        offsets = base.offsets
        append(base, from: 0, to: end)
    }

    private mutating func append(_ base: WebURL, from start: Int, to end: Int) {
        let copied: Void? = base.serialization.utf8.withContiguousStorageIfAvailable {
            output.append(contentsOf: $0[start..<end])
        }
        if copied == nil { output.append(contentsOf: base.slice(start, end).utf8) }
    }

    // MARK: After the path

    /// Ends the path, and writes the base's query if the reference ends here or has only a fragment.
    private mutating func tail(queryOf base: WebURL? = nil) {
        endPath()
        if byte == UInt8(ascii: "?") {
            position += 1
            output.append(UInt8(ascii: "?"))
            let end = input[position...].firstIndex(of: UInt8(ascii: "#")) ?? input.count
            let set = isSpecial ? PercentEncodeSet.specialQuery : PercentEncodeSet.query
            set.append(input[position..<end], to: &output)
            position = end
        } else if let base {
            append(base, from: Int(base.offsets.pathEnd), to: base.serialization.utf8.count)
        }
        if byte == UInt8(ascii: "#") { fragmentStart = position + 1 }
    }

    private mutating func endPath() {
        var start = Int(offsets.pathStart)
        let slashes = [UInt8(ascii: "/"), UInt8(ascii: "/")]
        // Without an authority, two slashes would be parsed as the beginning of one.
        if !offsets.hasAuthority, !offsets.hasOpaquePath, output.count >= start + 2,
            output[start...].starts(with: slashes)
        {
            output.insert(contentsOf: "/.".utf8, at: start)
            start += 2
        }
        offsets.pathStart = UInt32(truncatingIfNeeded: start)
        offsets.pathEnd = UInt32(truncatingIfNeeded: output.count)
    }

    private mutating func afterScheme() throws(WebURL.ParseError) {
        let slash = UInt8(ascii: "/")
        if offsets.kind == .file {
            try file()
        } else if isSpecial {
            let hasTwoSlashes = input[position...].starts(with: [slash, slash])
            if !hasTwoSlashes, let base, base.offsets.kind == offsets.kind {
                try relative(to: base)
            } else {
                skipSlashes()
                try authority()
            }
        } else if byte == slash {
            position += 1
            if byte == slash {
                position += 1
                try authority()
            } else {
                path()
            }
        } else {
            opaquePath()
        }
    }

    private mutating func withoutScheme() throws(WebURL.ParseError) {
        guard let base else { throw .relativeWithoutBase }
        if base.hasOpaquePath {
            guard byte == UInt8(ascii: "#") else { throw .baseHasOpaquePath }
            takeOver(base, upTo: Int(base.offsets.pathEnd))
            tail(queryOf: base)
            return
        }
        takeOver(base, upTo: base.offsets.schemeEnd + 1)
        offsets = Offsets(kind: base.offsets.kind, schemeEnd: base.offsets.schemeEnd)
        if offsets.kind == .file { try file() } else { try relative(to: base) }
    }

    private mutating func relative(to base: WebURL) throws(WebURL.ParseError) {
        if isAtSlash {
            position += 1
            if isAtSlash {
                if isSpecial { skipSlashes() } else { position += 1 }
                try authority()
            } else {
                takeOverAuthority(of: base)
                path()
            }
            return
        }
        takeOverAuthority(of: base)
        append(base, from: Int(base.offsets.pathStart), to: Int(base.offsets.pathEnd))
        if isAtTail {
            tail(queryOf: base)
        } else {
            shortenPath()
            path()
        }
    }

    private mutating func skipSlashes() {
        while byte == UInt8(ascii: "/") || byte == UInt8(ascii: "\\") { position += 1 }
    }

    private mutating func takeOverAuthority(of base: WebURL) {
        takeOver(base, upTo: base.offsets.authorityEnd)
        offsets.pathStart = UInt32(truncatingIfNeeded: output.count)
    }

    // MARK: file:

    private mutating func file() throws(WebURL.ParseError) {
        let base = self.base.flatMap { $0.offsets.kind == .file ? $0 : nil }
        if isAtSlash {
            position += 1
            if isAtSlash {
                position += 1
                try fileHost()
                return
            }
            takeOverFileHost(of: base)
            if let base, !DriveLetter.begins(input[position...]) {
                let path = Array(base.path.utf8)
                if DriveLetter.beginsPath(path) { output.append(contentsOf: path[..<3]) }
            }
            path()
            return
        }
        takeOverFileHost(of: base)
        guard let base else {
            path()
            return
        }
        if isAtTail {
            append(base, from: Int(base.offsets.pathStart), to: Int(base.offsets.pathEnd))
            tail(queryOf: base)
        } else {
            if !DriveLetter.begins(input[position...]) {
                append(base, from: Int(base.offsets.pathStart), to: Int(base.offsets.pathEnd))
                shortenPath()
            }
            path()
        }
    }

    private mutating func takeOverFileHost(of base: WebURL?) {
        guard let base else {
            beginAuthority()
            endAuthority(hostStart: output.count, hostEnd: output.count)
            return
        }
        takeOverAuthority(of: base)
    }

    private mutating func fileHost() throws(WebURL.ParseError) {
        let end = input[position...].firstIndex(where: DriveLetter.isEnd) ?? input.count
        let text = input[position..<end]
        beginAuthority()
        let start = output.count
        if DriveLetter.isOne(text) {
            endAuthority(hostStart: start, hostEnd: start)
            path()
            return
        }
        if !text.isEmpty {
            try HostParser.append(text, isSpecial: true, to: &output)
            if output[start...].elementsEqual("localhost".utf8) { output.removeSubrange(start...) }
        }
        position = end
        endAuthority(hostStart: start, hostEnd: output.count)
        pathStart()
    }

    /// Parses credentials, host and port after the slashes, then the path.
    private mutating func authority() throws(WebURL.ParseError) {
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

    /// Writes the slashes after the scheme and its colon.
    private mutating func beginAuthority() {
        output.append(UInt8(ascii: "/"))
        output.append(UInt8(ascii: "/"))
        offsets.hasAuthority = true
        offsets.usernameEnd = UInt32(truncatingIfNeeded: output.count)
    }

    private mutating func endAuthority(hostStart: Int, hostEnd: Int) {
        offsets.hostStart = UInt32(truncatingIfNeeded: hostStart)
        offsets.hostEnd = UInt32(truncatingIfNeeded: hostEnd)
        offsets.pathStart = UInt32(truncatingIfNeeded: output.count)
    }

    /// Writes user name and password, and the `@` if there is one of them.
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

    /// Returns the place of the colon before the port, ignoring those of an IPv6 address in brackets.
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

    /// Returns the port, or nil if there are no digits.
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

    /// Parses the part after an authority.
    private mutating func pathStart() {
        if isSpecial {
            if isAtSlash { position += 1 }
            path()
        } else if byte == UInt8(ascii: "/") {
            position += 1
            path()
        } else {
            tail()
        }
    }

    /// Parses the segments from after the first slash on, and everything that follows.
    ///
    /// The output from `pathStart` to the end is the path so far, with a slash before each segment.
    private mutating func path() {
        while true {
            let start = position
            var needsEncoding = false
            while position < input.count {
                let byte = input[position]
                if PercentEncodeSet.path.contains(byte) {
                    if byte == UInt8(ascii: "?") || byte == UInt8(ascii: "#") { break }
                    needsEncoding = true
                } else if byte == UInt8(ascii: "/") || (isSpecial && byte == UInt8(ascii: "\\")) {
                    break
                }
                position += 1
            }
            let isLast = !isAtSlash
            append(segment: input[start..<position], needsEncoding: needsEncoding, isLast: isLast)
            if isLast { break }
            position += 1
        }
        tail()
    }

    private mutating func append(segment: ArraySlice<UInt8>, needsEncoding: Bool, isLast: Bool) {
        let slash = UInt8(ascii: "/")
        let dots = Self.dots(segment)
        if dots > 0 {
            if dots == 2 { shortenPath() }
            if isLast { output.append(slash) }
            return
        }
        let isFirst = output.count == Int(offsets.pathStart)
        output.append(slash)
        if offsets.kind == .file, isFirst, DriveLetter.isOne(segment) {
            output.append(contentsOf: segment.prefix(1))
            output.append(UInt8(ascii: ":"))
        } else if needsEncoding {
            PercentEncodeSet.path.append(segment, to: &output)
        } else {
            output.append(contentsOf: segment)
        }
    }

    /// Removes the last segment, but not a file URL's drive letter.
    private mutating func shortenPath() {
        let start = Int(offsets.pathStart)
        if offsets.kind == .file, output.count == start + 3, DriveLetter.beginsPath(output[start...]) { return }
        guard let slash = output[start...].lastIndex(of: UInt8(ascii: "/")) else { return }
        output.removeSubrange(slash...)
    }

    /// Returns the number of dots in a dot segment, each written as it is or as `%2e`; 0 for other segments.
    private static func dots(_ segment: ArraySlice<UInt8>) -> Int {
        guard let first = segment.first, first == UInt8(ascii: ".") || first == UInt8(ascii: "%"), segment.count <= 6
        else {
            return 0
        }
        var index = segment.startIndex
        var dots = 0
        while index < segment.endIndex {
            if segment[index] == UInt8(ascii: ".") {
                index += 1
            } else if segment.endIndex - index >= 3, segment[index] == UInt8(ascii: "%"),
                segment[index + 1] == UInt8(ascii: "2"), segment[index + 2] | 0x20 == UInt8(ascii: "e")
            {
                index += 3
            } else {
                return 0
            }
            dots += 1
        }
        return dots <= 2 ? dots : 0
    }

    /// Parses the rest of URLs such as `mailto:someone`.
    private mutating func opaquePath() {
        offsets.hasOpaquePath = true
        let end = input[position...].firstIndex { $0 == UInt8(ascii: "?") || $0 == UInt8(ascii: "#") } ?? input.count
        let text = input[position..<end]
        PercentEncodeSet.c0Control.append(text, to: &output)
        // Parsing the serialization without the following parts would remove a space at the end.
        if end < input.count, text.last == UInt8(ascii: " ") {
            output.removeLast()
            PercentEncodeSet.appendEscape(UInt8(ascii: " "), to: &output)
        }
        position = end
        tail()
    }
}

/// Windows drive letters in file URLs; see https://url.spec.whatwg.org/#windows-drive-letter.
private enum DriveLetter {
    /// Returns true if the text is a letter and `:` or `|`.
    static func isOne(_ text: ArraySlice<UInt8>) -> Bool {
        guard text.count == 2, let first = text.first, isLetter(first) else { return false }
        return text.last == UInt8(ascii: ":") || text.last == UInt8(ascii: "|")
    }

    /// Returns true if the text's first segment is a drive letter.
    static func begins(_ text: ArraySlice<UInt8>) -> Bool {
        guard isOne(text.prefix(2)) else { return false }
        return text.dropFirst(2).first.map(isEnd) ?? true
    }

    /// Returns true if a serialized path's first segment is a drive letter in normal form, with a colon.
    static func beginsPath(_ path: some RandomAccessCollection<UInt8>) -> Bool {
        let head = Array(path.prefix(4))
        return head.count >= 3 && isOne(head[1...2]) && head[2] == UInt8(ascii: ":")
            && (head.count == 3 || head[3] == UInt8(ascii: "/"))
    }

    /// Returns true if the byte ends a host or segment of a file URL.
    static func isEnd(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "/"), UInt8(ascii: "\\"), UInt8(ascii: "?"), UInt8(ascii: "#"): true
        default: false
        }
    }
}
