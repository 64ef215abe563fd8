/// The kind of a URL's path, by which parameters are judged.
enum PathKind: Equatable, Sendable {
    /// A file, by its extension.
    case file
    /// A program on the server, which gives parameters their meaning.
    case program
    /// Neither of them can be seen.
    case plain

    private static let programs: Set<String> = [
        "action", "ashx", "asmx", "asp", "aspx", "cfm", "cgi", "dll", "do", "exe", "fcgi", "jsp", "jspx", "php", "php3",
        "php4", "php5", "phtml", "pl", "py", "rb",
    ]

    /// Finds the kind of a path as serialized.
    init(_ path: String) {
        var last: String?
        for segment in path.split(separator: "/", omittingEmptySubsequences: false) {
            last = Self.fileExtension(of: segment)
            // Text after the name of a program is for that program.
            if segment == "cgi-bin" || last.map(Self.programs.contains) == true {
                self = .program
                return
            }
        }
        self = last == nil ? .plain : .file
    }

    private static func fileExtension(of segment: Substring) -> String? {
        guard let dot = segment.lastIndex(of: "."), dot != segment.startIndex else { return nil }
        let text = segment[segment.index(after: dot)...].lowercased()
        guard (1...12).contains(text.utf8.count), text.utf8.first.map(isLetter) == true,
            text.utf8.allSatisfy({ isLetter($0) || isDigit($0) })
        else { return nil }
        return text
    }
}

/// Cache busters: parameters that only make a URL new, so that no cache has it.
///
/// They change with each request or each release and never select another resource, so only their values tell them from
/// parameters of the same name that do.
enum CacheBuster {
    /// Names that have no other use, in lower case.
    private static let certain: Set<String> = [
        "_", "_cb", "_dc", "_nocache", "bust", "buster", "cache-bust", "cache-buster", "cache_bust", "cache_buster",
        "cachebust", "cachebuster", "cb", "no-cache", "no_cache", "nocache", "uncache",
    ]
    /// Names for times and random numbers that may also mean something, in lower case.
    private static let times: Set<String> = [
        "_t", "_ts", "mtime", "rand", "random", "rnd", "t", "time", "timestamp", "ts",
    ]
    /// Names for versions of a file that may also mean something, in lower case.
    private static let versions: Set<String> = ["_v", "build", "digest", "hash", "rev", "v", "ver", "version"]

    /// Returns true if a parameter only makes the URL new.
    ///
    /// - Parameters:
    ///   - name: The parameter's decoded name.
    ///   - value: The parameter's decoded value.
    ///   - kind: The kind of the path.
    /// - Returns: True for a cache buster.
    static func matches(_ name: String, _ value: String, in kind: PathKind) -> Bool {
        let name = name.lowercased()
        if certain.contains(name) {
            return value.isEmpty || value == "true" || isNumber(value) || isDigest(value) || isUUID(value)
        }
        if value.isEmpty {
            // A bare number or digest: 'app.js?1700000000'.
            let isLong = name.utf8.count >= 6
            return kind == .file && (isLong && isNumber(name) || isDigest(name)) || kind == .plain && isTime(name)
        }
        switch kind {
        case .program: return false
        case .plain: return times.contains(name) && (isTime(value) || isFraction(value))
        case .file: return times.contains(name) && isNumber(value) || versions.contains(name) && isVersion(value)
        }
    }

    /// Returns true for digits, with dots and hyphens between them.
    private static func isNumber(_ text: String) -> Bool {
        let bytes = text.utf8
        guard let first = bytes.first, let last = bytes.last, isDigit(first), isDigit(last) else { return false }
        return bytes.allSatisfy { isDigit($0) || $0 == UInt8(ascii: ".") || $0 == UInt8(ascii: "-") }
    }

    /// Returns true for a number of a version, or a digest.
    private static func isVersion(_ text: String) -> Bool {
        isNumber(text) || isDigest(text) || text.utf8.first == UInt8(ascii: "v") && isNumber(String(text.dropFirst()))
    }

    /// Returns true for hexadecimal digits with a digit and a letter among them.
    private static func isDigest(_ text: String) -> Bool {
        let bytes = text.utf8
        guard (6...128).contains(bytes.count), bytes.contains(where: isDigit), bytes.contains(where: isLetter) else {
            return false
        }
        return bytes.allSatisfy(isHexadecimal)
    }

    private static func isUUID(_ text: String) -> Bool {
        let parts = text.utf8.split(separator: UInt8(ascii: "-"), omittingEmptySubsequences: false)
        return parts.map(\.count) == [8, 4, 4, 4, 12] && parts.joined().allSatisfy(isHexadecimal)
    }

    /// Returns true for seconds or milliseconds since 1970, between 2001 and 2033.
    private static func isTime(_ text: String) -> Bool {
        let bytes = text.utf8
        return (bytes.count == 10 || bytes.count == 13) && bytes.first == UInt8(ascii: "1")
            && bytes.allSatisfy(isDigit)
    }

    /// Returns true for a random number below 1, as scripts make them.
    private static func isFraction(_ text: String) -> Bool {
        text.utf8.starts(with: "0.".utf8) && text.utf8.count >= 10 && text.utf8.dropFirst(2).allSatisfy(isDigit)
    }
}

private func isDigit(_ byte: UInt8) -> Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) }

private func isLetter(_ byte: UInt8) -> Bool { (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20) }

private func isHexadecimal(_ byte: UInt8) -> Bool {
    isDigit(byte) || (UInt8(ascii: "a")...UInt8(ascii: "f")).contains(byte | 0x20)
}
