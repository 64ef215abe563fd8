import AFCZip

/// An archive made by the choices that the input's bytes are: nearly right, with here and there something wrong.
///
/// Bytes that change at random are hardly ever an archive that opens; of these, many do.
struct ChosenArchive {
    private var choices: ArraySlice<UInt8>

    init(_ bytes: UnsafeRawBufferPointer) { choices = Array(bytes)[...] }

    private mutating func next() -> Int { Int(choices.popFirst() ?? 0) }
    /// One of these; small bytes are the usual choice, the first.
    private mutating func pick<Value>(_ values: [Value]) -> Value {
        let choice = next()
        return values[choice < 0x80 ? 0 : choice % values.count]
    }
    private mutating func isRare() -> Bool { next() > 0xF0 }

    mutating func bytes() -> [UInt8] {
        var out: [UInt8] = []
        var directory: [UInt8] = []
        let count = next() % 6
        for _ in 0..<count {
            if isRare() { out += [0, 0, 0] }
            let (local, entry) = member(at: out.count)
            out += local
            directory += entry
        }
        let start = out.count
        out += directory
        let isWide = next() > 0xC0
        if isWide {
            out += number(0x0606_4B50, 4) + number(44, 8) + number(45, 2) + number(45, 2) + number(0, 8)
            out += number(count, 8) + number(count, 8) + number(directory.count, 8) + number(start, 8)
            out += number(0x0706_4B50, 4) + number(0, 4) + number(start + directory.count, 8) + number(1, 4)
        }
        let values = isWide && next() > 0x80 ? [0xFFFF, 0xFFFF_FFFF, 0xFFFF_FFFF] : [count, directory.count, start]
        out += number(0x0605_4B50, 4) + number(0, 4) + number(values[0], 2) + number(values[0], 2)
        out += number(values[1], 4) + number(values[2], 4)
        let comment = pick([[], Array("a comment".utf8), number(0x0605_4B50, 4), [0]])
        return out + number(comment.count, 2) + comment
    }

    private mutating func member(at offset: Int) -> (local: [UInt8], entry: [UInt8]) {
        let name = name()
        let body = name.last == UInt8(ascii: "/") ? [] : body()
        let isDeflated = next() > 0x80
        let data = isDeflated ? [1] + number(body.count, 2) + number(~body.count & 0xFFFF, 2) + body : body
        var crc = CRC32()
        body.withUnsafeBytes { crc.update($0) }
        let isDescribed = next() > 0xA0
        let flags = (isDescribed ? 8 : 0) | pick([0, 0x800, 2, 1, 0x2000])
        let head = number(20, 2) + number(flags, 2) + number(isDeflated ? 8 : 0, 2) + number(next(), 2) + number(33, 2)
        let sizes = number(Int(crc.value), 4) + number(data.count, 4) + number(body.count, 4)
        let (extra, localExtra) = (extra(name, body.count, data.count), extra(name, body.count, data.count))
        var local = number(0x0403_4B50, 4) + head + (isDescribed && next() < 0xC0 ? number(0, 12) : sizes)
        local += number(name.count, 2) + number(localExtra.count, 2) + name + localExtra + data
        if isDescribed {
            let isWide = next() > 0xC0
            local += next() < 0xA0 ? number(0x0807_4B50, 4) : []
            local += number(Int(crc.value), 4) + number(data.count, isWide ? 8 : 4) + number(body.count, isWide ? 8 : 4)
        }
        let attributes = pick([0, 0o100644 << 16, 0o40755 << 16, 0o120777 << 16, 0x10, 0x400])
        let comment = pick([[], Array("comment".utf8)])
        var entry = number(0x0201_4B50, 4) + number(pick([0x031E, 20, 0x0A14]), 2) + head + sizes
        entry += number(name.count, 2) + number(extra.count, 2) + number(comment.count, 2) + number(0, 4)
        entry += number(attributes, 4) + number(offset, 4) + name + extra + comment
        if isRare() { local[next() % local.count] ^= UInt8(next()) }
        if isRare() { entry[next() % entry.count] ^= UInt8(next()) }
        return (local, entry)
    }

    private mutating func name() -> [UInt8] {
        let parts = [
            "a", "b", "A", "x.html", "docs.example", "ä", "a\u{308}", "ſ", "s", "..", ".", "", "a\\b", "\u{200C}", "k",
        ]
        var name = ""
        for position in 0...(next() % 4) {
            name += (position == 0 ? "" : "/") + parts[next() % parts.count] + String(next() % 4)
        }
        return Array((isRare() ? String(name.dropLast()) : name).utf8) + (next() > 0xC0 ? [UInt8(ascii: "/")] : [])
    }

    private mutating func body() -> [UInt8] { (0..<(next() % 40)).map { _ in UInt8(next()) } }

    private mutating func extra(_ name: [UInt8], _ size: Int, _ dataSize: Int) -> [UInt8] {
        switch next() {
        case 0..<0x80: return []
        case 0x80..<0xA0: return number(0x5455, 2) + number(5, 2) + number(next(), 5)
        case 0xA0..<0xC0: return number(1, 2) + number(16, 2) + number(size, 8) + number(dataSize, 8)
        case 0xC0..<0xE0:
            var crc = CRC32()
            name.withUnsafeBytes { crc.update($0) }
            return number(0x7075, 2) + number(5 + name.count, 2) + [1] + number(Int(crc.value), 4) + name
        default:
            let body = body()
            return number(next() << 8 | next(), 2) + number(body.count, 2) + body
        }
    }

    private func number(_ value: Int, _ size: Int) -> [UInt8] {
        (0..<size).map { UInt8(truncatingIfNeeded: $0 < 8 ? value >> ($0 * 8) : 0) }
    }
}
