/// The standard's basic URL parser, a state machine over bytes; see https://url.spec.whatwg.org/#concept-basic-url-parser.
///
/// States that only choose the next one are written as branches. The path is kept serialised, `/` before each segment.
struct URLParser {
    private let input: [UInt8]
    private let base: URLRecord?
    private var position = 0
    private var url = URLRecord()

    private init(input: [UInt8], base: URLRecord?) {
        self.input = input
        self.base = base
    }

    static func parse(
        _ bytes: UnsafeBufferPointer<UInt8>,
        base: WebURL?
    ) throws(WebURL.ParseError) -> (url: WebURL, fragment: String?) {
        guard bytes.count < Int(UInt32.max) / 4 else { throw .tooLong }
        var parser = URLParser(input: cleaned(bytes), base: base.map(URLRecord.init))
        try parser.run()
        return (parser.url.webURL, parser.url.fragment.map { String(decoding: $0, as: UTF8.self) })
    }

    /// Without white space and controls at the ends, and without tabs and line ends anywhere.
    private static func cleaned(_ bytes: UnsafeBufferPointer<UInt8>) -> [UInt8] {
        var lower = bytes.startIndex
        var upper = bytes.endIndex
        while lower < upper, bytes[lower] <= 0x20 { lower += 1 }
        while upper > lower, bytes[upper - 1] <= 0x20 { upper -= 1 }
        return bytes[lower..<upper].filter { $0 != 0x09 && $0 != 0x0A && $0 != 0x0D }
    }

    private var byte: UInt8? { position < input.count ? input[position] : nil }
    private var isAtSlash: Bool {
        byte == UInt8(ascii: "/") || (url.special != nil && byte == UInt8(ascii: "\\"))
    }

    private mutating func run() throws(WebURL.ParseError) {
        guard let scheme = takeScheme() else {
            try withoutScheme()
            return
        }
        url.setScheme(scheme)
        if url.special == .file {
            try file()
        } else if url.special != nil {
            let isSameAsBase = base?.scheme == scheme
            let hasTwoSlashes = input[position...].starts(with: [UInt8(ascii: "/"), UInt8(ascii: "/")])
            if isSameAsBase, !hasTwoSlashes {
                try relative()
            } else {
                skipSlashes()
                try authority()
            }
        } else if byte == UInt8(ascii: "/") {
            position += 1
            if byte == UInt8(ascii: "/") {
                position += 1
                try authority()
            } else {
                path()
            }
        } else {
            opaquePath()
        }
    }

    private mutating func takeScheme() -> [UInt8]? {
        guard let first = input.first, isLetter(first) else { return nil }
        var scheme: [UInt8] = []
        for (index, byte) in input.enumerated() {
            if isLetter(byte) {
                scheme.append(byte | 0x20)
            } else if isDigit(byte) || byte == UInt8(ascii: "+") || byte == UInt8(ascii: "-")
                || byte == UInt8(ascii: ".")
            {
                scheme.append(byte)
            } else if byte == UInt8(ascii: ":") {
                position = index + 1
                return scheme
            } else {
                return nil
            }
        }
        return nil
    }

    private mutating func withoutScheme() throws(WebURL.ParseError) {
        guard let base else { throw .relativeWithoutBase }
        if base.hasOpaquePath {
            guard byte == UInt8(ascii: "#") else { throw .baseHasOpaquePath }
            url = base
            tail()
            return
        }
        url.setScheme(base.scheme)
        if url.special == .file { try file() } else { try relative() }
    }

    private mutating func relative() throws(WebURL.ParseError) {
        guard let base else { throw .relativeWithoutBase }
        if isAtSlash {
            position += 1
            if isAtSlash {
                if url.special != nil { skipSlashes() } else { position += 1 }
                try authority()
            } else {
                url.copyAuthority(from: base)
                path()
            }
            return
        }
        url.copyAuthority(from: base)
        url.path = base.path
        url.query = base.query
        if byte != nil, byte != UInt8(ascii: "?"), byte != UInt8(ascii: "#") {
            url.query = nil
            url.shortenPath()
            path()
        } else {
            tail()
        }
    }

    private mutating func skipSlashes() {
        while byte == UInt8(ascii: "/") || byte == UInt8(ascii: "\\") { position += 1 }
    }

    // MARK: Authority

    private mutating func authority() throws(WebURL.ParseError) {
        var end = position
        var lastAt: Int?
        while end < input.count {
            let byte = input[end]
            if byte == UInt8(ascii: "/") || byte == UInt8(ascii: "?") || byte == UInt8(ascii: "#") { break }
            if url.special != nil, byte == UInt8(ascii: "\\") { break }
            if byte == UInt8(ascii: "@") { lastAt = end }
            end += 1
        }
        if let lastAt {
            credentials(input[position..<lastAt])
            position = lastAt + 1
            guard position < end else { throw .hostMissing }
        }
        let host = input[position..<end]
        position = end
        try hostAndPort(host)
        pathStart()
    }

