/// An absolute URL without a fragment, as the WHATWG URL Standard parses and serializes it.
///
/// It identifies a resource.
///
/// Two URLs are equal exactly if their serializations are. The fragment is dropped when parsing, since it is never sent
/// to a server (RFC 9110 §4.2.5). The value is one text, always ASCII, with the places of its parts. See
/// https://url.spec.whatwg.org/.
public struct WebURL: Sendable {
    let serialization: String
    let offsets: Offsets

    init(serialization: String, offsets: Offsets) {
        self.serialization = serialization
        self.offsets = offsets
    }

    /// Parses a URL, optionally relative to a base.
    ///
    /// A text in normal form becomes the URL's storage without a copy.
    ///
    /// - Parameters:
    ///   - string: An absolute URL or, with a base, a reference.
    ///   - base: The base URL for a relative reference.
    /// - Throws: ``ParseError`` if the standard's parser fails.
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

    /// Parses a URL, optionally relative to a base.
    ///
    /// - Parameters:
    ///   - string: An absolute URL or, with a base, a reference.
    ///   - base: The base URL for a relative reference.
    /// - Throws: ``ParseError`` if the standard's parser fails.
    public init(_ string: some StringProtocol, base: WebURL? = nil) throws(ParseError) {
        try self.init(String(string), base: base)
    }

    /// Parses a URL from bytes, optionally relative to a base.
    ///
    /// - Parameters:
    ///   - bytes: UTF-8; invalid sequences are read as U+FFFD, as the standard's decoder does.
    ///   - base: The base URL for a relative reference.
    /// - Throws: ``ParseError`` if the standard's parser fails.
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

    /// Parses a URL from bytes in place, optionally relative to a base.
    ///
    /// - Parameters:
    ///   - bytes: UTF-8; invalid sequences are read as U+FFFD, as the standard's decoder does.
    ///   - base: The base URL for a relative reference.
    /// - Throws: ``ParseError`` if the standard's parser fails.
    public init(utf8 bytes: Span<UInt8>, base: WebURL? = nil) throws(ParseError) {
        self = try bytes.withUnsafeBufferPointer { buffer throws(ParseError) in
            if let scan = HTTPScan(bytes) {
                let text = String(decoding: buffer.prefix(scan.end), as: UTF8.self)
                return WebURL(serialization: text, offsets: scan.offsets)
            }
            // Only a String's own bytes are known to be valid UTF-8.
            guard buffer.allSatisfy({ $0 < 0x80 }) else {
                return try WebURL(String(decoding: buffer, as: UTF8.self), base: base)
            }
            if let base, let url = WebURL(plainReference: buffer, base: base) { return url }
            var parser = URLParser(buffer, base: base)
            return try parser.parse()
        }
    }

    /// Parses a URL and returns its fragment separately.
    ///
    /// - Parameters:
    ///   - string: An absolute URL or, with a base, a reference.
    ///   - base: The base URL for a relative reference.
    /// - Returns: The URL, and the percent-encoded fragment without its `#`, or nil if there is none.
    /// - Throws: ``ParseError`` if the standard's parser fails.
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
        /// The input itself is the URL, up to a fragment.
        case input(HTTPScan)
        case url(WebURL)
    }
}

extension WebURL: Hashable, Comparable, CustomStringConvertible {
    /// The serialization, always ASCII.
    public var description: String { serialization }

    /// Returns true if both have the same serialization, which determines every part.
    public static func == (one: WebURL, other: WebURL) -> Bool { one.serialization == other.serialization }

    /// Orders URLs by the bytes of their serializations.
    ///
    /// ASCII is already in Unicode's canonical order, so the strings' own order is that of their bytes.
    public static func < (one: WebURL, other: WebURL) -> Bool { one.serialization < other.serialization }

    /// Hashes the serialization.
    public func hash(into hasher: inout Hasher) { hasher.combine(serialization) }
}
