public import AFCFiles

/// An archive that is being written member by member and appears at its path only when ``finish()`` succeeds.
///
/// Memory use doesn't grow with the number of members unless they are encrypted. Calls block, and must come from one
/// thread. If the value is released before ``finish()``, its temporary files are removed.
public final class ZipOutput {
    private let target: OutputTarget
    private let folder: String
    private let options: ZipWriter.Options
    private let cancellation: CancellationFlag
    private let temporary: TemporaryName
    private var archive: ArchiveFile?
    /// The members to encrypt once all of them are known.
    private var collected: [NewMember] = []
    private var isDone = false

    /// Begins an archive.
    ///
    /// - Parameters:
    ///   - path: The archive's path, as for `OutputTarget`; an existing file stays unchanged until the end.
    ///   - options: The options for writing.
    ///   - cancellation: Cancels the work.
    /// - Throws: ``ZipError`` if the folder can't be written to.
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
            archive = try Self.archive(at: temporary, for: target, options)
        }
    }

    deinit { abandon() }

    private static func archive(
        at temporary: TemporaryName,
        for target: OutputTarget,
        _ options: ZipWriter.Options
    ) throws(ZipError) -> ArchiveFile {
        try ArchiveFile(path: temporary.path, mode: target.draftMode, folder: target.folder, options: options)
    }

    /// Adds a member.
    ///
    /// The caller makes sure that each name is added only once.
    ///
    /// - Parameter member: The member to write after those added before.
    /// - Throws: ``ZipError`` if this member, or an earlier one, can't be read or written.
    public func add(_ member: NewMember) throws(ZipError) {
        try cancellation.check()
        if let archive { try archive.add(member) } else { collected.append(member) }
    }

    /// Ends the archive, syncs it to disk, and replaces the file at the path.
    ///
    /// - Returns: The archive's size in bytes.
    /// - Throws: ``ZipError``; the file at the path is then unchanged.
    public func finish() throws(ZipError) -> Int64 {
        do throws(ZipError) {
            try cancellation.check()
            let size: Int64
            if let password = options.password, !collected.isEmpty {
                size = try writeEncrypted(password)
            } else {
                if archive == nil {
                    archive = try Self.archive(at: temporary, for: target, options)
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

    /// Discards the archive; does nothing after ``finish()``.
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
