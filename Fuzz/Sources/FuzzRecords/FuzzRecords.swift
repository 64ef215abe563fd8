import AFCArchive

/// Reads any bytes as a WARC or ARC: whole, in pieces and as members, each record is the same and ends once.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzRecords(_ start: UnsafePointer<UInt8>?, _ count: Int) -> Int32 {
    let bytes = UnsafeRawBufferPointer(start: start, count: count)
    let whole = read(bytes, piece: max(count, 1), member: .max)
    precondition(whole == read(bytes, piece: 7, member: .max), "records differ when they are read in pieces")
    _ = read(bytes, piece: 13, member: 37)
    checkTexts(Array(bytes))
    return 0
}

/// A short form of what a parser says.
private struct Notes: RecordReceiver, Equatable {
    var heads: [RecordHead] = []
    var contents: [[UInt8]] = []
    var endings: [RecordEnding] = []
    var losses: [Int64] = []

    static func == (one: Notes, other: Notes) -> Bool {
        one.heads == other.heads && one.contents == other.contents && one.endings == other.endings
            && one.losses == other.losses
    }

    /// A number at the beginning of the content is the length that it states.
    var shortfall: Int64 {
        guard let digit = contents.last?.first, (0x30...0x39).contains(digit) else { return 0 }
        return max(0, Int64(digit - 0x30) * 3 - Int64(contents[contents.count - 1].count))
    }

    mutating func begin(_ head: RecordHead, at place: RecordPlace) {
        precondition(heads.count == endings.count, "a record begins within another")
        precondition(place.number == heads.count + 1 && place.offset >= 0 && head.length >= 0)
        heads.append(head)
        contents.append([])
    }

    mutating func append(_ bytes: UnsafeRawBufferPointer) {
        precondition(heads.count == endings.count + 1, "content belongs to no record")
        contents[contents.count - 1] += bytes
    }

    mutating func end(_ ending: RecordEnding) {
        precondition(heads.count == endings.count + 1, "a record ends twice")
        let (stated, found) = (heads[heads.count - 1].length, Int64(contents[contents.count - 1].count))
        switch ending {
        case .complete: precondition(found == stated)
        case .late: precondition(found > stated)
        case .early, .cut: precondition(found < stated)
        }
        endings.append(ending)
    }

    mutating func lose(at place: RecordPlace, isEnd: Bool) {
        precondition(heads.count == endings.count, "bytes are lost within a record")
        losses.append(place.offset)
    }
}

private func read(_ bytes: UnsafeRawBufferPointer, piece: Int, member: Int) -> Notes {
    var notes = Notes()
    var parser = RecordParser()
    do {
        var next = member == .max ? .max : 0
        for start in stride(from: 0, to: bytes.count, by: piece) {
            if start >= next {
                try parser.beginMember(at: Int64(start), to: &notes)
                next += member
            }
            let part = bytes[start..<min(start + piece, bytes.count)]
            try parser.feed(UnsafeRawBufferPointer(rebasing: part), to: &notes)
        }
        try parser.interrupt(&notes)
    } catch {
        preconditionFailure("the receiver doesn't throw")
    }
    precondition(notes.heads.count == notes.endings.count, "a record doesn't end")
    return notes
}

/// The texts within records.
private func checkTexts(_ bytes: [UInt8]) {
    let text = String(decoding: bytes.prefix(256), as: UTF8.self)
    if let digest = StatedDigest(text) {
        precondition(StatedDigest(digest.canonical) == digest, "a digest doesn't survive being written")
    }
    if let date = ArchiveDate(text) { precondition((0..<1_000_000_000).contains(date.nanoseconds)) }
    _ = MessageHead(response: bytes)
    _ = MessageHead(request: bytes)
    var (chunked, base64, frame) = (ChunkedDecoder(), Base64Decoder(), LZ4FrameDecoder())
    bytes.withUnsafeBytes { bytes in
        chunked.decode(bytes) { _ in }
        _ = base64.decode(bytes)
        var output = [UInt8](repeating: 0, count: 4096)
        frame.give(bytes)
        var rounds = 0
        while rounds < 4096, let count = output.withUnsafeMutableBytes({ frame.fill($0) }), count > 0 { rounds += 1 }
    }
}
