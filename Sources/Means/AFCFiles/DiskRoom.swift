import AFCPlatform

/// The room for writes on a disk: its free space minus a reserve.
///
/// A full disk keeps every program from working, and may even prevent removing files. The program's bulk writes (bodies
/// and downloads) therefore keep a twentieth of the disk free, but at most 16 MiB.
public struct DiskRoom: Sendable {
    /// The maximum size of the reserve, in bytes.
    public static let largestReserve: Int64 = 16 << 20
    /// The number of bytes that may be written before the system is asked again.
    private static let interval: Int64 = 1 << 20

    private var unasked: Int64 = 0

    /// Creates the value for one file.
    public init() {}

    /// Counts bytes that are about to be written, and asks the system from time to time.
    ///
    /// - Parameters:
    ///   - count: The number of bytes.
    ///   - descriptor: The file.
    /// - Returns: False if the bytes would use the reserve.
    public mutating func admits(_ count: Int, to descriptor: Int32) -> Bool {
        unasked -= Int64(count)
        guard unasked < 0 else { return true }
        unasked = Self.interval
        guard let free = Self.available(descriptor) else { return true }
        unasked = min(Self.interval, free / 4)
        return free >= Int64(count)
    }

    /// Returns the number of bytes that may be written to the disk of a file; nil if the system doesn't say.
    public static func available(_ descriptor: Int32) -> Int64? {
        var status = statvfs()
        guard fstatvfs(descriptor, &status) == 0, status.f_blocks > 0 else { return nil }
        let block = Int64(clamping: status.f_frsize)
        func bytes(_ blocks: Int64) -> Int64 {
            let (product, isMore) = blocks.multipliedReportingOverflow(by: block)
            return isMore ? .max : product
        }
        let reserve = min(largestReserve, bytes(Int64(clamping: status.f_blocks)) / 20)
        return max(0, bytes(Int64(clamping: status.f_bavail)) - reserve)
    }
}
