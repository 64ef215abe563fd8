internal import AFCFiles

/// Holds the archive's directory until all members are written: in memory while it is small, then in a file.
struct DirectorySpool: ~Copyable {
    private static let memoryLimit = 1 << 20

    private let folder: String
    private var bytes: [UInt8] = []
    private var spool: SpoolFile?
    private(set) var count: Int64 = 0

    init(in folder: String) { self.folder = folder }

    mutating func append(_ record: MemberRecord) throws(ZipError) {
        record.appendDirectoryEntry(to: &bytes)
        count += 1
        guard bytes.count >= Self.memoryLimit else { return }
        let spool: SpoolFile
        if let made = self.spool {
            spool = made
        } else {
            spool = try onFile { () throws(FileError) in try SpoolFile(in: folder) }
        }
        self.spool = spool
        _ = try bytes.span.bytes.withUnsafeBytes { bytes throws(ZipError) in
            try onFile { () throws(FileError) in try spool.append(bytes) }
        }
        bytes.removeAll(keepingCapacity: true)
    }

    /// Writes the directory and the records after it.
    mutating func finish(to output: inout OutputFile) throws(ZipError) {
        let offset = output.position
        if let spool {
            try onFile { () throws(FileError) in
                try output.append(FileExtent(offset: 0, count: Int(spool.size)), of: spool.file)
            }
        }
        try onFile { () throws(FileError) in try output.append(bytes) }
        var end: [UInt8] = []
        MemberRecord.appendEnd(
            count: count,
            directoryOffset: offset,
            directorySize: output.position - offset,
            to: &end
        )
        try onFile { () throws(FileError) in try output.append(end) }
        try onFile { () throws(FileError) in try output.flush() }
    }
}
