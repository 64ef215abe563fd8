#if Encryption
internal import AFCFiles
internal import AFCPlatform
internal import AFCText
internal import CLibzip

/// Writes an archive of encrypted members with libzip, which keeps all of them in memory until the end.
enum LibzipArchive {
    static func write(
        to path: String,
        members: [NewMember],
        password: Password,
        options: ZipWriter.Options,
        folder: String,
        cancellation flag: CancellationFlag
    ) throws(ZipError) {
        var code: Int32 = 0
        guard let archive = zip_open(path, ZIP_CREATE | ZIP_TRUNCATE, &code) else { throw libzip(code, path) }
        let workers = options.workers ?? ParallelWork.processors
        let queue = CompressionQueue(level: options.level, spoolFolder: folder, workers: workers)
        defer { queue.stop() }
        let bodies = PreparedMembers(members, queue: queue)
        let failure = FirstError()
        do throws(ZipError) {
            try add(
                members,
                to: archive,
                bodies: bodies,
                password: password,
                options: options,
                path: path,
                failure: failure
            )
        } catch {
            zip_discard(archive)
            throw error
        }
        flag.onProgress(of: archive)
        guard zip_close(archive) == 0 else {
            let reason = String(cString: zip_error_strerror(zip_get_error(archive)))
            zip_discard(archive)
            if flag.isCancelled { throw .cancelled }
            throw failure.error
                ?? ZipError(inputOutput: "cannot write \(PrintableText.quoted(path)): \(reason)")
        }
    }

    private static func add(
        _ members: [NewMember],
        to archive: OpaquePointer,
        bodies: PreparedMembers,
        password: Password,
        options: ZipWriter.Options,
        path: String,
        failure: FirstError
    ) throws(ZipError) {
        let (date, time) = ZipWriter.dosDateTime(options.modified)
        for (index, member) in members.enumerated() {
            let source = MemberSource(index: index, bodies: bodies) { error in
                failure.error = failure.error ?? error
            }
            let reference = Unmanaged.passRetained(source)
            guard let zipSource = zip_source_function(archive, MemberSource.callback, reference.toOpaque()) else {
                reference.release()
                throw ZipError(inputOutput: "there is not enough memory for writing")
            }
            let position = zip_file_add(archive, member.name, zipSource, zip_flags_t(ZIP_FL_ENC_UTF_8))
            guard position >= 0 else {
                zip_source_free(zipSource)
                let reason = String(cString: zip_error_strerror(zip_get_error(archive)))
                throw ZipError(
                    inputOutput: "cannot add \(PrintableText.quoted(member.name)): \(reason)"
                )
            }
            try encrypt(zip_uint64_t(position), of: archive, password)
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
            throw ZipError(inputOutput: "this system's libzip doesn't support encryption with AES-256")
        }
    }

    private static func libzip(_ code: Int32, _ path: String) -> ZipError {
        var error = zip_error_t()
        zip_error_init_with_code(&error, code)
        defer { zip_error_fini(&error) }
        let reason = String(cString: zip_error_strerror(&error))
        return ZipError(inputOutput: "cannot write \(PrintableText.quoted(path)): \(reason)")
    }
}

/// Holds the first error in a callback, which can't throw.
private final class FirstError {
    var error: ZipError?
}

/// The bodies of members in order, prepared a window ahead.
final class PreparedMembers {
    private let members: [NewMember]
    private let queue: CompressionQueue
    private var count = 0

    init(_ members: [NewMember], queue: CompressionQueue) {
        self.members = members
        self.queue = queue
    }

    func take(_ index: Int) -> Result<PreparedBody, ZipError> {
        let isLow = count - index <= CompressionQueue.window - CompressionQueue.run
        while isLow, count < min(members.count, index + CompressionQueue.window) {
            queue.put(members[count], as: count)
            count += 1
        }
        return queue.take(index)
    }
}
#else
internal import AFCFiles

/// Writes an archive of encrypted members, which this build can't do.
enum LibzipArchive {
    static func write(
        to path: String,
        members: [NewMember],
        password: Password,
        options: ZipWriter.Options,
        folder: String,
        cancellation flag: CancellationFlag
    ) throws(ZipError) { throw .withoutEncryption }
}
#endif
