internal import AFCFiles

/// Members that are written in another order than they arrive.
///
/// For a member whose data is already compressed, memory holds 16 bytes; the rest is in a file.
public struct MemberQueue {
    /// The method, the length of the name, the number of extents, the number of the file or member, checksum and sizes.
    private static let headSize = 2 + 2 + 4 + 4 + 4 + 8 + 8
    /// Stands in place of the method in the record of a member that is in memory.
    private static let inMemory = UInt16.max

    /// A member that waits.
    private struct Waiting {
        /// The place in the order.
        let rank: Int64
        /// The offset of the record in the spool, which grows with each arrival.
        let place: Int64
    }

    private var waiting: [Waiting] = []
    private var spool: BufferedSpool
    /// The members whose data isn't compressed yet.
    private var members: [NewMember] = []
    /// The files that hold compressed data.
    private var files: [OpenFile] = []

    /// Creates an empty queue.
    ///
    /// - Parameter folder: The folder for the queue's file.
    public init(folder: String) { spool = BufferedSpool(folder: folder) }

    /// Adds a member.
    ///
    /// - Parameters:
    ///   - member: The member.
    ///   - rank: Its place in the order; members of the same rank stay in the order in which they arrive.
    /// - Throws: ``ZipError`` if the queue's file can't be written.
    public mutating func add(_ member: NewMember, rank: Int64) throws(ZipError) {
        let record = record(of: member)
        let place = try onFile { () throws(FileError) in try spool.append(record) }
        waiting.append(Waiting(rank: rank, place: place))
    }

    /// Empties the queue and calls a body with each member in order.
    ///
    /// - Parameter body: Called with each member.
    /// - Throws: Any error of the body, and ``ZipError`` if the queue's file can't be read.
    public mutating func drain(_ body: (NewMember) throws(ZipError) -> Void) throws(ZipError) {
        waiting.sort { ($0.rank, $0.place) < ($1.rank, $1.place) }
        for next in waiting { try body(try member(at: next.place)) }
        waiting = []
        members = []
        files = []
    }

    private mutating func record(of member: NewMember) -> [UInt8] {
        var record: [UInt8] = []
        func append(_ number: some FixedWidthInteger) {
            withUnsafeBytes(of: number.littleEndian) { record.append(contentsOf: $0) }
        }
        func appendHead(_ method: UInt16, _ length: UInt16, _ count: Int, _ number: Int, _ totals: Deflater.Totals) {
            append(method)
            append(length)
            append(UInt32(count))
            append(UInt32(number))
            append(totals.crc32)
            append(totals.uncompressedSize)
            append(totals.compressedSize)
        }
        guard case .deflated(let body) = member.content, let length = UInt16(exactly: member.name.utf8.count) else {
            let none = Deflater.Totals(crc32: 0, uncompressedSize: 0, compressedSize: 0)
            appendHead(Self.inMemory, 0, 0, members.count, none)
            members.append(member)
            return record
        }
        appendHead(body.method.rawValue, length, body.extents.count, number(of: body.file), body.totals)
        for extent in body.extents {
            append(extent.offset)
            append(Int64(extent.count))
        }
        record.append(contentsOf: member.name.utf8)
        return record
    }

    private mutating func number(of file: OpenFile) -> Int {
        if let known = files.lastIndex(where: { $0 === file }) { return known }
        files.append(file)
        return files.count - 1
    }

    private func member(at place: Int64) throws(ZipError) -> NewMember {
        let head = try bytes(Self.headSize, at: place)
        func number<Number: FixedWidthInteger>(_ type: Number.Type, in bytes: [UInt8], at offset: Int) -> Number {
            Number(littleEndian: bytes.withUnsafeBytes { $0.loadUnaligned(fromByteOffset: offset, as: type) })
        }
        let length = Int(number(UInt16.self, in: head, at: 2))
        let count = Int(number(UInt32.self, in: head, at: 4))
        let index = Int(number(UInt32.self, in: head, at: 8))
        guard let method = ZipMember.Method(rawValue: number(UInt16.self, in: head, at: 0)) else {
            return members[index]
        }
        let rest = try bytes(count * 16 + length, at: place + Int64(Self.headSize))
        let body = DeflatedBody(
            file: files[index],
            extents: (0..<count).map {
                FileExtent(
                    offset: number(Int64.self, in: rest, at: $0 * 16),
                    count: Int(number(Int64.self, in: rest, at: $0 * 16 + 8))
                )
            },
            totals: Deflater.Totals(
                crc32: number(UInt32.self, in: head, at: 12),
                uncompressedSize: number(Int64.self, in: head, at: 16),
                compressedSize: number(Int64.self, in: head, at: 24)
            ),
            method: method
        )
        let name = String(decoding: rest[(count * 16)...], as: UTF8.self)
        return NewMember(name: name, content: .deflated(body), isCompressible: false)
    }

    private func bytes(_ count: Int, at offset: Int64) throws(ZipError) -> [UInt8] {
        try onFile { () throws(FileError) in try spool.bytes(count, at: offset) }
    }
}
