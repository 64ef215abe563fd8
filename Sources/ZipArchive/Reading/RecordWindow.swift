/// Reads small records here and there in a file whose order is mostly ascending, many with one system call.
struct RecordWindow: ~Copyable {
    private let file: OpenFile
    private let fileSize: Int64
    private let step: Int
    private var start: Int64 = 0
    /// What was read last.
    private(set) var bytes: [UInt8] = []

    /// - Parameters:
    ///   - file: The file.
    ///   - fileSize: Its size.
    ///   - stride: How far records are apart on average: close together they come in large pieces, else one by one.
    init(_ file: OpenFile, fileSize: Int64, stride: Int64) {
        self.file = file
        self.fileSize = fileSize
        step = stride < 4096 ? 64 << 10 : 512
    }

    /// Makes so many bytes at a position readable.
    ///
    /// - Returns: Where they begin in ``bytes``.
    /// - Throws: ``ZipError`` where reading fails or the file ends before.
    mutating func load(_ count: Int, at offset: Int64) throws(ZipError) -> Int {
        if offset >= start, offset + Int64(count) <= start + Int64(bytes.count) { return Int(offset - start) }
        guard offset + Int64(count) <= fileSize else { throw .refused(.endsWithinRecord) }
        bytes = try file.bytes(Int(min(Int64(max(count, step)), fileSize - offset)), at: offset)
        start = offset
        return 0
    }
}
