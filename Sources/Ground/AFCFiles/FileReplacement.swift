import AFCPlatform
internal import AFCText

/// A file that takes another's place: written beside it, made durable, and renamed over it.
///
/// What is at the path stays as it is until ``commit()``. Mode and owner are the old file's, as far as the system lets; a
/// symbolic link stays, and what it leads to is replaced. It blocks, and belongs to one thread.
public final class FileReplacement {
    /// Where the new file is until it takes its place.
    public var path: String { temporary.path }

    private let target: String
    private let old: OpenFile
    private let state: OpenFile.State
    private let temporary: TemporaryName
    private var output: OutputFile
    private var isDone = false

    /// Begins.
    ///
    /// - Parameters:
    ///   - file: The file to be replaced, open for reading.
    ///   - state: What it was before it was read; where it is something else in the end, nothing is replaced.
    /// - Throws: ``FileError`` where the file is gone or may not be written to, or its folder can't hold another one.
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
        output = OutputFile(try OpenFile(creating: temporary.path))
    }

    deinit { abandon() }

    /// How many bytes were appended.
    package var position: Int64 { output.position }

    /// Appends bytes.
    ///
    /// - Throws: ``FileError`` where writing fails.
    public func append(_ bytes: [UInt8]) throws(FileError) { try output.append(bytes) }

    /// Appends a part of another file, within the kernel where that can be.
    package func append(_ range: Range<Int64>, of source: OpenFile) throws(FileError) {
        try output.append(
            FileExtent(offset: range.lowerBound, count: Int(range.upperBound - range.lowerBound)),
            of: source
        )
    }

    /// Makes what was appended durable, so that it can be looked at before it takes its place.
    ///
    /// - Throws: ``FileError`` where writing fails.
    public func finishWriting() throws(FileError) {
        try output.flush()
        // The owner first: a change of it takes the bits away that let a program run as its owner. Whoever may not give files
        // away keeps this one.
        let isOwned = fchown(output.file.descriptor, state.owner, state.group) == 0
        let mode = state.mode & (isOwned ? 0o7777 : 0o777)
        guard fchmod(output.file.descriptor, mode) == 0 else { throw .system("cannot set the mode of", path) }
        try output.file.sync()
    }

    /// Puts the file in its place.
    ///
    /// - Throws: ``FileError`` where the old file is another one meanwhile, or renaming fails; the old file then stays.
    public func commit() throws(FileError) {
        guard try OpenFile.State(path: target) == state, try old.state() == state else {
            let message = "\(PrintableText.quoted(old.path)) changed meanwhile; try again when nothing writes to it"
            throw FileError(old.path, message)
        }
        try Durable.rename(temporary.path, to: target)
        temporary.release()
        isDone = true
    }

    /// Throws away what was written; after ``commit()`` it does nothing.
    public func abandon() {
        guard !isDone else { return }
        isDone = true
        temporary.remove()
    }
}
