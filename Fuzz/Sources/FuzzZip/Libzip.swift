import AFCZip
import CLibzip

/// What opens here, libzip must see alike: the same names in the same order, the same bodies.
func compareWithLibzip(_ reader: ZipReader, _ bytes: UnsafeRawBufferPointer) {
    var error = zip_error_t()
    let source = zip_source_buffer_create(bytes.baseAddress, zip_uint64_t(bytes.count), 0, &error)
    let archive = zip_open_from_source(source, ZIP_RDONLY, &error)
    guard let archive else {
        zip_source_free(source)
        // What libzip refuses altogether looks different to nobody.
        return
    }
    defer { zip_discard(archive) }
    precondition(zip_get_num_entries(archive, 0) == reader.members.count, "libzip counts other members")
    for (index, member) in reader.members.enumerated() {
        let name = zip_get_name(archive, zip_uint64_t(index), zip_flags_t(ZIP_FL_ENC_RAW))
        precondition(name.map { String(cString: $0) } == member.name, "libzip reads another name than '\(member.name)'")
        guard let body = try? reader.read(member, maxBytes: 1 << 20) else { continue }
        precondition(libzipBody(archive, index, size: body.count) == body, "libzip reads another body")
    }
}

/// One byte more than is expected is asked for.
private func libzipBody(_ archive: OpaquePointer, _ index: Int, size: Int) -> [UInt8]? {
    guard let file = zip_fopen_index(archive, zip_uint64_t(index), 0) else { return nil }
    defer { zip_fclose(file) }
    var body = [UInt8](repeating: 0, count: size + 1)
    var done = 0
    while done < body.count {
        let count = body.withUnsafeMutableBytes {
            zip_fread(file, $0.baseAddress?.advanced(by: done), zip_uint64_t($0.count - done))
        }
        guard count >= 0 else { return nil }
        if count == 0 { break }
        done += Int(count)
    }
    return Array(body[..<done])
}
