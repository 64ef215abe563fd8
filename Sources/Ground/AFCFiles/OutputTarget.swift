import AFCPlatform
internal import AFCText

/// The place that a path names for a result: a file that appears whole, or a device, pipe or terminal that is written to.
///
/// Anything that exists and isn't a regular file is never replaced: it is opened and written to. A symbolic link is
/// followed and stays. Every output of the program goes through this type or ``OutputSink``.
public struct OutputTarget: Sendable {
    /// The path as it was given.
    public let path: String
    /// Indicates whether bytes go to a device, pipe or terminal, which has no state to keep or return to.
    public let isStream: Bool
    /// Indicates whether a regular file is there already.
    public let isReplacing: Bool
    /// The file behind all links; for a stream the path as given.
    package let file: String
    /// The number of this process's descriptor, where the path names one, as `/dev/stdout` does.
    private let descriptor: Int32?
    private let mode: mode_t?

    /// Examines what the path refers to.
    ///
    /// - Parameter path: The path; neither it nor its folder is changed.
    /// - Throws: ``FileError`` where it names a folder, or the folder that it would lie in doesn't exist.
    public init(_ path: String) throws(FileError) {
        self.path = path
        let end = try Self.follow(path)
        if let number = Self.descriptor(end) {
            (descriptor, file, mode, isStream, isReplacing) = (number, path, nil, true, false)
            return
        }
        descriptor = nil
        var status = stat()
        // The path, and not its end: the kernel follows some links that have no text.
        guard stat(path, &status) == 0 else {
            guard errno == ENOENT else { throw .system("cannot write to", path) }
            let folder = Durable.folder(of: end)
            guard !end.isEmpty, end.last != "/", Self.isFolder(folder) else {
                throw FileError(
                    path,
                    "there is no folder \(PrintableText.quoted(folder)); make it first"
                )
            }
            (file, mode, isStream, isReplacing) = (end, nil, false, false)
            return
        }
        switch status.st_mode & S_IFMT {
        case S_IFREG:
            (file, mode, isStream, isReplacing) = (end, status.st_mode & 0o777, false, true)
        case S_IFDIR:
            throw FileError(path, "this is a folder; name a file in it")
        default: (file, mode, isStream, isReplacing) = (path, nil, true, false)
        }
    }

    /// The folder for what is not finished yet: the file's own, or the system's for temporary files where bytes go to a
    /// stream.
    public var folder: String { isStream ? Self.temporaryFolder : Durable.folder(of: file) }

    /// The folder for what is not finished yet, of a path that need not be usable.
    ///
    /// - Parameter path: The path.
    /// - Returns: The folder; where the path can't be used, the one that it says.
    public static func folder(for path: String) -> String {
        // A later write to the path reports the error itself.
        (try? OutputTarget(path).folder) ?? Durable.folder(of: path)
    }

    /// A path for a draft, unpredictable to other users, so that none can put a link there.
    ///
    /// It is in ``folder``. Drafts of the same file that an ended process left behind are removed.
    ///
    /// - Parameter suffix: Says what it is.
    /// - Returns: The path.
    public func draft(_ suffix: String) -> String {
        guard !isStream else {
            return "\(folder)/.afcache-\(String(UInt64.random(in: .min ... .max), radix: 16)).\(suffix)"
        }
        let name = TemporaryName(for: file)
        name.removeLeftovers()
        return "\(name.path).\(suffix)"
    }

    /// Gives a finished file, which lies in ``folder``, its place: its name, or its bytes to the stream.
    ///
    /// - Parameter draft: The file; it is gone afterwards.
    /// - Throws: ``FileError`` where that fails; a file that was at the path is then as it was.
    public func put(_ draft: String) throws(FileError) {
        if isStream {
            let source = try OpenFile(reading: draft)
            let sink = try OutputSink(self)
            let size = try source.size()
            var offset: Int64 = 0
            while offset < size {
                let bytes = try source.bytes(Int(min(size - offset, 256 << 10)), at: offset)
                try bytes.span.bytes.withUnsafeBytes { bytes throws(FileError) in try sink.append(bytes) }
                offset += Int64(bytes.count)
            }
            try sink.finish()
            unlink(draft)
            return
        }
        // The new file keeps the mode of the old one, which only its owner may be able to read.
        if let mode, chmod(draft, mode) != 0 { throw .system("cannot set the mode of", draft) }
        try Durable.rename(draft, to: file)
    }

    /// Makes sure that the path can be written to, before hours are spent on what goes there.
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

    /// Follows the links at the end of a path, also to where nothing is yet.
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

    /// The descriptor of this process that a path stands for.
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

/// Takes the bytes of a result one after the other; a file appears under its name once all of it is written and synced.
///
/// It belongs to one thread; when it goes away unfinished, a file's bytes go, too. What went to a stream can't be taken
/// back.
public final class OutputSink {
    private let target: OutputTarget
    private let temporary: TemporaryName?
    private var descriptor: Int32

    /// Opens the stream, or a file beside the one that appears in the end.
    ///
    /// - Parameter target: Where the bytes go.
    /// - Throws: ``FileError`` where it can't be opened.
    public init(_ target: OutputTarget) throws(FileError) {
        self.target = target
        guard !target.isStream else {
            descriptor = try target.openStream()
            temporary = nil
            return
        }
        let temporary = TemporaryName(for: target.file)
        temporary.removeLeftovers()
        descriptor = open(temporary.path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o666)
        guard descriptor >= 0 else {
            temporary.release()
            throw .system("cannot make", target.path)
        }
        self.temporary = temporary
    }

    deinit { abandon() }

    /// The path as it was given.
    public var path: String { target.path }

    /// Appends bytes.
    ///
    /// - Throws: ``FileError`` where writing fails; also where nobody reads a pipe any more.
    public func append(_ bytes: UnsafeRawBufferPointer) throws(FileError) {
        guard Descriptor.append(bytes, to: descriptor) else { throw .system("cannot write to", target.path) }
    }

    /// Ends the output.
    ///
    /// - Throws: ``FileError``; a file that was at the path is then as it was.
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

    /// Throws away what was written; after ``finish()`` it does nothing.
    public func abandon() {
        guard descriptor >= 0 else { return }
        close(descriptor)
        descriptor = -1
        temporary?.remove()
    }
}
