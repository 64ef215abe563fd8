/// Divides a cluster of a ZIM file, which arrives decompressed and in pieces, into its blobs.
package struct ZIMBlobParser {
    /// The reason why a cluster can't be read.
    package enum Malformation: Error, Equatable {
        /// The table of offsets is too long, or its offsets don't ascend.
        case offsets
    }

    /// Takes a part of a blob: its number in the cluster, the bytes, and true for the last part.
    package typealias Receiver = (_ number: Int, _ bytes: UnsafeRawBufferPointer, _ isLast: Bool) throws -> Void

    /// The most blobs of a cluster.
    package static let limit = 1 << 20

    private let width: Int
    private var position: Int64 = 0
    /// The bytes of an offset that arrived in parts.
    private var pending: [UInt8] = []
    private var offsets: [Int64] = []
    private var tableSize: Int64?
    /// The number of blobs that have ended.
    package private(set) var finished = 0

    /// Creates a parser.
    ///
    /// - Parameter isExtended: True if offsets have 8 bytes instead of 4.
    package init(isExtended: Bool) { width = isExtended ? 8 : 4 }

    /// True once all blobs have ended.
    package var isFinished: Bool {
        tableSize == position && offsets.count == 1 || finished > 0 && finished == offsets.count - 1
    }

    /// Reads bytes.
    ///
    /// - Parameters:
    ///   - bytes: The next bytes of the cluster; those after the last blob are ignored.
    ///   - receive: Takes parts of blobs, in order; an empty blob has one empty part.
    /// - Throws: ``Malformation``, and any error that `receive` throws.
    package mutating func feed(_ bytes: UnsafeRawBufferPointer, _ receive: Receiver) throws {
        var rest = bytes[...]
        while !rest.isEmpty, tableSize.map({ position < $0 }) ?? true {
            let byte = rest.removeFirst()
            position += 1
            pending.append(byte)
            guard pending.count == width else { continue }
            try add(pending.reversed().reduce(0) { $0 << 8 | UInt64($1) })
            pending.removeAll(keepingCapacity: true)
        }
        guard let tableSize, position >= tableSize else { return }
        while finished < offsets.count - 1 {
            let end = offsets[finished + 1]
            let count = Int(min(end - position, Int64(rest.count)))
            let isLast = position + Int64(count) == end
            guard count > 0 || isLast else { return }
            let part = UnsafeRawBufferPointer(rebasing: rest.prefix(count))
            rest = rest.dropFirst(count)
            position += Int64(count)
            let number = finished
            if isLast { finished += 1 }
            try receive(number, part, isLast)
        }
    }

    private mutating func add(_ number: UInt64) throws {
        guard let offset = Int64(exactly: number), offset >= offsets.last ?? 0 else { throw Malformation.offsets }
        if tableSize == nil {
            guard offset >= Int64(width), offset % Int64(width) == 0, offset / Int64(width) <= Int64(Self.limit) else {
                throw Malformation.offsets
            }
            tableSize = offset
        }
        offsets.append(offset)
    }
}
