import AFCPlatform

/// Changes of files that survive a power failure.
public enum Durable {
    /// Syncs a file's bytes, or a folder's names, to disk.
    ///
    /// - Throws: ``FileError`` if the path can't be opened or synced.
    public static func sync(path: String) throws(FileError) {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw .system("cannot open", path) }
        defer { close(descriptor) }
        guard Descriptor.sync(descriptor) else { throw .system("cannot sync", path) }
    }

    /// Renames a file and syncs its new name.
    ///
    /// - Throws: ``FileError`` if that fails.
    public static func rename(_ old: String, to new: String) throws(FileError) {
        guard systemRename(old, new) == 0 else { throw .system("cannot rename to", new) }
        try sync(path: folder(of: new))
    }

    /// Creates or replaces a file as a whole.
    ///
    /// The bytes are written and synced in another file, which has the mode from the start, and is then renamed. The
    /// new name is synced when this returns.
    ///
    /// - Parameters:
    ///   - bytes: The contents of the file.
    ///   - path: The file.
    ///   - mode: The mode of the file, regardless of the process's umask.
    ///   - isReplacing: Whether to replace an existing file; otherwise the name must be free.
    /// - Throws: ``FileError``, with the number `EEXIST` if the name is taken; an existing file is then unchanged.
    package static func write(_ bytes: [UInt8], to path: String, mode: UInt32, replacing isReplacing: Bool)
        throws(FileError)
    {
        let temporary = TemporaryName(for: path)
        var isRenamed = false
        defer { if isRenamed { temporary.release() } else { temporary.remove() } }
        let file = try OpenFile(creating: temporary.path, mode: mode)
        try bytes.span.bytes.withUnsafeBytes { bytes throws(FileError) in try file.write(bytes, at: 0) }
        // The process's umask may have removed bits from the mode; it never adds any.
        guard fchmod(file.descriptor, mode_t(mode)) == 0 else { throw .system("cannot set the mode of", path) }
        try file.sync()
        if isReplacing {
            try rename(temporary.path, to: path)
            isRenamed = true
        } else {
            // Unlike rename, link never replaces a file that another process has created in the meantime.
            guard link(temporary.path, path) == 0 else { throw .system("cannot create", path) }
            try sync(path: folder(of: path))
        }
    }

    /// Returns the last part of a path.
    package static func name(of path: String) -> String {
        path.lastIndex(of: "/").map { String(path[path.index(after: $0)...]) } ?? path
    }

    /// Returns the folder that contains a path.
    public static func folder(of path: String) -> String {
        guard let slash = path.lastIndex(of: "/") else { return "." }
        return slash == path.startIndex ? "/" : String(path[..<slash])
    }
}

/// Calls the system's `rename`, which the type's own function hides.
private func systemRename(_ old: String, _ new: String) -> Int32 { rename(old, new) }
