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

    /// Returns true for an element with addresses in attributes of its own: that of `model-viewer`, and those of A-Frame.
    static func hasOwnAttributes(_ name: Range<Int>, in bytes: ScanBuffer) -> Bool {
        name.count > 2 && bytes.hasPrefix("a-", at: name.lowerBound)
            || name.count == 12 && bytes.hasPrefix("model-viewer", at: name.lowerBound)
    }

    /// Returns the addresses in such an attribute, for A-Frame those in `url()`, as in `gltf-model="url(a.glb)"`.
    ///
    /// - Parameters:
    ///   - value: The decoded value.
    ///   - attribute: The attribute's name.
    ///   - element: The element's name.
    /// - Returns: The addresses, each with its place in the value if that has something else.
    static func addresses(
        in value: String,
        of attribute: String,
        _ element: String
    ) -> [(text: String, part: Range<Int>?)] {
        if element == "model-viewer" {
            return ["environment-image", "skybox-image", "ios-src"].contains(attribute) ? [(value, nil)] : []
        }
        var found: [(text: String, part: Range<Int>?)] = []
        let bytes = Array(value.utf8)
        var index = 0
        while element.hasPrefix("a-"), found.count < addressLimit,
            let open = bytes[index...].firstIndex(of: UInt8(ascii: "(")),
            let close = bytes[open...].firstIndex(of: UInt8(ascii: ")"))
        {
            index = close
            guard bytes[..<open].suffix(3).elementsEqual("url".utf8) else { continue }
            let part = open + 1..<close
            found.append((String(decoding: bytes[part], as: UTF8.self), part))
        }
        return found
    }

    /// The most addresses in one attribute.
    private static let addressLimit = 8

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
