/// Walks through arrays in CBOR and reports each text with its path; RFC 8949.
///
/// It reads arrays, texts, numbers and simple values. Byte strings, maps, tags and texts in pieces end the walk.
struct CBORWalk {
    /// The deepest nesting of arrays.
    static let maxDepth = 8

    /// An open array.
    private struct Level {
        /// The number of elements so far.
        var index = 0
        /// The number of elements, or nil if a break ends the array.
        let count: Int?
    }

    private struct Malformed: Error {}

    private let bytes: ScanBuffer
    private var position: Int
    private var levels: [Level] = []

    private init(_ bytes: ScanBuffer, from start: Int) {
        self.bytes = bytes
        position = start
    }

    /// Calls a closure for each text of one data item.
    ///
    /// - Parameters:
    ///   - bytes: The bytes.
    ///   - start: The position of the data item.
    ///   - found: Takes the index in each open array, the outermost first, and the range of the text.
    /// - Returns: True if the whole item was read; false if it is cut, malformed, or has something that isn't read.
    static func forEachText(
        in bytes: ScanBuffer,
        from start: Int,
        _ found: (_ path: [Int], _ text: Range<Int>) -> Void
    ) -> Bool {
        var walk = CBORWalk(bytes, from: start)
        do throws(Malformed) {
            repeat {
                if let text = try walk.item() { found(walk.levels.map { $0.index - 1 }, text) }
                walk.closeFullArrays()
            } while !walk.levels.isEmpty
            return true
        } catch {
            return false
        }
    }

    /// Reads the head of an item, or a break; returns the range of a text.
    private mutating func item() throws(Malformed) -> Range<Int>? {
        let head = try byte()
        if head == 0xFF {
            guard let level = levels.last, level.count == nil else { throw Malformed() }
            levels.removeLast()
            return nil
        }
        if !levels.isEmpty { levels[levels.count - 1].index += 1 }
        let argument = try argument(head & 0x1F)
        switch head >> 5 {
        case 0, 1, 7:
            guard argument != nil else { throw Malformed() }
        case 3:
            guard let length = argument, length <= UInt64(bytes.count - position) else { throw Malformed() }
            let text = position..<position + Int(length)
            position = text.upperBound
            return text
        case 4:
            // Each element takes a byte at least.
            guard levels.count < Self.maxDepth, argument ?? 0 <= UInt64(bytes.count - position) else {
                throw Malformed()
            }
            levels.append(Level(count: argument.map { Int($0) }))
        default: throw Malformed()
        }
        return nil
    }

    private mutating func closeFullArrays() {
        while let level = levels.last, level.count == level.index { levels.removeLast() }
    }

    /// Reads the argument of a head, or returns nil for an indefinite length.
    private mutating func argument(_ information: UInt8) throws(Malformed) -> UInt64? {
        switch information {
        case 0..<24: return UInt64(information)
        case 24...27:
            var value: UInt64 = 0
            for _ in 0..<1 << (information - 24) { value = value << 8 | UInt64(try byte()) }
            return value
        case 31: return nil
        default: throw Malformed()
        }
    }

    private mutating func byte() throws(Malformed) -> UInt8 {
        guard let byte = bytes.at(position) else { throw Malformed() }
        position += 1
        return byte
    }
}
