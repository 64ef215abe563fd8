internal import CPlatform

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// Folders of the store.
enum Folders {
    /// Makes a folder, and those above it, where they aren't there.
    static func make(_ path: String) throws(CacheError) {
        if mkdir(path, 0o755) == 0 || errno == EEXIST { return }
        guard errno == ENOENT, let slash = path.lastIndex(of: "/"), slash != path.startIndex else {
            throw .system("cannot make the folder", path: path)
        }
        try make(String(path[..<slash]))
        guard mkdir(path, 0o755) == 0 || errno == EEXIST else { throw .system("cannot make the folder", path: path) }
    }

    /// The names in a folder; empty where it can't be read.
    static func names(in path: String) -> [String] {
        guard let stream = opendir(path) else { return [] }
        defer { closedir(stream) }
        var names: [String] = []
        while let entry = readdir(stream) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) { pointer in
                pointer.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
            }
            if name != ".", name != ".." { names.append(name) }
        }
        return names
    }

    /// Removes a folder with all that is in it; links are removed, never followed.
    ///
    /// - Throws: ``CacheError`` with the first path that can't be removed.
    static func remove(_ path: String) throws(CacheError) {
        var status = stat()
        guard lstat(path, &status) == 0 else {
            if errno == ENOENT { return }
            throw .system("cannot look at", path: path)
        }
        guard status.st_mode & S_IFMT == S_IFDIR else {
            guard unlink(path) == 0 else { throw .system("cannot remove", path: path) }
            return
        }
        for name in names(in: path) { try remove(path + "/" + name) }
        guard rmdir(path) == 0 else { throw .system("cannot remove", path: path) }
    }

    /// The bytes that a folder takes on the disk, a file with several names counted once.
    static func usage(_ path: String) -> Int64 {
        var seen: Set<UInt64> = []
        return usage(path, &seen)
    }

    private static func usage(_ path: String, _ seen: inout Set<UInt64>) -> Int64 {
        var status = stat()
        guard lstat(path, &status) == 0 else { return 0 }
        if status.st_nlink > 1, status.st_mode & S_IFMT != S_IFDIR, !seen.insert(UInt64(status.st_ino)).inserted {
            return 0
        }
        var bytes = Int64(status.st_blocks) * 512
        guard status.st_mode & S_IFMT == S_IFDIR else { return bytes }
        for name in names(in: path) { bytes += usage(path + "/" + name, &seen) }
        return bytes
    }

    /// Writes everything that was written below a folder to the disk.
    ///
    /// On Linux one call syncs the file system and reports errors (since 5.8); elsewhere each file is synced.
    static func sync(_ path: String) throws(CacheError) {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw .system("cannot open", path: path) }
        defer { close(descriptor) }
        #if os(Linux)
        guard syncfs(descriptor) == 0 else { throw .system("cannot sync", path: path) }
        #else
        for name in names(in: path) { try syncEach(path + "/" + name) }
        guard fsync(descriptor) == 0 else { throw .system("cannot sync", path: path) }
        #endif
    }

    /// Writes the names in a folder to the disk.
    static func syncNames(_ path: String) throws(CacheError) {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw .system("cannot open", path: path) }
        defer { close(descriptor) }
        guard fsync(descriptor) == 0 else { throw .system("cannot sync", path: path) }
    }

    #if !os(Linux)
    private static func syncEach(_ path: String) throws(CacheError) {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW)
        guard descriptor >= 0 else { throw .system("cannot open", path: path) }
        defer { close(descriptor) }
        for name in names(in: path) { try syncEach(path + "/" + name) }
        guard fsync(descriptor) == 0 else { throw .system("cannot sync", path: path) }
    }
    #endif
}
