/// The elements and texts of a page in their order, each with its parent and its end.
///
/// Only what Markdown needs is kept: what a browser doesn't show has no content here.
struct PageTree {
    /// An element or a text.
    struct Node {
        /// The element; `other` for a text.
        var element: HTMLElementName
        /// The content model of a text; nil for an element.
        var model: HTMLTokenizer.ContentModel?
        /// The number of the parent.
        var parent: Int32
        /// The number after that of the last node in it.
        var end: Int32
        /// What its classes and attributes say of it.
        var traits: PageTraits = []
        /// The text, or the name of an element.
        var range: Range<Int>
        /// The kept attributes, in the list of all.
        var attributes: Range<Int32> = 0..<0
    }

    /// A kept attribute.
    struct Attribute {
        var name: PageAttribute
        var value: Range<Int>
    }

    let bytes: ScanBuffer
    /// The nodes in the order of the page; the first is the page itself.
    var nodes: [Node]
    var attributes: [Attribute] = []
    /// The text of the first `title`, decoded.
    var title = ""
    /// The first `href` of a `base`.
    var base: String?
    /// The description that the page gives of itself, decoded.
    var description = ""
    /// True if the page has more nodes than were read.
    var isTruncated = false

    init(_ bytes: ScanBuffer) {
        self.bytes = bytes
        nodes = [Node(element: .html, parent: 0, end: 1, range: 0..<0)]
    }

    subscript(_ number: Int) -> Node { nodes[number] }

    /// Returns the value of an attribute; nil if the element doesn't have it, or it is too long.
    func value(_ name: PageAttribute, of node: Int, limit: Int = 8192) -> String? {
        for index in nodes[node].attributes where attributes[Int(index)].name == name {
            let range = attributes[Int(index)].value
            return range.count <= limit ? HTMLText.attribute(bytes, range).trimmedASCII : nil
        }
        return nil
    }

    func has(_ name: PageAttribute, _ node: Int) -> Bool {
        nodes[node].attributes.contains { attributes[Int($0)].name == name }
    }

    /// Returns the words of an attribute, such as its classes.
    func words(_ name: PageAttribute, of node: Int) -> [Substring] {
        value(name, of: node, limit: 1024)?.split(maxSplits: 64) { $0.isWhitespace } ?? []
    }

    /// Calls a closure with each child of a node.
    func forEachChild(of node: Int, _ body: (Int) -> Void) {
        var child = node + 1
        let end = Int(nodes[node].end)
        while child < end {
            bytes.note(1)
            body(child)
            child = Int(nodes[child].end)
        }
    }

    /// Returns the first child for which a closure returns true.
    func firstChild(of node: Int, where predicate: (Int) -> Bool) -> Int? {
        var child = node + 1
        let end = Int(nodes[node].end)
        while child < end {
            bytes.note(1)
            if predicate(child) { return child }
            child = Int(nodes[child].end)
        }
        return nil
    }
}

/// The attributes that Markdown needs.
enum PageAttribute: String, CaseIterable, Sendable {
    case other = ""
    case alt, alttext, `class`, colspan, encoding, hidden, href, id, name, role, src, start, value
    case ariaHidden = "aria-hidden"
    case dataLang = "data-lang"
    case dataLanguage = "data-language"
    case dataSrc = "data-src"

    static let byKey = PackedNameTable<PageAttribute>(otherwise: .other)
}
