#if Encryption
internal import AFCFiles
internal import CLibzip

/// An archive of one member, made of records that we write and the data of a member of another archive.
///
/// libzip searches the last 64 KiB for end records, and hostile data could contain one. A comment therefore fills all
/// of them.
final class SingleMemberArchive {
    private let head: [UInt8]
    private let tail: [UInt8]
    private let file: OpenFile
    private let dataOffset: Int64
    private let dataSize: Int64
    private var position: Int64 = 0
    private var error = zip_error_t()

    private var size: Int64 { Int64(head.count) + dataSize + Int64(tail.count) }

    init(_ member: ZipMember, file: OpenFile) {
        self.file = file
        dataOffset = member.dataOffset
        dataSize = member.compressedSize
        zip_error_init(&error)
        let large: UInt32 = .max
        // Method deflate: libzip, asked for compressed data, then verifies no checksum.
        let field: [UInt8] = [0x01, 0x99, 7, 0, 2, 0, 0x41, 0x45, 3, 8, 0]
        let sizes =
            bytes(UInt16(1)) + bytes(UInt16(16)) + bytes(UInt64(member.uncompressedSize))
            + bytes(UInt64(dataSize))
        let extra = sizes + field
        let common =
            bytes(UInt16(51)) + bytes(UInt16(1)) + bytes(AESField.method) + bytes(UInt32(0))
            + bytes(UInt32(0)) + bytes(large) + bytes(large) + bytes(UInt16(1)) + bytes(UInt16(extra.count))
        let name = [UInt8(ascii: "m")]
        head = bytes(UInt32(0x0403_4B50)) + common + name + extra
        let entry =
            bytes(UInt32(0x0201_4B50)) + bytes(UInt16(51)) + common + [UInt8](repeating: 0, count: 14) + name
            + extra
        let directoryOffset = UInt64(head.count) + UInt64(dataSize)
        let wideEnd =
            bytes(UInt32(0x0606_4B50)) + bytes(UInt64(44)) + bytes(UInt16(51)) + bytes(UInt16(51))
            + bytes(UInt64(0)) + bytes(UInt64(1)) + bytes(UInt64(1)) + bytes(UInt64(entry.count))
            + bytes(directoryOffset)
        let locator =
            bytes(UInt32(0x0706_4B50)) + bytes(UInt32(0)) + bytes(directoryOffset + UInt64(entry.count))
            + bytes(UInt32(1))
        let end =
            bytes(UInt32(0x0605_4B50)) + bytes(UInt32(0)) + bytes(UInt16(1)) + bytes(UInt16(1))
            + bytes(UInt32(entry.count)) + bytes(large) + bytes(UInt16.max)
        tail = entry + wideEnd + locator + end + [UInt8](repeating: 0, count: Int(UInt16.max))
    }

    deinit { zip_error_fini(&error) }

    /// libzip's callback.
    ///
    /// The user data is a retained value, which is released when libzip frees the source.
    static let callback: zip_source_callback = { userData, data, length, command in
        guard let userData else { return -1 }
        let reference = Unmanaged<SingleMemberArchive>.fromOpaque(userData)
        let source = reference.takeUnretainedValue()
        switch command {
        case ZIP_SOURCE_OPEN:
            source.position = 0
            return 0
        case ZIP_SOURCE_READ: return source.read(UnsafeMutableRawBufferPointer(start: data, count: Int(length)))
        case ZIP_SOURCE_CLOSE: return 0
        case ZIP_SOURCE_STAT: return source.status(data)
        case ZIP_SOURCE_ERROR: return zip_error_to_data(&source.error, data, length)
        case ZIP_SOURCE_SEEK:
            let target = zip_source_seek_compute_offset(
                zip_uint64_t(source.position),
                zip_uint64_t(source.size),
                data,
                length,
                &source.error
            )
            guard target >= 0 else { return -1 }
            source.position = target
            return 0
        case ZIP_SOURCE_TELL: return source.position
        case ZIP_SOURCE_FREE:
            reference.release()
            return 0
        case ZIP_SOURCE_SUPPORTS:
            return [
                ZIP_SOURCE_OPEN, ZIP_SOURCE_READ, ZIP_SOURCE_CLOSE, ZIP_SOURCE_STAT, ZIP_SOURCE_ERROR, ZIP_SOURCE_SEEK,
                ZIP_SOURCE_TELL, ZIP_SOURCE_FREE, ZIP_SOURCE_SUPPORTS,
            ]
            .reduce(0) { $0 | (1 << zip_int64_t($1.rawValue)) }
        default:
            zip_error_set(&source.error, ZIP_ER_OPNOTSUPP, 0)
            return -1
        }
    }

    private func status(_ data: UnsafeMutableRawPointer?) -> zip_int64_t {
        guard let data else { return -1 }
        var status = zip_stat_t()
        zip_stat_init(&status)
        status.size = zip_uint64_t(size)
        status.valid = zip_uint64_t(ZIP_STAT_SIZE)
        data.copyMemory(from: &status, byteCount: MemoryLayout<zip_stat_t>.size)
        return zip_int64_t(MemoryLayout<zip_stat_t>.size)
    }

    private func read(_ target: UnsafeMutableRawBufferPointer) -> zip_int64_t {
        var done = 0
        while done < target.count {
            let rest = UnsafeMutableRawBufferPointer(rebasing: target[done...])
            let count = piece(into: rest)
            guard count >= 0 else { return -1 }
            if count == 0 { break }
            position += Int64(count)
            done += count
        }
        return zip_int64_t(done)
    }

    /// Copies from the head, the data or the tail, depending on the position; returns a negative number for an error.
    private func piece(into target: UnsafeMutableRawBufferPointer) -> Int {
        if position < Int64(head.count) { return copy(head, from: Int(position), into: target) }
        let dataPosition = position - Int64(head.count)
        if dataPosition >= dataSize {
            let start = Int(min(dataPosition - dataSize, Int64(tail.count)))
            return copy(tail, from: start, into: target)
        }
        let wanted = Int(min(Int64(target.count), dataSize - dataPosition))
        let part = UnsafeMutableRawBufferPointer(rebasing: target[..<wanted])
        guard let count = try? file.read(into: part, at: dataOffset + dataPosition), count > 0 else {
            zip_error_set(&error, ZIP_ER_READ, 0)
            return -1
        }
        return count
    }

    private func copy(_ bytes: [UInt8], from start: Int, into target: UnsafeMutableRawBufferPointer) -> Int {
        let count = min(target.count, bytes.count - start)
        bytes.withUnsafeBytes { target.copyMemory(from: UnsafeRawBufferPointer(rebasing: $0[start..<start + count])) }
        return count
    }
}

/// Returns a number's bytes, least significant first.
private func bytes(_ value: some FixedWidthInteger) -> [UInt8] {
    withUnsafeBytes(of: value.littleEndian) { Array($0) }
}
#endif
