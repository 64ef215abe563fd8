extension URLParser {
    /// What follows an authority.
    mutating func pathStart() {
        if isSpecial {
            if isAtSlash { position += 1 }
            path()
        } else if byte == UInt8(ascii: "/") {
            position += 1
            path()
        } else {
            tail()
        }
    }

    /// Reads segments from after the first slash on, and all that follows them.
    ///
    /// What is written between `pathStart` and the end of the output is the path so far, a slash before each segment.
    mutating func path() {
        while true {
            let start = position
            var needsEncoding = false
            while position < input.count {
                let byte = input[position]
                if PercentEncodeSet.path.contains(byte) {
                    if byte == UInt8(ascii: "?") || byte == UInt8(ascii: "#") { break }
                    needsEncoding = true
                } else if byte == UInt8(ascii: "/") || (isSpecial && byte == UInt8(ascii: "\\")) {
                    break
                }
                position += 1
            }
            let isLast = !isAtSlash
            append(segment: input[start..<position], needsEncoding: needsEncoding, isLast: isLast)
            if isLast { break }
            position += 1
        }
        tail()
    }

    private mutating func append(segment: ArraySlice<UInt8>, needsEncoding: Bool, isLast: Bool) {
        let slash = UInt8(ascii: "/")
        let dots = Self.dots(segment)
        if dots > 0 {
            if dots == 2 { shortenPath() }
            if isLast { output.append(slash) }
            return
        }
        let isFirst = output.count == Int(offsets.pathStart)
        output.append(slash)
        if offsets.kind == .file, isFirst, DriveLetter.isOne(segment) {
            output.append(contentsOf: segment.prefix(1))
            output.append(UInt8(ascii: ":"))
        } else if needsEncoding {
            PercentEncodeSet.path.append(segment, to: &output)
        } else {
            output.append(contentsOf: segment)
        }
    }

    /// Removes the last segment, but not a file URL's drive letter.
    mutating func shortenPath() {
        let start = Int(offsets.pathStart)
        if offsets.kind == .file, output.count == start + 3, DriveLetter.beginsPath(output[start...]) { return }
        guard let slash = output[start...].lastIndex(of: UInt8(ascii: "/")) else { return }
        output.removeSubrange(slash...)
    }

    /// How many dots a dot segment has, each as it is or as `%2e`; 0 for other segments.
    private static func dots(_ segment: ArraySlice<UInt8>) -> Int {
        guard let first = segment.first, first == UInt8(ascii: ".") || first == UInt8(ascii: "%"), segment.count <= 6
        else {
            return 0
        }
        var index = segment.startIndex
        var dots = 0
        while index < segment.endIndex {
            if segment[index] == UInt8(ascii: ".") {
                index += 1
            } else if segment.endIndex - index >= 3, segment[index] == UInt8(ascii: "%"),
                segment[index + 1] == UInt8(ascii: "2"), segment[index + 2] | 0x20 == UInt8(ascii: "e")
            {
                index += 3
            } else {
                return 0
            }
            dots += 1
        }
        return dots <= 2 ? dots : 0
    }

    /// The rest of URLs such as `mailto:someone`.
    mutating func opaquePath() {
        offsets.hasOpaquePath = true
        let end = input[position...].firstIndex { $0 == UInt8(ascii: "?") || $0 == UInt8(ascii: "#") } ?? input.count
        let text = input[position..<end]
        PercentEncodeSet.c0Control.append(text, to: &output)
        // A last space would be lost when the serialisation is parsed without what follows.
        if end < input.count, text.last == UInt8(ascii: " ") {
            output.removeLast()
            PercentEncodeSet.appendEscape(UInt8(ascii: " "), to: &output)
        }
        position = end
        tail()
    }
}
