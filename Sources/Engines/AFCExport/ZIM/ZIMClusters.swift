internal import AFCCoding
internal import AFCFiles
internal import AFCZip

/// The clusters of a ZIM file: runs of blobs, compressed or not, that wait in a file without a name until the number of all
/// entries is known.
///
/// Small blobs share clusters of about 2 MiB, as those of libzim do; a larger one has its own.
final class ZIMClusters {
    /// The place of a blob.
    struct Place: Sendable {
        /// The number of the cluster in the order of creation; see ``ZIMClusters/number(of:)``.
        fileprivate var draft: Int
        /// The number of the blob in its cluster.
        var blob: UInt32
    }

    /// The size from which on a cluster is complete, in bytes.
    static let targetSize = 2 << 20
    private static let level: Int32 = 12
    private static let pieceSize = 256 << 10
    /// The kinds of compression, and the bit for offsets of 64 bits (ZIM format, "Clusters").
    private static let (plain, zstandard, extended): (UInt8, UInt8, UInt8) = (1, 5, 0x10)

    /// A cluster that more blobs may join.
    private struct Draft {
        var id: Int
        var ends: [Int] = []
        var bytes: [UInt8] = []
    }

    /// The offsets of the clusters among all of them.
    private(set) var offsets: [Int64] = []
    private let spool: SpoolFile
    private let compressor: ZstandardCompressor
    private var drafts: [Bool: Draft] = [:]
    /// The numbers of clusters, in the order of creation.
    private var numbers: [UInt32] = []

    /// Creates an empty list.
    ///
    /// - Parameter folder: The folder for the file.
    /// - Throws: `FileError` if it can't be created, `ZipError` if memory is exhausted.
    init(in folder: String) throws {
        spool = try SpoolFile(in: folder)
        compressor = try ZstandardCompressor(level: Self.level)
    }

    /// The size of all clusters, in bytes.
    var size: Int64 { spool.size }

    /// Returns the number of the cluster of a place, once that is complete.
    func number(of place: Place) -> UInt32 { numbers[place.draft] }

    /// Adds a blob.
    ///
    /// - Parameters:
    ///   - bytes: The blob.
    ///   - isCompressed: True if compression may make it smaller.
    /// - Returns: Its place.
    /// - Throws: `FileError` or `ZipError` if it can't be written.
    func add(_ bytes: [UInt8], isCompressed: Bool) throws -> Place {
        var draft = drafts.removeValue(forKey: isCompressed) ?? Draft(id: newID())
        if !draft.ends.isEmpty, draft.bytes.count + bytes.count > Self.targetSize {
            try complete(draft, isCompressed)
            draft = Draft(id: newID())
        }
        let place = Place(draft: draft.id, blob: UInt32(draft.ends.count))
        draft.bytes += bytes
        draft.ends.append(draft.bytes.count)
        drafts[isCompressed] = draft
        return place
    }

    /// Adds a large blob.
    ///
    /// - Parameters:
    ///   - file: The blob.
    ///   - size: Its size in bytes.
    ///   - isCompressed: True if compression may make it smaller.
    /// - Returns: Its place.
    /// - Throws: `FileError` or `ZipError` if it can't be written.
    func add(_ file: SpoolFile, size: Int64, isCompressed: Bool) throws -> Place {
        let place = Place(draft: newID(), blob: 0)
        try write(place.draft, ends: [size], isCompressed) { take in
            var offset: Int64 = 0
            while offset < size {
                let piece = try file.bytes(Int(min(size - offset, Int64(Self.pieceSize))), at: offset)
                offset += Int64(piece.count)
                try piece.withUnsafeBytes { try take($0) }
            }
        }
        return place
    }

    /// Completes all clusters.
    func finish() throws {
        for isCompressed in [true, false] {
            if let draft = drafts.removeValue(forKey: isCompressed) { try complete(draft, isCompressed) }
        }
    }

    /// Passes all clusters on.
    func forEachPiece(_ take: (UnsafeRawBufferPointer) throws -> Void) throws {
        var offset: Int64 = 0
        while offset < size {
            let piece = try spool.bytes(Int(min(size - offset, Int64(Self.pieceSize))), at: offset)
            offset += Int64(piece.count)
            try piece.withUnsafeBytes(take)
        }
    }

    private func newID() -> Int {
        numbers.append(.max)
        return numbers.count - 1
    }

    private func complete(_ draft: Draft, _ isCompressed: Bool) throws {
        try write(draft.id, ends: draft.ends.map(Int64.init), isCompressed) { take in
            try draft.bytes.withUnsafeBytes { try take($0) }
        }
    }

    private func write(_ id: Int, ends: [Int64], _ isCompressed: Bool, _ body: ExportedBody) throws {
        let isExtended = (ends.last ?? 0) > Int64(UInt32.max) / 2
        let width = isExtended ? 8 : 4
        let tableSize = Int64((ends.count + 1) * width)
        var table: [UInt8] = []
        for end in [0] + ends {
            let offset = tableSize + end
            if isExtended { table.append(little: UInt64(offset)) } else { table.append(little: UInt32(offset)) }
        }
        numbers[id] = UInt32(offsets.count)
        offsets.append(spool.size)
        let kind = (isCompressed ? Self.zstandard : Self.plain) | (isExtended ? Self.extended : 0)
        _ = try [kind].withUnsafeBytes { try spool.append($0) }
        let sink = { (bytes: UnsafeRawBufferPointer) throws in _ = try self.spool.append(bytes) }
        guard isCompressed else {
            try table.withUnsafeBytes(sink)
            return try body(sink)
        }
        compressor.begin(size: tableSize + (ends.last ?? 0))
        try table.withUnsafeBytes { try compressor.append($0, isLast: false, to: sink) }
        try body { try compressor.append($0, isLast: false, to: sink) }
        try compressor.append(UnsafeRawBufferPointer(start: nil, count: 0), isLast: true, to: sink)
    }
}

extension [UInt8] {
    /// Appends the bytes of a number, the lowest first.
    mutating func append(little number: some FixedWidthInteger) {
        Swift.withUnsafeBytes(of: number.littleEndian) { append(contentsOf: $0) }
    }
}
