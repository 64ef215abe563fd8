/// The extra fields of a header: those that change what the header says are read, others are left alone.
struct ExtraFields {
    private var zip64: [UInt8]?
    private var unicodePath: [UInt8]?
    private(set) var aes: [UInt8]?

    init(_ bytes: [UInt8], _ range: Range<Int>, _ shown: String) throws(ZipError) {
        var position = range.lowerBound
        while position < range.upperBound {
            guard position + 4 <= range.upperBound else { throw Self.malformed(shown) }
            let (kind, size) = (bytes.u16(position), Int(bytes.u16(position + 2)))
            let end = position + 4 + size
            guard end <= range.upperBound else { throw Self.malformed(shown) }
            let body = bytes[(position + 4)..<end]
            switch kind {
            case 0x0001:
                guard zip64 == nil else { throw .refused("bad-zip64", "\(shown) has two zip64 fields") }
                zip64 = Array(body)
            case 0x7075:
                guard unicodePath == nil else { throw Self.malformed(shown) }
                unicodePath = Array(body)
            case 0x9901:
                guard aes == nil else { throw Self.malformed(shown) }
                aes = Array(body)
            default: break
            }
            position = end
        }
    }

    private static func malformed(_ shown: String) -> ZipError {
        .refused("extra-field", "\(shown) has a malformed extra field")
    }

    /// Info-ZIP's field renames the member for those readers that know it.
    func checkUnicodePath(_ name: [UInt8], _ shown: String) throws(ZipError) {
        guard let unicodePath else { return }
        guard unicodePath.count >= 5, unicodePath.dropFirst(5).elementsEqual(name) else {
            throw .refused("unicode-path", "\(shown) has an extra field that gives it another name")
        }
    }

    /// Replaces the values that the header marks as too large for it (APPNOTE 4.5.3).
    func widen(
        _ uncompressed: inout Int64,
        _ compressed: inout Int64,
        _ offset: inout Int64,
        _ shown: String
    ) throws(ZipError) {
        var position = 0
        func next() throws(ZipError) -> Int64 {
            guard let zip64, position + 8 <= zip64.count else {
                throw .refused("bad-zip64", "\(shown) marks a size as zip64 and doesn't give it")
            }
            defer { position += 8 }
            let value = zip64.u64(position)
            guard value <= UInt64(Int64.max) else {
                throw .refused("bad-zip64", "\(shown) has a size beyond what can be counted")
            }
            return Int64(value)
        }
        if uncompressed == 0xFFFF_FFFF { uncompressed = try next() }
        if compressed == 0xFFFF_FFFF { compressed = try next() }
        if offset == 0xFFFF_FFFF { offset = try next() }
    }
}
