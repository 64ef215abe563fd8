internal import AFCURL

/// The format in which a body is read, decided by its media type and destination as browsers decide it.
enum BodyFormat: Equatable {
    case html, xml, css, manifest, sitemap
    /// The type says that this is a page, which the destination and the first bytes may contradict.
    case labelledPage
    /// A page that answers a request for something else, so that no browser searches it.
    case misplacedPage
    case script(JavaScriptReferences.Goal)
    /// JSON, or a data file that a recipe reads.
    case data
    /// A playlist of HTTP Live Streaming, perhaps of one stream only.
    case playlist(isRendition: Bool)
    /// A media presentation description of DASH.
    case presentation
    /// Captions in WebVTT, or the pictures for a time line.
    case captions
    /// The type is unknown, so the first bytes decide.
    case sniffed

    /// Decides on the format; nil for a body that isn't searched.
    ///
    /// A specific media type decides, but a page is one only where a page is displayed, and of what answers a request
    /// for an image, a font or media, only drawings have references. The destination decides if the type is generic or
    /// missing.
    ///
    /// - Parameters:
    ///   - mediaType: The value of Content-Type, or an empty text if there is none.
    ///   - destination: The destination of the request, or nil if it is unknown.
    ///   - url: The body's URL, or nil if recipes aren't used.
    ///   - recipes: The table of recipes, which tells data files.
    init?(mediaType: String, destination: Destination?, url: WebURL? = nil, recipes: RecipeTable = .builtIn) {
        let essence = String(mediaType.prefix { $0 != ";" }).trimmedASCII.lowercased()
        switch essence {
        case "text/html": self = Self.isNeverPage(destination) ? .misplacedPage : .labelledPage
        case "application/xhtml+xml" where Self.isNeverPage(destination): self = .misplacedPage
        case _ where destination == .segment: return nil
        case _ where destination == .rendition && !Self.isStreamed(essence): self = .playlist(isRendition: true)
        case _ where Self.playlists.contains(essence): self = .playlist(isRendition: destination == .rendition)
        case "application/dash+xml": self = .presentation
        case "text/vtt": self = .captions
        case _ where Self.isVague(essence) && url.flatMap(Self.format(ofPlaylistAt:)) != nil:
            guard let format = url.flatMap(Self.format(ofPlaylistAt:)) else { return nil }
            self = format
        case _ where destination.map(Self.hasOnlyDrawings) ?? false && !Self.isUnknown(essence):
            guard Self.isXML(essence) else { return nil }
            self = .xml
        case "text/css": self = .css
        case "application/manifest+json": self = .manifest
        case _ where ScriptType.isScript(essence): self = .script(destination == .script ? .script : .module)
        case _ where Self.isXML(essence): self = destination == .sitemap ? .sitemap : .xml
        default:
            if let format = Self.format(of: destination, essence), format != .sniffed {
                self = format
            } else if let url, !Self.isMedia(essence), Recipe.isData(at: url, recipes) || Self.isJSON(essence, url) {
                self = .data
            } else {
                guard Self.isUnknown(essence) else { return nil }
                self = .sniffed
            }
        }
    }

    /// Returns true if browsers use what answers such a request in its own way only, whatever it is.
    private static func isNeverPage(_ destination: Destination?) -> Bool {
        switch destination {
        case .image, .font, .media, .style, .module, .manifest, .rendition, .segment: true
        // Chromium runs a script of type text/html, and servers send sitemaps with any type.
        case .script, .sitemap: false
        case .document, .feed, .other, nil: false
        }
    }

    /// The media types of playlists; RFC 8216 §4, and older names of servers.
    private static let playlists: Set = [
        "application/vnd.apple.mpegurl", "application/x-mpegurl", "application/mpegurl", "audio/mpegurl",
        "audio/x-mpegurl", "vnd.apple.mpegurl",
    ]

    /// Returns true for the type of media and subtitles.
    private static func isStreamed(_ essence: String) -> Bool {
        isMedia(essence) && !playlists.contains(essence) || essence == "text/vtt"
    }

    /// Returns the format of a playlist whose type says nothing, by the suffix of its name.
    private static func format(ofPlaylistAt url: WebURL) -> BodyFormat? {
        let name = url.lastSegment.lowercased()
        if name.hasSuffix(".m3u8") { return .playlist(isRendition: false) }
        if name.hasSuffix(".mpd") { return .presentation }
        return name.hasSuffix(".vtt") ? .captions : nil
    }

    private static func hasOnlyDrawings(_ destination: Destination) -> Bool {
        [.image, .font, .media].contains(destination)
    }

    /// Returns the format for a destination and a generic type.
    private static func format(of destination: Destination?, _ essence: String) -> BodyFormat? {
        let isUnknown = isUnknown(essence)
        let isVague = isVague(essence)
        switch destination {
        // Browsers refuse a style sheet of another type, except in quirks mode, which is unknown here.
        case .style: return isVague ? .css : nil
        case .script: return isMedia(essence) || essence == "text/csv" ? nil : .script(.script)
        // Browsers refuse a module without a script's type.
        case .module: return nil
        case .manifest: return isVague || isJSON(essence) ? .manifest : nil
        case .sitemap: return isMedia(essence) ? nil : .sitemap
        case .feed: return isVague ? .xml : nil
        default: return isUnknown ? .sniffed : nil
        }
    }

    /// Returns true if the type is missing, or is one that means unknown; MIME Sniffing §7.
    private static func isUnknown(_ essence: String) -> Bool {
        guard essence.utf8.contains(UInt8(ascii: "/")) else { return true }
        return ["unknown/unknown", "application/unknown", "*/*"].contains(essence)
    }

