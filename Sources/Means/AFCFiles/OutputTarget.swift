import AFCPlatform
internal import AFCText

/// The target of a result, given by a path: a file that appears as a whole, or a device, pipe or terminal.
///
/// Anything that exists and isn't a regular file is opened and written to, never replaced. A symbolic link is followed
/// and kept. Every output of the program goes through this type or ``OutputSink``.
public struct OutputTarget: Sendable {
    /// The path as given.
    public let path: String
    /// True if the bytes go to a device, pipe or terminal, which has no previous state to keep or restore.
    public let isStream: Bool
    /// True if the target is an existing regular file.
    public let isReplacing: Bool
    /// The path of the file after following all links; for a stream, the path as given.
    package let file: String
    /// The number of this process's descriptor, if the path names one, as `/dev/stdout` does.
    private let descriptor: Int32?
    private let mode: mode_t?

    /// Examines a path.
    ///
    /// - Parameter path: The path; neither it nor its folder is changed.
    /// - Throws: ``FileError`` if the path is a folder or a private key, or if the folder that should contain it doesn't
    ///   exist.
    public init(_ path: String) throws(FileError) {
        self.path = path
        let end = try Self.follow(path)
        if let number = Self.descriptor(end) {
            (descriptor, file, mode, isStream, isReplacing) = (number, path, nil, true, false)
            return
        }
        descriptor = nil
        var status = stat()
        // Ask for the path rather than for its target: the kernel follows some links that have no text.
        guard stat(path, &status) == 0 else {
            guard errno == ENOENT else { throw .system("cannot write to", path) }
            let folder = Durable.folder(of: end)
            guard !end.isEmpty, end.last != "/", Self.isFolder(folder) else {
                throw FileError(
                    path,
                    "there is no folder \(PrintableText.quoted(folder)); create it first"
                )
            }
            (file, mode, isStream, isReplacing) = (end, nil, false, false)
            return
        }
        switch status.st_mode & S_IFMT {
        case S_IFREG:
            guard !Self.isPrivateKey(end) else {
                throw FileError(path, "the file has a private key, which is never replaced; name another file")
            }
            (file, mode, isStream, isReplacing) = (end, status.st_mode & 0o777, false, true)
        case S_IFDIR:
            throw FileError(path, "this is a folder; name a file in it")
        default: (file, mode, isStream, isReplacing) = (path, nil, true, false)
        }
    }

    private static func isPrivateKey(_ path: String) -> Bool {
        // What can't be read is reported by whoever needs it.
        guard let file = try? OpenFile(reading: path), let size = try? file.size(),
            let beginning = try? file.beginning(Int(min(size, Int64(PrivateKeyFile.beginning))))
        else { return false }
        return beginning.withUnsafeBytes(PrivateKeyFile.isBeginning)
    }

    /// The folder for unfinished files: the file's own folder or, for a stream, the system's folder for temporary
    /// files.
    public var folder: String { isStream ? Self.temporaryFolder : Durable.folder(of: file) }

    /// Returns the folder for unfinished files of a path that may be unusable.
    ///
    /// - Parameter path: The path.
    /// - Returns: The folder; if the path can't be used, the folder in its text.
    public static func folder(for path: String) -> String {
        // Writing to the path later reports the error.
        (try? OutputTarget(path).folder) ?? Durable.folder(of: path)
    }

    /// The mode with which a draft is created.
    ///
    /// Nobody else may read what will replace a file, which perhaps only its owner may read, or go to a stream; the
    /// file's own mode is set when it is complete.
    package var draftMode: UInt32 { isReplacing || isStream ? 0o600 : 0o666 }

    /// Returns a path for a draft, which other users can't predict, so that none can put a link there.
    ///
    /// It is in ``folder``. Drafts of the same file left by dead processes are removed.
    ///
    /// - Parameter suffix: The suffix of the name, which says what the file is.
    /// - Returns: The path of the draft.
    public func draft(_ suffix: String) -> String {
        guard !isStream else {
            return "\(folder)/.afcache-\(String(UInt64.random(in: .min ... .max), radix: 16)).\(suffix)"
        }
        let name = TemporaryName(for: file)
        name.removeLeftovers()
        return "\(name.path).\(suffix)"
    }

    /// Moves a finished file from ``folder`` to its place: renames it, or writes its bytes to the stream.
    ///
    /// - Parameter draft: The path of the finished file, which is gone afterwards.
    /// - Throws: ``FileError`` if that fails; an existing file at the path is then unchanged.
    public func put(_ draft: String) throws(FileError) {
        if isStream {
            let source = try OpenFile(reading: draft)
            let sink = try OutputSink(self)
            try sink.append(contentsOf: source)
            try sink.finish()
            unlink(draft)
            return
        }
        // Keep the old file's mode, which may permit only its owner to read it.
        if let mode, chmod(draft, mode) != 0 { throw .system("cannot set the mode of", draft) }
        try Durable.rename(draft, to: file)
    }

