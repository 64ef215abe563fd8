/// One mention of another resource in a document, as it is written there.
public struct Reference: Hashable, Sendable {
    /// What a reference is for.
    public enum Kind: String, Sendable, CaseIterable {
        /// A reader may go there: `a`, `area`, `link rel=next` and the like.
        case link
        /// The document needs it to be displayed: style sheets, scripts, images, fonts, media, icons.
        case requisite
        /// A document shown within this one: `iframe`, `frame`. It has requisites of its own.
        case frame
        /// A hint at what may be needed next: `link rel=prefetch`.
        case prefetch
        /// A browser goes there by itself: `meta http-equiv=refresh`.
        case redirect
    }

    /// The reference as a browser would see it: character references and escapes resolved, white space as it stands.
    public var text: String
    /// What it is for.
    public var kind: Kind
    /// What it is loaded as.
    public var loads: Destination
    /// The element's name in lower case; empty in a style sheet, `?xml-stylesheet` in a processing instruction.
    public var element: String
    /// The attribute's name in lower case; in CSS `url()`, `@import` or `image-set()`; in scripts `import`, `export`,
    /// `import()`, `new URL()` or `importmap`; in a web app manifest the member's name; in a header field that name.
    public var attribute: String
    /// Where it is: an offset in bytes into the text in UTF-8, without a byte order mark.
    ///
    /// For what is in `srcdoc`, or in a style whose text had to be decoded, it is where that begins.
    public var offset: Int
    /// Whether the element says `rel=nofollow`; `DiscoveredReferences` has what the document says as a whole.
    public var isNofollow = false
    /// Whether it is within a `template`, so that only a script would bring it to life.
    public var isInert = false
    /// Whether a browser makes a URL of it where it stands, and no `base` stands before it.
    var precedesBase = false
    /// How its text becomes a URL.
    var resolution = Resolution.address
    /// What further bases it has, each relative to the one before and the first to the document's: `base` in `srcdoc`,
    /// `xml:base` in feeds.
    var bases: [String] = []

    init(
        _ text: String,
        _ kind: Kind,
        _ loads: Destination,
        element: String = "",
        attribute: String,
        at offset: Int
    ) {
        self.text = text
        self.kind = kind
        self.loads = loads
        self.element = element
        self.attribute = attribute
        self.offset = offset
    }

    /// Whether the answer is run as a script, so that it may import others.
    public var isScript: Bool { loads == .script || loads == .module }

    /// How a reference's text becomes a URL.
    enum Resolution: Sendable {
        /// By the URL Standard, the query in the document's encoding.
        case address
        /// By the URL Standard, in UTF-8: what is in a style sheet or script.
        case utf8Address
        /// As a module specifier, for which there may be an import map; HTML §8.1.6.2.
        case specifier
        /// As an address in an import map, which has to look like a URL.
        case importMapAddress
    }
}
