/// A name as a system without case sees it, valid only as long as the call that made it.
struct FoldedName {
    /// The name in UTF-8, without the slash of a folder.
    let key: UnsafeBufferPointer<UInt8>
    /// Whether the name is that of a folder.
    let isFolder: Bool
    private let isASCII: Bool

    /// Folds any name.
    static func with<Value>(_ name: String, _ body: (FoldedName) -> Value) -> Value {
        var name = name
        return name.withUTF8 { bytes in
            if bytes.allSatisfy({ $0 < 0x80 }) { return with(ascii: bytes, body) }
            var folded = fold(String(decoding: bytes, as: UTF8.self))
            return folded.withUTF8 { body(FoldedName($0, isASCII: false)) }
        }
    }

    /// Folds a name of ASCII, as nearly all are; it costs no string.
    static func with<Value>(ascii bytes: UnsafeBufferPointer<UInt8>, _ body: (FoldedName) -> Value) -> Value {
        withUnsafeTemporaryAllocation(of: UInt8.self, capacity: bytes.count) { folded in
            for index in bytes.indices {
                let byte = bytes[index]
                let isUpper = byte >= UInt8(ascii: "A") && byte <= UInt8(ascii: "Z")
                folded.initializeElement(at: index, to: isUpper ? byte | 0x20 : byte)
            }
            return body(FoldedName(UnsafeBufferPointer(folded), isASCII: true))
        }
    }

    private init(_ bytes: UnsafeBufferPointer<UInt8>, isASCII: Bool) {
        isFolder = bytes.last == UInt8(ascii: "/")
        key = isFolder ? UnsafeBufferPointer(rebasing: bytes[..<(bytes.count - 1)]) : bytes
        self.isASCII = isASCII
    }

    private init(folder: UnsafeBufferPointer<UInt8>, isASCII: Bool) {
        isFolder = true
        key = folder
        self.isASCII = isASCII
    }

    /// What the name is found by.
    var hash: UInt64 { NameTable.hash(key, isASCII: isASCII) }

    /// The folder that the name lies in, or nil where it lies in none.
    var parent: FoldedName? {
        guard let slash = key.lastIndex(of: UInt8(ascii: "/")) else { return nil }
        return FoldedName(folder: UnsafeBufferPointer(rebasing: key[..<slash]), isASCII: isASCII)
    }

    /// Upper case first, as some systems compare, so that `ſ` meets `s` and `ς` meets `σ`; without the characters that some
    /// systems overlook in names; and with ASCII for the two that are nothing else by canonical equivalence.
    private static func fold(_ name: String) -> String {
        var seen = String.UnicodeScalarView()
        for scalar in name.uppercased().lowercased().unicodeScalars {
            switch scalar {
            case "\u{37E}": seen.append(";")
            case "\u{1FEF}": seen.append("`")
            default: if !scalar.properties.isDefaultIgnorableCodePoint { seen.append(scalar) }
            }
        }
        return String(seen)
    }
}
