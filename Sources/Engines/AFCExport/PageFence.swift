internal import AFCDiscovery
internal import AFCHTTP
internal import AFCText

/// Puts a policy into a page before everything else, so that opening its file requests nothing from a network.
///
/// A policy counts only in the head of a document, and only for what follows it. In HTML, anything but white space, comments
/// and the document's type would end the head; in XML, only the first `head` within the root counts.
struct PageFence {
    /// What the head of the page begins with, as well-formed XML in ASCII.
    let element: String

    /// Creates a fence of another element.
    init(element: String) { self.element = element }

    /// Returns a page with a policy and without scripts that don't run, or a drawing that loads nothing.
    ///
    /// - Parameters:
    ///   - body: The body.
    ///   - type: Its media type.
    ///   - scripts: What becomes of its scripts.
    ///   - scheme: The scheme of the export's own addresses.
    /// - Returns: The body; nil if it stays as it is.
    static func fenced(_ body: [UInt8], _ type: MediaType, _ scripts: PageScripts.Fate, scheme: String) -> [UInt8]? {
        guard type.isPage else { return type.essence == "image/svg+xml" ? DrawingFence.drawing(body) : nil }
        let allowsScripts = scripts == .kept || scripts == .uncertain
        let fence = PageFence(
            allowsScripts: allowsScripts,
            encoding: type.parameter("charset").flatMap { TextEncoding(label: $0) },
            scheme: scheme
        )
        guard !allowsScripts else { return type.essence == "text/html" ? fence.html(body) : fence.xhtml(body) }
        return type.essence == "text/html" ? fence.html(ScriptFence.html(body)) : fence.xhtml(ScriptFence.xhtml(body))
    }

    /// Creates the policy of a page: it loads only what is in the export, and sends forms only there.
    ///
    /// - Parameters:
    ///   - allowsScripts: True if the page's scripts run.
    ///   - encoding: The encoding that only the response stated, which a file can't.
    ///   - scheme: The scheme of the export's own addresses.
    init(allowsScripts: Bool, encoding: TextEncoding? = nil, scheme: String = "file") {
        let sources = "'self' \(scheme): data: blob:"
        let scripts = allowsScripts ? "" : "; script-src 'none'"
        // Firefox looks up the names of links on pages that aren't secure.
        let charset = encoding.map { "<meta charset=\"\($0.name)\"/>" } ?? ""
        element =
            "\(charset)<meta http-equiv=\"Content-Security-Policy\" content=\"default-src \(sources) 'unsafe-inline' 'unsafe-eval'"
            + "; form-action 'self' \(scheme):\(scripts)\"/><meta http-equiv=\"x-dns-prefetch-control\" content=\"off\"/>"
    }

    /// Returns a page in HTML with the policy.
    ///
    /// - Parameter page: The page, in an encoding in which ASCII has its meaning, or the beginning of one.
    /// - Returns: The page.
    func html(_ page: [UInt8]) -> [UInt8] {
        let start = page.starts(with: Self.byteOrderMark) ? 3 : 0
        var place = start
        var index = start
        scan: while index < page.count {
            let rest = page[index...]
            if Self.isSpace(page[index]) {
                index += 1
            } else if Self.hasPrefix(rest, "<!--") {
                guard let end = Self.endOfComment(in: page, from: index + 4) else { break scan }
                index = end
            } else if Self.hasPrefix(rest, "<?") {
                // HTML takes it for a comment, which ends at the first bracket.
                guard let end = rest.firstIndex(of: UInt8(ascii: ">")) else { break scan }
                index = end + 1
            } else if Self.hasPrefix(rest, "<!doctype") {
                // A closing bracket ends it even within quotes.
                guard let end = rest.firstIndex(of: UInt8(ascii: ">")) else { break scan }
                place = end + 1
                break scan
            } else {
                break scan
            }
        }
        // In some encodings that browsers guess, comments could hide what follows them.
        if page[start..<place].contains(where: { $0 >= 0x80 || $0 == 0x1B }) { place = start }
        return page[..<place] + Array(element.utf8) + page[place...]
    }

