public import URLStandard

/// What `--include` and `--exclude` take: a glob, or a regular expression after `re:`.
///
/// A glob with `://` in it is compared with the whole URL; any other with the path and query, which begin with a slash.
/// A regular expression is searched for in the whole URL.
public struct URLPattern: Hashable, Sendable, CustomStringConvertible {
    /// Why a text is no pattern.
    public enum ParseError: Error, Equatable, Sendable {
        /// The text after `re:` is no regular expression.
        case badRegex(String)
        /// There is no text.
        case empty
    }

    enum Form: Hashable, Sendable {
        case wholeGlob(Glob)
        case pathGlob(Glob)
        case regex(String)
    }

    /// The pattern as it was written.
    public let description: String
    let form: Form

    /// Understands a pattern.
    ///
    /// - Throws: ``ParseError`` where it is none.
    public init(_ text: String) throws(ParseError) {
        guard !text.isEmpty else { throw .empty }
        description = text
        if text.hasPrefix("re:") {
            let source = String(text.dropFirst(3))
            guard Self.compile(source) != nil else { throw .badRegex(source) }
            form = .regex(source)
        } else if text.contains("://") {
            form = .wholeGlob(Glob(text))
        } else {
            form = .pathGlob(Glob(text))
        }
    }

    /// Whether the pattern matches; compiles a regular expression each time, so keep a ``URLPatternSet`` for many URLs.
    public func matches(_ url: WebURL) -> Bool {
        URLPatternSet([self]).matches(url)
    }

    static func compile(_ source: String) -> Regex<AnyRegexOutput>? {
        do {
            return try Regex(source)
        } catch {
            return nil
        }
    }
}

/// Patterns made ready for many URLs.
///
/// A compiled `Regex` may not go from task to task, so neither may this.
struct URLPatternSet {
    private let patterns: [(form: URLPattern.Form, regex: Regex<AnyRegexOutput>?)]

    var isEmpty: Bool { patterns.isEmpty }

    init(_ patterns: [URLPattern]) {
        self.patterns = patterns.map { pattern in
            guard case .regex(let source) = pattern.form else { return (pattern.form, nil) }
            return (pattern.form, URLPattern.compile(source))
        }
    }

    /// Whether one of the patterns matches.
    func matches(_ url: WebURL) -> Bool {
        let whole = url.description
        lazy var path = url.requestTarget
        for pattern in patterns {
            switch pattern.form {
            case .wholeGlob(let glob): if glob.matches(whole) { return true }
            case .pathGlob(let glob): if glob.matches(path) { return true }
            case .regex: if let regex = pattern.regex, whole.firstMatch(of: regex) != nil { return true }
            }
        }
        return false
    }
}
