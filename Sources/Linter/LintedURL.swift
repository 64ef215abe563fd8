internal import URLStandard

/// What a URL is made of, found in one pass, so that most rules needn't look at most URLs.
struct LintedURL: Sendable {
    /// What stands in a URL.
    struct Marks: OptionSet, Sendable {
        let rawValue: UInt8
        /// A percent sign.
        static let percent = Marks(rawValue: 1)
        /// A semicolon or an equals sign, so that it may have parameters.
        static let parameters = Marks(rawValue: 2)
        /// A question mark at its end.
        static let emptyQuery = Marks(rawValue: 4)
        /// Two slashes in its path.
        static let emptySegment = Marks(rawValue: 8)
        /// A host that may be an address, `localhost` or a name with a dot at its end; to be looked at.
        static let unusualHost = Marks(rawValue: 16)
        /// A segment of the path that begins with a dot.
        static let hiddenName = Marks(rawValue: 32)
    }

    /// A parameter of the query, or of a segment of the path as in `;jsessionid=…`.
    struct Parameter: Sendable {
        /// The name as written.
        var name: String
        /// The value as written.
        var value: String
        /// Whether it is in the path.
        var isInPath: Bool
    }

    /// What stands in it.
    let marks: Marks
    /// The bytes behind the last dot of the path's last segment, lower case as one number; 0 where there is none, the
    /// greatest where it has more than seven.
    let suffix: UInt64
    /// The parameters that have a value.
    let parameters: [Parameter]

    init(_ url: WebURL) {
        var text = url.description
        (marks, suffix) = text.withUTF8 { Self.look(at: $0) }
        parameters = marks.contains(.parameters) ? Self.parameters(of: url) : []
    }

    private static func look(at bytes: UnsafeBufferPointer<UInt8>) -> (Marks, suffix: UInt64) {
        var marks: Marks = []
        var previous: UInt8 = 0
        // The slashes behind the scheme, the host, then the rest.
        var slashes = 0
        var isInQuery = false
        var suffix: UInt64 = 0
        // How many bytes of a suffix there are, or less than 0 outside of one.
        var length = -1
        for byte in bytes {
            if length >= 0, !isInQuery {
                let lower = (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte) ? byte | 0x20 : byte
                length += 1
                suffix = length > 7 ? .max : suffix << 8 | UInt64(lower)
            }
            switch byte {
            case UInt8(ascii: "%"): marks.insert(.percent)
            case UInt8(ascii: ";"), UInt8(ascii: "="): marks.insert(.parameters)
            case UInt8(ascii: "?"):
                // The mark itself is no part of the suffix.
                if !isInQuery, length > 0, suffix != .max { suffix >>= 8 }
                isInQuery = true
            case UInt8(ascii: ":") where slashes == 2: if isUnusualEnd(previous) { marks.insert(.unusualHost) }
            case UInt8(ascii: "/") where !isInQuery:
                slashes += 1
                (suffix, length) = (0, -1)
                if slashes == 3, isUnusualEnd(previous) { marks.insert(.unusualHost) }
                if slashes > 3, previous == byte { marks.insert(.emptySegment) }
            case UInt8(ascii: ".") where slashes > 2 && !isInQuery && previous == UInt8(ascii: "/"):
                marks.insert(.hiddenName)
            default: break
            }
            if byte == UInt8(ascii: "."), slashes > 2, !isInQuery {
                (suffix, length) = (0, previous == UInt8(ascii: "/") ? -1 : 0)
            }
            previous = byte
        }
        if previous == UInt8(ascii: "?"), bytes.firstIndex(of: previous) == bytes.count - 1 {
            marks.insert(.emptyQuery)
        }
        return (marks, suffix)
    }

    /// Whether the last byte of a host may be that of an address, of `localhost`, or the root's dot.
    private static func isUnusualEnd(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "]"), UInt8(ascii: "t"), UInt8(ascii: "."): true
        default: false
        }
    }

    private static func parameters(of url: WebURL) -> [Parameter] {
        var parameters: [Parameter] = []
        // A URL's text is ASCII, and bytes are cut faster than characters.
        if url.path.utf8.contains(UInt8(ascii: ";")) {
            for segment in url.path.utf8.split(separator: UInt8(ascii: "/")) {
                for part in segment.split(separator: UInt8(ascii: ";")).dropFirst() {
                    add(part, isInPath: true, to: &parameters)
                }
            }
        }
        for part in (url.query ?? "").utf8.split(separator: UInt8(ascii: "&")) {
            add(part, isInPath: false, to: &parameters)
        }
        return parameters
    }

    private static func add(_ part: Substring.UTF8View, isInPath: Bool, to parameters: inout [Parameter]) {
        guard let equals = part.firstIndex(of: UInt8(ascii: "=")), parameters.count < 200 else { return }
        let value = part[part.index(after: equals)...]
        guard !value.isEmpty else { return }
        let name = String(Substring(part[..<equals]))
        parameters.append(Parameter(name: name, value: String(Substring(value)), isInPath: isInPath))
    }
}
