/// A reference to another resource, as written in a document.
public struct Reference: Hashable, Sendable {
    /// The purpose of a reference.
    public enum Kind: String, Sendable, CaseIterable {
        /// A link that a reader may follow: `a`, `area`, `link rel=next` and the like.
        case link
        /// A resource that the document needs to be displayed: style sheets, scripts, images, fonts, media, icons.
        case requisite
        /// A document displayed within this one: `iframe`, `frame`. It has requisites of its own.
        case frame
        /// A hint about what may be needed next: `link rel=prefetch`.
        case prefetch
        /// An address that browsers open by themselves: `meta http-equiv=refresh`.
        case redirect
    }

    /// The text with character references and escapes decoded, and with white space unchanged.
    public var text: String
    /// The reference's purpose.
    public var kind: Kind
    /// The destination of the request.
    public var loads: Destination
    /// The element's name in lower case; empty in a style sheet, `?xml-stylesheet` in a processing instruction.
    public var element: String
    /// The attribute's name in lower case, or what stands in its place.
    ///
    /// In CSS, it is `url()`, `@import` or `image-set()`; in scripts `import`, `export`, `import()`, `new URL()` or
    /// `importmap`; in a web app manifest the member's name; for a header field the field's name; for a recipe the
    /// recipe's name.
    public var attribute: String
    /// The byte offset in the text, in UTF-8 without a byte order mark.
    ///
    /// For references in `srcdoc`, or in a style whose text had to be decoded, it is the start of that text.
    public var offset: Int
    /// True if the element has `rel=nofollow`; `DiscoveredReferences` says whether the whole document is nofollow.
    public var isNofollow = false
    /// True within a `template`, whose content only a script can activate.
    public var isInert = false
    /// The recipe that found the reference, or nil if the document refers to it by itself.
    public var recipe: Recipe?
    /// True if the reference is a guess, so that its resource may not exist.
    ///
    /// Recipes guess, and attributes such as `data-src` are guesses, because their meaning depends on the page's script.
    public var isGuess = false
    /// True if the document may never load the resource, such as a module in `import()` or a file in `new URL()`.
    ///
    /// It is a requisite all the same, but if it doesn't exist, nobody may notice.
    public var isConditional = false
    /// True if browsers resolve the reference at once, and no `base` element precedes it.
    var precedesBase = false
    /// The way to resolve the text to a URL.
    var resolution = Resolution.address
    /// The further bases: `base` in `srcdoc`, `xml:base` in feeds.
    ///
    /// Each is relative to the previous one, and the first to the document's.
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

    /// True for the address of a form, which is followed on the page's own host only.
    var isForm: Bool { attribute == "action" || attribute == "formaction" }

    /// True if the response is run as a script, which may import others.
    public var isScript: Bool { loads == .script || loads == .module }

    /// A way to resolve a reference's text to a URL.
    enum Resolution: Sendable {
        /// The URL Standard, with the query in the document's encoding.
        case address
        /// The URL Standard in UTF-8, for most references in style sheets and scripts.
        case utf8Address
        /// A module specifier, to which an import map may apply; HTML §8.1.6.2.
        case specifier
        /// An address in an import map, which must look like a URL.
        case importMapAddress
    }
}
