internal import AFCFiles
import AFCPlatform
internal import AFCText

/// Writes an archive: deflated on several threads, synced to disk, and byte for byte the same for the same input.
public enum ZipWriter {
    /// Options for writing an archive.
    public struct Options: Sendable {
        /// The time of each member, in seconds since 1970.
        ///
        /// MS-DOS times range from 1980 to 2107.
        public var modified: Int64 = 315_532_800
        /// zlib's level, 1 to 9.
        public var level: Int32 = 6
        /// The password that encrypts all members with AES-256, or nil.
        ///
        /// An encrypted archive differs each time.
        public var password: Password?
        /// The number of threads that deflate, or nil for one per processor.
        public var workers: Int?

        /// Creates the default options.
        public init() {}
    }

    /// Writes an archive and replaces the file at the path, which stays unchanged after an error.
    ///
    /// - Parameters:
    ///   - path: The archive's path.
    ///   - members: The members to write, in this order.
    ///   - options: The options for writing.
    /// - Returns: The archive's size in bytes.
    /// - Throws: ``ZipError``.
    public static func write(to path: String, members: [NewMember], options: Options = Options()) async throws(ZipError)
        -> Int64
    {
        let flag = CancellationFlag()
        let result: Result<Int64, ZipError> = await withTaskCancellationHandler {
            do throws(ZipError) {
                let size = try await OffPool.run { () throws(ZipError) in
                    try write(members, to: ZipOutput(to: path, options: options, cancellation: flag))
                }
                return .success(size)
            } catch {
                return .failure(error)
            }
        } onCancel: {
            flag.cancel()
        }
        return try result.get()
    }

    private static func write(_ members: [NewMember], to output: ZipOutput) throws(ZipError) -> Int64 {
        var names: Set<String> = []
        for member in members {
            guard names.insert(member.name).inserted else {
                let message = "cannot add \(PrintableText.quoted(member.name)): the archive already has that name"
                throw ZipError(inputOutput: message)
            }
            try output.add(member)
        }
        return try output.finish()
    }

    /// Returns date and time as MS-DOS writes them, in UTC, so that they don't depend on the machine's time zone.
    static func dosDateTime(_ seconds: Int64) -> (date: UInt16, time: UInt16) {
        var clock = time_t(min(max(seconds, 315_532_800), 4_354_819_198))
        var parts = tm()
        gmtime_r(&clock, &parts)
        let date = (parts.tm_year - 80) << 9 | (parts.tm_mon + 1) << 5 | parts.tm_mday
        let time = parts.tm_hour << 11 | parts.tm_min << 5 | min(parts.tm_sec, 59) / 2
        return (UInt16(date), UInt16(time))
    }
}
