import AFCArchive

/// Reads any bytes as a ZIM file and as a compressed cluster: lists are within the file, and a cluster gives the same blobs
/// and bytes whole and in pieces.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzZIM(_ start: UnsafePointer<UInt8>?, _ count: Int) -> Int32 {
    let raw = UnsafeRawBufferPointer(start: start, count: count)
    let bytes = Array(raw)
    if let header = try? ZIMHeader(bytes, fileSize: Int64(count)) {
        precondition(header.entryList + Int64(8 * header.entryCount) <= header.checksum)
        precondition(header.clusterList + Int64(8 * header.clusterCount) <= header.checksum)
        precondition(header.typeList < header.checksum && header.checksum + 16 <= Int64(count))
    }
    if let entry = ZIMEntry(bytes) { precondition(entry.path.count < count && !entry.path.contains(0)) }
    for isExtended in [false, true] {
        let whole = blobs(raw, isExtended, piece: max(count, 1))
        let parts = blobs(raw, isExtended, piece: 3)
        precondition(whole.found == parts.found && whole.isSound == parts.isSound, "blobs differ in pieces")
        precondition(whole.found.reduce(0) { $0 + $1.count } <= count)
    }
    let whole = decompressed(raw, piece: max(count, 1))
    let parts = decompressed(raw, piece: 3)
    precondition(whole == parts, "xz differs in pieces")
    return 0
}

/// Returns what a stream of xz has, at most 8 MiB, and how it ends; the bytes of a chunk that is damaged don't count.
private func decompressed(_ bytes: UnsafeRawBufferPointer, piece: Int) -> [String] {
    var decoder = XZDecoder()
    var (text, size): ([UInt8], Int) = ([], 0)
    do {
        for start in stride(from: 0, to: bytes.count, by: piece) where size <= 8 << 20 {
            let part = UnsafeRawBufferPointer(rebasing: bytes[start..<min(start + piece, bytes.count)])
            try decoder.decode(part) { bytes in
                text += bytes
                size += bytes.count
                return size <= 8 << 20
            }
        }
    } catch {
        return ["\(error)", "\(text.count)", "\(text.hashValue)"]
    }
    return ["\(decoder.isFinished)", "\(text.count)", "\(text.hashValue)"]
}

private func blobs(
    _ bytes: UnsafeRawBufferPointer,
    _ isExtended: Bool,
    piece: Int
) -> (found: [[UInt8]], isSound: Bool) {
    var parser = ZIMBlobParser(isExtended: isExtended)
    var (found, open): ([[UInt8]], [UInt8]) = ([], [])
    do {
        for start in stride(from: 0, to: bytes.count, by: piece) {
            let part = UnsafeRawBufferPointer(rebasing: bytes[start..<min(start + piece, bytes.count)])
            try parser.feed(part) { number, bytes, isLast in
                precondition(number == found.count, "blobs are out of order")
                open += bytes
                guard isLast else { return }
                found.append(open)
                open = []
            }
        }
        return (found, true)
    } catch {
        return (found, false)
    }
}
