/// Finds the character encoding in the first 1024 bytes of an HTML document; HTML §13.2.3.2 "prescan a byte stream".
struct MetaPrescan {
    private let bytes: ScanBuffer
    private var position = 0

    /// Returns the encoding that the bytes declare, or nil.
    static func encoding(of bytes: UnsafeBufferPointer<UInt8>) -> TextEncoding? {
        var prescan = MetaPrescan(bytes: ScanBuffer(UnsafeBufferPointer(rebasing: bytes.prefix(1024))))
        if bytes.starts(with: [0x3C, 0, 0x3F, 0, 0x78, 0]) { return .utf16LE }
        if bytes.starts(with: [0, 0x3C, 0, 0x3F, 0, 0x78]) { return .utf16BE }
        return prescan.run() ?? XMLDeclaration.encoding(of: bytes)
    }

    /// Returns the label in a Content-Type; HTML §2.4.2 "extracting a character encoding from a meta element".
    static func charset(inContentType bytes: [UInt8]) -> String? {
        bytes.withUnsafeBufferPointer { buffer in
            let bytes = ScanBuffer(buffer)
            var index = 0
            while index + 7 <= bytes.count {
                guard bytes.hasPrefix("charset", at: index) else {
                    index += 1
                    continue
                }
                index += 7
                while bytes.at(index)?.isSpace == true { index += 1 }
                guard bytes.at(index) == UInt8(ascii: "=") else { continue }
                index += 1
                while bytes.at(index)?.isSpace == true { index += 1 }
                guard let first = bytes.at(index) else { return nil }
                if first == UInt8(ascii: "\"") || first == UInt8(ascii: "'") {
                    let end = bytes.find(first, from: index + 1)
                    return end < bytes.count ? bytes.string(index + 1..<end) : nil
                }
                let start = index
                while let byte = bytes.at(index), !byte.isSpace, byte != UInt8(ascii: ";") { index += 1 }
                return bytes.string(start..<index)
            }
            return nil
        }
    }

    private mutating func run() -> TextEncoding? {
        while position < bytes.count {
            position = bytes.find(UInt8(ascii: "<"), from: position)
            guard let next = bytes.at(position + 1) else { return nil }
            if bytes.hasPrefix("<!--", at: position) {
                guard let end = endOfComment() else { return nil }
                position = end
            } else if isMeta() {
                position += 5
                if let encoding = meta() { return encoding }
            } else if next.isLetter || (next == UInt8(ascii: "/") && bytes.at(position + 2)?.isLetter == true) {
                while let byte = bytes.at(position), !byte.isSpace, byte != UInt8(ascii: ">") { position += 1 }
                while attribute() != nil {}
            } else if next == UInt8(ascii: "!") || next == UInt8(ascii: "/") || next == UInt8(ascii: "?") {
                position = bytes.find(UInt8(ascii: ">"), from: position + 1) + 1
            } else {
                position += 1
            }
        }
        return nil
    }

    /// Returns the position after `-->`, whose hyphens may be those of `<!--`.
    private func endOfComment() -> Int? {
        var index = position + 2
        while index < bytes.count {
            index = bytes.find(UInt8(ascii: "-"), from: index)
            if bytes.hasPrefix("-->", at: index) { return index + 3 }
            index += 1
        }
        return nil
    }

    private func isMeta() -> Bool {
        guard bytes.hasPrefix("<meta", at: position), let after = bytes.at(position + 5) else { return false }
        return after.isSpace || after == UInt8(ascii: "/")
    }

    private mutating func meta() -> TextEncoding? {
        var seen: Set<String> = []
        var hasPragma = false
        var needsPragma: Bool?
        var charset: TextEncoding?
        while let (name, value) = attribute() {
            guard seen.insert(name).inserted else { continue }
            switch name {
            case "http-equiv":
                hasPragma = hasPragma || value == "content-type"
            case "content":
                guard charset == nil, let label = Self.charset(inContentType: Array(value.utf8)),
                    let encoding = TextEncoding(metaLabel: label)
                else { continue }
                charset = encoding
                needsPragma = true
            case "charset":
                charset = TextEncoding(metaLabel: value)
                needsPragma = false
            default: break
            }
        }
        // A tag that is cut off declares nothing, because the rest of it is missing.
        guard let needsPragma, !needsPragma || hasPragma, position < bytes.count else { return nil }
        return charset
    }

    /// Implements "get an attribute": returns the next attribute in lower case, or nil at the tag's end.
    private mutating func attribute() -> (name: String, value: String)? {
        while let byte = bytes.at(position), byte.isSpace || byte == UInt8(ascii: "/") { position += 1 }
        guard let first = bytes.at(position), first != UInt8(ascii: ">") else { return nil }
        let nameStart = position
        position += 1
        while let byte = bytes.at(position), !byte.isSpace, byte != UInt8(ascii: "/"), byte != UInt8(ascii: ">"),
            byte != UInt8(ascii: "=")
        {
            position += 1
        }
        let name = bytes.string(nameStart..<position).lowercased()
        while bytes.at(position)?.isSpace == true { position += 1 }
        guard bytes.at(position) == UInt8(ascii: "=") else { return (name, "") }
        position += 1
        while bytes.at(position)?.isSpace == true { position += 1 }
        guard let quote = bytes.at(position) else { return nil }
        if quote == UInt8(ascii: "\"") || quote == UInt8(ascii: "'") {
            let valueStart = position + 1
            position = bytes.find(quote, from: valueStart)
            guard position < bytes.count else { return nil }
            position += 1
            return (name, bytes.string(valueStart..<position - 1).lowercased())
        }
        let valueStart = position
        while let byte = bytes.at(position), !byte.isSpace, byte != UInt8(ascii: ">") { position += 1 }
        guard position < bytes.count else { return nil }
        return (name, bytes.string(valueStart..<position).lowercased())
    }
}
