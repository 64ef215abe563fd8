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
        /// The name in lower case, as written.
        var name: String
        /// The value as written.
        var value: String
        /// Whether it is in the path.
        var isInPath: Bool
    }

    /// What stands in it.
    let marks: Marks
    /// The parameters that have a value.
    let parameters: [Parameter]

    init(_ url: WebURL) {
        var text = url.description
        let marks = text.withUTF8 { Self.marks(of: $0) }
        self.marks = marks
        parameters = marks.contains(.parameters) ? Self.parameters(of: url) : []
    }

    private static func marks(of bytes: UnsafeBufferPointer<UInt8>) -> Marks {
        var marks: Marks = []
        var previous: UInt8 = 0
        // The slashes behind the scheme, the host, then the rest.
        var slashes = 0
        var isInQuery = false
        for byte in bytes {
            switch byte {
            case UInt8(ascii: "%"): marks.insert(.percent)
            case UInt8(ascii: ";"), UInt8(ascii: "="): marks.insert(.parameters)
            case UInt8(ascii: "?"): isInQuery = true
            case UInt8(ascii: ":") where slashes == 2: if isUnusualEnd(previous) { marks.insert(.unusualHost) }
            case UInt8(ascii: "/") where !isInQuery:
                slashes += 1
                if slashes == 3, isUnusualEnd(previous) { marks.insert(.unusualHost) }
                if slashes > 3, previous == byte { marks.insert(.emptySegment) }
            case UInt8(ascii: ".") where slashes > 2 && !isInQuery && previous == UInt8(ascii: "/"):
                marks.insert(.hiddenName)
            default: break
            }
            previous = byte
        }
        if previous == UInt8(ascii: "?"), bytes.firstIndex(of: previous) == bytes.count - 1 {
            marks.insert(.emptyQuery)
        }
        return marks
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
        let name = String(Substring(part[..<equals])).lowercased()
        parameters.append(Parameter(name: name, value: String(Substring(value)), isInPath: isInPath))
    }
}
