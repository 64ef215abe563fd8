/// The choices of a `select` element, which may be a menu of pages, such as the versions of a manual.
///
/// They are pages if the element's script opens the chosen value, or if all values look like addresses of pages.
struct SelectMenu {
    /// The largest number of values that are kept.
    private static let limit = 256

    /// True if the element's script opens the value.
    private let opensValue: Bool
    private var values: [(text: String, range: Range<Int>)] = []
    private var isComplete = true

    /// Creates the menu of an element.
    ///
    /// - Parameter script: The script that runs when the reader chooses, or an empty text.
    init(script: String) {
        let text = script.lowercased()
        let opens = ["location", "href", "window.open"].contains(where: text.contains)
        // A script that composes an address doesn't open the value itself.
        opensValue = opens && text.contains("value") && !text.utf8.contains { $0 == UInt8(ascii: "+") || $0 == 0x60 }
    }

    /// Adds the value of a choice.
    ///
    /// - Parameters:
    ///   - text: The value.
    ///   - range: Its place in the document.
    mutating func add(_ text: String, at range: Range<Int>) {
        let text = text.trimmedASCII
        guard !text.isEmpty, text != "#" else { return }
        guard values.count < Self.limit else {
            isComplete = false
            return
        }
        values.append((text, range))
    }

    /// The addresses of pages; none if the values are something else.
    var addresses: [(text: String, range: Range<Int>)] {
        if opensValue { return values.filter { !$0.text.utf8.contains(where: \.isSpace) } }
        return isComplete && values.allSatisfy { Self.looksLikePage($0.text) } ? values : []
    }

    /// Returns true for an address with a scheme, a path from the root or from the page, a folder or a page's file.
    ///
    /// A media type, a time zone or a fraction isn't one.
    private static func looksLikePage(_ text: String) -> Bool {
        guard !text.utf8.contains(where: { $0.isSpace || $0 == UInt8(ascii: "<") || $0 == UInt8(ascii: "{") }) else {
            return false
        }
        if ["https://", "http://", "./", "../"].contains(where: text.hasPrefix) { return true }
        let path = text.prefix { $0 != "?" && $0 != "#" }
        if path.utf8.count > 1, path.hasPrefix("/") || path.hasSuffix("/") { return true }
        return [".html", ".htm", ".xhtml", ".php"].contains(where: path.lowercased().hasSuffix)
    }
}