    private mutating func credentials(_ text: ArraySlice<UInt8>) {
        let colon = text.firstIndex(of: UInt8(ascii: ":")) ?? text.endIndex
        for byte in text[..<colon] { PercentEncodeSet.userinfo.append(byte, to: &url.username) }
        for byte in text[colon...].dropFirst() { PercentEncodeSet.userinfo.append(byte, to: &url.password) }
    }

    private mutating func hostAndPort(_ text: ArraySlice<UInt8>) throws(WebURL.ParseError) {
        var isInBrackets = false
        var colon: Int?
        for index in text.indices {
            if text[index] == UInt8(ascii: "[") { isInBrackets = true }
            if text[index] == UInt8(ascii: "]") { isInBrackets = false }
            if text[index] == UInt8(ascii: ":"), !isInBrackets {
                colon = index
                break
            }
        }
        let host = text[..<(colon ?? text.endIndex)]
        if host.isEmpty, colon != nil || url.special != nil { throw .hostMissing }
        url.host = try HostParser.parse(host, isSpecial: url.special != nil)
        guard let colon else { return }
        var port: UInt32 = 0
        let digits = text[(colon + 1)...]
        for byte in digits {
            guard isDigit(byte) else { throw .invalidPort }
            port = port * 10 + UInt32(byte - UInt8(ascii: "0"))
            guard port <= 65535 else { throw .invalidPort }
        }
        guard !digits.isEmpty, url.special?.defaultPort != UInt16(port) else { return }
        url.port = UInt16(port)
    }

    // MARK: file:

    private mutating func file() throws(WebURL.ParseError) {
        url.host = []
        let base = self.base.flatMap { $0.special == .file ? $0 : nil }
        if isAtSlash {
            position += 1
            if isAtSlash {
                position += 1
                try fileHost()
                return
            }
            if let base {
                url.host = base.host
                if !URLRecord.startsWithDriveLetter(input[position...]), let drive = base.driveLetterSegment {
                    url.path = [UInt8(ascii: "/")] + drive
                }
            }
            path()
            return
        }
        guard let base else {
            path()
            return
        }
        url.host = base.host
        url.path = base.path
        url.query = base.query
        if byte != nil, byte != UInt8(ascii: "?"), byte != UInt8(ascii: "#") {
            url.query = nil
            if URLRecord.startsWithDriveLetter(input[position...]) { url.path = [] } else { url.shortenPath() }
            path()
        } else {
            tail()
        }
    }

    private mutating func fileHost() throws(WebURL.ParseError) {
        var end = position
        while end < input.count,
            ![UInt8(ascii: "/"), UInt8(ascii: "\\"), UInt8(ascii: "?"), UInt8(ascii: "#")].contains(input[end])
        {
            end += 1
        }
        let text = input[position..<end]
        if text.count == 2, URLRecord.isDriveLetter(text) {
            path()
            return
        }
        position = end
        if !text.isEmpty {
            let host = try HostParser.parse(text, isSpecial: true)
            url.host = host == Array("localhost".utf8) ? [] : host
        }
        pathStart()
    }

    // MARK: Path, query, fragment

    private mutating func pathStart() {
        if url.special != nil {
            if isAtSlash { position += 1 }
            path()
        } else if byte == UInt8(ascii: "/") {
            position += 1
            path()
        } else {
            tail()
        }
    }

    private mutating func path() {
        var segment: [UInt8] = []
        while true {
            let isSlash = isAtSlash
            let current = byte
            if current == nil || isSlash || current == UInt8(ascii: "?") || current == UInt8(ascii: "#") {
                url.append(segment: segment, isLast: !isSlash)
                segment.removeAll(keepingCapacity: true)
                guard isSlash else { break }
                position += 1
            } else if let current {
                PercentEncodeSet.path.append(current, to: &segment)
                position += 1
            }
        }
        tail()
    }

    private mutating func opaquePath() {
        url.hasOpaquePath = true
        while let current = byte, current != UInt8(ascii: "?"), current != UInt8(ascii: "#") {
            position += 1
            if current == UInt8(ascii: " "), byte == UInt8(ascii: "?") || byte == UInt8(ascii: "#") {
                url.path.append(contentsOf: "%20".utf8)
            } else {
                PercentEncodeSet.c0Control.append(current, to: &url.path)
            }
        }
        tail()
    }

    private mutating func tail() {
        if byte == UInt8(ascii: "?") {
            position += 1
            var query: [UInt8] = []
            let set = url.special != nil ? PercentEncodeSet.specialQuery : PercentEncodeSet.query
            while let current = byte, current != UInt8(ascii: "#") {
                set.append(current, to: &query)
                position += 1
            }
            url.query = query
        }
        guard byte == UInt8(ascii: "#") else { return }
        position += 1
        var fragment: [UInt8] = []
        for current in input[position...] { PercentEncodeSet.fragment.append(current, to: &fragment) }
        url.fragment = fragment
    }
}
