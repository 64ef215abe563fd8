internal import AFCText
public import AFCURL

/// A pattern of URLs to include or exclude: a glob, or a regular expression after `re:`.
///
/// A glob that contains `://` must match the whole URL; any other must match the path and query, which start with a
/// slash. A regular expression is searched for in the whole URL. Either takes at most as many steps as the product of
/// both lengths.
public struct URLPattern: Hashable, Sendable, CustomStringConvertible {
    /// The reason why a text is not a pattern.
    public enum ParseError: Error, Equatable, Sendable, CustomStringConvertible {
        /// The text after `re:` is not a supported regular expression, for this reason.
        case badRegex(String, reason: String)
        /// The text is empty.
        case empty

        /// The reason in words.
        public var description: String {
            switch self {
            case .badRegex(_, let reason): reason
            case .empty: "it is empty"
            }
        }
    }

    enum Form: Hashable, Sendable {
        case wholeGlob(Glob)
        case pathGlob(Glob)
        case regex(LinearRegex)
    }

    /// The pattern as it was written.
    public let description: String
    let form: Form

    /// Parses a pattern.
    ///
    /// - Throws: ``ParseError`` if the text is not a pattern.
    public init(_ text: String) throws(ParseError) {
        guard !text.isEmpty else { throw .empty }
        description = text
        if text.hasPrefix("re:") {
            form = .regex(try Self.regex(String(text.dropFirst(3))))
        } else if text.contains("://") {
            form = .wholeGlob(Glob(text))
        } else {
            form = .pathGlob(Glob(text))
        }
    }

    /// Returns true if the pattern matches.
    public func matches(_ url: WebURL) -> Bool {
        URLPatternSet([self]).matches(url)
    }

    private static func regex(_ source: String) throws(ParseError) -> LinearRegex {
        do throws(LinearRegex.Malformation) {
            return try LinearRegex(source)
        } catch {
            switch error {
            case .malformed(let reason): throw .badRegex(source, reason: reason)
            case .unsupported(let what): throw .badRegex(source, reason: "\(what) isn't supported")
            case .tooLarge: throw .badRegex(source, reason: "it is too large")
            }
        }
    }
}

/// A set of patterns, of which one must match.
struct URLPatternSet: Sendable {
    private let patterns: [URLPattern]

    var isEmpty: Bool { patterns.isEmpty }

    init(_ patterns: [URLPattern]) { self.patterns = patterns }

    /// Returns true if one of the patterns matches.
    func matches(_ url: WebURL) -> Bool {
        let whole = url.description
        lazy var path = url.requestTarget
        for pattern in patterns {
            switch pattern.form {
            case .wholeGlob(let glob): if glob.matches(whole) { return true }
            case .pathGlob(let glob): if glob.matches(path) { return true }
            case .regex(let regex): if regex.isFound(in: whole) { return true }
            }
        }
        return false
    }
}
