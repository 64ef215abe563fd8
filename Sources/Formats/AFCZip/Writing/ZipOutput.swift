internal import AFCFiles

/// An archive on its way: members go in one by one, and nothing is at the path until ``finish()`` puts the whole there.
///
/// Memory doesn't grow with the number of members, except where they are encrypted. It blocks, and belongs to one thread;
/// when it goes away unfinished, what it wrote goes, too.
public final class ZipOutput {
    private let target: OutputTarget
    private let folder: String
    private let options: ZipWriter.Options
    private let cancellation: CancellationFlag
    private let temporary: TemporaryName
    private var archive: ArchiveFile?
    /// Members that are encrypted once all of them are known.
    private var collected: [NewMember] = []
    private var isDone = false

    /// Begins an archive.
    ///
    /// - Parameters:
    ///   - path: The archive's path, as ``OutputTarget`` takes it; a file that is there stays as it is until the end.
    ///   - options: How to write.
    ///   - cancellation: Ends the work early.
    /// - Throws: ``ZipError`` where the folder can't be written to.
    public init(
        to path: String,
        options: ZipWriter.Options = ZipWriter.Options(),
        cancellation: CancellationFlag = CancellationFlag()
    ) throws(ZipError) {
        let target = try onFile { () throws(FileError) in
            let target = try OutputTarget(path)
            try target.requireWritable()
            return target
        }
        self.target = target
        self.options = options
        self.cancellation = cancellation
        folder = target.folder
        temporary = TemporaryName(for: target.isStream ? target.draft("zip") : target.file)
        temporary.removeLeftovers()
        if options.password == nil {
            archive = try ArchiveFile(path: temporary.path, folder: folder, options: options)
        }
    }

    deinit { abandon() }

    /// Adds a member; each name once, which is for the caller to see to.
    ///
    /// - Parameter member: What to write behind what was added before.
    /// - Throws: ``ZipError`` where this member, or one before it, can't be read or written.
    public func add(_ member: NewMember) throws(ZipError) {
        try cancellation.check()
        if let archive { try archive.add(member) } else { collected.append(member) }
    }

    /// Ends the archive, makes it durable, and puts it in the place of whatever is at the path.
    ///
    /// - Returns: The archive's size in bytes.
    /// - Throws: ``ZipError``; what is at the path is then as it was.
    public func finish() throws(ZipError) -> Int64 {
        do throws(ZipError) {
            try cancellation.check()
            let size: Int64
            if let password = options.password, !collected.isEmpty {
                size = try writeEncrypted(password)
            } else {
                if archive == nil {
                    archive = try ArchiveFile(path: temporary.path, folder: folder, options: options)
                }
                size = try archive?.finish() ?? 0
            }
            try onFile { () throws(FileError) in try target.put(temporary.path) }
            temporary.release()
            isDone = true
            archive = nil
            return size
        } catch {
            abandon()
            throw error
        }
    }

    /// Throws away what was written; after ``finish()`` it does nothing.
    public func abandon() {
        archive = nil
        guard !isDone else { return }
        isDone = true
        temporary.remove()
    }

    private func writeEncrypted(_ password: Password) throws(ZipError) -> Int64 {
        try LibzipArchive.write(
            to: temporary.path,
            members: collected,
            password: password,
            options: options,
            folder: folder,
            cancellation: cancellation
        )
        try onFile { () throws(FileError) in try Durable.sync(path: temporary.path) }
        return try onFile { () throws(FileError) in try OpenFile(reading: temporary.path).size() }
    }
}
