/// Finds the references of an RSS or Atom feed.
///
/// The formats are RSS 2.0 and 1.0 (https://www.rssboard.org/rss-specification, https://web.resource.org/rss/1.0/) and
/// Atom (RFC 4287, with the pages of RFC 5005).
///
/// It finds links, enclosures, and the images of the feed. The HTML of an entry isn't read, because the page that the
/// entry links to has it as well.
struct FeedReferences {
    private var reader: XMLTagReader
    private let limits: DiscoveryLimits
    private(set) var list = ReferenceList()
    /// The number of open elements.
    private var depth = 0
    /// The open elements with an `xml:base`, and its value.
    private var bases: [(depth: Int, base: String)] = []
    /// The open RSS `image` or `textInput` element, if any.
    private var parent = XMLElementName.other
    /// The text so far of an open element that holds an address, with its start.
    private var address: (name: XMLElementName, start: Int)?
    private var text: [UInt8] = []

    /// The largest number of nested bases; further ones are ignored.
    private static let maxBases = 8

    /// Reads a feed.
    init(_ bytes: ScanBuffer, _ limits: DiscoveryLimits) {
        reader = XMLTagReader(bytes)
        self.limits = limits
        while !list.isFull, let event = reader.next() {
            switch event {
            case .start(let name): start(name)
            case .end(let name): end(name)
            case .text:
                if address != nil { reader.append(to: &text, limit: limits.referenceBytes) }
            }
        }
    }

    private mutating func start(_ name: XMLElementName) {
        address = nil
        text.removeAll(keepingCapacity: true)
        depth += 1
        if let base = reader.value(of: .xmlBase, limit: 2048), bases.count < Self.maxBases {
            bases.append((depth, base))
        }
        let isOpen = !reader.isSelfClosing
        switch name {
        case .link:
            if let href = reader.value(of: .href, limit: limits.referenceBytes) {
                link(href)
            } else if isOpen, parent != .textinput, parent != .image {
                address = (name, reader.start)
            }
        case .enclosure: add(reader.value(of: .url, limit: limits.referenceBytes), .link, .other, name, "url")
        case .content: add(reader.value(of: .src, limit: limits.referenceBytes), .link, .document, name, "src")
        case .image, .textinput: if isOpen { parent = name }
        case .url: if isOpen, parent == .image { address = (name, reader.start) }
        case .icon, .logo: if isOpen { address = (name, reader.start) }
        default: break
        }
        if !isOpen { close() }
    }

    private mutating func end(_ name: XMLElementName) {
        if name == parent { parent = .other }
        if let (element, start) = address, element == name {
            let text = String(trimming: text)
            let isLink = element == .link
            add(text, isLink ? .link : .requisite, isLink ? .document : .image, element, "", at: start)
        }
        address = nil
        close()
    }

    private mutating func close() {
        if bases.last?.depth == depth { bases.removeLast() }
        depth = max(0, depth - 1)
    }

    /// Reads an Atom `link`; without `rel` it is an alternate.
    private mutating func link(_ href: String) {
        let relation = reader.value(of: .rel, limit: 256)?.trimmedASCII.lowercased() ?? "alternate"
        switch relation {
        case "alternate", "related", "via", "replies": add(href, .link, .document, .link, "href")
        case "enclosure": add(href, .link, .other, .link, "href")
        case "next", "previous", "prev", "first", "last", "prev-archive", "next-archive", "current":
            add(href, .link, .feed, .link, "href")
        case "icon": add(href, .requisite, .image, .link, "href")
        default: break
        }
    }

    private mutating func add(
        _ text: String?,
        _ kind: Reference.Kind,
        _ loads: Destination,
        _ element: XMLElementName,
        _ attribute: String,
        at offset: Int? = nil
    ) {
        guard let text, !text.isEmpty else { return }
        let offset = offset ?? reader.start
        var reference = Reference(text, kind, loads, element: element.rawValue, attribute: attribute, at: offset)
        reference.resolution = .utf8Address
        reference.bases = bases.map(\.base)
        list.add(reference, limits)
    }
}