    /// Returns true if the type is missing, or says nothing about the content.
    private static func isVague(_ essence: String) -> Bool {
        isUnknown(essence) || essence == "text/plain" || essence == "application/octet-stream"
    }

    private static func isXML(_ essence: String) -> Bool {
        essence.hasSuffix("+xml") || ["application/xml", "text/xml", "text/xsl"].contains(essence)
    }

    private static func isJSON(_ essence: String) -> Bool {
        essence == "application/json" || essence == "text/json" || essence.hasSuffix("+json")
    }

    /// Returns true for JSON that may name files, also with a type that says nothing; shapes and source maps name none.
    private static func isJSON(_ essence: String, _ url: WebURL) -> Bool {
        isJSON(essence) && essence != "application/geo+json" && !url.path.hasSuffix(".map")
            || isVague(essence) && JSONTexts.suffixes.contains { url.path.hasSuffix($0) }
    }

    private static func isMedia(_ essence: String) -> Bool {
        ["image/", "audio/", "video/", "font/"].contains(where: essence.hasPrefix)
    }
}

extension BodyFormat {
    /// Decides on a format that depends on the first bytes.
    ///
    /// - Parameters:
    ///   - bytes: The body.
    ///   - destination: The destination of the request, or nil if it is unknown.
    /// - Returns: The format, or nil for a body that isn't searched.
    func decided(by bytes: UnsafeBufferPointer<UInt8>, _ destination: Destination?) -> BodyFormat? {
        switch self {
        case .sniffed:
            let found = Self.sniff(bytes)
            guard found == .html else { return found }
            return Self.isNeverPage(destination) ? .misplacedPage : Self.ofPage(bytes, destination)
        case .labelledPage: return Self.ofPage(bytes, destination)
        case .html, .xml, .css, .manifest, .sitemap, .misplacedPage, .script, .data, .playlist, .presentation,
            .captions:
            return self
        }
    }

    /// Decides what a body of type text/html is.
    ///
    /// Feeds and sitemaps often have this type (MIME Sniffing §7.3).
    private static func ofPage(_ bytes: UnsafeBufferPointer<UInt8>, _ destination: Destination?) -> BodyFormat {
        let text = ScanBuffer(UnsafeBufferPointer(rebasing: bytes.prefix(decidingBytes)))
        let isMarkup = text.at(start(of: text)) == UInt8(ascii: "<")
        // Whatever it is, browsers run what a script element gets.
        if destination == .script { return isMarkup && !isHiddenScript(text) ? .misplacedPage : .script(.script) }
        switch isMarkup ? XMLTagReader.root(of: text) : nil {
        case .rss, .feed, .rdf: return .xml
        case .urlset, .sitemapindex: return destination == .sitemap ? .sitemap : .html
        default: break
        }
        switch destination {
        case .sitemap: return isMarkup ? .misplacedPage : .sitemap
        // Scripts load parts of pages, which aren't whole ones.
        case .other: return isWholePage(text) ? .misplacedPage : .html
        default: return .html
        }
    }

    /// Returns true for a script that begins with `<!--`, which starts a comment of one line; ECMA-262 §B.1.1.
    private static func isHiddenScript(_ text: ScanBuffer) -> Bool {
        let start = start(of: text)
        guard text.hasPrefix("<!--", at: start) else { return false }
        var index = start + 4
        while index < text.count, !text.hasPrefix("-->", at: index) { index += 1 }
        index = min(index + 3, text.count)
        while let byte = text.at(index), byte.isSpace { index += 1 }
        return text.at(index) != UInt8(ascii: "<")
    }

    /// Returns true if the bytes begin as a page does, and not as a part of one.
    private static func isWholePage(_ text: ScanBuffer) -> Bool {
        let start = start(of: text)
        return wholes.contains { text.hasPrefix($0, at: start) }
    }

    private static let wholes: [StaticString] = ["<!doctype", "<html", "<head", "<body", "<title", "<meta", "<link"]

    /// The number of bytes that decide on the format; MIME Sniffing §5.2.
    private static let decidingBytes = 1445

    private static func start(of text: ScanBuffer) -> Int {
        var index = text.hasPrefix("\u{FEFF}", at: 0) ? 3 : 0
        while let byte = text.at(index), byte.isSpace { index += 1 }
        return index
    }

    /// Returns the format of bytes without a type; MIME Sniffing §7.1, of which only markup matters here.
    ///
    /// - Parameter bytes: The body, or at least its first 1445 bytes.
    /// - Returns: Markup, or nil for anything else.
    static func sniff(_ bytes: UnsafeBufferPointer<UInt8>) -> BodyFormat? {
        let text = ScanBuffer(UnsafeBufferPointer(rebasing: bytes.prefix(decidingBytes)))
        let index = start(of: text)
        if text.hasPrefix("<?xml", at: index) { return .xml }
        if text.hasPrefix("<!--", at: index) { return .html }
        for tag in tags where text.hasPrefix(tag, at: index) {
            let after = text.at(index + tag.utf8CodeUnitCount)
            if after == 0x20 || after == UInt8(ascii: ">") { return .html }
        }
        return nil
    }

    /// The beginnings of pages; a space or `>` must follow.
    private static let tags: [StaticString] = [
        "<!doctype html", "<html", "<head", "<script", "<iframe", "<h1", "<div", "<font", "<table", "<a", "<style",
        "<title", "<b", "<body", "<br", "<p",
    ]
}
