/// An absolute URL as the WHATWG URL Standard parses and serialises it, without a fragment: a resource's identity.
///
/// Two URLs are equal exactly when their serialisations are. The fragment never reaches a server (RFC 9110 §4.2.5), so
/// it is dropped when parsing. See https://url.spec.whatwg.org/.
public struct WebURL: Hashable, Sendable {
    /// Offsets in bytes into the serialisation.
    struct Layout: Hashable, Sendable {
        var schemeEnd: UInt32 = 0
        /// Where user name and password begin, or where the host does.
        var authorityStart: UInt32 = 0
        var usernameEnd: UInt32 = 0
        var hostStart: UInt32 = 0
        var hostEnd: UInt32 = 0
        var pathStart: UInt32 = 0
        var pathEnd: UInt32 = 0
        var port: UInt16 = 0
        var hasAuthority = false
        var hasPort = false
        var hasOpaquePath = false
    }

    let serialization: String
    let layout: Layout

    init(serialization: String, layout: Layout) {
        self.serialization = serialization
        self.layout = layout
    }

    /// Parses a URL, against a base where one is given.
    ///
    /// - Parameters:
    ///   - string: An absolute URL, or with a base a reference.
    ///   - base: What a reference is relative to.
    /// - Throws: ``ParseError`` where the standard's parser fails.
    public init(_ string: some StringProtocol, base: WebURL? = nil) throws(ParseError) {
        var string = String(string)
        let result: Result<WebURL, ParseError> = string.withUTF8 { bytes in
            if let url = WebURL(normalized: bytes) { return .success(url) }
            return Result { () throws(ParseError) in try URLParser.parse(bytes, base: base).url }
        }
        self = try result.get()
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
        let result: Result<(WebURL, String?), ParseError> = string.withUTF8 { bytes in
            Result { () throws(ParseError) in
                let parsed = try URLParser.parse(bytes, base: base)
                return (parsed.url, parsed.fragment)
            }
        }
        return try result.get()
    }
}

extension WebURL: CustomStringConvertible, Comparable {
    /// The serialisation, always ASCII.
    public var description: String { serialization }

    /// Orders by the bytes of the serialisation.
    public static func < (one: WebURL, other: WebURL) -> Bool {
        one.serialization.utf8.lexicographicallyPrecedes(other.serialization.utf8)
    }
}

extension WebURL {
    /// Why a text is not a URL.
    public enum ParseError: Error, Equatable, Sendable, CustomStringConvertible {
        /// It has no scheme, and there is no base.
        case relativeWithoutBase
        /// It is relative to a URL such as `mailto:`, which has no hierarchy.
        case baseHasOpaquePath
        /// There is nothing where the host should be.
        case hostMissing
        /// The host has a character that no host may have.
        case forbiddenHostCharacter
        /// The host is not a domain name by IDNA (UTS 46).
        case invalidDomain
        /// The host looks like an IPv4 address and isn't one.
        case invalidIPv4
        /// The host is in brackets and isn't an IPv6 address.
        case invalidIPv6
        /// The port is not a number up to 65535.
        case invalidPort
        /// The text is longer than a program can handle: 4 GiB.
        case tooLong

        /// What is wrong; lower case, no full stop.
        public var description: String {
            switch self {
            case .relativeWithoutBase: "it has no scheme such as 'http:'"
            case .baseHasOpaquePath: "it is relative to a URL without a path"
            case .hostMissing: "the host is missing"
            case .forbiddenHostCharacter: "the host has a character that no host may have"
            case .invalidDomain: "the host is not a domain name"
            case .invalidIPv4: "the host is not an IPv4 address"
            case .invalidIPv6: "the host is not an IPv6 address"
            case .invalidPort: "the port is not a number up to 65535"
            case .tooLong: "it is too long"
            }
        }
    }
}
