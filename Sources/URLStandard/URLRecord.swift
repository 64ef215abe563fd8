/// A URL in parts while it is being parsed; see https://url.spec.whatwg.org/#url-representation.
struct URLRecord {
    private(set) var scheme: [UInt8] = []
    private(set) var special: SpecialScheme?
    var username: [UInt8] = []
    var password: [UInt8] = []
    var host: [UInt8]?
    var port: UInt16?
    /// Serialised, `/` before each segment; or the opaque path.
    var path: [UInt8] = []
    var hasOpaquePath = false
    var query: [UInt8]?
    var fragment: [UInt8]?

    init() {}

    init(_ url: WebURL) {
        setScheme(Array(url.scheme.utf8))
        username = Array(url.username.utf8)
        password = Array(url.password.utf8)
        host = url.host.map { Array($0.utf8) }
        port = url.port
        path = Array(url.path.utf8)
        hasOpaquePath = url.hasOpaquePath
        query = url.query.map { Array($0.utf8) }
    }

    mutating func setScheme(_ scheme: [UInt8]) {
        self.scheme = scheme
        special = SpecialScheme(String(decoding: scheme, as: UTF8.self))
    }

    mutating func copyAuthority(from base: URLRecord) {
        username = base.username
        password = base.password
        host = base.host
        port = base.port
    }

    // MARK: Path

    /// Appends a segment, or what `.` and `..` mean.
    mutating func append(segment: [UInt8], isLast: Bool) {
        if Self.isDoubleDot(segment) {
            shortenPath()
            if isLast { path.append(UInt8(ascii: "/")) }
        } else if Self.isSingleDot(segment) {
            if isLast { path.append(UInt8(ascii: "/")) }
        } else {
            let isDrive = special == .file && path.isEmpty && segment.count == 2 && Self.isDriveLetter(segment[...])
            path.append(UInt8(ascii: "/"))
            path.append(contentsOf: segment)
            if isDrive { path[path.count - 1] = UInt8(ascii: ":") }
        }
    }

    mutating func shortenPath() {
        if special == .file, let drive = driveLetterSegment, path.count == drive.count + 1 { return }
        guard let slash = path.lastIndex(of: UInt8(ascii: "/")) else { return }
        path.removeSubrange(slash...)
    }

    /// The first segment where it is a drive letter with a colon.
    var driveLetterSegment: ArraySlice<UInt8>? {
        guard path.count >= 3, isLetter(path[1]), path[2] == UInt8(ascii: ":") else { return nil }
        guard path.count == 3 || path[3] == UInt8(ascii: "/") else { return nil }
        return path[1...2]
    }

    static func isDriveLetter(_ text: ArraySlice<UInt8>) -> Bool {
        guard let first = text.first, let second = text.dropFirst().first else { return false }
        return isLetter(first) && (second == UInt8(ascii: ":") || second == UInt8(ascii: "|"))
    }

    static func startsWithDriveLetter(_ text: ArraySlice<UInt8>) -> Bool {
        guard isDriveLetter(text) else { return false }
        guard let third = text.dropFirst(2).first else { return true }
        return [UInt8(ascii: "/"), UInt8(ascii: "\\"), UInt8(ascii: "?"), UInt8(ascii: "#")].contains(third)
    }

    private static func isSingleDot(_ segment: [UInt8]) -> Bool {
        segment.count <= 3 && dots(segment) == 1
    }

    private static func isDoubleDot(_ segment: [UInt8]) -> Bool {
        segment.count <= 6 && dots(segment) == 2
    }

    /// How many dots, written as `.` or `%2e`, the segment consists of; nil where it has anything else.
    private static func dots(_ segment: [UInt8]) -> Int? {
        var count = 0
        var index = 0
        while index < segment.count {
            if segment[index] == UInt8(ascii: ".") {
                index += 1
            } else if index + 2 < segment.count, segment[index] == UInt8(ascii: "%"),
                segment[index + 1] == UInt8(ascii: "2"), segment[index + 2] | 0x20 == UInt8(ascii: "e")
            {
                index += 3
            } else {
                return nil
            }
            count += 1
        }
        return count
    }

    // MARK: Serialising

    var webURL: WebURL {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(scheme.count + (host?.count ?? 0) + path.count + (query?.count ?? 0) + 16)
        var layout = WebURL.Layout()
        bytes.append(contentsOf: scheme)
        layout.schemeEnd = UInt32(bytes.count)
        bytes.append(UInt8(ascii: ":"))
        if let host {
            layout.hasAuthority = true
            bytes.append(contentsOf: "//".utf8)
            layout.authorityStart = UInt32(bytes.count)
            bytes.append(contentsOf: username)
            layout.usernameEnd = UInt32(bytes.count)
            if !password.isEmpty {
                bytes.append(UInt8(ascii: ":"))
                bytes.append(contentsOf: password)
            }
            if !username.isEmpty || !password.isEmpty { bytes.append(UInt8(ascii: "@")) }
            layout.hostStart = UInt32(bytes.count)
            bytes.append(contentsOf: host)
            layout.hostEnd = UInt32(bytes.count)
            if let port {
                layout.hasPort = true
                layout.port = port
                bytes.append(contentsOf: ":\(port)".utf8)
            }
        } else {
            if !hasOpaquePath, path.starts(with: Array("//".utf8)) { bytes.append(contentsOf: "/.".utf8) }
            let here = UInt32(bytes.count)
            (layout.authorityStart, layout.usernameEnd, layout.hostStart, layout.hostEnd) = (here, here, here, here)
        }
        layout.hasOpaquePath = hasOpaquePath
        layout.pathStart = UInt32(bytes.count)
        bytes.append(contentsOf: path)
        layout.pathEnd = UInt32(bytes.count)
        if let query {
            bytes.append(UInt8(ascii: "?"))
            bytes.append(contentsOf: query)
        }
        return WebURL(serialization: String(decoding: bytes, as: UTF8.self), layout: layout)
    }
}
