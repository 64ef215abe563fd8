import AFCArchive
import HTTPTypes

/// Reads any bytes as what browsers and other programs save: property lists, MHTML and HTTrack's cache.
///
/// Lists end with a result or an error; an MHTML file is the same in pieces.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzSaved(_ start: UnsafePointer<UInt8>?, _ count: Int) -> Int32 {
    let bytes = Array(UnsafeBufferPointer(start: start, count: count))
    for list in [try? BinaryPropertyList.read(bytes), try? XMLPropertyList.read(bytes)] {
        guard let list else { continue }
        check(list, size: Int64(count))
        _ = (ArchivedURLResponse(cached: list), ArchivedURLResponse(keyed: list), ArchivedURLRequest(cached: list))
    }
    let whole = read(bytes, piece: max(count, 1))
    let parts = read(bytes, piece: 3)
    precondition(whole.parts == parts.parts && whole.bodies == parts.bodies, "parts differ in pieces")
    precondition(whole.ends == parts.ends, "ends differ in pieces")
    if let header = HTTrackHeader(bytes) { precondition(header.storedSize >= 0 && header.bodySize >= 0) }
    let half = count / 2
    _ = HTTrackEntry(name: Array(bytes[..<half]), head: Array(bytes[half...]))
    return 0
}

/// Data lies within the file.
private func check(_ list: PropertyList, size: Int64) {
    switch list {
    case .data(.range(let offset, let count)): precondition(offset >= 0 && count >= 0 && offset + count <= size)
    case .array(let values): for value in values { check(value, size: size) }
    case .dictionary(let values): for value in values.values { check(value, size: size) }
    default: break
    }
}

/// Keeps what a reader says.
private final class Parts: MHTMLReceiver {
    var parts: [MHTMLPart] = []
    var bodies: [[UInt8]] = []
    var ends: [Bool] = []

    func begin(_ fields: HTTPFields) {}

    func begin(_ part: MHTMLPart) {
        precondition(part.number == parts.count + 1 && ends.count == parts.count)
        _ = (part.location, part.id)
        parts.append(part)
        bodies.append([])
    }

    func append(_ bytes: [UInt8]) { bodies[bodies.count - 1] += bytes }

    func end(isComplete: Bool) {
        ends.append(isComplete)
        precondition(ends.count == parts.count)
    }
}

private func read(_ bytes: [UInt8], piece: Int) -> Parts {
    let parts = Parts()
    var reader = MHTMLReader(to: parts)
    do {
        for start in stride(from: 0, to: bytes.count, by: piece) {
            let end = min(start + piece, bytes.count)
            try bytes[start..<end].withUnsafeBytes { try reader.feed($0) }
        }
        try reader.finish()
    } catch {
        // What was read before counts.
    }
    return parts
}
