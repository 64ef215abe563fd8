/// Finds tags by the rules of the HTML Standard's tokenizer (§13.2.5), and skips everything else as fast as it can.
///
/// Comments, doctypes, CDATA sections, the text of `title` and `textarea`, raw text and script data hide what looks like
/// a tag in them, each by its own rule.
struct HTMLScanner {
    private let bytes: [UInt8]
    private var position = 0
    private var pendingStyle: Range<Int>?
    private var foreignDepth = 0

    /// The longest value of an attribute; what is longer is no URL.
    private static let valueLimit = 1 << 20

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    private func byte(_ offset: Int = 0) -> UInt8? {
        position + offset < bytes.count ? bytes[position + offset] : nil
    }

    mutating func next() -> HTMLEvent? {
        if let style = pendingStyle {
            pendingStyle = nil
            return .style(Array(bytes[style]))
        }
        while let start = find(UInt8(ascii: "<"), from: position) {
            position = start + 1
            guard let next = byte() else { return nil }
            if Self.isLetter(next) {
                guard let tag = tag() else { return nil }
                enter(tag)
                return .start(tag)
            }
            switch next {
            case UInt8(ascii: "/"):
                position += 1
                if let letter = byte(), Self.isLetter(letter) {
                    guard let tag = tag() else { return nil }
                    if tag.name == "svg" || tag.name == "math" { foreignDepth = max(0, foreignDepth - 1) }
                    return .end(tag.name)
                }
                if byte() == UInt8(ascii: ">") { position += 1 } else { skip(past: ">") }
            case UInt8(ascii: "!"): declaration()
            case UInt8(ascii: "?"): skip(past: ">")
            default: break
            }
        }
        position = bytes.count
        return nil
    }

    // MARK: Skipping

    private func find(_ byte: UInt8, from start: Int) -> Int? {
        bytes.withUnsafeBufferPointer { buffer in
            var index = start
            while index < buffer.count {
                if buffer[index] == byte { return index }
                index += 1
            }
            return nil
        }
    }

    private mutating func skip(past text: StaticString) {
        let length = text.utf8CodeUnitCount
        var from = position
        while let start = find(text.utf8Start[0], from: from) {
            if has(text, at: start) {
                position = start + length
                return
            }
            from = start + 1
        }
        position = bytes.count
    }

    private func has(_ text: StaticString, at start: Int) -> Bool {
        guard start + text.utf8CodeUnitCount <= bytes.count else { return false }
        for index in 0..<text.utf8CodeUnitCount {
            let (found, wanted) = (bytes[start + index], text.utf8Start[index])
            guard found == wanted || (Self.isLetter(wanted) && found | 0x20 == wanted | 0x20) else { return false }
        }
        return true
    }

    private mutating func declaration() {
        if has("!--", at: position) {
            position += 3
            if has(">", at: position) {
                position += 1
            } else if has("->", at: position) {
                position += 2
            } else {
                comment()
            }
        } else if foreignDepth > 0, has("![CDATA[", at: position) {
            skip(past: "]]>")
        } else {
            skip(past: ">")
        }
    }

    /// A comment ends in `-->` or `--!>`.
    private mutating func comment() {
        while let start = find(UInt8(ascii: "-"), from: position) {
            if has("-->", at: start) {
                position = start + 3
                return
            }
            if has("--!>", at: start) {
                position = start + 4
                return
            }
            position = start + 1
        }
        position = bytes.count
    }

    // MARK: Content that isn't markup

    private mutating func enter(_ tag: HTMLTag) {
        if tag.name == "svg" || tag.name == "math" {
            if !tag.isSelfClosing { foreignDepth += 1 }
            return
        }
        if foreignDepth > 0 {
            if tag.name == "style", !tag.isSelfClosing { rawText(tag.name, isStyle: true) }
            return
        }
        switch tag.name {
        case "style": rawText(tag.name, isStyle: true)
        case "title", "textarea", "xmp", "iframe", "noembed", "noframes": rawText(tag.name, isStyle: false)
        case "script": scriptData()
        case "plaintext": position = bytes.count
        default: break
        }
    }

    private mutating func rawText(_ name: String, isStyle: Bool) {
        let start = position
        var from = position
        while let open = find(UInt8(ascii: "<"), from: from) {
            if isEndTag(name, at: open) {
                position = open
                if isStyle, open > start { pendingStyle = start..<open }
                return
            }
            from = open + 1
        }
        position = bytes.count
        if isStyle { pendingStyle = start..<bytes.count }
    }

