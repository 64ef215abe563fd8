/// An absolute URL as the WHATWG URL Standard parses and serialises it, without a fragment: a resource's identity.
///
/// Two URLs are equal exactly when their serialisations are. The fragment never reaches a server (RFC 9110 §4.2.5), so
/// it is dropped when parsing. The value is one text, always ASCII, and the places of its parts in it.
/// See https://url.spec.whatwg.org/.
public struct WebURL: Sendable {
    let serialization: String
    let offsets: Offsets

    init(serialization: String, offsets: Offsets) {
        self.serialization = serialization
        self.offsets = offsets
    }

    /// Parses a URL, against a base where one is given.
    ///
    /// A text that is in normal form already becomes the URL's storage as it is, without a copy.
    ///
    /// - Parameters:
    ///   - string: An absolute URL, or with a base a reference.
    ///   - base: What a reference is relative to.
    /// - Throws: ``ParseError`` where the standard's parser fails.
    public init(_ string: String, base: WebURL? = nil) throws(ParseError) {
        var string = string
        let result = string.withUTF8 { bytes in
            Result<Normalized, ParseError> { () throws(ParseError) in
                if let scan = HTTPScan(bytes.span) { return .input(scan) }
                if let base, let url = WebURL(plainReference: bytes, base: base) { return .url(url) }
                var parser = URLParser(bytes, base: base)
                return .url(try parser.parse())
            }
        }
        switch try result.get() {
        case .url(let url): self = url
        case .input(let scan):
            let end = string.utf8.index(string.startIndex, offsetBy: scan.end)
            serialization = end == string.endIndex ? string : String(string[..<end])
            offsets = scan.offsets
        }
    }

    /// Parses a URL, against a base where one is given.
    ///
    /// - Parameters:
    ///   - string: An absolute URL, or with a base a reference.
    ///   - base: What a reference is relative to.
    /// - Throws: ``ParseError`` where the standard's parser fails.
    public init(_ string: some StringProtocol, base: WebURL? = nil) throws(ParseError) {
        try self.init(String(string), base: base)
    }

    /// Parses a URL from bytes, against a base where one is given.
    ///
    /// - Parameters:
    ///   - bytes: UTF-8; what isn't valid is read as U+FFFD, as the standard's decoder does.
    ///   - base: What a reference is relative to.
    /// - Throws: ``ParseError`` where the standard's parser fails.
    public init(utf8 bytes: some Sequence<UInt8>, base: WebURL? = nil) throws(ParseError) {
        let result = bytes.withContiguousStorageIfAvailable { bytes in
            Result<WebURL, ParseError> { () throws(ParseError) in try WebURL(utf8: bytes.span, base: base) }
        }
        guard let result else {
            try self.init(utf8: Array(bytes).span, base: base)
            return
        }
        self = try result.get()
    }

    /// Parses a URL from bytes in place, against a base where one is given.
    ///
    /// - Parameters:
    ///   - bytes: UTF-8; what isn't valid is read as U+FFFD, as the standard's decoder does.
    ///   - base: What a reference is relative to.
    /// - Throws: ``ParseError`` where the standard's parser fails.
    public init(utf8 bytes: Span<UInt8>, base: WebURL? = nil) throws(ParseError) {
        self = try bytes.withUnsafeBufferPointer { buffer throws(ParseError) in
            if let scan = HTTPScan(bytes) {
                let text = String(decoding: buffer.prefix(scan.end), as: UTF8.self)
                return WebURL(serialization: text, offsets: scan.offsets)
            }
            // Only a String's own bytes may skip the repair.
            guard buffer.allSatisfy({ $0 < 0x80 }) else {
                return try WebURL(String(decoding: buffer, as: UTF8.self), base: base)
            }
            if let base, let url = WebURL(plainReference: buffer, base: base) { return url }
            var parser = URLParser(buffer, base: base)
            return try parser.parse()
        }
    }

    /// Parses a URL and keeps the fragment apart.
    ///
    /// - Parameters:
    ///   - string: An absolute URL, or with a base a reference.
    ///   - base: What a reference is relative to.
    /// - Returns: The URL, and the percent-encoded fragment without its `#`, or nil where there is none.
    /// - Throws: ``ParseError`` where the standard's parser fails.
    public static func parseWithFragment(
        _ string: some StringProtocol,
        base: WebURL? = nil
    ) throws(ParseError) -> (url: WebURL, fragment: String?) {
        var string = String(string)
        let result = string.withUTF8 { bytes in
            Result<(WebURL, String?), ParseError> { () throws(ParseError) in
                var parser = URLParser(bytes, base: base)
                let url = try parser.parse()
                return (url, parser.fragment())
            }
        }
        return try result.get()
    }

    private enum Normalized {
        /// The input is the URL, up to a fragment.
        case input(HTTPScan)
        case url(WebURL)
    }
}

extension WebURL: Hashable, Comparable, CustomStringConvertible {
    /// The serialisation, always ASCII.
    public var description: String { serialization }

    /// Returns true if both have the same serialisation, which determines every part.
    public static func == (one: WebURL, other: WebURL) -> Bool { one.serialization == other.serialization }

    /// Orders by the bytes of the serialisation.
    ///
    /// ASCII is in Unicode's canonical order already, so the texts' own order is the bytes'.
    public static func < (one: WebURL, other: WebURL) -> Bool { one.serialization < other.serialization }

    /// Hashes the serialisation.
    public func hash(into hasher: inout Hasher) { hasher.combine(serialization) }
}
