extension MediaType {
    /// The number of bytes that decide on a type (WHATWG MIME Sniffing §5.2).
    public static let decidingBytes = 1_445

    /// Creates the media type of a body for which none is stated (WHATWG MIME Sniffing §7.1).
    ///
    /// It must not be used for a body whose type is stated.
    ///
    /// - Parameter bytes: The body, or at least its first ``decidingBytes``.
    public init(ofUnstated bytes: some Collection<UInt8>) {
        let bytes = Array(bytes.prefix(Self.decidingBytes))
        let text =
            Self.ofMarkup(bytes) ?? Self.signatures.first { Self.matches(bytes, $0.pattern) }?.type ?? Self.ofVideo(
                bytes
            )
            ?? (bytes.contains(where: Self.isBinary) ? "application/octet-stream" : "text/plain")
        guard let type = MediaType(text) else { preconditionFailure("\(text) is no media type") }
        self = type
    }

    /// The type of bytes with a signature; nil in a pattern matches any byte.
    private static let signatures: [(pattern: [UInt8?], type: String)] = [
        (ascii("%PDF-"), "application/pdf"), (ascii("%!PS-Adobe-"), "application/postscript"),
        ([0xFE, 0xFF], "text/plain"), ([0xFF, 0xFE], "text/plain"), ([0xEF, 0xBB, 0xBF], "text/plain"),
        ([0x00, 0x00, 0x01, 0x00], "image/x-icon"), ([0x00, 0x00, 0x02, 0x00], "image/x-icon"),
        (ascii("BM"), "image/bmp"), (ascii("GIF87a"), "image/gif"), (ascii("GIF89a"), "image/gif"),
        (ascii("RIFF") + any(4) + ascii("WEBPVP"), "image/webp"),
        ([0x89] + ascii("PNG\r\n") + [0x1A, 0x0A], "image/png"), ([0xFF, 0xD8, 0xFF], "image/jpeg"),
        (ascii("FORM") + any(4) + ascii("AIFF"), "audio/aiff"), (ascii("ID3"), "audio/mpeg"),
        (ascii("OggS") + [0x00], "application/ogg"), (ascii("MThd") + [0x00, 0x00, 0x00, 0x06], "audio/midi"),
        (ascii("RIFF") + any(4) + ascii("AVI "), "video/avi"), (ascii("RIFF") + any(4) + ascii("WAVE"), "audio/wave"),
        ([0x1F, 0x8B, 0x08], "application/x-gzip"), (ascii("PK") + [0x03, 0x04], "application/zip"),
        (ascii("Rar") + [0x20, 0x1A, 0x07, 0x00], "application/x-rar-compressed"),
    ]

    private static func ascii(_ text: String) -> [UInt8?] { text.utf8.map { $0 } }

    private static func any(_ count: Int) -> [UInt8?] { [UInt8?](repeating: nil, count: count) }

    private static func matches(_ bytes: [UInt8], _ pattern: [UInt8?]) -> Bool {
        bytes.count >= pattern.count && zip(bytes, pattern).allSatisfy { $1 == nil || $0 == $1 }
    }

    /// The beginnings of pages, in lower case; a space or `>` must follow.
    private static let tags = [
        "<!doctype html", "<html", "<head", "<script", "<iframe", "<h1", "<div", "<font", "<table", "<a", "<style",
        "<title", "<b", "<body", "<br", "<p",
    ].map { Array($0.utf8) }

    private static func ofMarkup(_ bytes: [UInt8]) -> String? {
        let text = bytes.drop { $0 == 0x09 || $0 == 0x0A || $0 == 0x0C || $0 == 0x0D || $0 == 0x20 }
        if text.starts(with: "<!--".utf8) { return "text/html" }
        if text.starts(with: "<?xml".utf8) { return "text/xml" }
        for tag in tags where text.count > tag.count {
            let beginning = text.prefix(tag.count).lazy.map { $0 &- 0x41 < 26 ? $0 | 0x20 : $0 }
            let after = text[text.startIndex + tag.count]
            if beginning.elementsEqual(tag), after == 0x20 || after == UInt8(ascii: ">") { return "text/html" }
        }
        return nil
    }

    /// Returns the type of MP4 and WebM (WHATWG MIME Sniffing §6.2.1, §6.2.2).
    private static func ofVideo(_ bytes: [UInt8]) -> String? {
        if bytes.starts(with: [0x1A, 0x45, 0xDF, 0xA3]) {
            let isWebM = bytes.prefix(64).indices.contains { bytes[$0...].starts(with: "webm".utf8) }
            return isWebM ? "video/webm" : nil
        }
        guard bytes.count >= 12, bytes[4..<8].elementsEqual("ftyp".utf8) else { return nil }
        let size = bytes[..<4].reduce(0) { $0 << 8 | Int($1) }
        guard size >= 12, size.isMultiple(of: 4), bytes.count >= size else { return nil }
        let brands = [8] + stride(from: 16, to: size, by: 4)
        return brands.contains { bytes[$0...].starts(with: "mp4".utf8) } ? "video/mp4" : nil
    }

    private static func isBinary(_ byte: UInt8) -> Bool {
        byte <= 0x08 || byte == 0x0B || (0x0E...0x1A).contains(byte) || (0x1C...0x1F).contains(byte)
    }
}
