/// The attributes that discovery reads; all others are `other`.
enum HTMLAttributeName: String, CaseIterable, Sendable {
    case other = ""
    case `as`, attributename, background, charset, color, content, data, encoding, face, from, href, id, imagesrcset,
        language, media, name,
        poster, property
    case rel, shadowrootmode, size, src, srcdoc, srcset, style, to, type, url, values
    case httpEquiv = "http-equiv"
    case xlinkHref = "xlink:href"
    case xmlBase = "xml:base"

    // These are the modules of an `astro-island`.
    case componentURL = "component-url"
    case rendererURL = "renderer-url"

    // These are the attributes from which common lazy loaders take addresses.
    case lazyBackground = "data-background"
    case lazyBg = "data-bg"
    case lazyLazySrc = "data-lazy-src"
    case lazyOriginal = "data-original"
    case lazyPoster = "data-poster"
    case lazySrc = "data-src"
    case lazySrcset = "data-srcset"

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
        case .lazyBackground, .lazyBg, .lazyLazySrc, .lazyOriginal, .lazyPoster, .lazySrc, .lazySrcset: .lazy
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
    let rawValue: UInt8

    static let style = HTMLAttributeUses(rawValue: 1)
    static let background = HTMLAttributeUses(rawValue: 2)
    static let paint = HTMLAttributeUses(rawValue: 4)
    static let named = HTMLAttributeUses(rawValue: 8)
    static let lazy = HTMLAttributeUses(rawValue: 16)
}
