internal import AFCFiles
internal import AFCPackageFormat
internal import AFCZip

/// Collects the members that a signature covers in any order, and computes the digest in the order of their names.
///
/// Sorted runs of them are kept in a file, so that memory holds one run and a little of each other.
struct DigestSpool {
    private let folder: String
    private let runSize: Int
    private var members: [PackageDigest.Member] = []
    private var spool: SpoolFile?
    private var runs: [FileExtent] = []

    /// - Parameters:
    ///   - folder: The folder for the file.
    ///   - runSize: The number of members in a run.
    init(folder: String, runSize: Int = 1 << 15) {
        self.folder = folder
        self.runSize = runSize
    }

    mutating func add(_ member: PackageDigest.Member) throws(ZipError) {
        members.append(member)
        if members.count >= runSize { try putAside() }
    }

    /// Returns the digest of all members.
    mutating func digest() throws(ZipError) -> PackageDigest {
        guard let spool else { return PackageDigest(of: members) }
        try putAside()
        var readers: [Run] = []
        for run in runs { readers.append(try Run(spool, run)) }
        var hash = PackageDigest.SortedMembers()
        while true {
            var first: Int?
            for index in readers.indices {
                guard let member = readers[index].next else { continue }
                if let best = first.flatMap({ readers[$0].next }), !member.precedes(best) { continue }
                first = index
            }
            guard let first, let member = readers[first].next else { return hash.digest() }
            hash.add(member)
            try readers[first].advance()
        }
    }

    private mutating func putAside() throws(ZipError) {
        guard !members.isEmpty else { return }
        let spool: SpoolFile
        if let made = self.spool {
            spool = made
        } else {
            spool = try onFile { () throws(FileError) in try SpoolFile(in: folder) }
        }
        self.spool = spool
        var bytes: [UInt8] = []
        for member in members.sorted(by: { $0.precedes($1) }) {
            withUnsafeBytes(of: member.size.littleEndian) { bytes.append(contentsOf: $0) }
            withUnsafeBytes(of: UInt32(member.name.utf8.count).littleEndian) { bytes.append(contentsOf: $0) }
            bytes.append(contentsOf: member.sha256.utf8)
            bytes.append(contentsOf: member.name.utf8)
        }
        runs.append(
            try bytes.span.bytes.withUnsafeBytes { bytes throws(ZipError) in
                try onFile { () throws(FileError) in try spool.append(bytes) }
            }
        )
        members.removeAll(keepingCapacity: true)
    }
}

extension DigestSpool {
    /// One run that is being read.
    private struct Run {
        private static let headSize = 8 + 4 + 64
        private static let pieceSize = 64 << 10

        private(set) var next: PackageDigest.Member?
        private let spool: SpoolFile
        private var offset: Int64
        private let end: Int64
        private var piece: [UInt8] = []
        private var position = 0

        init(_ spool: SpoolFile, _ extent: FileExtent) throws(ZipError) {
            self.spool = spool
            offset = extent.offset
            end = extent.offset + Int64(extent.count)
            try advance()
        }

        mutating func advance() throws(ZipError) {
            guard try load(Self.headSize) else {
                next = nil
                return
            }
            let (size, length) = piece.withUnsafeBytes { bytes in
                (
                    Int64(littleEndian: bytes.loadUnaligned(fromByteOffset: position, as: Int64.self)),
                    UInt32(littleEndian: bytes.loadUnaligned(fromByteOffset: position + 8, as: UInt32.self))
                )
            }
            _ = try load(Self.headSize + Int(length))
            let digest = piece[(position + 12)..<(position + Self.headSize)]
            let name = piece[(position + Self.headSize)..<(position + Self.headSize + Int(length))]
            next = PackageDigest.Member(
                name: String(decoding: name, as: UTF8.self),
                size: size,
                sha256: String(decoding: digest, as: UTF8.self)
            )
            position += Self.headSize + Int(length)
        }

        /// Makes a number of bytes at the position available; returns false at the end of the run.
        private mutating func load(_ count: Int) throws(ZipError) -> Bool {
            guard piece.count - position < count else { return true }
            piece.removeSubrange(..<position)
            position = 0
            let more = Int(min(Int64(max(Self.pieceSize, count)), end - offset))
            piece += try onFile { () throws(FileError) in try spool.bytes(more, at: offset) }
            offset += Int64(more)
            return piece.count >= count
        }
    }
}