    /// Returns a page in XHTML, in UTF-8, with the policy, or a page that shows it as text if its root isn't `html`.
    ///
    /// - Parameter page: The page.
    /// - Returns: The page.
    func xhtml(_ page: [UInt8]) -> [UInt8] {
        let head = "<head xmlns=\"\(Self.namespace)\">\(element)</head>"
        if let place = Self.endOfRoot(of: page) { return page[..<place] + Array(head.utf8) + page[place...] }
        let source = String(decoding: page, as: UTF8.self).filter { $0 == "\n" || $0 == "\t" || $0 >= " " }
        let text = Markup.escaped(source)
        return Array("<html xmlns=\"\(Self.namespace)\">\(head)<body><pre>\(text)</pre></body></html>\n".utf8)
    }

    // MARK: Places

    private static let namespace = "http://www.w3.org/1999/xhtml"
    private static let byteOrderMark: [UInt8] = [0xEF, 0xBB, 0xBF]

    private static func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || (0x09...0x0D).contains(byte) && byte != 0x0B }

    private static func hasPrefix(_ bytes: ArraySlice<UInt8>, _ prefix: String) -> Bool {
        bytes.count >= prefix.utf8.count
            && zip(bytes, prefix.utf8).allSatisfy { $0 == $1 || $0 | 0x20 == $1 && (0x61...0x7A).contains($1) }
    }

    /// Returns the end of a comment of HTML, whose text begins at an index (HTML §13.2.5.43).
    private static func endOfComment(in page: [UInt8], from start: Int) -> Int? {
        let rest = page[start...]
        if hasPrefix(rest, ">") { return start + 1 }
        if hasPrefix(rest, "->") { return start + 2 }
        var index = start
        while index < page.count {
            if hasPrefix(page[index...], "-->") { return index + 3 }
            if hasPrefix(page[index...], "--!>") { return index + 4 }
            index += 1
        }
        return nil
    }

    /// Returns the end of the start tag of a document's root, if that is `html` of XHTML, and nothing hides what it is.
    private static func endOfRoot(of page: [UInt8]) -> Int? {
        var index = page.starts(with: byteOrderMark) ? 3 : 0
        func find(_ end: String) -> Int? {
            var place = index
            while place < page.count {
                if hasPrefix(page[place...], end) { return place + end.utf8.count }
                place += 1
            }
            return nil
        }
        while index < page.count {
            let rest = page[index...]
            if isSpace(page[index]) {
                index += 1
            } else if hasPrefix(rest, "<!--") {
                index += 4
                guard let end = find("-->") else { return nil }
                index = end
            } else if hasPrefix(rest, "<?") {
                guard let end = find("?>"), !hasPrefix(rest, "<?xml-") else { return nil }
                index = end
            } else if hasPrefix(rest, "<!") {
                // Entities could contain anything.
                guard let end = find(">"), !page[index..<end].contains(UInt8(ascii: "[")) else { return nil }
                index = end
            } else {
                return endOfTag(in: page, from: index)
            }
        }
        return nil
    }

    private static func endOfTag(in page: [UInt8], from start: Int) -> Int? {
        var quote: UInt8?
        var end = start
        while end < page.count {
            let byte = page[end]
            if byte == quote {
                quote = nil
            } else if quote == nil {
                if byte == UInt8(ascii: ">") { break }
                if byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "'") { quote = byte }
            }
            end += 1
        }
        guard end < page.count, page[end - 1] != UInt8(ascii: "/") else { return nil }
        let tag = String(decoding: page[start..<end], as: UTF8.self)
        let name = tag.dropFirst().prefix { !$0.isWhitespace }
        let parts = name.split(separator: ":", omittingEmptySubsequences: false)
        guard tag.hasPrefix("<"), parts.last == "html", parts.count <= 2 else { return nil }
        let attribute = parts.count == 1 ? "xmlns" : "xmlns:\(parts[0])"
        let isXHTML = ["\"", "'"].contains { tag.contains(" \(attribute)=\($0)\(namespace)\($0)") }
        return isXHTML ? end + 1 : nil
    }
}
