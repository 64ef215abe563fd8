/// A media type with its parameters (RFC 9110 §8.3.1), in normal form.
///
/// The normal form has type, subtype and parameter names in lower case, `; ` between parts, and quotes only if a
/// parameter's value needs them. So a semicolon never has a space before it; a quoted value that contains one is
/// refused.
public struct MediaType: Hashable, Sendable, CustomStringConvertible {
    /// Type and subtype in lower case, for example `text/html`.
    public let essence: String
    /// The parameters in the order written, names in lower case.
    public let parameters: [Parameter]

    /// One parameter.
    public struct Parameter: Hashable, Sendable {
        /// The name in lower case.
        public let name: String
        /// The value without quotes.
        public let value: String
    }

    /// Parses a media type; nil if the text isn't one.
    ///
    /// A parameter without a value, which some servers send, is skipped.
    public init?(_ text: some StringProtocol) {
        let parts = Self.split(String(text))
        guard let first = parts.first else { return nil }
        let names = first.split(separator: "/", omittingEmptySubsequences: false)
        guard names.count == 2, names.allSatisfy({ FieldText.isToken($0) }) else { return nil }
        essence = first.lowercased()
        var parameters: [Parameter] = []
        for part in parts.dropFirst() where !part.isEmpty {
            guard let equals = part.firstIndex(of: "=") else { continue }
            let name = FieldText.trimmed(part[..<equals])
            let value = FieldText.trimmed(part[part.index(after: equals)...])
            guard FieldText.isToken(name) else { return nil }
            let text = FieldText.unquoted(value) ?? (FieldText.isToken(value) ? String(value) : nil)
            guard let text else { continue }
            let isSafe = text.utf8.allSatisfy { $0 >= 0x20 && $0 < 0x7F } && !text.contains(" ;")
            guard isSafe else { return nil }
            parameters.append(Parameter(name: name.lowercased(), value: text))
        }
        self.parameters = parameters
    }

    /// The normal form.
    public var description: String {
        parameters.reduce(essence) { result, parameter in
            let value =
                FieldText.isToken(parameter.value)
                ? parameter.value
                : "\"" + parameter.value.reduce("") { $0 + ($1 == "\"" || $1 == "\\" ? "\\" : "") + String($1) } + "\""
            return result + "; \(parameter.name)=\(value)"
        }
    }

    /// Returns the value of a parameter, or nil if there is none.
    public func parameter(_ name: String) -> String? { parameters.first { $0.name == name }?.value }

    /// Returns the parts between semicolons outside quotes, without surrounding white space.
    private static func split(_ text: String) -> [Substring] {
        var parts: [Substring] = []
        var start = text.startIndex
        var isQuoted = false
        var isEscaped = false
        for index in text.utf8.indices {
            let byte = text.utf8[index]
            if isEscaped {
                isEscaped = false
            } else if isQuoted, byte == UInt8(ascii: "\\") {
                isEscaped = true
            } else if byte == UInt8(ascii: "\"") {
                isQuoted.toggle()
            } else if byte == UInt8(ascii: ";"), !isQuoted {
                parts.append(FieldText.trimmed(text[start..<index]))
                start = text.utf8.index(after: index)
            }
        }
        parts.append(FieldText.trimmed(text[start...]))
        return parts
    }
}

extension MediaType {
    /// Creates the media type for a path's suffix; nil if the suffix is unknown.
    ///
    /// The types are those of the IANA registry and of the WHATWG MIME Sniffing Standard.
    ///
    /// - Parameter path: A path or a file's name; the text after its last dot counts, in any case.
    public init?(suffixOf path: some StringProtocol) {
        let path = String(path)
        let bytes = path.utf8
        let start = bytes.lastIndex(of: UInt8(ascii: "/")).map(bytes.index(after:)) ?? bytes.startIndex
        guard let dot = bytes[start...].lastIndex(of: UInt8(ascii: ".")), dot != start,
            let text = Self.bySuffix[path[bytes.index(after: dot)...].lowercased()]
        else { return nil }
        self.init(text)
    }

    /// True if deflating makes bodies of this type smaller; images, audio, video, fonts and archives mostly don't
    /// shrink.
    public var isCompressible: Bool {
        if essence.hasPrefix("text/") || essence.hasSuffix("+json") || essence.hasSuffix("+xml") { return true }
        return Self.compressible.contains(essence)
    }

    /// Returns true if deflating a body is worth the time, by its media type, or by the suffix if there is no useful
    /// type.
    ///
    /// An unknown suffix is worth a try, and so is one that stands for any bytes, such as `.bin`.
    public static func isCompressible(_ type: MediaType?, path: String) -> Bool {
        for type in [type, MediaType(suffixOf: path)] {
            if let type, type.essence != "application/octet-stream" { return type.isCompressible }
        }
        return true
    }

    private static let compressible: Set<String> = [
        "application/json", "application/xml", "application/javascript", "application/x-javascript",
        "application/ecmascript", "application/wasm", "application/manifest+json", "application/rtf",
        "application/sql", "application/toml", "application/yaml", "application/x-yaml", "application/x-sh",
        "application/x-tar", "application/x-ndjson", "application/vnd.apple.mpegurl", "audio/x-mpegurl",
        "application/postscript", "application/vnd.ms-fontobject",
        "image/svg+xml", "image/bmp", "image/x-icon", "image/vnd.microsoft.icon", "image/x-portable-pixmap",
        "font/ttf", "font/otf", "font/collection", "application/x-font-ttf", "application/x-httpd-php",
    ]

