internal import AFCFiles
import AFCPlatform

/// A few files of random bytes in the cache's folder that are removed when the disk is full, so that deletions are
/// possible.
///
/// Deleting needs space before it frees any: the catalogue and its copy are written next to the old ones, and SQLite
/// writes a log for received responses. So the reserve grows with the catalogue.
enum DiskReserve {
    private static let count = 4
    private static let smallest: Int64 = 32 << 10

    /// Returns the largest size of each file, in bytes: 256 KiB, or that of a larger catalogue.
    private static func largest(_ layout: CacheLayout) -> Int64 {
        var status = stat()
        guard lstat(layout.catalogue, &status) == 0 else { return 256 << 10 }
        return max(256 << 10, (min(Int64(status.st_size), Int64(CatalogueFile.byteLimit)) + 4095) / 4096 * 4096)
    }

    /// Removes the reserve if little other space is free.
    static func releaseWhereScarce(_ layout: CacheLayout) {
        guard isScarce(layout) else { return }
        release(layout)
    }

    /// Creates missing files of the reserve, using at most half of the free space.
    static func make(_ layout: CacheLayout) {
        guard let folder = folder(layout) else { return }
        let largest = largest(layout)
        // A file that is much too small is replaced, if there is room for a larger one.
        func isSmall(_ name: String) -> Bool {
            let found = (try? folder.status(of: name)) ?? nil
            return found.map { Int64($0.st_size) <= largest / 2 } ?? true
        }
        let missing = (0..<count).filter { isSmall(String($0)) }
        guard !missing.isEmpty, let free = free(layout).bytes else { return }
        let size = min(largest, free / 8 / 4096 * 4096)
        guard size >= smallest else { return }
        for number in missing {
            let found = (try? folder.status(of: String(number))) ?? nil
            if let found, Int64(found.st_size) < size { unlinkat(folder.descriptor, String(number), 0) }
        }
        var generator = SystemRandomNumberGenerator()
        // Random bytes, since some file systems store zeros without using space.
        let noise = (0..<(size / 8)).map { _ in generator.next() as UInt64 }
        for number in missing where folder.kind(of: String(number)) == nil {
            guard write(noise, to: String(number), in: folder) else { return }
        }
    }

    private static func release(_ layout: CacheLayout) {
        guard let folder = folder(layout) else { return }
        for number in 0..<count { unlinkat(folder.descriptor, String(number), 0) }
    }

    /// Opens the folder, creating it if necessary; nil if that fails, or if something else is in its place.
    ///
    /// A cache works without a reserve, and reports a full disk. A link to another place is never followed.
    private static func folder(_ layout: CacheLayout) -> OpenFolder? {
        guard let root = try? OpenFolder(path: layout.root), root.isOwn else { return nil }
        guard mkdirat(root.descriptor, CacheLayout.reserveName, 0o700) == 0 || errno == EEXIST,
            let folder = try? root.folder(CacheLayout.reserveName), folder.isOwn
        else { return nil }
        return folder
    }

    /// Returns true if a change may find no room, according to the disk's free space and a trial write, which reveals
    /// quotas.
    private static func isScarce(_ layout: CacheLayout) -> Bool {
        let (free, largest) = (free(layout), largest(layout))
        if let bytes = free.bytes, bytes < largest * 4 { return true }
        if let files = free.files, files < 16 { return true }
        guard let folder = folder(layout) else { return true }
        let probe = OwnName.temporary()
        defer { unlinkat(folder.descriptor, probe, 0) }
        return !write([UInt64](repeating: 0x5A5A, count: Int(largest / 8)), to: probe, in: folder)
    }

    private static func free(_ layout: CacheLayout) -> (bytes: Int64?, files: Int64?) {
        var status = statvfs()
        guard statvfs(layout.root, &status) == 0, status.f_blocks > 0 else { return (nil, nil) }
        let (bytes, isMore) = Int64(clamping: status.f_bavail)
            .multipliedReportingOverflow(by: Int64(clamping: status.f_frsize))
        // Some file systems don't count files.
        return (isMore ? .max : bytes, status.f_files > 0 ? Int64(clamping: status.f_favail) : nil)
    }

    private static func write(_ noise: [UInt64], to name: String, in folder: OpenFolder) -> Bool {
        let descriptor = openat(folder.descriptor, name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { return false }
        defer { close(descriptor) }
        let isWritten = noise.withUnsafeBytes { Descriptor.append($0, to: descriptor) }
        if !isWritten { unlinkat(folder.descriptor, name, 0) }
        return isWritten
    }
}
