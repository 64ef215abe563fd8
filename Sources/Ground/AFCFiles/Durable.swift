import AFCPlatform

/// What it takes until a change survives a power cut.
public enum Durable {
    /// Writes what the system still holds of a file, or of a folder's names, to the disk.
    ///
    /// - Throws: ``FileError`` where the path can't be opened or synced.
    public static func sync(path: String) throws(FileError) {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw .system("cannot open", path) }
        defer { close(descriptor) }
        guard Descriptor.sync(descriptor) else { throw .system("cannot sync", path) }
    }

    /// Renames, and makes the new name durable.
    ///
    /// - Throws: ``FileError`` where that fails.
    public static func rename(_ old: String, to new: String) throws(FileError) {
        guard systemRename(old, new) == 0 else { throw .system("cannot rename to", new) }
        try sync(path: folder(of: new))
    }

    /// Makes a file of its bytes, or replaces one as a whole: it is written and synced beside, with its mode from the first
    /// moment on, and then gets its name, which is durable when this returns.
    ///
    /// - Parameters:
    ///   - bytes: What it holds afterwards.
    ///   - path: The file.
    ///   - mode: Its mode, whatever the process's mask.
    ///   - isReplacing: Whether it takes the place of a file; else the name must be free.
    /// - Throws: ``FileError``, with the number `EEXIST` where the name is taken; a file that was there is then as it was.
    package static func write(_ bytes: [UInt8], to path: String, mode: UInt32, replacing isReplacing: Bool)
        throws(FileError)
    {
        let aside = path + ".\(String(UInt64.random(in: .min ... .max), radix: 16)).new"
        let flags = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW
        guard let descriptor = Descriptor.open(aside, flags, mode: mode) else {
            throw .system("cannot make", aside)
        }
        var isAside = true
        defer { if isAside { unlink(aside) } }
        // The mask of the process may have taken bits of the mode away; it never adds any.
        guard bytes.withUnsafeBytes({ Descriptor.append($0, to: descriptor) }), fchmod(descriptor, mode_t(mode)) == 0,
            Descriptor.sync(descriptor)
        else {
            defer { close(descriptor) }
            throw .system("cannot write", path)
        }
        guard close(descriptor) == 0 else { throw .system("cannot write", path) }
        if isReplacing {
            guard systemRename(aside, path) == 0 else { throw .system("cannot replace", path) }
            isAside = false
        } else {
            // Unlike a renaming, a link never replaces what another process has put there meanwhile.
            guard link(aside, path) == 0 else { throw .system("cannot make", path) }
        }
        try sync(path: folder(of: path))
    }

    /// The folder that a path lies in.
    public static func folder(of path: String) -> String {
        guard let slash = path.lastIndex(of: "/") else { return "." }
        return slash == path.startIndex ? "/" : String(path[..<slash])
    }
}

/// Within the type `rename` means its own.
private func systemRename(_ old: String, _ new: String) -> Int32 { rename(old, new) }
