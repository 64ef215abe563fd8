import AFCPlatform
internal import AFCText

/// A new file that replaces another one: written next to it, synced, and renamed.
///
/// The existing file stays unchanged until ``commit()``. The new file gets its mode and owner as far as the system
/// permits. A symbolic link is kept, and its target is replaced. Calls block, and must come from one thread.
public final class FileReplacement {
    /// The temporary path of the new file.
    public var path: String { temporary.path }

    private let target: String
    private let old: OpenFile
    private let state: OpenFile.State
    private let temporary: TemporaryName
    private var output: OutputFile
    private var isDone = false

    /// Begins a replacement.
    ///
    /// - Parameters:
    ///   - file: The file to replace, open for reading.
    ///   - state: The state of the file before it was read; if it changes, nothing is replaced.
    /// - Throws: ``FileError`` if the file is missing or not writable, or if its folder can't hold another file.
    public init(of file: OpenFile, seenAs state: OpenFile.State) throws(FileError) {
        (old, self.state) = (file, state)
        guard let resolved = realpath(file.path, nil) else { throw .system("cannot find", file.path) }
        target = String(cString: resolved)
        free(resolved)
        guard access(target, W_OK) == 0 else { throw .system("cannot write to", file.path) }
        let folder = Durable.folder(of: target)
        guard access(folder, W_OK) == 0 else { throw .system("cannot write to the folder", folder) }
        temporary = TemporaryName(for: target)
        temporary.removeLeftovers()
        // Its owner's alone until it is complete and gets the old file's mode.
        output = OutputFile(try OpenFile(creating: temporary.path, mode: 0o600))
    }

    deinit { abandon() }

    /// The number of bytes appended.
    package var position: Int64 { output.position }

    /// Appends bytes.
    ///
    /// - Throws: ``FileError`` if writing fails.
    public func append(_ bytes: [UInt8]) throws(FileError) { try output.append(bytes) }

    /// Appends a part of another file, within the kernel if possible.
    package func append(_ range: Range<Int64>, of source: OpenFile) throws(FileError) {
        try output.append(
            FileExtent(offset: range.lowerBound, count: Int(range.upperBound - range.lowerBound)),
            of: source
        )
    }

    /// Syncs the appended bytes, so that the new file can be examined before it replaces the old one.
    ///
    /// - Throws: ``FileError`` if writing fails.
    public func finishWriting() throws(FileError) {
        try output.flush()
        // Set the owner first: changing it clears the setuid and setgid bits. A process that may not change the owner
        // keeps its own.
        let isOwned = fchown(output.file.descriptor, state.owner, state.group) == 0
        let mode = state.mode & (isOwned ? 0o7777 : 0o777)
        guard fchmod(output.file.descriptor, mode) == 0 else { throw .system("cannot set the mode of", path) }
        try output.file.sync()
    }

    /// Renames the new file to its final path.
    ///
    /// - Throws: ``FileError`` if the old file changed in the meantime, or renaming fails; the old file is then kept.
    public func commit() throws(FileError) {
        guard try OpenFile.State(path: target) == state, try old.state() == state else {
            let message = "\(PrintableText.quoted(old.path)) has changed; try again when nothing writes to it"
            throw FileError(old.path, message)
        }
        try Durable.rename(temporary.path, to: target)
        temporary.release()
        isDone = true
    }

    /// Discards the new file; does nothing after ``commit()``.
    public func abandon() {
        guard !isDone else { return }
        isDone = true
        temporary.remove()
    }
}
