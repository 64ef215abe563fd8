internal import AFCFiles
internal import AFCPlatform
internal import AFCText

/// An unencrypted archive, written member by member in little memory, however many members there are.
///
/// Members that are already compressed are copied at once; threads prepare the others, which are written in order.
final class ArchiveFile {
    private let options: ZipWriter.Options
    private let folder: String
    private let dosDateTime: UInt32
    private var output: OutputFile
    private var directory: DirectorySpool
    private var queue: CompressionQueue?
    /// The names of the members in the queue, oldest first.
    private var names: [String] = []
    /// The number of the oldest member in the queue.
    private var oldest = 0

    init(path: String, mode: UInt32, folder: String, options: ZipWriter.Options) throws(ZipError) {
        self.options = options
        self.folder = folder
        let (date, time) = ZipWriter.dosDateTime(options.modified)
        dosDateTime = UInt32(date) << 16 | UInt32(time)
        output = OutputFile(try onFile { () throws(FileError) in try OpenFile(creating: path, mode: mode) })
        directory = DirectorySpool(in: folder)
    }

    deinit { queue?.stop() }

    func add(_ member: NewMember) throws(ZipError) {
        guard member.name.utf8.count <= 0xFFFF else {
            throw ZipError(
                inputOutput: "the name \(PrintableText.quoted(member.name)) is too long"
            )
        }
        if names.isEmpty, case .deflated(let body) = member.content {
            try write(member.name, body.prepared)
            return
        }
        let queue = startedQueue()
        if names.count == CompressionQueue.window {
            for _ in 0..<CompressionQueue.run { try writeOldest(of: queue) }
        }
        queue.put(member, as: oldest + names.count)
        names.append(member.name)
    }

    /// Writes the rest and syncs it to disk.
    ///
    /// - Returns: The archive's size in bytes.
    func finish() throws(ZipError) -> Int64 {
        if let queue {
            while !names.isEmpty { try writeOldest(of: queue) }
        }
        try directory.finish(to: &output)
        try onFile { () throws(FileError) in try output.file.sync() }
        return output.position
    }

    private func startedQueue() -> CompressionQueue {
        if let queue { return queue }
        let workers = options.workers ?? ParallelWork.processors
        let made = CompressionQueue(level: options.level, spoolFolder: folder, workers: workers)
        queue = made
        return made
    }

    private func writeOldest(of queue: CompressionQueue) throws(ZipError) {
        let body = try queue.take(oldest).get()
        try write(names.removeFirst(), body)
        oldest += 1
    }

    private func write(_ name: String, _ body: PreparedBody) throws(ZipError) {
        let record = MemberRecord(
            name: name,
            method: body.method,
            totals: body.totals,
            dosDateTime: dosDateTime,
            offset: output.position
        )
        var header: [UInt8] = []
        header.reserveCapacity(64 + name.utf8.count)
        record.appendLocalHeader(to: &header)
        try onFile { () throws(FileError) in try output.append(header) }
        let start = output.position
        switch body.storage {
        case .memory(let bytes): try onFile { () throws(FileError) in try output.append(bytes) }
        case .extents(let file, let extents):
            for extent in extents { try onFile { () throws(FileError) in try output.append(extent, of: file) } }
        }
        guard output.position - start == body.totals.compressedSize else {
            let sizes = "\(output.position - start) bytes, not \(body.totals.compressedSize)"
            throw ZipError(inputOutput: "the data of \(PrintableText.quoted(name)) has \(sizes)")
        }
        try directory.append(record)
    }
}
