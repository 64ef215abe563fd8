/// Writes the records of an archive by hand, so that each field can lie.
package struct RawZip: Sendable {
    package struct Member: Sendable {
        package var name: [UInt8]
        package var data: [UInt8]
        package var method: UInt16 = 0
        package var flags: UInt16 = 0
        package var crc: UInt32
        package var size: UInt32
        package var compressedSize: UInt32
        package var attributes: UInt32 = 0
        package var localName: [UInt8]?
        package var localCRC: UInt32?
        package var localSize: UInt32?
        package var localMethod: UInt16?
        package var localFlags: UInt16?
        package var time: UInt16 = 0
        package var date: UInt16 = 33
        package var localTime: UInt16?
        package var localExtra: [UInt8] = []
        package var extra: [UInt8] = []
        package var comment: [UInt8] = []
        package var descriptor: [UInt8] = []
        package var offset: UInt32?
        package var gapBefore: [UInt8] = []
        package var disk: UInt16 = 0

        package init(_ name: String, _ text: String = "body") { self.init(Array(name.utf8), Array(text.utf8)) }

        package init(_ name: [UInt8], _ data: [UInt8]) {
            self.name = name
            self.data = data
            crc = RawZip.crc32(data)
            size = UInt32(data.count)
            compressedSize = UInt32(data.count)
        }

        /// A member whose data is a deflate stream made by hand: one block of the kind that is not compressed (RFC 1951 §3.2.4).
        package static func deflated(_ name: String, _ text: String) -> Member {
            let body = Array(text.utf8)
            var member = Member(Array(name.utf8), body)
            member.method = 8
            member.data = [1] + u16(UInt16(body.count)) + u16(~UInt16(body.count)) + body
            member.compressedSize = UInt32(member.data.count)
            return member
        }

        package func with(_ change: (inout Member) -> Void) -> Member {
            var copy = self
            change(&copy)
            return copy
        }
    }

    package var members: [Member]
    package var prefix: [UInt8] = []
    package var suffix: [UInt8] = []
    package var comment: [UInt8] = []
    package var beforeDirectory: [UInt8] = []
    package var afterDirectory: [UInt8] = []
    package var count: UInt16?
    package var totalCount: UInt16?
    package var directorySize: UInt32?
    package var directoryOffset: UInt32?
    package var hasZip64 = false
    package var zip64Count: UInt64?
    package var diskNumber: UInt16 = 0
    package var commentLength: UInt16?
    /// Bytes that are overwritten in the end, by position; negative ones count from the end.
    package var patch: [Int: UInt8] = [:]

    package init(_ members: [Member]) { self.members = members }

    package func with(_ change: (inout RawZip) -> Void) -> RawZip {
        var copy = self
        change(&copy)
        return copy
    }

    package var bytes: [UInt8] {
        var bytes = unpatched
        for (position, byte) in patch { bytes[position < 0 ? bytes.count + position : position] = byte }
        return bytes
    }

    private var unpatched: [UInt8] {
        var out = prefix
        var directory: [UInt8] = []
        for member in members {
            out += member.gapBefore
            let offset = member.offset ?? UInt32(out.count)
            let localName = member.localName ?? member.name
            out +=
                u32(0x0403_4B50) + u16(20) + u16(member.localFlags ?? member.flags)
                + u16(member.localMethod ?? member.method)
            out += u16(member.localTime ?? member.time) + u16(member.date)
            let isDescribed = member.flags & 8 != 0
            out += u32(member.localCRC ?? (isDescribed ? 0 : member.crc))
            out +=
                u32(isDescribed ? 0 : member.compressedSize) + u32(member.localSize ?? (isDescribed ? 0 : member.size))
            out += u16(UInt16(localName.count)) + u16(UInt16(member.localExtra.count)) + localName + member.localExtra
            out += member.data + member.descriptor
            directory +=
                u32(0x0201_4B50) + u16(0x031E) + u16(20) + u16(member.flags) + u16(member.method) + u16(member.time)
                + u16(member.date)
            directory +=
                u32(member.crc) + u32(member.compressedSize) + u32(member.size) + u16(UInt16(member.name.count))
            directory += u16(UInt16(member.extra.count)) + u16(UInt16(member.comment.count)) + u16(member.disk) + u16(0)
            directory += u32(member.attributes) + u32(offset) + member.name + member.extra + member.comment
        }
        out += beforeDirectory
        let start = out.count
        out += directory + afterDirectory
        if hasZip64 {
            let record = UInt64(out.count)
            out += u32(0x0606_4B50) + u64(44) + u16(45) + u16(45) + u32(0) + u32(0)
            out += u64(zip64Count ?? UInt64(members.count)) + u64(zip64Count ?? UInt64(members.count))
            out += u64(UInt64(directory.count)) + u64(UInt64(start))
            out += u32(0x0706_4B50) + u32(0) + u64(record) + u32(1)
        }
        out += u32(0x0605_4B50) + u16(diskNumber) + u16(0)
        out += u16(count ?? (hasZip64 ? 0xFFFF : UInt16(members.count)))
        out += u16(totalCount ?? count ?? (hasZip64 ? 0xFFFF : UInt16(members.count)))
        out += u32(directorySize ?? (hasZip64 ? 0xFFFF_FFFF : UInt32(directory.count)))
        out += u32(directoryOffset ?? (hasZip64 ? 0xFFFF_FFFF : UInt32(start)))
        return out + u16(commentLength ?? UInt16(comment.count)) + comment + suffix
    }

    package static func crc32(_ bytes: [UInt8]) -> UInt32 {
        var crc: UInt32 = 0xFFFF_FFFF
        for byte in bytes {
            crc ^= UInt32(byte)
            for _ in 0..<8 { crc = crc & 1 == 1 ? crc >> 1 ^ 0xEDB8_8320 : crc >> 1 }
        }
        return ~crc
    }
}

package func u16(_ value: UInt16) -> [UInt8] { [UInt8(value & 255), UInt8(value >> 8)] }
package func u32(_ value: UInt32) -> [UInt8] { u16(UInt16(value & 0xFFFF)) + u16(UInt16(value >> 16)) }
package func u64(_ value: UInt64) -> [UInt8] { u32(UInt32(value & 0xFFFF_FFFF)) + u32(UInt32(value >> 32)) }