    private static let bySuffix: [String: String] = [
        "html": "text/html", "htm": "text/html", "xhtml": "application/xhtml+xml", "css": "text/css",
        "js": "text/javascript", "mjs": "text/javascript", "cjs": "text/javascript", "json": "application/json",
        "jsonld": "application/ld+json", "geojson": "application/geo+json", "map": "application/json",
        "topojson": "application/json", "webmanifest": "application/manifest+json", "xml": "text/xml",
        "xsl": "text/xml",
        "xslt": "application/xslt+xml", "rss": "application/rss+xml", "atom": "application/atom+xml",
        "dtd": "application/xml-dtd",
        "rdf": "application/rdf+xml", "wsdl": "application/wsdl+xml", "txt": "text/plain", "text": "text/plain",
        "log": "text/plain", "md": "text/markdown", "markdown": "text/markdown", "csv": "text/csv",
        "tsv": "text/tab-separated-values", "ics": "text/calendar", "vcf": "text/vcard", "vtt": "text/vtt",
        "srt": "application/x-subrip", "ttml": "application/ttml+xml", "rst": "text/x-rst", "tex": "application/x-tex",
        "c": "text/x-c", "h": "text/x-c", "cpp": "text/x-c", "hpp": "text/x-c", "py": "text/x-python",
        "sh": "application/x-sh",
        "java": "text/x-java", "swift": "text/x-swift", "rs": "text/rust", "go": "text/x-go", "ts": "text/typescript",
        "tsx": "text/typescript", "jsx": "text/javascript", "yaml": "application/yaml", "yml": "application/yaml",
        "toml": "application/toml", "sql": "application/sql", "wasm": "application/wasm", "png": "image/png",
        "jpg": "image/jpeg", "jpeg": "image/jpeg", "jpe": "image/jpeg", "jfif": "image/jpeg", "gif": "image/gif",
        "webp": "image/webp", "avif": "image/avif", "apng": "image/apng", "jxl": "image/jxl", "heic": "image/heic",
        "heif": "image/heif", "svg": "image/svg+xml", "svgz": "image/svg+xml", "bmp": "image/bmp",
        "ico": "image/x-icon",
        "cur": "image/x-icon", "tif": "image/tiff", "tiff": "image/tiff", "psd": "image/vnd.adobe.photoshop",
        "woff": "font/woff", "woff2": "font/woff2", "ttf": "font/ttf", "otf": "font/otf", "ttc": "font/collection",
        "eot": "application/vnd.ms-fontobject", "mp3": "audio/mpeg", "m4a": "audio/mp4", "aac": "audio/aac",
        "oga": "audio/ogg", "ogg": "audio/ogg", "opus": "audio/ogg", "flac": "audio/flac", "wav": "audio/wav",
        "weba": "audio/webm", "mid": "audio/midi", "midi": "audio/midi", "mp4": "video/mp4", "m4v": "video/mp4",
        "webm": "video/webm", "ogv": "video/ogg", "mov": "video/quicktime", "avi": "video/x-msvideo",
        "mkv": "video/matroska",
        "mpeg": "video/mpeg", "mpg": "video/mpeg", "3gp": "video/3gpp", "m3u8": "application/vnd.apple.mpegurl",
        "m3u": "audio/x-mpegurl",
        "mpd": "application/dash+xml", "m4s": "video/iso.segment", "pdf": "application/pdf",
        "ps": "application/postscript",
        "eps": "application/postscript", "rtf": "application/rtf", "epub": "application/epub+zip",
        "doc": "application/msword",
        "docx": "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
        "xls": "application/vnd.ms-excel",
        "xlsx": "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
        "ppt": "application/vnd.ms-powerpoint",
        "pptx": "application/vnd.openxmlformats-officedocument.presentationml.presentation",
        "odt": "application/vnd.oasis.opendocument.text", "ods": "application/vnd.oasis.opendocument.spreadsheet",
        "odp": "application/vnd.oasis.opendocument.presentation", "zip": "application/zip", "gz": "application/gzip",
        "tgz": "application/gzip", "bz2": "application/x-bzip2", "xz": "application/x-xz", "zst": "application/zstd",
        "br": "application/x-brotli", "7z": "application/x-7z-compressed", "rar": "application/vnd.rar",
        "tar": "application/x-tar",
        "jar": "application/java-archive", "war": "application/java-archive",
        "deb": "application/vnd.debian.binary-package",
        "rpm": "application/x-rpm", "dmg": "application/x-apple-diskimage", "iso": "application/x-iso9660-image",
        "exe": "application/vnd.microsoft.portable-executable", "apk": "application/vnd.android.package-archive",
        "bin": "application/octet-stream", "swf": "application/x-shockwave-flash", "gltf": "model/gltf+json",
        "glb": "model/gltf-binary", "sqlite": "application/vnd.sqlite3",
        "opensearch": "application/opensearchdescription+xml",
        "pem": "application/x-pem-file", "torrent": "application/x-bittorrent", "ndjson": "application/x-ndjson",
        "php": "text/html", "asp": "text/html", "aspx": "text/html", "jsp": "text/html",
        "inv": "application/octet-stream",
    ]
}
