internal import CLibzip

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// Writes an archive: deflated on several threads, put together by libzip, durable, and the same bytes for the same input.
public enum ZipWriter {
    /// How to write.
    public struct Options: Sendable {
        /// The time of each member, in seconds since 1970; MS-DOS times reach from 1980 to 2107.
        public var modified: Int64 = 315_532_800
        /// zlib's level, 1 to 9.
        public var level: Int32 = 6
        /// What encrypts all members with AES-256, or nil for none; the archive then differs each time.
        public var password: Password?
        /// How many threads deflate, or nil for one each processor.
        public var workers: Int?

        /// The defaults.
        public init() {}
    }

    /// Writes an archive in the place of whatever is at the path, which stays as it was on any error.
    ///
    /// - Parameters:
    ///   - path: The archive's path.
    ///   - members: What to write, in this order.
    ///   - options: How to write.
    /// - Returns: The archive's size in bytes.
    /// - Throws: ``ZipError``.
    public static func write(to path: String, members: [NewMember], options: Options = Options()) async throws(ZipError)
        -> Int64
    {
        let flag = CancellationFlag()
        let result: Result<Int64, ZipError> = await withTaskCancellationHandler {
            do throws(ZipError) {
                let size = try await OffPool.run { () throws(ZipError) in
                    try writeBlocking(to: path, members: members, options: options, flag: flag)
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

    private static func writeBlocking(
        to path: String,
        members: [NewMember],
        options: Options,
        flag: CancellationFlag
    ) throws(ZipError) -> Int64 {
        let folder = Durable.folder(of: path)
        guard access(folder, W_OK) == 0 else { throw .system("cannot write to the folder", folder) }
        let temporary = TemporaryName(for: path)
        temporary.removeLeftovers()
        do throws(ZipError) {
            try assemble(temporary.path, members: members, options: options, folder: folder, flag: flag)
            try Durable.sync(path: temporary.path)
            let size = try OpenFile(reading: temporary.path).size()
            try Durable.rename(temporary.path, to: path)
            return size
        } catch {
            temporary.remove()
            throw error
        }
    }

    private static func assemble(
        _ path: String,
        members: [NewMember],
        options: Options,
        folder: String,
        flag: CancellationFlag
    ) throws(ZipError) {
        guard !members.isEmpty else { return try assembleEmpty(path) }
        var code: Int32 = 0
        guard let archive = zip_open(path, ZIP_CREATE | ZIP_TRUNCATE, &code) else { throw libzip(code, path) }
        let queue = CompressionQueue(members, level: options.level, spoolFolder: folder)
        let failure = FirstError()
        do throws(ZipError) {
            try add(members, to: archive, queue: queue, options: options, path: path, failure: failure)
        } catch {
            zip_discard(archive)
            throw error
        }
        queue.start(workers: options.workers ?? Int(sysconf(Int32(_SC_NPROCESSORS_ONLN))))
        defer { queue.stop() }
        flag.onProgress(of: archive)
        guard zip_close(archive) == 0 else {
            let reason = String(cString: zip_error_strerror(zip_get_error(archive)))
            zip_discard(archive)
            if flag.isCancelled { throw .cancelled }
            throw failure.error
                ?? ZipError(.inputOutput, rule: "io", message: "cannot write \(ZipError.quoted(path)): \(reason)")
        }
    }

    /// libzip makes no file for an archive without members, which is an end record and nothing else.
    private static func assembleEmpty(_ path: String) throws(ZipError) {
        let descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o666)
        guard descriptor >= 0 else { throw .system("cannot make", path) }
        let file = OpenFile(descriptor: descriptor, path: path)
        let record: [UInt8] = [0x50, 0x4B, 0x05, 0x06] + [UInt8](repeating: 0, count: 18)
        let result: Result<Void, ZipError> = record.withUnsafeBytes { bytes in
            Result { () throws(ZipError) in try file.write(bytes, at: 0) }
        }
        try result.get()
    }

    private static func add(
        _ members: [NewMember],
        to archive: OpaquePointer,
        queue: CompressionQueue,
        options: Options,
        path: String,
        failure: FirstError
    ) throws(ZipError) {
        let (date, time) = dosDateTime(options.modified)
        for (index, member) in members.enumerated() {
            let source = MemberSource(index: index, queue: queue, isEncrypted: options.password != nil) { error in
                failure.error = failure.error ?? error
            }
            let reference = Unmanaged.passRetained(source)
            guard let zipSource = zip_source_function(archive, MemberSource.callback, reference.toOpaque()) else {
                reference.release()
                throw ZipError(.inputOutput, rule: "io", message: "there is no memory to write with")
            }
            let position = zip_file_add(archive, member.name, zipSource, zip_flags_t(ZIP_FL_ENC_UTF_8))
            guard position >= 0 else {
                zip_source_free(zipSource)
                let reason = String(cString: zip_error_strerror(zip_get_error(archive)))
                throw ZipError(
                    .inputOutput,
                    rule: "io",
                    message: "cannot add \(ZipError.quoted(member.name)): \(reason)"
                )
            }
            // By default libzip would deflate what comes stored.
            if let password = options.password {
                try encrypt(zip_uint64_t(position), of: archive, password)
            } else if member.method == .stored {
                zip_set_file_compression(archive, zip_uint64_t(position), ZIP_CM_STORE, 0)
            }
            zip_file_set_dostime(archive, zip_uint64_t(position), time, date, 0)
            zip_file_set_external_attributes(
                archive,
                zip_uint64_t(position),
                0,
                zip_uint8_t(ZIP_OPSYS_UNIX),
                0o100644 << 16
            )
        }
    }

    private static func encrypt(
        _ position: zip_uint64_t,
        of archive: OpaquePointer,
        _ password: Password
    ) throws(ZipError) {
        let result = password.withCString {
            zip_file_set_encryption(archive, position, zip_uint16_t(ZIP_EM_AES_256), $0)
        }
        guard result == 0 else {
            throw ZipError(.inputOutput, rule: "io", message: "this system's libzip can't encrypt with AES-256")
        }
    }

    private static func libzip(_ code: Int32, _ path: String) -> ZipError {
        var error = zip_error_t()
        zip_error_init_with_code(&error, code)
        defer { zip_error_fini(&error) }
        let reason = String(cString: zip_error_strerror(&error))
        return ZipError(.inputOutput, rule: "io", message: "cannot write \(ZipError.quoted(path)): \(reason)")
    }

    /// Date and time as MS-DOS writes them, in UTC, so that the machine's zone doesn't matter.
    static func dosDateTime(_ seconds: Int64) -> (date: UInt16, time: UInt16) {
        var clock = time_t(min(max(seconds, 315_532_800), 4_354_819_198))
        var parts = tm()
        gmtime_r(&clock, &parts)
        let date = (parts.tm_year - 80) << 9 | (parts.tm_mon + 1) << 5 | parts.tm_mday
        let time = parts.tm_hour << 11 | parts.tm_min << 5 | min(parts.tm_sec, 59) / 2
        return (UInt16(date), UInt16(time))
    }
}

/// The first thing that went wrong in a callback, which can't throw.
private final class FirstError {
    var error: ZipError?
}
