/// The attributes that discovery reads; all others are `other`.
enum HTMLAttributeName: String, CaseIterable, Sendable {
    case other = ""
    case action, `as`, attributename, background, charset, color, content, crossorigin, data, encoding, face,
        formaction,
        formmethod, from, href, id, imagesrcset, integrity, language, media, method, name, onchange, poster, property
    case rel, shadowrootmode, size, src, srcdoc, srcset, style, to, type, url, value, values
    case httpEquiv = "http-equiv"
    case xlinkHref = "xlink:href"
    case xmlBase = "xml:base"

    // These are the modules of an `astro-island`.
    case componentURL = "component-url"
    case rendererURL = "renderer-url"

    // These are the attributes from which common lazy loaders take addresses.
    case lazyBackground = "data-background"
    case lazyBg = "data-bg"
    case lazyBgset = "data-bgset"
    case lazyEcho = "data-echo"
    case lazyFull = "data-full"
    case lazyImage = "data-image"
    case lazyImageSrc = "data-image-src"
    case lazyLazy = "data-lazy"
    case lazyLazySrc = "data-lazy-src"
    case lazyOriginal = "data-original"
    case lazyPoster = "data-poster"
    case lazySetbg = "data-setbg"
    case lazySrc = "data-src"
    case lazySrcset = "data-srcset"

    // From these attributes, scripts of libraries load a part of the page, or open another page.
    case dataHref = "data-href"
    case dataHxGet = "data-hx-get"
    case dataHxTrigger = "data-hx-trigger"
    case dataMain = "data-main"
    case dataMarkdown = "data-markdown"
    case hxGet = "hx-get"
    case hxTrigger = "hx-trigger"
    case includeHTML = "w3-include-html"
    case onclick
    case specURL = "spec-url"

    // These are SVG presentation attributes that may name a resource.
    case cursor, fill, filter, mask, stroke
    case clipPath = "clip-path"
    case markerEnd = "marker-end"
    case markerMid = "marker-mid"
    case markerStart = "marker-start"

    static let byKey = PackedNameTable<HTMLAttributeName>(otherwise: .other)

    /// The possible uses of the attribute on any element; they are combined for a tag.
    var uses: HTMLAttributeUses {
        switch self {
        case .other: []
        case .style: .style
        case .background: .background
        case .lazyBackground, .lazyBg, .lazyBgset, .lazyEcho, .lazyFull, .lazyImage, .lazyImageSrc, .lazyLazy,
            .lazyLazySrc, .lazyOriginal, .lazyPoster, .lazySetbg, .lazySrc, .lazySrcset:
            .lazy
        case .dataHref, .dataHxGet, .dataMarkdown, .hxGet, .includeHTML, .onclick, .specURL: .loading
        case .src: .source
        case .integrity, .crossorigin: .integrity
        case .cursor, .fill, .filter, .mask, .stroke, .clipPath, .markerEnd, .markerMid, .markerStart: .paint
        default: .named
        }
    }

    /// The SVG presentation attributes that may name a resource.
    static let paints: [HTMLAttributeName] = [
        .cursor, .fill, .filter, .mask, .stroke, .clipPath, .markerEnd, .markerMid, .markerStart,
    ]
}

/// The possible uses of a tag's attributes.
struct HTMLAttributeUses: OptionSet, Sendable {
    let rawValue: UInt16

    static let style = HTMLAttributeUses(rawValue: 1)
    static let background = HTMLAttributeUses(rawValue: 2)
    static let paint = HTMLAttributeUses(rawValue: 4)
    static let named = HTMLAttributeUses(rawValue: 8)
    static let lazy = HTMLAttributeUses(rawValue: 16)
    /// An attribute by which the script of a library loads or opens something.
    static let loading = HTMLAttributeUses(rawValue: 32)
    /// The address of what an element loads, also of an element that isn't known.
    static let source = HTMLAttributeUses(rawValue: 64)
    /// An attribute of reveal.js whose name is too long for a packed name.
    static let slide = HTMLAttributeUses(rawValue: 128)
    /// A `data-` attribute that isn't known, with a value in which a script may find an address.
    static let data = HTMLAttributeUses(rawValue: 256)
    /// The digest of what an element loads.
    static let integrity = HTMLAttributeUses(rawValue: 512)
}
