/// Reads the search trees in the index of rustdoc (1.92 and later) for the names of their nodes' files.
///
/// A text contains a node and, before it, some of the nodes below it. A node names the nodes below it by hashes. The file of
/// a node that isn't in the text has the hash as its name, in hexadecimal digits. So the nodes of the text are hashed in the
/// form that they have without compression, as rustdoc's own script does, to tell which of the names are files.
struct StringdexTree {
    /// The form of a text, which differs between releases.
    enum Form: Int {
        /// The form of 1.97, with hashes of five bytes.
        case short = 5
        /// The form of 1.92 to 1.95, with hashes of six bytes.
        case long = 6
    }

    private struct Malformed: Error {}

    /// What a node says about the nodes below it.
    private struct Branches {
        /// Their numbers, or alphabets with a bit for each.
        var header = 0..<0
        /// Their hashes.
        var hashes: [UInt8] = []
        /// The hashes that aren't written as the place of a node in the text.
        var written: [UInt64] = []
        /// Their first bytes.
        var keys = 0..<0
    }

    /// The first byte of a node: what it contains, and how it is compressed.
    private struct Tag {
        var bits: Int

        var isSuffixOnly: Bool { bits & 0x01 != 0 }
        /// True if the nodes below are the last ones that no other node uses.
        var isStack: Bool { bits & 0x02 != 0 }
        var isLong: Bool { bits & 0x04 != 0 }
        /// True if the node's text is that of an earlier node.
        var repeatsText: Bool { bits & 0x08 != 0 }
        var second: Int { isLong ? bits >> 8 : 0 }

        /// Returns true if a node below is written as the place of a node in the text.
        func isPlace(_ child: Int) -> Bool {
            if !isLong, bits & 0xF0 == 0xF0 { return true }
            return child < 12 && bits & 0x10 << child != 0
        }
    }

    private let bytes: [UInt8]
    private let form: Form
    private var index = 0
    /// The hashes of the nodes so far.
    private var nodes: [UInt64] = []
    private var isUsed: [Bool] = []
    /// The nodes that weren't used when they were added, last ones last.
    private var unused: [Int] = []
    /// The texts of the nodes so far that have one.
    private var texts: [Range<Int>] = []
    private var known: Set<UInt64> = []
    private var names: [UInt64] = []

    private init(_ bytes: [UInt8], _ form: Form) {
        self.bytes = bytes
        self.form = form
    }

    /// Returns the names of the files with further nodes, in the order of their mention; none for a malformed text.
    ///
    /// - Parameters:
    ///   - bytes: The text, without its base64.
    ///   - form: The form.
    /// - Returns: The names without suffix.
    static func names(in bytes: [UInt8], _ form: Form) -> [String] {
        var tree = Self(bytes, form)
        do {
            while tree.index < bytes.count { try tree.node() }
        } catch {
            // A release whose form isn't known: what was read so far may be wrong.
            return []
        }
        let digits = Array("0123456789abcdef")
        return tree.names.map { name in
            String((0..<2 * form.rawValue).reversed().map { digits[Int(name >> UInt64(4 * $0) & 0xF)] })
        }
    }

    // MARK: Nodes

    private mutating func node() throws(Malformed) {
        let start = index
        var tag = Tag(bits: Int(try byte()))
        if tag.isLong { tag.bits |= Int(try byte()) << 8 }
        var (count, flags): (Int, UInt8) = (0, 0x80)
        if !(tag.repeatsText && tag.isSuffixOnly) {
            let byte = try byte()
            (count, flags) = (Int(byte & 0x3F), byte & 0xC0)
        }
        let isInline = form == .short ? flags == 0xC0 : flags & 0x40 != 0
        let text = try text(tag, count, isInline)
        var written: [UInt64] = []
        if isInline {
            let rest = index
            try skipInline(tag, flags)
            let head = [bytes[start] ^ 0x08] + (tag.isLong ? [bytes[start + 1]] : []) + [UInt8(text.count) | flags]
            add(tag.repeatsText ? head + bytes[text] + bytes[rest..<index] : Array(bytes[start..<index]))
        } else {
            let branches = form == .short && flags & 0x40 != 0 ? Branches() : try self.branches(tag)
            let leaves = index
            if flags & 0x80 == 0 {
                if !tag.isSuffixOnly { try skipBitmap() }
                try skipBitmap()
            }
            written = branches.written
            if tag.bits > 1 {
                let length = tag.isSuffixOnly ? UInt8(count) : UInt8(text.count)
                let isShortHead = tag.isSuffixOnly && tag.repeatsText
                let head = isShortHead ? [0x09] : [tag.isSuffixOnly ? 1 : 0, length | flags]
                let body = bytes[text] + bytes[branches.header] + branches.hashes + bytes[branches.keys]
                add(head + body + bytes[leaves..<index])
            } else {
                add(Array(bytes[start..<index]))
            }
        }
        if !text.isEmpty { texts.append(text) }
        names += written.filter { !known.contains($0) }
        if let last = nodes.last { known.insert(last) }
    }

