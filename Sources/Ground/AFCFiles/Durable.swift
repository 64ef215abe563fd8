#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// What it takes until a change survives a power cut.
public enum Durable {
    /// Writes what the system still holds of a file, or of a folder's names, to the disk.
    ///
    /// - Throws: ``FileError`` where the path can't be opened or synced.
    public static func sync(path: String) throws(FileError) {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw .system("cannot open", path) }
        defer { close(descriptor) }
        #if canImport(Darwin)
        if fcntl(descriptor, F_FULLFSYNC) == 0 { return }
        #endif
        guard fsync(descriptor) == 0 else { throw .system("cannot sync", path) }
    }

    /// Renames, and makes the new name durable.
    ///
    /// - Throws: ``FileError`` where that fails.
    public static func rename(_ old: String, to new: String) throws(FileError) {
        guard systemRename(old, new) == 0 else { throw .system("cannot rename to", new) }
        try sync(path: folder(of: new))
    }

    /// The folder that a path lies in.
    public static func folder(of path: String) -> String {
        guard let slash = path.lastIndex(of: "/") else { return "." }
        return slash == path.startIndex ? "/" : String(path[..<slash])
    }
}

/// Within the type `rename` means its own.
private func systemRename(_ old: String, _ new: String) -> Int32 { rename(old, new) }
