/// The custom elements whose documentation says that they load the resource in `src`.
///
/// What another custom element does with its `src` is unknown, so that it is a guess.
enum LoadingElement {
    /// Returns what an element loads, or nil if the element isn't known.
    static func loads(_ name: String) -> (kind: Reference.Kind, loads: Destination)? { table[name] }

    private static let table: [String: (kind: Reference.Kind, loads: Destination)] = [
        "a-asset-item": (.requisite, .other),
        "asciinema-player": (.requisite, .other),
        "dotlottie-player": (.requisite, .other),
        "dotlottie-wc": (.requisite, .other),
        "include-fragment": (.frame, .document),
        "lottie-player": (.requisite, .other),
        "model-viewer": (.requisite, .other),
        "sl-icon": (.requisite, .image),
        "sl-include": (.frame, .document),
        "turbo-frame": (.frame, .document),
        "wa-icon": (.requisite, .image),
        "wa-include": (.frame, .document),
        "zero-md": (.requisite, .other),
    ]

    /// The elements that load the description of an interface in `spec-url`.
    static let specifications: Set = ["redoc", "rapi-doc", "rapi-doc-mini", "redoc-wc"]

    /// The name suffixes of images.
    private static let images: Set = ["avif", "bmp", "gif", "ico", "jpeg", "jpg", "png", "svg", "webp"]
    private static let media: Set = ["m3u8", "m4a", "m4v", "mp3", "mp4", "mpd", "oga", "ogg", "ogv", "wav", "webm"]

    /// Returns true if an address has the suffix of an image.
    static func isImage(_ text: String) -> Bool { images.contains(suffix(of: text)) }

    /// Returns true if an address has the suffix of Markdown or plain text.
    static func isMarkdown(_ text: String) -> Bool { ["md", "markdown", "mkd", "txt"].contains(suffix(of: text)) }

    /// Returns the destination that the suffix of an address suggests.
    static func destination(of text: String) -> Destination {
        let suffix = suffix(of: text)
        if images.contains(suffix) { return .image }
        return media.contains(suffix) ? .media : .other
    }

    private static func suffix(of text: String) -> String {
        let name = text.prefix { $0 != "?" && $0 != "#" }.lastSegment
        guard let dot = name.lastIndex(of: "."), dot > name.startIndex else { return "" }
        return name[name.index(after: dot)...].lowercased()
    }
}
