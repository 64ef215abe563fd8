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
    var hash: UInt64 { FoldedNameTable.hash(key, isASCII: isASCII) }

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

/// What folded names stand for, found by a keyed hash of them.
///
/// Two names count as one where all 64 bits of their hashes agree. Each process makes its own key, so nobody can
/// make names that meet; and by chance even two million names meet once in ten million archives, which are then refused.
struct FoldedNameTable {
    /// What a folded name stands for.
    enum Use {
        /// A file or folder, by its number.
        case file(Int), folder(Int)
        /// A folder that is there because a member lies below it.
        case parent
    }

    private var uses: [(hash: UInt64, use: Use)] = []
    /// Where in `uses` a hash stands, plus one, at its lowest bits or behind; zero where nothing does.
    ///
    /// At most half of it is in use.
    private var slots: [UInt32]

    /// - Parameter capacity: How many names are expected.
    init(capacity: Int) {
        var size = 16
        while size < capacity * 2 { size *= 2 }
        slots = [UInt32](repeating: 0, count: size)
        uses.reserveCapacity(capacity)
    }

    /// The hash of a folded name; strings hash by canonical equivalence, so it sees through normal forms.
    static func hash(_ key: UnsafeBufferPointer<UInt8>, isASCII: Bool) -> UInt64 {
        var hasher = Hasher()
        if isASCII || key.allSatisfy({ $0 < 0x80 }) {
            hasher.combine(bytes: UnsafeRawBufferPointer(key))
        } else {
            hasher.combine(String(decoding: key, as: UTF8.self))
        }
        return UInt64(bitPattern: Int64(hasher.finalize()))
    }

    /// What a name stands for, or nil where it is new.
    func use(of hash: UInt64) -> Use? {
        let found = slots[slot(of: hash)]
        return found == 0 ? nil : uses[Int(found) - 1].use
    }

    /// Remembers what a name stands for.
    ///
    /// - Returns: What it stood for before, or nil where it is new.
    mutating func update(_ hash: UInt64, to use: Use) -> Use? {
        let slot = slot(of: hash)
        let found = slots[slot]
        guard found == 0 else {
            let old = uses[Int(found) - 1].use
            uses[Int(found) - 1].use = use
            return old
        }
        uses.append((hash, use))
        slots[slot] = UInt32(uses.count)
        if uses.count * 2 > slots.count { grow() }
        return nil
    }

    private func slot(of hash: UInt64) -> Int {
        let mask = slots.count - 1
        var slot = Int(truncatingIfNeeded: hash) & mask
        while slots[slot] != 0, uses[Int(slots[slot]) - 1].hash != hash { slot = (slot + 1) & mask }
        return slot
    }

    private mutating func grow() {
        slots = [UInt32](repeating: 0, count: slots.count * 2)
        for (place, item) in uses.enumerated() { slots[slot(of: item.hash)] = UInt32(place + 1) }
    }
}
