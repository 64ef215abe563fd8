internal import AFCFiles
internal import AFCPackageFormat
import AFCPlatform
internal import AFCText
internal import Crypto

/// Writes the index of a generation from resources in the order of their URLs.
struct IndexWriter: ~Copyable {
    private let descriptor: Int32
    private let path: String
    private var pending: [UInt8] = []
    private var written: UInt64 = 0
    private var hash = SHA256()
    private var order: [UInt64] = []
    private var entries: [(hash: UInt64, offset: UInt64)] = []

    private static let bufferSize = 1 << 20

    /// Creates the file.
    init(path: String, capacity: Int) throws(CacheError) {
        self.path = path
        descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o644)
        guard descriptor >= 0 else { throw .system("cannot create", path: path) }
        order.reserveCapacity(capacity)
        entries.reserveCapacity(capacity)
        pending.reserveCapacity(Self.bufferSize + IndexRecord.headSize)
    }

    deinit { close(descriptor) }

    /// Appends records, whose numbers continue those before.
    mutating func append(_ batch: IndexBatch) throws(CacheError) {
        var offset = written + UInt64(pending.count)
        for record in batch.records {
            order.append(offset)
            entries.append((record.hash, offset))
            offset += UInt64(record.length)
        }
        pending.append(contentsOf: batch.bytes)
        if pending.count >= Self.bufferSize { try flush() }
    }

    /// Writes the tables.
    ///
    /// - Returns: The SHA-256 of the file, in hexadecimal digits.
    consuming func finish() throws(CacheError) -> String {
        let count = order.count
        let orderOffset = written + UInt64(pending.count)
        for offset in order {
            pending.append(offset)
            if pending.count >= Self.bufferSize { try flush() }
        }
        let entriesOffset = written + UInt64(pending.count)
        entries.sort { $0.hash < $1.hash }
        for entry in entries {
            pending.append(entry.hash)
            pending.append(entry.offset)
            if pending.count >= Self.bufferSize { try flush() }
        }
        let bucketsOffset = written + UInt64(pending.count)
        // About four entries per bucket; at least two buckets, so that there is never a shift by 64.
        var bits: UInt64 = 1
        while bits < 28, count >> Int(bits) > 4 { bits += 1 }
        var next = 0
        for bucket in 0..<(UInt64(1) << bits) {
            while next < count, entries[next].hash >> (64 - bits) < bucket { next += 1 }
            pending.append(UInt32(next))
            if pending.count >= Self.bufferSize { try flush() }
        }
        pending.append(UInt32(count))
        pending.append(contentsOf: IndexFooter.magic)
        let size = written + UInt64(pending.count) - 8 + UInt64(IndexFooter.size)
        for number in [UInt64(count), orderOffset, entriesOffset, bucketsOffset, size, bits, 0] {
            pending.append(number)
        }
        try flush()
        return Hexadecimal.text(hash.finalize())
    }

    private mutating func flush() throws(CacheError) {
        let descriptor = descriptor
        guard pending.withUnsafeBytes({ Descriptor.append($0, to: descriptor) }) else {
            throw .system("cannot write", path: path)
        }
        hash.update(data: pending)
        written += UInt64(pending.count)
        pending.removeAll(keepingCapacity: true)
    }
}

/// Records of adjacent resources, created by one thread while others create theirs.
struct IndexBatch {
    /// The bytes of the records, without gaps.
    private(set) var bytes: [UInt8] = []
    /// The hash and the length of each record.
    private(set) var records: [(hash: UInt64, length: Int)] = []

    /// Adds a resource; its number is its index among all resources.
    mutating func append(_ resource: IndexedResource) {
        let start = bytes.count
        IndexRecord.append(resource, to: &bytes)
        records.append((ResourceKey.hash(resource.url), bytes.count - start))
    }
}

/// The last bytes of an index, which locate its tables.
struct IndexFooter {
    static let magic = Array("afcindx1".utf8)
    static let size = 64

    var count: UInt64
    var order: UInt64
    var entries: UInt64
    var buckets: UInt64
    var bits: UInt64

    /// Reads the footer, and checks that the tables cover the file without gaps.
    init?(_ bytes: UnsafeRawBufferPointer, fileSize: UInt64) {
        guard bytes.count == Self.size, bytes[0..<8].elementsEqual(Self.magic) else { return nil }
        count = bytes.u64(8)
        order = bytes.u64(16)
        entries = bytes.u64(24)
        buckets = bytes.u64(32)
        bits = bytes.u64(48)
        guard bytes.u64(40) == fileSize, (1...28).contains(bits), count <= UInt64(UInt32.max), order <= fileSize,
            entries == order + count * 8, buckets == entries + count * 16,
            buckets + ((UInt64(1) << bits) + 1) * 4 + UInt64(Self.size) == fileSize
        else { return nil }
    }
}