    private mutating func text(_ tag: Tag, _ count: Int, _ isInline: Bool) throws(Malformed) -> Range<Int> {
        if tag.isSuffixOnly { return index..<index }
        if tag.repeatsText {
            guard count < texts.count else { throw Malformed() }
            return texts[texts.count - count - 1]
        }
        let start = index
        try skip(count)
        return start..<index
    }

    /// Skips the nodes and leaves that are written within a node.
    private mutating func skipInline(_ tag: Tag, _ flags: UInt8) throws(Malformed) {
        var count = tag.second
        var keys = count
        var leaves = tag.bits >> 4 & 0x07
        var isRun = tag.bits & 0x80 != 0
        let more = form == .long ? 1 : 0
        switch form {
        case .short:
            if let alphabet = try alphabet(UInt8(count)) { (count, keys) = (alphabet, 0) }
        case .long:
            if tag.isLong { count += 1 }
            keys = count
            leaves = flags & 0x80 == 0 ? leaves + 1 : 0
            isRun = isRun && flags & 0x80 == 0
        }
        try skip(2)
        for _ in 0..<count {
            let head = try byte()
            if !tag.isSuffixOnly { try skip(Int(head & 0x0F)) }
            try skip(head & 0x80 != 0 ? 2 : 2 * (Int(head >> 4) + more))
        }
        try skip(keys)
        try skip(isRun ? 2 : 2 * leaves)
    }

    /// Reads the nodes below a node: those for any search first, then those for searches in the middle of names.
    private mutating func branches(_ tag: Tag) throws(Malformed) -> Branches {
        var branches = Branches()
        let start = index
        var keys = 0
        let counts: [Int]
        switch form {
        case .short:
            var found: [Int] = []
            for _ in 0..<(tag.isSuffixOnly ? 1 : 2) {
                let flag = try byte()
                let letters = try alphabet(flag)
                if letters == nil { keys += Int(flag) }
                found.append(letters ?? Int(flag))
            }
            counts = found
        case .long:
            let heads = tag.isSuffixOnly ? [try byte()] : [try byte(), try byte()]
            if heads == [0xFF, 0xFF] {
                (counts, keys) = ([0x100, 0], 0x100)
            } else {
                let width = heads.allSatisfy { $0 >= 0xC0 } ? 4 : heads.allSatisfy { $0 >= 0x80 } ? 3 : 0
                counts = heads.map { Int(width == 4 ? $0 & 0x3F : width == 3 ? $0 & 0x7F : $0) }
                keys = counts.reduce(0) { $0 + ($1 == 0 || width == 0 ? $1 : width) }
            }
        }
        branches.header = start..<index
        for child in 0..<counts.reduce(0, +) {
            var hash: UInt64 = 0
            if tag.isPlace(child) {
                hash = try node(at: tag.isStack ? nil : Int(try byte()))
            } else {
                for _ in 0..<form.rawValue { hash = hash << 8 | UInt64(try byte()) }
                // The first bit marks a node that is its own description.
                if hash >> UInt64(8 * form.rawValue - 1) == 0 { branches.written.append(hash) }
            }
            for place in (0..<form.rawValue).reversed() {
                branches.hashes.append(UInt8(truncatingIfNeeded: hash >> UInt64(8 * place)))
            }
        }
        let end = index
        try skip(keys)
        branches.keys = end..<index
        return branches
    }

    /// Returns the hash of a node by its place before the current one, or of the last one that isn't used.
    private mutating func node(at place: Int?) throws(Malformed) -> UInt64 {
        var slot = nodes.count - 1
        if let place {
            slot -= place
        } else {
            while let last = unused.last, isUsed[last] { unused.removeLast() }
            slot = unused.last ?? -1
        }
        guard slot >= 0 else { throw Malformed() }
        isUsed[slot] = true
        return nodes[slot]
    }

