/// Takes archives apart, so that one field of a sound one can be changed.
extension RawZip {
    /// The records of an archive as this program writes it: no descriptors, no zip64, nothing between records; else nil.
    ///
    /// - Parameter bytes: The archive.
    package init?(reading bytes: [UInt8]) {
        func number(_ position: Int, _ count: Int) -> Int {
            bytes[position..<position + count].reversed().reduce(0) { $0 << 8 | Int($1) }
        }
        let end = bytes.count - 22
        guard end >= 0, number(end, 4) == 0x0605_4B50 else { return nil }
        var position = number(end + 16, 4)
        var members: [Member] = []
        for _ in 0..<number(end + 10, 2) {
            guard number(position, 4) == 0x0201_4B50 else { return nil }
            let (nameLength, extraLength) = (number(position + 28, 2), number(position + 30, 2))
            let local = number(position + 42, 4)
            let start = local + 30 + number(local + 26, 2) + number(local + 28, 2)
            let size = number(position + 20, 4)
            var member = Member(Array(bytes[position + 46..<position + 46 + nameLength]), [])
            member.data = Array(bytes[start..<start + size])
            member.extra = Array(bytes[position + 46 + nameLength..<position + 46 + nameLength + extraLength])
            member.flags = UInt16(number(position + 8, 2))
            member.method = UInt16(number(position + 10, 2))
            member.time = UInt16(number(position + 12, 2))
            member.date = UInt16(number(position + 14, 2))
            member.crc = UInt32(number(position + 16, 4))
            member.compressedSize = UInt32(size)
            member.size = UInt32(number(position + 24, 4))
            member.attributes = UInt32(number(position + 38, 4))
            members.append(member)
            position += 46 + nameLength + extraLength + number(position + 32, 2)
        }
        self.init(members)
    }
}

extension RawZip.Member {
    /// The name as text.
    package var text: String { String(decoding: name, as: UTF8.self) }

    /// Gives the member another body, compressed as it was: in deflate's blocks that aren't compressed (RFC 1951 §3.2.4).
    package mutating func setBody(_ body: [UInt8]) {
        data = method == 8 ? Self.blocks(body) : body
        crc = RawZip.crc32(body)
        size = UInt32(body.count)
        compressedSize = UInt32(data.count)
    }

    /// A deflate stream of blocks that aren't compressed.
    package static func blocks(_ body: [UInt8]) -> [UInt8] {
        var data: [UInt8] = []
        var rest = body[...]
        repeat {
            let block = rest.prefix(0xFFFF)
            rest = rest.dropFirst(block.count)
            data += [rest.isEmpty ? 1 : 0] + u16(UInt16(block.count)) + u16(~UInt16(block.count)) + block
        } while !rest.isEmpty
        return data
    }
}
