internal import HTTPCaching

/// A media type, and what browsers make of it.
struct LintedType: Sendable {
    /// What browsers treat differently; within one of these, types may differ.
    enum Kind: String, Sendable {
        case page, styleSheet = "style sheet", script, image, font
    }

    /// The type.
    let type: MediaType
    /// What it is for browsers, or nil for what is none of these.
    let kind: Kind?
    /// Whether it says nothing.
    let isGeneric: Bool
    /// Whether it isn't registered, or its charset is none.
    let isOdd: Bool

    init(_ type: MediaType) {
        self.type = type
        kind = Self.kind(of: type.essence)
        isGeneric = GenericTypeRule.isGeneric(type.essence)
        isOdd =
            ObsoleteTypeRule.replacement(of: type.essence) != nil || UnknownCharsetRule.unknownCharset(of: type) != nil
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

/// The media types of a manifest, which has many lines and few types.
struct LintedTypes {
    private var known: [String: LintedType] = [:]
    private var last: (text: String, type: LintedType)?

    /// What there is to know of a type; nil where the text is none.
    mutating func type(_ text: String) -> LintedType? {
        if let last, last.text == text { return last.type }
        guard let type = known[text] ?? MediaType(text).map({ LintedType($0) }) else { return nil }
        if known.count < 1000 { known[text] = type }
        last = (text, type)
        return type
    }
}
