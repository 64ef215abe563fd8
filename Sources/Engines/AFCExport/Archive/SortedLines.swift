internal import AFCFiles

/// Lines that are added in any order and read in the order of their bytes; sorted runs of them are kept in a file without a
/// name, so that memory holds one run and a little of each other.
struct SortedLines {
    private let folder: String
    private let runSize: Int
    private var lines: [[UInt8]] = []
    private var size = 0
    private var spool: SpoolFile?
    private var runs: [FileExtent] = []

    /// Creates an empty list.
    ///
    /// - Parameters:
    ///   - folder: The folder for the file.
    ///   - runSize: The bytes of a run.
    init(folder: String, runSize: Int = 8 << 20) { (self.folder, self.runSize) = (folder, runSize) }

    /// Adds a line.
    ///
    /// - Parameter line: The line without its end.
    /// - Throws: ``FileError`` if a run can't be written.
    mutating func add(_ line: String) throws(FileError) {
        lines.append(Array(line.utf8) + [UInt8(ascii: "\n")])
        size += line.utf8.count + 1
        if size >= runSize { try putAside() }
    }

    /// Passes the lines on, in order, each with its end.
    ///
    /// - Parameter take: Takes one line.
    /// - Throws: ``FileError``, also that of the argument.
    mutating func forEach(_ take: ([UInt8]) throws(FileError) -> Void) throws(FileError) {
        guard spool != nil else {
            for line in lines.sorted(by: { $0.lexicographicallyPrecedes($1) }) { try take(line) }
            return
        }
        try putAside()
        guard let spool else { return }
        var readers: [Run] = []
        for run in runs { readers.append(try Run(spool, run)) }
        while true {
            var first: Int?
            for index in readers.indices {
                guard let line = readers[index].line else { continue }
                if let best = first.flatMap({ readers[$0].line }), !line.lexicographicallyPrecedes(best) { continue }
                first = index
            }
            guard let first, let line = readers[first].line else { return }
            try take(line)
            try readers[first].advance()
        }
    }

    private mutating func putAside() throws(FileError) {
        guard !lines.isEmpty else { return }
        let spool: SpoolFile
        if let made = self.spool { spool = made } else { spool = try SpoolFile(in: folder) }
        self.spool = spool
        let bytes = Array(lines.sorted { $0.lexicographicallyPrecedes($1) }.joined())
        runs.append(try bytes.span.bytes.withUnsafeBytes { bytes throws(FileError) in try spool.append(bytes) })
        lines.removeAll(keepingCapacity: true)
        size = 0
    }

    /// A run that is being read.
    private struct Run {
        private static let pieceSize = 64 << 10
        private(set) var line: [UInt8]?
        private let spool: SpoolFile
        private var rest: FileExtent
        private var buffer: ArraySlice<UInt8> = []

        init(_ spool: SpoolFile, _ extent: FileExtent) throws(FileError) {
            (self.spool, rest) = (spool, extent)
            try advance()
        }

        mutating func advance() throws(FileError) {
            while true {
                if let end = buffer.firstIndex(of: UInt8(ascii: "\n")) {
                    line = Array(buffer[...end])
                    buffer = buffer[(end + 1)...]
                    return
                }
                let count = min(rest.count, Self.pieceSize)
                guard count > 0 else {
                    line = nil
                    return
                }
                buffer = Array(buffer)[...] + (try spool.bytes(count, at: rest.offset))
                rest = FileExtent(offset: rest.offset + Int64(count), count: rest.count - count)
            }
        }
    }
}