    private mutating func add(_ canonical: [UInt8]) {
        let bits = UInt64(8 * form.rawValue - 1)
        nodes.append(Self.hash(canonical) & (1 << bits - 1))
        isUsed.append(false)
        unused.append(nodes.count - 1)
    }

    // MARK: Parts

    private mutating func byte() throws(Malformed) -> UInt8 {
        guard index < bytes.count else { throw Malformed() }
        defer { index += 1 }
        return bytes[index]
    }

    private mutating func skip(_ count: Int) throws(Malformed) {
        guard count <= bytes.count - index else { throw Malformed() }
        index += count
    }

    private mutating func number() throws(Malformed) -> Int {
        let low = try byte()
        return Int(low) | Int(try byte()) << 8
    }

    /// Skips the bits of an alphabet and returns their number; nil if the flag is no alphabet's.
    private mutating func alphabet(_ flag: UInt8) throws(Malformed) -> Int? {
        guard flag > 0x80 else { return nil }
        var count = 0
        var length = 0
        switch flag {
        case 0xFF: length = 32
        case 0xF0: length = 16
        case 0xFE: length = 4
        case 0xFD: length = 3
        case 0xFC: length = 2
        default:
            count = (flag & 0x1F).nonzeroBitCount
            length = flag >= 0xC0 ? 2 : 0
        }
        for _ in 0..<length { count += try byte().nonzeroBitCount }
        return count
    }

    /// Skips a set of numbers, a Roaring bitmap or one of its short forms.
    private mutating func skipBitmap() throws(Malformed) {
        let head = try byte()
        let count = Int(head & 0x0F)
        switch head {
        case 0xF1...0xFF: try skip(2 + 2 * count)
        case 0xE1...0xF0: try skip(form == .long ? 4 : 4 * (count + 1) + (count + 2) / 2)
        case 0xD1...0xDF: try skip(3 + count)
        case 0x81...0xE0: try skip(4)
        case 0x3A: try skipContainers(hasRuns: false)
        case 0x3B: try skipContainers(hasRuns: true)
        case 0...0x39: try skip(4 * Int(head))
        default: throw Malformed()
        }
    }

    private mutating func skipContainers(hasRuns: Bool) throws(Malformed) {
        var count: Int
        var runs = 0..<0
        if hasRuns {
            try skip(1)
            count = try number() + 1
            runs = index..<index + (count + 7) / 8
            try skip(runs.count)
        } else {
            try skip(3)
            count = try number()
            count |= try number() << 16
        }
        let sizes = index
        guard count <= bytes.count else { throw Malformed() }
        try skip(4 * count)
        if !hasRuns || count >= 4 { try skip(4 * count) }
        for container in 0..<count {
            let size = Int(bytes[sizes + 4 * container + 2]) | Int(bytes[sizes + 4 * container + 3]) << 8
            if hasRuns, bytes[runs.lowerBound + container / 8] & 1 << (container % 8) != 0 {
                try skip(4 * (try number()))
            } else {
                try skip(size + 1 >= 4096 ? 8192 : 2 * (size + 1))
            }
        }
    }

    /// SipHash-1-3 with a key of zeros.
    private static func hash(_ bytes: [UInt8]) -> UInt64 {
        var (v0, v1): (UInt64, UInt64) = (0x736F_6D65_7073_6575, 0x646F_7261_6E64_6F6D)
        var (v2, v3): (UInt64, UInt64) = (0x6C79_6765_6E65_7261, 0x7465_6462_7974_6573)
        func round() {
            v0 &+= v1
            v1 = (v1 << 13 | v1 >> 51) ^ v0
            v0 = v0 << 32 | v0 >> 32
            v2 &+= v3
            v3 = (v3 << 16 | v3 >> 48) ^ v2
            v0 &+= v3
            v3 = (v3 << 21 | v3 >> 43) ^ v0
            v2 &+= v1
            v1 = (v1 << 17 | v1 >> 47) ^ v2
            v2 = v2 << 32 | v2 >> 32
        }
        func absorb(_ word: UInt64) {
            v3 ^= word
            round()
            v0 ^= word
        }
        var (word, shift): (UInt64, UInt64) = (0, 0)
        for byte in bytes {
            word |= UInt64(byte) << shift
            shift += 8
            if shift == 64 {
                absorb(word)
                (word, shift) = (0, 0)
            }
        }
        absorb(word | UInt64(bytes.count & 0xFF) << 56)
        v2 ^= 0xFF
        for _ in 0..<3 { round() }
        return v0 ^ v1 ^ v2 ^ v3
    }
}
