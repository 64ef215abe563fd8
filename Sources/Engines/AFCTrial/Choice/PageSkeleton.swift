/// What pages made from one template have in common: the elements and classes at the beginning of the body, and the
/// scripts and style sheets.
package struct PageSkeleton: Hashable, Sendable {
    /// The bytes of a page that are read.
    package static let readBytes = 64 << 10
    /// The bytes of the body whose elements count.
    private static let bodyBytes = 1024
    private static let countLimit = 200

    /// The skeleton as a text.
    package let text: String
    /// True if the page has a script.
    package let hasScripts: Bool

    /// Reads the beginning of a page.
    ///
    /// - Parameter bytes: The first bytes of its HTML; those after ``readBytes`` are ignored.
    package init(_ bytes: some Collection<UInt8>) {
        var tags = TagReader(Array(bytes.prefix(Self.readBytes)))
        var elements: [String] = []
        var files: Set<String> = []
        var scripts = false
        var bodyStart: Int?
        while let tag = tags.next() {
            if tag.name == "script" { scripts = true }
            if tag.name == "body" { bodyStart = tag.start }
            let loads =
                switch tag.name {
                case "script": tag["src"]
                case "link" where tag["rel"]?.lowercased().contains("stylesheet") == true: tag["href"]
                default: String?.none
                }
            if let loads, files.count < Self.countLimit { files.insert(Self.stem(loads)) }
            guard let bodyStart, tag.start - bodyStart < Self.bodyBytes, elements.count < Self.countLimit else {
                continue
            }
            let classes = (tag["class"] ?? "").split(separator: " ").prefix(8).map { Self.stem(String($0)) }.sorted()
            elements.append(([tag.name] + classes).joined(separator: "."))
        }
        text = (elements + ["|"] + files.sorted()).joined(separator: " ")
        hasScripts = scripts
    }

    /// Returns the last name of an address without digits and digests, which differ between pages and releases.
    private static func stem(_ text: String) -> String {
        let path = text.prefix { $0 != "?" && $0 != "#" }
        let name = path.split(separator: "/").last ?? path
        let parts = name.split(whereSeparator: { ".-_".contains($0) }).filter { part in
            !(part.utf8.count >= 6 && part.contains(where: \.isNumber) && part.contains(where: \.isLetter))
        }
        return parts.joined(separator: ".").filter { !$0.isNumber }
    }
}

/// A reader of HTML's start tags, which skips comments and the contents of scripts and styles.
private struct TagReader {
    struct Tag {
        var name: String
        var start: Int
        var attributes: [(name: String, value: String)] = []

        subscript(_ name: String) -> String? { attributes.first { $0.name == name }?.value }
    }

    private static let attributeLimit = 50
    private let bytes: [UInt8]
    private var place = 0

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    mutating func next() -> Tag? {
        while place + 1 < bytes.count {
            guard bytes[place] == UInt8(ascii: "<") else {
                place += 1
                continue
            }
            if bytes[place...].starts(with: "<!--".utf8) {
                skip(past: "-->")
            } else if bytes[place + 1].isLetter {
                return tag()
            } else {
                place += 1
            }
        }
        return nil
    }

    private mutating func tag() -> Tag {
        let start = place
        place += 1
        let element = word { $0.isSpace || $0 == UInt8(ascii: ">") || $0 == UInt8(ascii: "/") }
        var tag = Tag(name: element.lowercased(), start: start)
        while place < bytes.count, bytes[place] != UInt8(ascii: ">") {
            guard !bytes[place].isSpace, bytes[place] != UInt8(ascii: "/") else {
                place += 1
                continue
            }
            let name = word { $0.isSpace || $0 == UInt8(ascii: ">") || $0 == UInt8(ascii: "=") }.lowercased()
            var value = ""
            while place < bytes.count, bytes[place].isSpace { place += 1 }
            if place < bytes.count, bytes[place] == UInt8(ascii: "=") {
                place += 1
                while place < bytes.count, bytes[place].isSpace { place += 1 }
                value = self.value()
            } else if name.isEmpty {
                place += 1
            }
            if tag.attributes.count < Self.attributeLimit { tag.attributes.append((name, value)) }
        }
        if tag.name == "script" || tag.name == "style" { skip(past: "</\(tag.name)") }
        return tag
    }

    private mutating func value() -> String {
        guard place < bytes.count else { return "" }
        let quote = bytes[place]
        guard quote == UInt8(ascii: "\"") || quote == UInt8(ascii: "'") else {
            return word { $0.isSpace || $0 == UInt8(ascii: ">") }
        }
        place += 1
        let value = word { $0 == quote }
        place += 1
        return value
    }

    private mutating func word(until isEnd: (UInt8) -> Bool) -> String {
        let start = place
        while place < bytes.count, !isEnd(bytes[place]) { place += 1 }
        return String(decoding: bytes[start..<place].prefix(1000), as: UTF8.self)
    }

    private mutating func skip(past end: String) {
        let end = Array(end.utf8)
        while place < bytes.count {
            if bytes[place] == end[0], bytes[place...].prefix(end.count).map(\.lowercased) == end {
                place += end.count
                return
            }
            place += 1
        }
    }
}

extension UInt8 {
    fileprivate var isSpace: Bool { self == 0x20 || (0x09...0x0D).contains(self) }
    fileprivate var isLetter: Bool { (0x61...0x7A).contains(lowercased) }
    fileprivate var lowercased: UInt8 { (0x41...0x5A).contains(self) ? self | 0x20 : self }
}
