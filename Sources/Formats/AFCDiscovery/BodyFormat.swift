internal import AFCURL

/// The format in which a body is read, decided by its media type and destination as browsers decide it.
enum BodyFormat: Equatable {
    case html, xml, css, manifest, sitemap
    case script(JavaScriptReferences.Goal)
    /// A data file that a recipe reads, such as JSON.
    case data
    /// The type is unknown, so the first bytes decide.
    case sniffed

    /// Decides on the format; nil for a body that isn't searched.
    ///
    /// A specific media type decides: a page stays a page, whatever refers to it. The destination decides if the type
    /// is generic or missing.
    ///
    /// - Parameters:
    ///   - mediaType: The value of Content-Type, or an empty text if there is none.
    ///   - destination: The destination of the request, or nil if it is unknown.
    ///   - url: The body's URL, or nil if recipes aren't used.
    init?(mediaType: String, destination: Destination?, url: WebURL? = nil) {
        let essence = String(mediaType.prefix { $0 != ";" }).trimmedASCII.lowercased()
        switch essence {
        case "text/html": self = .html
        case "text/css": self = .css
        case "application/manifest+json": self = .manifest
        case _ where ScriptType.isScript(essence): self = .script(destination == .script ? .script : .module)
        case _ where Self.isXML(essence): self = destination == .sitemap ? .sitemap : .xml
        default:
            if let format = Self.format(of: destination, essence), format != .sniffed {
                self = format
            } else if let url, !Self.isMedia(essence), Recipe.isData(named: url.lastSegment) {
                self = .data
            } else {
                guard Self.isUnknown(essence) else { return nil }
                self = .sniffed
            }
        }
    }

    /// Returns the format for a destination and a generic type.
    private static func format(of destination: Destination?, _ essence: String) -> BodyFormat? {
        let isUnknown = isUnknown(essence)
        let isVague = isUnknown || essence == "text/plain" || essence == "application/octet-stream"
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

    private static func isXML(_ essence: String) -> Bool {
        essence.hasSuffix("+xml") || ["application/xml", "text/xml", "text/xsl"].contains(essence)
    }

    private static func isJSON(_ essence: String) -> Bool {
        essence == "application/json" || essence == "text/json" || essence.hasSuffix("+json")
    }

    private static func isMedia(_ essence: String) -> Bool {
        ["image/", "audio/", "video/", "font/"].contains(where: essence.hasPrefix)
    }
}

extension BodyFormat {
    /// Returns the format of bytes without a type; MIME Sniffing §7.1, of which only markup matters here.
    ///
    /// - Parameter bytes: The body, or at least its first 1445 bytes.
    /// - Returns: Markup, or nil for anything else.
    static func sniff(_ bytes: UnsafeBufferPointer<UInt8>) -> BodyFormat? {
        let text = ScanBuffer(UnsafeBufferPointer(rebasing: bytes.prefix(1445)))
        var index = text.hasPrefix("\u{FEFF}", at: 0) ? 3 : 0
        while let byte = text.at(index), byte.isSpace { index += 1 }
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
