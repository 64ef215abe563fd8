internal import AFCZip

/// The kind of a body as its first bytes show it beyond doubt (WHATWG MIME Sniffing §6 and §7.1).
enum BodySignature: Sendable {
    case page, vectorImage, image, document, font, archive

    /// Detects the kind from the first bytes; nil if they show nothing.
    init?(_ bytes: [UInt8]) {
        if let binary = Self.binary(bytes) {
            self = binary
        } else if let markup = Self.markup(bytes) {
            self = markup
        } else {
            return nil
        }
    }

    /// Returns true if a body is certainly not text.
    static func isBinary(_ bytes: [UInt8]) -> Bool {
        bytes.starts(with: Inflater.gzipSignature) || binary(bytes) != nil
    }

    /// Returns true if a body that is served as text contains bytes that no text has (WHATWG MIME Sniffing §3), so that
    /// its type says less than its bytes: an inventory of Sphinx has lines of text, then compressed data.
    static func hasBinaryData(_ bytes: [UInt8]) -> Bool {
        bytes.prefix(64 << 10).contains { $0 <= 0x08 || $0 == 0x0B || (0x0E...0x1F).contains($0) && $0 != 0x1B }
    }

    /// The name of the kind, with an article.
    var words: String {
        switch self {
        case .page: "a page"
        case .vectorImage: "an SVG image"
        case .image: "an image"
        case .document: "a PDF document"
        case .font: "a font"
        case .archive: "a zip archive"
        }
    }

    /// Returns true if a body of this kind can't have the type.
    func contradicts(_ essence: String) -> Bool {
        let kind = LintedType.kind(of: essence)
        let isVector = essence == "image/svg+xml" || essence == "application/xml" || essence == "text/xml"
        switch self {
        case .page:
            // Text can be the source of a page.
            return kind != nil && kind != .page || essence == "application/json" || essence == "application/pdf"
        case .vectorImage: return kind != nil && !isVector && kind != .page || essence == "application/pdf"
        case .image: return kind != nil && (kind != .image || isVector) || Self.isText(essence)
        case .document, .font, .archive:
            let isOwn = self == .font && kind == .font
            return kind != nil && !isOwn || Self.isText(essence)
        }
    }

    private static func isText(_ essence: String) -> Bool {
        essence.hasPrefix("text/") || essence == "application/json" || essence.hasSuffix("+xml")
    }

    private static func binary(_ bytes: [UInt8]) -> BodySignature? {
        switch bytes.first {
        case 0x89 where bytes.starts(with: [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]): .image
        case 0xFF where bytes.starts(with: [0xFF, 0xD8, 0xFF]): .image
        case 0x47 where bytes.starts(with: "GIF87a".utf8) || bytes.starts(with: "GIF89a".utf8): .image
        case 0x52 where bytes.starts(with: "RIFF".utf8) && bytes.dropFirst(8).starts(with: "WEBP".utf8): .image
        case 0x25 where bytes.starts(with: "%PDF-".utf8): .document
        case 0x77 where bytes.starts(with: "wOFF".utf8) || bytes.starts(with: "wOF2".utf8): .font
        case 0x50 where bytes.starts(with: [0x50, 0x4B, 3, 4]): .archive
        default: nil
        }
    }

    private static func markup(_ bytes: [UInt8]) -> BodySignature? {
        var rest = bytes.prefix(1_445)
        if rest.starts(with: [0xEF, 0xBB, 0xBF]) { rest = rest.dropFirst(3) }
        rest = rest.drop { $0 == 0x20 || (0x09...0x0D).contains($0) }
        guard rest.first == UInt8(ascii: "<") else { return nil }
        let start = String(decoding: rest.prefix(15), as: UTF8.self).lowercased()
        if start.hasPrefix("<!doctype html") { return .page }
        if let after = start.dropFirst(5).first, start.hasPrefix("<html"), after == ">" || after.isWhitespace {
            return .page
        }
        if let after = start.dropFirst(4).first, start.hasPrefix("<svg"), after == ">" || after.isWhitespace {
            return .vectorImage
        }
        return nil
    }
}
