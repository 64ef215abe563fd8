/// A start tag, as far as references need it.
struct HTMLTag {
    /// The element's name in lower case.
    var name: String
    /// The attributes, names in lower case, values with character references resolved; the first of a name counts.
    var attributes: [(name: String, value: String)]
    var isSelfClosing = false

    subscript(_ name: String) -> String? { attributes.first { $0.name == name }?.value }
}

/// What the scanner finds.
enum HTMLEvent {
    case start(HTMLTag)
    case end(String)
    /// The content of a `style` element.
    case style([UInt8])
}
