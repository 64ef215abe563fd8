extension WebURL {
    /// Resolves a reference that only replaces the path against an http or https base.
    ///
    /// Most links in pages are of this kind.
    ///
    /// Examples are `a/b.html`, `../a`, `/a?b`. Anything else gives nil and is left to the parser.
    init?(plainReference bytes: UnsafeBufferPointer<UInt8>, base: WebURL) {
        guard base.isHTTP, let first = bytes.first else { return nil }
        let slash = UInt8(ascii: "/")
        var start = 0
        var parents = 0
        if first == slash {
            guard bytes.count == 1 || (bytes[1] != slash && bytes[1] != UInt8(ascii: "\\")) else { return nil }
        } else {
            guard first != UInt8(ascii: "?"), first != UInt8(ascii: "#"), first != UInt8(ascii: "\\") else {
                return nil
            }
            while let length = Self.leadingDots(bytes, from: start) {
                start += length
                if length == 3 { parents += 1 }
            }
            // A colon in the first segment may end a scheme.
            for byte in bytes[start...] {
                if byte == UInt8(ascii: ":") { return nil }
                if byte == slash || byte == UInt8(ascii: "?") { break }
            }
            // After dots, a second slash is an empty segment, as everywhere in a path.
        }
        let span = bytes.span
        guard let pathEnd = HTTPScan.pathEnd(span, from: start), let end = HTTPScan.queryEnd(span, from: pathEnd) else {
            return nil
        }
        var text = base.serialization
        var offsets = base.offsets
        let resolved = text.withUTF8 { base -> (String, kept: Int) in
            var kept = Int(offsets.pathStart)
            if first != slash {
                kept = Self.folderEnd(base, from: kept, before: Int(offsets.pathEnd))
                for _ in 0..<parents { kept = Self.folderEnd(base, from: Int(offsets.pathStart), before: kept - 1) }
            }
            let count = end - start
            let text = String(unsafeUninitializedCapacity: kept + count) { result in
                _ = result.initialize(fromContentsOf: UnsafeBufferPointer(rebasing: base[..<kept]))
                _ = result[kept...].initialize(fromContentsOf: bytes[start..<end])
                return kept + count
            }
            return (text, kept)
        }
        guard resolved.0.utf8.count <= UInt32.max else { return nil }
        offsets.pathEnd = UInt32(resolved.kept + pathEnd - start)
        self.init(serialization: resolved.0, offsets: offsets)
    }

    /// Returns the length of a leading `./` or `../`.
    private static func leadingDots(_ bytes: UnsafeBufferPointer<UInt8>, from start: Int) -> Int? {
        guard start + 1 < bytes.count, bytes[start] == UInt8(ascii: ".") else { return nil }
        if bytes[start + 1] == UInt8(ascii: "/") { return 2 }
        guard start + 2 < bytes.count, bytes[start + 1] == UInt8(ascii: "."), bytes[start + 2] == UInt8(ascii: "/")
        else {
            return nil
        }
        return 3
    }

    /// Returns the end of the last slash before a place, but at least that of the path's first slash.
    private static func folderEnd(_ bytes: UnsafeBufferPointer<UInt8>, from start: Int, before end: Int) -> Int {
        var index = end
        while index > start + 1, bytes[index - 1] != UInt8(ascii: "/") { index -= 1 }
        return max(index, start + 1)
    }
}
