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
    /// The element's name in lower case; empty in a style sheet, `?xml-stylesheet` in a processing instruction.
    public var element: String
    /// The attribute's name in lower case; in CSS `url()`, `@import` or `image-set()`.
    public var attribute: String
    /// Where it is: an offset in bytes into the text in UTF-8, without a byte order mark.
    ///
    /// For what is in `srcdoc`, or in a style whose text had to be decoded, it is where that begins.
    public var offset: Int
    /// Whether the element says `rel=nofollow`; `DiscoveredReferences` has what the document says as a whole.
    public var isNofollow = false
    /// Whether it is within a `template`, so that only a script would bring it to life.
    public var isInert = false
    /// What the `base` of an `srcdoc` document says, for references within it.
    var frameBase: String?
}
