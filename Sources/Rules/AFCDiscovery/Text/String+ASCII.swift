extension StringProtocol where SubSequence == Substring {
    /// The text after the last slash.
    var lastSegment: Substring { self[(lastIndex(of: "/").map { index(after: $0) } ?? startIndex)...] }
}

extension String {
    /// Creates a text from UTF-8, without HTML's white space at both ends.
    init(trimming bytes: [UInt8]) {
        var start = 0
        var end = bytes.count
        while start < end, bytes[start].isSpace { start += 1 }
        while end > start, bytes[end - 1].isSpace { end -= 1 }
        self.init(decoding: bytes[start..<end], as: UTF8.self)
    }

    /// The text without HTML's white space at both ends.
    var trimmedASCII: String {
        let bytes = utf8
        guard let first = bytes.firstIndex(where: { !$0.isSpace }), let last = bytes.lastIndex(where: { !$0.isSpace })
        else {
            return ""
        }
        return String(self[first...last])
    }

    /// Returns the parts between separators without white space at both ends, and their places in UTF-8.
    func trimmedParts(separator: UInt8) -> [(text: String, range: Range<Int>)] {
        var parts: [(String, Range<Int>)] = []
        var start = 0
        for part in utf8.split(separator: separator, omittingEmptySubsequences: false) {
            let leading = part.prefix { $0.isSpace }.count
            let text = String(Substring(part)).trimmedASCII
            if !part.isEmpty { parts.append((text, start + leading..<start + leading + text.utf8.count)) }
            start += part.count + 1
        }
        return parts
    }

    /// The tokens separated by white space, in lower case.
    var lowercasedTokens: [String] {
        utf8.split(whereSeparator: { $0.isSpace }).map { String(Substring($0)).lowercased() }
    }
}