    /// Throws unless the path can be written to, so that long work fails early.
    ///
    /// - Throws: ``FileError``.
    public func requireWritable() throws(FileError) {
        if isStream {
            guard descriptor != nil || access(path, W_OK) == 0 else { throw .system("cannot write to", path) }
        } else {
            guard access(folder, W_OK | X_OK) == 0 else { throw .system("cannot write to the folder", folder) }
        }
    }

    /// Opens the stream.
    func openStream() throws(FileError) -> Int32 {
        let opened =
            if let descriptor { fcntl(descriptor, F_DUPFD_CLOEXEC, 3) } else {
                open(path, O_WRONLY | O_CLOEXEC | O_NOCTTY)
            }
        guard opened >= 0 else { throw .system("cannot open", path) }
        return opened
    }

    /// The system's folder for temporary files.
    public static var temporaryFolder: String {
        guard let name = getenv("TMPDIR") else { return "/tmp" }
        let folder = String(cString: name)
        return folder.isEmpty ? "/tmp" : folder
    }

    private static func isFolder(_ path: String) -> Bool {
        var status = stat()
        return stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
    }

    /// Follows the links at the end of a path, even if their target doesn't exist.
    private static func follow(_ path: String) throws(FileError) -> String {
        var end = path
        for _ in 0..<40 {
            guard descriptor(end) == nil else { return end }
            var text = [UInt8](repeating: 0, count: 4096)
            let count = text.withUnsafeMutableBytes { bytes in
                bytes.withMemoryRebound(to: CChar.self) { text in
                    text.baseAddress.map { readlink(end, $0, text.count) } ?? -1
                }
            }
            guard count > 0 else { return end }
            let target = String(decoding: text[..<count], as: UTF8.self)
            end = target.hasPrefix("/") ? target : Durable.folder(of: end) + "/" + target
        }
        throw .system("cannot write to", path, number: ELOOP)
    }

    /// Returns the descriptor of this process that a path stands for.
    private static func descriptor(_ path: String) -> Int32? {
        switch path {
        case "/dev/stdout": return STDOUT_FILENO
        case "/dev/stderr": return STDERR_FILENO
        default:
            for folder in ["/dev/fd/", "/proc/self/fd/", "/proc/\(getpid())/fd/"] where path.hasPrefix(folder) {
                return Int32(path.dropFirst(folder.count))
            }
            return nil
        }
    }
}

/// Writes a result sequentially.
///
/// A file appears under its name once it is completely written and synced.
///
/// Calls must come from one thread. If the value is released before ``finish()``, an unfinished file is removed, but
/// bytes sent to a stream can't be undone.
public final class OutputSink {
    private let target: OutputTarget
    private let temporary: TemporaryName?
    private var descriptor: Int32

    /// Opens the stream, or a temporary file next to the final one.
    ///
    /// - Parameter target: The target of the bytes.
    /// - Throws: ``FileError`` if it can't be opened.
    public init(_ target: OutputTarget) throws(FileError) {
        self.target = target
        guard !target.isStream else {
            descriptor = try target.openStream()
            temporary = nil
            return
        }
        let temporary = TemporaryName(for: target.file)
        temporary.removeLeftovers()
        let flags = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC
        descriptor = open(temporary.path, flags, mode_t(target.draftMode))
        guard descriptor >= 0 else {
            temporary.release()
            throw .system("cannot create", target.path)
        }
        self.temporary = temporary
    }

    deinit { abandon() }

    /// The path as given.
    public var path: String { target.path }

    /// Appends bytes.
    ///
    /// - Throws: ``FileError`` if writing fails, for example because the reader of a pipe has closed it.
    public func append(_ bytes: UnsafeRawBufferPointer) throws(FileError) {
        guard Descriptor.append(bytes, to: descriptor) else { throw .system("cannot write to", target.path) }
    }

    /// Appends a whole file.
    ///
    /// - Parameter source: The file.
    /// - Throws: ``FileError`` if it can't be read or written.
    package func append(contentsOf source: OpenFile) throws(FileError) {
        let size = try source.size()
        var offset: Int64 = 0
        while offset < size {
            let bytes = try source.bytes(Int(min(size - offset, 256 << 10)), at: offset)
            try bytes.span.bytes.withUnsafeBytes { bytes throws(FileError) in try append(bytes) }
            offset += Int64(bytes.count)
        }
    }

    /// Completes the output.
    ///
    /// - Throws: ``FileError``; an existing file at the path is then unchanged.
    public func finish() throws(FileError) {
        guard let temporary else {
            defer { descriptor = -1 }
            guard close(descriptor) == 0 else { throw .system("cannot write to", target.path) }
            return
        }
        guard fsync(descriptor) == 0 else { throw .system("cannot write to", target.path) }
        try target.put(temporary.path)
        temporary.release()
        close(descriptor)
        descriptor = -1
    }

    /// Discards what was written; does nothing after ``finish()``.
    public func abandon() {
        guard descriptor >= 0 else { return }
        close(descriptor)
        descriptor = -1
        temporary?.remove()
    }
}
