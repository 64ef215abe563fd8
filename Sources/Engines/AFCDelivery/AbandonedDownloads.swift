internal import AFCFiles
public import AFCHTTP
import AFCPlatform

/// Partial downloads that were never resumed.
public enum AbandonedDownloads {
    /// Removes partial downloads that weren't resumed for some time or can't be resumed, except those in progress, and
    /// packages that killed processes were making from patches.
    ///
    /// - Parameters:
    ///   - folder: The folder for partial downloads; it need not exist.
    ///   - time: Downloads that were written to since this time, and can be resumed, are kept.
    /// - Returns: The number of downloads removed, and the bytes they took on the disk.
    public static func remove(from folder: String, unchangedSince time: Timestamp) -> (count: Int, bytes: Int64) {
        var status = stat()
        guard lstat(folder, &status) == 0, status.st_mode & S_IFMT == S_IFDIR else { return (0, 0) }
        var removed = TemporaryFolder.removeLeftovers(of: patchUse, in: folder)
        for name in names(in: folder) where name.hasSuffix(".lock") {
            let own = name.dropLast(".lock".count)
            // Only names that downloads have are ours: the digest of a URL.
            guard own.utf8.count == 32, own.allSatisfy(\.isHexDigit) else { continue }
            let base = "\(folder)/\(own)"
            guard let lock = DownloadLock.existing(base + ".lock") else { continue }
            let isThere = lstat(base + ".part", &status) == 0
            guard !isThere || status.modified < time || !PartialFile.isResumable(base) else { continue }
            for suffix in [".json.tmp", ".json", ".part"] { unlink(base + suffix) }
            lock.remove()
            if isThere {
                removed.count += 1
                removed.bytes += Int64(status.st_blocks) * 512
            }
        }
        return removed
    }

    /// The use of the temporary folders, beside partial downloads, in which packages are made from patches.
    package static let patchUse = "patch"

    private static func names(in folder: String) -> [String] {
        guard let stream = opendir(folder) else { return [] }
        defer { closedir(stream) }
        var names: [String] = []
        while let entry = readdir(stream) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) { pointer in
                pointer.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
            }
            names.append(name)
        }
        return names
    }
}

extension stat {
    fileprivate var modified: Timestamp {
        #if canImport(Darwin)
        Timestamp(secondsSinceEpoch: Int64(st_mtimespec.tv_sec))
        #else
        Timestamp(secondsSinceEpoch: Int64(st_mtim.tv_sec))
        #endif
    }
}
