internal import AFCHTTP

/// A media type, and what browsers make of it.
struct LintedType: Sendable {
    /// What browsers treat differently; within one of these, types may differ.
    enum Kind: String, Sendable {
        case page, styleSheet = "style sheet", script, image, font
    }

    /// The type.
    let type: MediaType
    /// What it is for browsers, or nil for what is none of these.
    var kind: Kind? { traits.kind }
    /// What rules want to know of each line's type.
    let traits: Traits

    /// What is known of a type without its text.
    struct Traits: Sendable {
        /// What it is for browsers, or nil for what is none of these.
        var kind: Kind?
        /// Whether it says nothing.
        var isGeneric: Bool
        /// Whether it isn't registered, or its charset is none.
        var isOdd: Bool
    }

    init(_ type: MediaType) {
        self.type = type
        traits = Traits(
            kind: Self.kind(of: type.essence),
            isGeneric: GenericTypeRule.isGeneric(type.essence),
            isOdd: ObsoleteTypeRule.replacement(of: type.essence) != nil
                || UnknownCharsetRule.unknownCharset(of: type) != nil
                || !UnregisteredTypeRule.isKnown(type.essence)
        )
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
///
/// Each place of the table holds the type that was last looked up there, so that a hostile manifest can't make it grow.
struct LintedTypes {
    private struct Place {
        var text: String
        var type: LintedType?
        var traits: LintedType.Traits?
    }

    private var places = [Place](repeating: Place(text: "", type: nil, traits: nil), count: 64)

    /// What there is to know of a type; nil where the text is none.
    mutating func type(_ text: String) -> LintedType? { places[place(text)].type }

    /// What rules want to know of a type; nil where the text is none.
    @inline(__always)
    mutating func traits(_ text: String) -> LintedType.Traits? { places[place(text)].traits }

    @inline(__always)
    private mutating func place(_ text: String) -> Int {
        let place = Self.number(text)
        if places[place].text != text { look(text, place) }
        return place
    }

    private mutating func look(_ text: String, _ place: Int) {
        let type = MediaType(text).map { LintedType($0) }
        places[place] = Place(text: text, type: type, traits: type?.traits)
    }

    /// A number that differs for most types: of the length, and the bytes in the middle and at the end.
    @inline(__always)
    private static func number(_ text: String) -> Int {
        let number = text.utf8.withContiguousStorageIfAvailable { bytes in
            guard let last = bytes.last else { return 0 }
            return bytes.count &* 31 &+ Int(bytes[bytes.count / 2]) &* 7 &+ Int(last)
        }
        return (number ?? 0) & 63
    }
}
