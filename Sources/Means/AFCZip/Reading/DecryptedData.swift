#if Encryption
internal import AFCFiles
internal import AFCText
internal import CLibzip

/// The data of one encrypted member, decrypted by libzip.
///
/// libzip never sees the archive, but one made for it that contains only this member's data. Its own directory reader,
/// which trusts too much, thus reads only records that we wrote, and each thread has a handle of its own.
final class DecryptedData {
    private let member: ZipMember
    private let archive: OpaquePointer
    private let stream: OpaquePointer

    /// Opens the data, and checks the password as far as that is possible before the end.
    init(_ member: ZipMember, file: OpenFile, password: Password) throws(ZipError) {
        self.member = member
        let source = Unmanaged.passRetained(SingleMemberArchive(member, file: file))
        var error = zip_error_t()
        zip_error_init(&error)
        defer { zip_error_fini(&error) }
        guard let zipSource = zip_source_function_create(SingleMemberArchive.callback, source.toOpaque(), &error) else {
            source.release()
            throw Self.failure(member, &error)
        }
        guard let archive = zip_open_from_source(zipSource, ZIP_RDONLY, &error) else {
            zip_source_free(zipSource)
            throw Self.failure(member, &error)
        }
        self.archive = archive
        var status = zip_stat_t()
        guard zip_get_num_entries(archive, 0) == 1, zip_stat_index(archive, 0, 0, &status) == 0,
            status.encryption_method == UInt16(ZIP_EM_AES_256), status.comp_size == UInt64(member.compressedSize)
        else {
            zip_discard(archive)
            throw .damaged("authentication", member: member.name, "can't be decrypted")
        }
        // libzip only decrypts; we inflate, limited to the declared size.
        let stream = password.withCString {
            zip_fopen_index_encrypted(archive, 0, zip_flags_t(ZIP_FL_COMPRESSED), $0)
        }
        guard let stream else {
            let failure = Self.failure(member, zip_get_error(archive))
            zip_discard(archive)
            throw failure
        }
        self.stream = stream
    }

    deinit {
        zip_fclose(stream)
        zip_discard(archive)
    }

    /// Fills the buffer, which must not be larger than the rest of the data.
    func read(into buffer: UnsafeMutableRawBufferPointer) throws(ZipError) -> Int {
        var done = 0
        while done < buffer.count {
            let rest = UnsafeMutableRawBufferPointer(rebasing: buffer[done...])
            let count = zip_fread(stream, rest.baseAddress, zip_uint64_t(rest.count))
            guard count > 0 else { throw failure() }
            done += Int(count)
        }
        return done
    }

    /// Verifies the authentication code after the data, which is possible only when everything was read.
    func finish() throws(ZipError) {
        var byte: UInt8 = 0
        guard zip_fread(stream, &byte, 1) == 0 else { throw failure() }
    }

    private func failure() -> ZipError { Self.failure(member, zip_file_get_error(stream)) }

    private static func failure(_ member: ZipMember, _ error: UnsafeMutablePointer<zip_error_t>?) -> ZipError {
        switch zip_error_code_zip(error) {
        case ZIP_ER_WRONGPASSWD:
            ZipError(
                .locked,
                rule: "zip.password-wrong",
                message: "the password is wrong for member \(PrintableText.quoted(member.name))"
            )
        case ZIP_ER_ENCRNOTSUPP:
            ZipError(inputOutput: "this system's libzip doesn't support decryption with AES-256")
        case ZIP_ER_MEMORY: ZipError(inputOutput: "there is not enough memory for decryption")
        default:
            .damaged(
                "authentication",
                member: member.name,
                "is damaged or was changed: its authentication code is wrong"
            )
        }
    }
}
#else
internal import AFCFiles

/// The data of one encrypted member, which this build can't decrypt.
final class DecryptedData {
    init(_ member: ZipMember, file: OpenFile, password: Password) throws(ZipError) { throw .withoutEncryption }

    func read(into buffer: UnsafeMutableRawBufferPointer) throws(ZipError) -> Int { throw .withoutEncryption }

    func finish() throws(ZipError) { throw .withoutEncryption }
}
#endif
