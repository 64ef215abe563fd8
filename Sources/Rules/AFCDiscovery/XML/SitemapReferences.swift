/// Finds the references of a sitemap or a sitemap index (https://www.sitemaps.org/protocol.html).
///
/// Pages and their translations are links, and sitemaps are links whose destination is a sitemap. Images and video
/// thumbnails, which extensions of the protocol define, are requisites of their pages.
struct SitemapReferences {
    private var reader: XMLTagReader
    private let limits: DiscoveryLimits
    private(set) var list = ReferenceList()
    /// The last opened element that a location may belong to.
    private var parent = XMLElementName.url
    /// The text so far of an open location, with its start.
    private var location: (name: XMLElementName, start: Int)?
    private var text: [UInt8] = []

    /// Reads a sitemap in XML.
    init(xml bytes: ScanBuffer, _ limits: DiscoveryLimits) {
        reader = XMLTagReader(bytes)
        self.limits = limits
        while !list.isFull, let event = reader.next() {
            switch event {
            case .start(let name): start(name)
            case .end(let name): end(name)
            case .text:
                if location != nil { reader.append(to: &text, limit: limits.referenceBytes) }
            }
        }
    }

    /// Reads a sitemap that is a list of addresses, one per line.
    init(text bytes: ScanBuffer, _ limits: DiscoveryLimits) {
        reader = XMLTagReader(bytes)
        self.limits = limits
        TextLines.forEach(in: bytes) { line in
            guard line.count <= limits.referenceBytes else {
                list.cut(.referenceBytes)
                return true
            }
            let text = bytes.string(line)
            guard text.hasPrefix("http://") || text.hasPrefix("https://") else { return true }
            add(text, .link, .document, "", "", at: line.lowerBound)
            return !list.isFull
        }
    }

    private mutating func start(_ name: XMLElementName) {
        location = nil
        text.removeAll(keepingCapacity: true)
        switch name {
        case .url, .sitemap, .image, .video:
            if !reader.isSelfClosing { parent = name }
        case .loc, .thumbnail, .contentLocation:
            if !reader.isSelfClosing { location = (name, reader.start) }
        case .link:
            // Links with `hreflang` are translations, those with `media` pages for other devices; both are pages.
            guard let href = reader.value(of: .href, limit: limits.referenceBytes),
                let relations = reader.value(of: .rel, limit: 256),
                relations.lowercased().split(whereSeparator: \.isWhitespace).contains("alternate")
            else { return }
            add(href, .link, .document, "link", "href", at: reader.start)
        default: break
        }
    }

    private mutating func end(_ name: XMLElementName) {
        if name == .image || name == .video { parent = .url }
        guard let (element, start) = location else { return }
        location = nil
        guard element == name else { return }
        let address = String(trimming: text)
        switch (element, parent) {
        case (.thumbnail, _): add(address, .requisite, .image, element.rawValue, "", at: start)
        case (.contentLocation, _): add(address, .requisite, .other, element.rawValue, "", at: start)
        case (_, .image): add(address, .requisite, .image, element.rawValue, "", at: start)
        case (_, .sitemap): add(address, .link, .sitemap, element.rawValue, "", at: start)
        default: add(address, .link, .document, element.rawValue, "", at: start)
        }
    }

    private mutating func add(
        _ text: String,
        _ kind: Reference.Kind,
        _ loads: Destination,
        _ element: String,
        _ attribute: String,
        at offset: Int
    ) {
        guard !text.isEmpty else { return }
        var reference = Reference(text, kind, loads, element: element, attribute: attribute, at: offset)
        reference.resolution = .utf8Address
        list.add(reference, limits)
    }
}
