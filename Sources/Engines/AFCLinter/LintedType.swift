internal import AFCHTTP

/// A media type, and how browsers treat it.
struct LintedType: Sendable {
    /// The kinds of resources that browsers treat differently; each can have several types.
    enum Kind: String, Sendable {
        case page, styleSheet = "style sheet", script, image, font
    }

    /// The type.
    let type: MediaType
    /// The kind, or nil for other types.
    var kind: Kind? { traits.kind }
    /// The traits that rules need for each line.
    let traits: Traits

    /// The traits of a type.
    struct Traits: Sendable {
        /// The kind, or nil for other types.
        var kind: Kind?
        /// True if the type means unknown data.
        var isGeneric: Bool
        /// True if the type isn't registered, or its charset is unknown.
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

    /// Returns the kind of a type without parameters.
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

    /// Returns true if browsers run the type as a script (MIME Sniffing §4.6, "JavaScript MIME type").
    static func isScript(_ essence: String) -> Bool { scripts.contains(essence) }

    private static let scripts: Set<String> = [
        "application/ecmascript", "application/javascript", "application/x-ecmascript", "application/x-javascript",
        "text/ecmascript", "text/javascript", "text/javascript1.0", "text/javascript1.1", "text/javascript1.2",
        "text/javascript1.3", "text/javascript1.4", "text/javascript1.5", "text/jscript", "text/livescript",
        "text/x-ecmascript", "text/x-javascript",
    ]
}

/// A cache of parsed media types, for manifests with many lines and few types.
///
/// Each slot holds the type that was last looked up there, so that a hostile manifest can't make the table grow.
struct LintedTypes {
    private struct Place {
        var text: String
        var type: LintedType?
        var traits: LintedType.Traits?
    }

    private var places = [Place](repeating: Place(text: "", type: nil, traits: nil), count: 64)

    /// Returns the parsed type, or nil if the text isn't one.
    mutating func type(_ text: String) -> LintedType? { places[place(text)].type }

    /// Returns the traits of a type, or nil if the text isn't one.
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

    /// Returns a slot number that differs for most types, made of the length and the middle and last bytes.
    @inline(__always)
    private static func number(_ text: String) -> Int {
        let number = text.utf8.withContiguousStorageIfAvailable { bytes in
            guard let last = bytes.last else { return 0 }
            return bytes.count &* 31 &+ Int(bytes[bytes.count / 2]) &* 7 &+ Int(last)
        }
        return (number ?? 0) & 63
    }
}
