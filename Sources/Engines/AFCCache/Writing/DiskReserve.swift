internal import AFCFiles
import AFCPlatform

/// A few files of noise in the cache's folder that are given up when the disk is full, so that things can be removed.
///
/// Removing needs space before it frees any: SQLite writes a log, and the catalogue is written beside the old one.
enum DiskReserve {
    private static let count = 4
    private static let largest: Int64 = 256 << 10
    private static let smallest: Int64 = 32 << 10

    /// Gives the reserve up where little else is free.
    static func releaseWhereScarce(_ layout: CacheLayout) {
        guard isScarce(layout) else { return }
        release(layout)
    }

    /// Makes what is missing of the reserve, at most half of what is free.
    static func make(_ layout: CacheLayout) {
        guard let folder = folder(layout) else { return }
        let missing = (0..<count).filter { folder.kind(of: String($0)) == nil }
        guard !missing.isEmpty, let free = free(layout).bytes else { return }
        let size = min(largest, free / 8 / 4096 * 4096)
        guard size >= smallest else { return }
        var generator = SystemRandomNumberGenerator()
        // Noise, since some file systems make nothing of zeros.
        let noise = (0..<(size / 8)).map { _ in generator.next() as UInt64 }
        for number in missing where !write(noise, to: String(number), in: folder) { return }
    }

    private static func release(_ layout: CacheLayout) {
        guard let folder = folder(layout) else { return }
        for number in 0..<count { unlinkat(folder.descriptor, String(number), 0) }
    }

    /// Opens the folder, which is made where it is missing; nil where it can't be, or something else is in its place.
    ///
    /// Without a reserve a cache works, and on a full disk it says so; a link that leads elsewhere is never followed.
    private static func folder(_ layout: CacheLayout) -> OpenFolder? {
        guard let root = try? OpenFolder(path: layout.root), root.isOwn else { return nil }
        guard mkdirat(root.descriptor, CacheLayout.reserveName, 0o700) == 0 || errno == EEXIST,
            let folder = try? root.folder(CacheLayout.reserveName), folder.isOwn
        else { return nil }
        return folder
    }

    /// Whether what a change writes may find no room: by what the disk says, and by trying, as a quota is seen only so.
    private static func isScarce(_ layout: CacheLayout) -> Bool {
        let free = free(layout)
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
        // Some file systems count no files.
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
