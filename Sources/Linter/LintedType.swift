internal import Discovery
internal import HTTPCaching

/// A media type, and what browsers make of it; found out once for all entries that have it.
final class LintedType: Sendable {
    /// What browsers treat differently; within one of these, types may differ.
    enum Kind: String, Sendable {
        case page, styleSheet = "style sheet", script, image, font
    }

    /// The type.
    let type: MediaType
    /// What it is for browsers, or nil for what is none of these.
    let kind: Kind?
    /// The charset, where browsers don't know it.
    let unknownCharset: String?
    /// Whether it says nothing but that there are bytes.
    let isGeneric: Bool
    /// The registered type, where this one isn't.
    let replacement: String?

    init(_ type: MediaType) {
        self.type = type
        kind = Self.kind(of: type.essence)
        unknownCharset = type.parameter("charset").flatMap { TextEncoding(label: $0) == nil ? $0 : nil }
        isGeneric = GenericTypeRule.generic.contains(type.essence)
        replacement = ObsoleteTypeRule.replacements[type.essence]
    }

    /// What a type without parameters is for browsers.
    static func kind(of essence: String) -> Kind? {
        switch essence {
        case "text/html", "application/xhtml+xml": .page
        case "text/css": .styleSheet
        case _ where isScript(essence): .script
        case _ where essence.hasPrefix("image/"): .image
        case _ where essence.hasPrefix("font/"): .font
        default: nil
        }
    }

    /// Whether browsers run it as a script; MIME Sniffing §4.6, "JavaScript MIME type".
    static func isScript(_ essence: String) -> Bool { scripts.contains(essence) }

    private static let scripts: Set<String> = [
        "application/ecmascript", "application/javascript", "application/x-ecmascript", "application/x-javascript",
        "text/ecmascript", "text/javascript", "text/javascript1.0", "text/javascript1.1", "text/javascript1.2",
        "text/javascript1.3", "text/javascript1.4", "text/javascript1.5", "text/jscript", "text/livescript",
        "text/x-ecmascript", "text/x-javascript",
    ]
}

/// The media types of a manifest, which has many lines and few types and suffixes.
struct LintedTypes {
    private var known: [String: LintedType] = [:]
    private var last: (text: String, type: LintedType)?
    private var bySuffix: [UInt64: LintedType?] = [:]
    private var lastSuffix: (key: UInt64, type: LintedType?)?

    /// What there is to know of a type; nil where the text is none.
    mutating func type(_ text: String) -> LintedType? {
        if let last, last.text == text { return last.type }
        guard let type = known[text] ?? MediaType(text).map({ LintedType($0) }) else { return nil }
        if known.count < 1000 { known[text] = type }
        last = (text, type)
        return type
    }

    /// What the suffix of a URL's path says; nil where there is none, or it says nothing.
    mutating func type(suffixOf url: LintedURL, _ path: @autoclosure () -> String) -> LintedType? {
        guard url.suffix != 0 else { return nil }
        if let lastSuffix, lastSuffix.key == url.suffix { return lastSuffix.type }
        let type: LintedType?
        if let found = bySuffix[url.suffix] {
            type = found
        } else {
            type = MediaType(suffixOf: path()).map { LintedType($0) }
            // Longer ones share a key.
            guard url.suffix != .max else { return type }
            if bySuffix.count < 1000 { bySuffix[url.suffix] = type }
        }
        lastSuffix = (url.suffix, type)
        return type
    }
}
