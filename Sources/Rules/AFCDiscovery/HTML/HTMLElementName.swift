/// The elements that discovery or the tree rules know by name; all others are `other`.
enum HTMLElementName: String, CaseIterable, Sendable {
    case other = ""

    // Elements with references.
    case a, area, audio, base, body, col, colgroup, embed, frame, iframe, image, img, input, link, meta, object,
        picture, script
    case source, style, table, tbody, td, tfoot, th, thead, tr, track, video
    case animate, feimage, set, use
    case astroIsland = "astro-island"

    // Elements whose content isn't markup, or is inert.
    case noembed, noframes, noscript, plaintext, template, textarea, title, xmp

    // Elements with which foreign content starts, and elements in which HTML resumes.
    case math, svg
    case annotationXML = "annotation-xml"
    case desc, foreignobject, mi, mn, mo, ms, mtext

    // Other elements that end foreign content.
    case b, big, blockquote, br, center, code, dd, div, dl, dt, em, font, h1, h2, h3, h4, h5, h6, head, hr, i, li
    case listing, menu, nobr, ol, p, pre, ruby, s, small, span, strong, strike, sub, sup, tt, u, ul, `var`

    // Elements that say which part of a page its text belongs to.
    case article, aside, button, caption, details, figcaption, figure, footer, form, header, html, main, nav, option
    case section, select, summary

    // Elements that Markdown shows in a way of its own.
    case annotation, address, cite, del, dialog, dfn, fieldset, hgroup, kbd, label, legend, q, samp, search, wbr

    static let byKey = PackedNameTable<HTMLElementName>(otherwise: .other)

    /// True if a start tag ends foreign content; HTML §13.2.6.5.
    ///
    /// `font` does so only with certain attributes.
    var endsForeignContent: Bool {
        switch self {
        case .b, .big, .blockquote, .body, .br, .center, .code, .dd, .div, .dl, .dt, .em, .embed, .h1, .h2, .h3, .h4,
            .h5, .h6, .head, .hr, .i, .img, .li, .listing, .menu, .meta, .nobr, .ol, .p, .pre, .ruby, .s, .small,
            .span, .strong, .strike, .sub, .sup, .table, .tt, .u, .ul, .var:
            true
        default: false
        }
    }

    /// The content model after the start tag, with scripting off; HTML §13.2.6.4.
    var contentModel: HTMLTokenizer.ContentModel {
        switch self {
        case .title, .textarea: .rcdata
        case .style, .xmp, .iframe, .noembed, .noframes: .rawText
        case .script: .scriptData
        case .plaintext: .plaintext
        default: .data
        }
    }
}
