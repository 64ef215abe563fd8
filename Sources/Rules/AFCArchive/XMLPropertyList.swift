internal import AFCHTTP

/// Reads a property list in XML (https://www.apple.com/DTDs/PropertyList-1.0.dtd).
///
/// It reads what such lists need of XML; a document type with declarations of its own is refused.
package struct XMLPropertyList {
    /// The largest file.
    package static let byteLimit = 64 << 20

    private let bytes: ArraySlice<UInt8>
    private var position: Int
    private var objects = 0

    /// Reads a list.
    ///
    /// - Parameter bytes: The file, in UTF-8.
    /// - Returns: The list.
    /// - Throws: ``PropertyList/Malformation``.
    package static func read(_ bytes: [UInt8]) throws(PropertyList.Malformation) -> PropertyList {
        guard bytes.count <= byteLimit else { throw .tooLarge }
        var reader = XMLPropertyList(bytes)
        guard var tag = try reader.nextTag() else { throw .noList }
        if tag.name == "plist" {
            guard !tag.isEmpty, !tag.isEnd, let next = try reader.nextTag() else { throw .noList }
            tag = next
        }
        guard ["dict", "array"].contains(tag.name) else { throw .noList }
        return try reader.value(of: tag, depth: 0)
    }

    private init(_ bytes: [UInt8]) {
        self.bytes = bytes[...]
        position = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? 3 : 0
    }

    private struct Tag {
        var name: String
        var isEnd = false
        var isEmpty = false
    }

    private static let (less, greater) = (UInt8(ascii: "<"), UInt8(ascii: ">"))

    // MARK: Values

    private mutating func value(of tag: Tag, depth: Int) throws(PropertyList.Malformation) -> PropertyList {
        objects += 1
        guard objects <= PropertyList.objectLimit, depth <= PropertyList.depthLimit else { throw .tooLarge }
        guard !tag.isEnd else { throw .damaged }
        switch tag.name {
        case "dict": return .dictionary(tag.isEmpty ? [:] : try dictionary(depth))
        case "array":
            var values: [PropertyList] = []
            while !tag.isEmpty, let next = try elementTag(in: "array") {
                values.append(try value(of: next, depth: depth + 1))
            }
            return .array(values)
        case "true", "false":
            if !tag.isEmpty { _ = try text(of: tag) }
            return .bool(tag.name == "true")
        case "string": return .text(try text(of: tag))
        case "integer":
            guard let value = Int64(Self.trimmed(try text(of: tag))) else { throw .damaged }
            return .integer(value)
        case "real":
            guard let value = Double(Self.trimmed(try text(of: tag))) else { throw .damaged }
            return .real(value)
        case "date":
            guard let date = ArchiveDate(Self.trimmed(try text(of: tag))) else { throw .damaged }
            return .date(Double(date.time.secondsSinceEpoch - 978_307_200))
        case "data":
            guard let decoded = Base64Decoder.bytes(of: try text(of: tag)) else { throw .damaged }
            return .data(.bytes(decoded))
        default: throw .damaged
        }
    }

    private mutating func dictionary(_ depth: Int) throws(PropertyList.Malformation) -> [String: PropertyList] {
        var result: [String: PropertyList] = [:]
        while let key = try elementTag(in: "dict") {
            guard key.name == "key" else { throw .damaged }
            let name = try text(of: key)
            guard let tag = try elementTag(in: "dict") else { throw .damaged }
            let value = try value(of: tag, depth: depth + 1)
            if result[name] == nil { result[name] = value }
        }
        return result
    }

    private static func trimmed(_ text: String) -> String { text.filter { !$0.isWhitespace } }

    // MARK: Markup

    /// Returns the next tag within an element; nil at its end.
    private mutating func elementTag(in name: String) throws(PropertyList.Malformation) -> Tag? {
        guard let tag = try nextTag() else { throw .damaged }
        guard tag.isEnd else { return tag }
        guard tag.name == name else { throw .damaged }
        return nil
    }

    /// Returns the next tag behind white space, comments and what stands before the list; nil at the end of the file.
    private mutating func nextTag() throws(PropertyList.Malformation) -> Tag? {
        while position < bytes.endIndex {
            let byte = bytes[position]
            if [0x20, 0x09, 0x0A, 0x0D].contains(byte) {
                position += 1
            } else if byte != Self.less {
                throw .damaged
            } else if begins("<!--") {
                try skip(behind: "-->")
            } else if begins("<?") {
                try skip(behind: "?>")
            } else if begins("<!") {
                let start = position
                try skip(behind: ">")
                guard !bytes[start..<position].contains(UInt8(ascii: "[")) else { throw .damaged }
            } else {
                return try tag()
            }
        }
        return nil
    }

    private func begins(_ text: String) -> Bool { bytes[position...].starts(with: text.utf8) }

    private mutating func skip(behind end: String) throws(PropertyList.Malformation) {
        guard let range = bytes[position...].firstRange(of: Array(end.utf8)) else { throw .damaged }
        position = range.upperBound
    }

    private mutating func tag() throws(PropertyList.Malformation) -> Tag {
        guard let end = bytes[position...].prefix(1024).firstIndex(of: Self.greater) else { throw .damaged }
        var inside = bytes[(position + 1)..<end]
        position = end + 1
        var tag = Tag(name: "")
        if inside.first == UInt8(ascii: "/") {
            tag.isEnd = true
            inside.removeFirst()
        } else if inside.last == UInt8(ascii: "/") {
            tag.isEmpty = true
            inside.removeLast()
        }
        tag.name = String(decoding: inside.prefix { $0 > 0x20 }, as: UTF8.self)
        return tag
    }

    /// Returns the text up to the end of an element, without references and CDATA sections.
    private mutating func text(of tag: Tag) throws(PropertyList.Malformation) -> String {
        guard !tag.isEmpty else { return "" }
        var text: [UInt8] = []
        while position < bytes.endIndex {
            let end = bytes[position...].firstIndex { $0 == Self.less || $0 == UInt8(ascii: "&") } ?? bytes.endIndex
            text += bytes[position..<end]
            position = end
            guard position < bytes.endIndex else { break }
            if bytes[position] != Self.less {
                text += try reference()
            } else if begins("<![CDATA[") {
                let start = position + 9
                try skip(behind: "]]>")
                text += bytes[start..<(position - 3)]
            } else if begins("<!--") {
                try skip(behind: "-->")
            } else {
                let found = try self.tag()
                guard found.isEnd, found.name == tag.name else { throw .damaged }
                return String(decoding: text, as: UTF8.self)
            }
        }
        throw .damaged
    }

    private mutating func reference() throws(PropertyList.Malformation) -> [UInt8] {
        guard let end = bytes[position...].prefix(12).firstIndex(of: UInt8(ascii: ";")) else { throw .damaged }
        let name = String(decoding: bytes[(position + 1)..<end], as: UTF8.self)
        position = end + 1
        let names: [String: UInt8] = ["lt": 0x3C, "gt": 0x3E, "amp": 0x26, "quot": 0x22, "apos": 0x27]
        if let byte = names[name] { return [byte] }
        let value = name.hasPrefix("#x") ? UInt32(name.dropFirst(2), radix: 16) : UInt32(name.dropFirst(1))
        guard name.hasPrefix("#"), let scalar = value.flatMap({ Unicode.Scalar($0) }) else { throw .damaged }
        return Array(String(Character(scalar)).utf8)
    }
}
