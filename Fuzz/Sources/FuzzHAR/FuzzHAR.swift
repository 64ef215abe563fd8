import AFCArchive

/// Reads any bytes as a HAR: whole and in pieces, each entry is the same.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzHAR(_ start: UnsafePointer<UInt8>?, _ count: Int) -> Int32 {
    let bytes = UnsafeRawBufferPointer(start: start, count: count)
    let whole = read(bytes, piece: max(count, 1))
    let parts = read(bytes, piece: 3)
    precondition(whole.entries == parts.entries && whole.bodies == parts.bodies, "entries differ in pieces")
    precondition(whole.isDone == parts.isDone, "what is JSON differs in pieces")
    return 0
}

/// Keeps what a reader says.
private final class Entries: HARReceiver {
    var entries: [HAREntry] = []
    var bodies: [[UInt8]] = []
    var isDone = false
    private var body: [UInt8] = []

    func append(_ bytes: UnsafeRawBufferPointer) { body += bytes }

    func take(_ entry: HAREntry) {
        precondition(entry.number == entries.count + 1)
        precondition(entry.hasText || body.isEmpty, "there is text that nobody mentions")
        entries.append(entry)
        bodies.append(body)
        body = []
    }
}

private func read(_ bytes: UnsafeRawBufferPointer, piece: Int) -> Entries {
    let entries = Entries()
    var reader = HARReader(to: entries)
    do {
        for start in stride(from: 0, to: bytes.count, by: piece) {
            try reader.feed(UnsafeRawBufferPointer(rebasing: bytes[start..<min(start + piece, bytes.count)]))
        }
        try reader.finish()
        entries.isDone = true
    } catch {
        entries.isDone = false
    }
    return entries
}
