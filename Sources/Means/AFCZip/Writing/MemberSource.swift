#if Encryption
internal import AFCFiles
internal import AFCText
internal import CLibzip

/// Provides libzip with a member's data, already compressed, so that libzip encrypts it unchanged.
final class MemberSource {
    private let index: Int
    private let bodies: PreparedMembers
    private var body: PreparedBody?
    private var position: Int64 = 0
    private let onError: (ZipError) -> Void
    /// Frames a stored body as a deflate stream.
    private var blocks: StoredBlocks?

    init(index: Int, bodies: PreparedMembers, onError: @escaping (ZipError) -> Void) {
        self.index = index
        self.bodies = bodies
        self.onError = onError
    }

    /// libzip's callback.
    ///
    /// The user data is a retained `MemberSource`, which is released when libzip frees the source.
    static let callback: zip_source_callback = { userData, data, length, command in
        guard let userData else { return -1 }
        let reference = Unmanaged<MemberSource>.fromOpaque(userData)
        let source = reference.takeUnretainedValue()
        switch command {
        case ZIP_SOURCE_STAT: return source.status(data)
        case ZIP_SOURCE_OPEN: return source.prepare() == nil ? -1 : 0
        case ZIP_SOURCE_READ: return source.read(data, Int(length))
        case ZIP_SOURCE_CLOSE:
            source.close()
            return 0
        case ZIP_SOURCE_ERROR:
            // libzip's error number and the system's. The actual error was recorded elsewhere.
            data?.assumingMemoryBound(to: Int32.self).update(repeating: ZIP_ER_READ, count: 1)
            data?.assumingMemoryBound(to: Int32.self).advanced(by: 1).pointee = 0
            return zip_int64_t(2 * MemoryLayout<Int32>.size)
        case ZIP_SOURCE_FREE:
            reference.release()
            return 0
        case ZIP_SOURCE_SUPPORTS:
            return [
                ZIP_SOURCE_OPEN, ZIP_SOURCE_READ, ZIP_SOURCE_CLOSE, ZIP_SOURCE_STAT, ZIP_SOURCE_ERROR, ZIP_SOURCE_FREE,
            ]
            .reduce(0) { $0 | (1 << zip_int64_t($1.rawValue)) }
        default: return -1
        }
    }

    private func prepare() -> PreparedBody? {
        if let body { return body }
        switch bodies.take(index) {
        case .success(let prepared):
            body = prepared
            return prepared
        case .failure(let error):
            onError(error)
            return nil
        }
    }

    private func status(_ data: UnsafeMutableRawPointer?) -> zip_int64_t {
        guard let body = prepare(), let data else { return -1 }
        var status = zip_stat_t()
        zip_stat_init(&status)
        status.size = zip_uint64_t(body.totals.uncompressedSize)
        let size = body.totals.uncompressedSize
        // No checksum: it would confirm a guess at the body (AE-2).
        status.crc = 0
        status.comp_method = zip_uint16_t(ZipMember.Method.deflated.rawValue)
        status.comp_size = zip_uint64_t(
            body.method == .stored ? StoredBlocks.length(of: size) : body.totals.compressedSize
        )
        status.valid = zip_uint64_t(ZIP_STAT_SIZE | ZIP_STAT_CRC | ZIP_STAT_COMP_METHOD | ZIP_STAT_COMP_SIZE)
        data.copyMemory(from: &status, byteCount: MemoryLayout<zip_stat_t>.size)
        return zip_int64_t(MemoryLayout<zip_stat_t>.size)
    }

    private func read(_ data: UnsafeMutableRawPointer?, _ length: Int) -> zip_int64_t {
        guard let body = prepare(), let data else { return -1 }
        let target = UnsafeMutableRawBufferPointer(start: data, count: length)
        guard body.method == .stored else { return read(body, into: target) }
        var framing = blocks ?? StoredBlocks(size: body.totals.uncompressedSize)
        defer { blocks = framing }
        return framing.read(into: target) { read(body, into: $0) }
    }

    private func read(_ body: PreparedBody, into target: UnsafeMutableRawBufferPointer) -> zip_int64_t {
        switch body.storage {
        case .memory(let bytes):
            let count = min(target.count, bytes.count - Int(position))
            bytes.withUnsafeBytes {
                target.copyMemory(from: UnsafeRawBufferPointer(rebasing: $0[Int(position)..<(Int(position) + count)]))
            }
            position += Int64(count)
            return zip_int64_t(count)
        case .extents(let file, let extents):
            return read(extents, of: file, into: target)
        }
    }

    private func read(
        _ extents: [FileExtent],
        of file: OpenFile,
        into target: UnsafeMutableRawBufferPointer
    ) -> zip_int64_t {
        while extentIndex < extents.count, position == Int64(extents[extentIndex].count) {
            extentIndex += 1
            position = 0
        }
        guard extentIndex < extents.count else { return 0 }
        let extent = extents[extentIndex]
        let wanted = min(target.count, extent.count - Int(position))
        do throws(ZipError) {
            let part = UnsafeMutableRawBufferPointer(rebasing: target[..<wanted])
            let count = try onFile { () throws(FileError) in try file.read(into: part, at: extent.offset + position) }
            guard count == wanted else {
                throw ZipError(
                    inputOutput: "\(PrintableText.quoted(file.path)) changed while it was read"
                )
            }
            position += Int64(count)
            return zip_int64_t(count)
        } catch {
            onError(error)
            return -1
        }
    }

    private var extentIndex = 0
    private var isDone = false

    private func close() {
        position = 0
        extentIndex = 0
        blocks = nil
        guard body != nil, !isDone else { return }
        // libzip asks for the status once more, but won't read again: keep sizes and checksum, release the data.
        isDone = true
        body?.storage = .memory([])
    }
}
#endif