    /// Script data with its escaped states: between `<!--` and `-->` a nested `<script` hides one `</script>`.
    private mutating func scriptData() {
        var isEscaped = false
        var isDoubleEscaped = false
        while position < bytes.count {
            switch bytes[position] {
            case UInt8(ascii: "<"):
                if has("<!--", at: position), !isEscaped {
                    isEscaped = true
                    position += 4
                    // `<!-->` and `<!--->` end at once.
                    if has(">", at: position) || has("->", at: position) { isEscaped = false }
                    continue
                }
                if isEndTag("script", at: position) {
                    guard isDoubleEscaped else { return }
                    isDoubleEscaped = false
                } else if isEscaped, has("<script", at: position), position + 7 < bytes.count, Self.endsName(bytes[position + 7]) {
                    isDoubleEscaped = true
                }
            case UInt8(ascii: "-") where isEscaped && has("-->", at: position):
                isEscaped = false
                isDoubleEscaped = false
            default: break
            }
            position += 1
        }
    }

    private func isEndTag(_ name: String, at start: Int) -> Bool {
        let end = start + 2 + name.utf8.count
        guard end < bytes.count, bytes[start + 1] == UInt8(ascii: "/"), Self.endsName(bytes[end]) else { return false }
        for (index, wanted) in name.utf8.enumerated() where bytes[start + 2 + index] | 0x20 != wanted { return false }
        return true
    }

    // MARK: Tags

    /// Reads a tag from its name to behind its `>`; nil where the document ends before, which makes it no tag.
    private mutating func tag() -> HTMLTag? {
        var name: [UInt8] = []
        while let byte = byte(), !Self.endsName(byte) {
            name.append(Self.lower(byte))
            position += 1
        }
        var tag = HTMLTag(name: String(decoding: name, as: UTF8.self), attributes: [])
        while true {
            while let byte = byte(), Self.isSpace(byte) || byte == UInt8(ascii: "/") {
                tag.isSelfClosing = byte == UInt8(ascii: "/") && self.byte(1) == UInt8(ascii: ">")
                position += 1
            }
            guard let byte = byte() else { return nil }
            if byte == UInt8(ascii: ">") {
                position += 1
                return tag
            }
            tag.isSelfClosing = false
            guard let attribute = attribute() else { return nil }
            if tag[attribute.name] == nil { tag.attributes.append(attribute) }
        }
    }

    private mutating func attribute() -> (name: String, value: String)? {
        var name: [UInt8] = []
        // An equals sign may begin a name.
        if byte() == UInt8(ascii: "=") {
            name.append(UInt8(ascii: "="))
            position += 1
        }
        while let byte = byte(), !Self.endsName(byte), byte != UInt8(ascii: "=") {
            name.append(Self.lower(byte))
            position += 1
        }
        skipSpaces()
        let text = String(decoding: name, as: UTF8.self)
        guard byte() == UInt8(ascii: "=") else { return byte() == nil ? nil : (text, "") }
        position += 1
        skipSpaces()
        guard let first = byte() else { return nil }
        let value: Range<Int>
        if first == UInt8(ascii: "\"") || first == UInt8(ascii: "'") {
            guard let end = find(first, from: position + 1) else { return nil }
            value = (position + 1)..<end
            position = end + 1
        } else {
            let start = position
            while let byte = byte(), !Self.isSpace(byte), byte != UInt8(ascii: ">") { position += 1 }
            value = start..<position
        }
        guard value.count <= Self.valueLimit else { return (text, "") }
        return (text, CharacterReferences.resolve(bytes[value]))
    }

    private mutating func skipSpaces() {
        while let byte = byte(), Self.isSpace(byte) { position += 1 }
    }

    // MARK: Bytes

    static func isLetter(_ byte: UInt8) -> Bool { (byte | 0x20) &- UInt8(ascii: "a") < 26 }
    static func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x0A || byte == 0x09 || byte == 0x0C || byte == 0x0D }
    static func lower(_ byte: UInt8) -> UInt8 { byte &- UInt8(ascii: "A") < 26 ? byte | 0x20 : byte }

    private static func endsName(_ byte: UInt8) -> Bool {
        isSpace(byte) || byte == UInt8(ascii: "/") || byte == UInt8(ascii: ">")
    }
}
