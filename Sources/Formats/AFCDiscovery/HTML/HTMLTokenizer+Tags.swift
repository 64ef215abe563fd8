extension HTMLTokenizer {
    /// More attributes than this are read and forgotten: a hostile tag mustn't cost many times its size.
    private static let maxAttributes = 4096

    /// Whether a byte ends a tag's name.
    @inline(__always)
    private static func endsTagName(_ byte: UInt8) -> Bool {
        byte <= UInt8(ascii: ">") && (byte == UInt8(ascii: ">") || byte == UInt8(ascii: "/") || byte.isSpace)
    }

    /// Whether a byte ends an attribute's name.
    @inline(__always)
    private static func endsAttributeName(_ byte: UInt8) -> Bool {
        byte <= UInt8(ascii: ">") && (byte == UInt8(ascii: "=") || endsTagName(byte))
    }

    /// The tag name state and all that follow up to the tag's end.
    ///
    /// A tag that the input's end cuts off is no token.
    mutating func tag(_ kind: Token, at start: Int, nameStart: Int) -> Token? {
        tokenStart = start
        isSelfClosing = false
        uses = []
        attributes.removeAll(keepingCapacity: true)
        var index = nameStart
        while index < bytes.count, !Self.endsTagName(bytes[index]) { index &+= 1 }
        range = nameStart..<index
        let key = NameKey(bytes, range)
        element = key.map { elements.name(of: $0) } ?? .other
        while index < bytes.count {
            let byte = bytes[index]
            if byte == UInt8(ascii: ">") { return finish(kind, key: key, at: index + 1) }
            if byte.isSpace {
                index &+= 1
            } else if byte == UInt8(ascii: "/") {
                index &+= 1
                isSelfClosing = bytes.at(index) == UInt8(ascii: ">")
            } else {
                index = attribute(at: index)
            }
        }
        position = bytes.count
        return nil
    }

    private mutating func finish(_ kind: Token, key: NameKey?, at end: Int) -> Token {
        position = end
        if kind == .startTag { lastStartTag = key ?? .empty }
        return kind
    }

    /// One attribute with its value; returns where reading goes on.
    @inline(__always)
    private mutating func attribute(at start: Int) -> Int {
        var index = start &+ 1
        while index < bytes.count, !Self.endsAttributeName(bytes[index]) { index &+= 1 }
        let nameRange = start..<index
        var valueRange = index..<index
        var equals = index
        while equals < bytes.count, bytes[equals].isSpace { equals &+= 1 }
        if equals < bytes.count, bytes[equals] == UInt8(ascii: "=") {
            index = equals &+ 1
            while index < bytes.count, bytes[index].isSpace { index &+= 1 }
            guard index < bytes.count else { return index }
            let quote = bytes[index]
            if quote == UInt8(ascii: "\"") || quote == UInt8(ascii: "'") {
                let end = bytes.find(quote, from: index &+ 1)
                valueRange = index &+ 1..<end
                index = min(end &+ 1, bytes.count)
            } else {
                let valueStart = index
                while index < bytes.count, bytes[index] != UInt8(ascii: ">"), !bytes[index].isSpace { index &+= 1 }
                valueRange = valueStart..<index
            }
        }
        guard attributes.count < Self.maxAttributes else { return index }
        let name = NameKey(bytes, nameRange).map { attributeNames.name(of: $0) } ?? .other
        uses.formUnion(name.uses)
        attributes.append(Attribute(name: name, nameRange: nameRange, valueRange: valueRange))
        return index
    }
}
