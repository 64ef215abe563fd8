/// A name as a case-insensitive system sees it, valid only during the call that created it.
struct FoldedName {
    /// The folded name in UTF-8, without a folder's slash.
    let key: UnsafeBufferPointer<UInt8>
    /// True if the name is a folder's.
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

    /// Folds an ASCII name without creating a string.
    ///
    /// Nearly all names are ASCII.
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

    /// The hash of the folded name.
    var hash: UInt64 { FoldedNameTable.hash(key, isASCII: isASCII) }

    /// The folder that contains the name, or nil at the top level.
    var parent: FoldedName? {
        guard let slash = key.lastIndex(of: UInt8(ascii: "/")) else { return nil }
        return FoldedName(folder: UnsafeBufferPointer(rebasing: key[..<slash]), isASCII: isASCII)
    }

    /// Folds a name to what the least strict systems see.
    ///
    /// Upper case comes first, as in some systems' comparisons, so that `ſ` equals `s` and `ς` equals `σ`. Characters
    /// that some systems ignore in names are removed. The two characters that are canonically equivalent to ASCII ones
    /// are replaced by those.
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

/// A table of folded names by a keyed hash.
///
/// Names are considered equal if all 64 bits of their hashes agree. Each process makes its own key, so nobody can
/// construct a collision. By chance, one in ten million archives with two million names has one, and is then refused.
struct FoldedNameTable {
    /// The use of a folded name.
    enum Use {
        /// A file or folder, by its number.
        case file(Int), folder(Int)
        /// A folder that exists because a member is below it.
        case parent
    }

    /// The hashes in the order of their first use, and their uses.
    private var hashes: [UInt64] = []
    private var uses: [PackedUse] = []
    /// For each hash the index in `hashes` plus one, in the slot given by its lowest bits or in a later one; zero marks a
    /// free slot.
    ///
    /// At most half of the slots are in use.
    private var slots: [UInt32]

    /// Creates an empty table.
    ///
    /// - Parameter capacity: The expected number of names.
    init(capacity: Int) {
        var size = 16
        while size < capacity * 2 { size *= 2 }
        slots = [UInt32](repeating: 0, count: size)
        hashes.reserveCapacity(capacity)
        uses.reserveCapacity(capacity)
    }

    /// Returns the hash of a folded name.
    ///
    /// Strings hash by canonical equivalence, so Unicode forms make no difference.
    static func hash(_ key: UnsafeBufferPointer<UInt8>, isASCII: Bool) -> UInt64 {
        var hasher = Hasher()
        if isASCII || key.allSatisfy({ $0 < 0x80 }) {
            hasher.combine(bytes: UnsafeRawBufferPointer(key))
        } else {
            hasher.combine(String(decoding: key, as: UTF8.self))
        }
        return UInt64(bitPattern: Int64(hasher.finalize()))
    }

    /// Returns the use of a name, or nil if it is new.
    func use(of hash: UInt64) -> Use? {
        let found = slots[slot(of: hash)]
        return found == 0 ? nil : uses[Int(found) - 1].use
    }

    /// A use in four bytes; an archive has at most a billion members.
    private struct PackedUse {
        private let bits: UInt32

        init(_ use: Use) {
            bits =
                switch use {
                case .file(let number): UInt32(number) << 2
                case .folder(let number): UInt32(number) << 2 | 1
                case .parent: 2
                }
        }

        var use: Use {
            switch bits & 3 {
            case 0: .file(Int(bits >> 2))
            case 1: .folder(Int(bits >> 2))
            default: .parent
            }
        }
    }

    /// Records the use of a name.
    ///
    /// - Returns: The previous use, or nil if the name is new.
    mutating func update(_ hash: UInt64, to use: Use) -> Use? {
        let slot = slot(of: hash)
        let found = slots[slot]
        guard found == 0 else {
            let old = uses[Int(found) - 1].use
            uses[Int(found) - 1] = PackedUse(use)
            return old
        }
        hashes.append(hash)
        uses.append(PackedUse(use))
        slots[slot] = UInt32(uses.count)
        if uses.count * 2 > slots.count { grow() }
        return nil
    }

    private func slot(of hash: UInt64) -> Int {
        let mask = slots.count - 1
        var slot = Int(truncatingIfNeeded: hash) & mask
        while slots[slot] != 0, hashes[Int(slots[slot]) - 1] != hash { slot = (slot + 1) & mask }
        return slot
    }

    private mutating func grow() {
        slots = [UInt32](repeating: 0, count: slots.count * 2)
        for (place, hash) in hashes.enumerated() { slots[slot(of: hash)] = UInt32(place + 1) }
    }
}
