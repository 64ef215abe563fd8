internal import AFCArchive
internal import AFCCoding
internal import AFCText
internal import AFCURL
internal import AFCZip

/// A decompressor of one kind of members.
private protocol MemberEngine: AnyObject {
    /// The bytes with which each member begins.
    var mark: [UInt8] { get }
    var isFinished: Bool { get }
    var unused: Int { get }
    func reset()
    func give(_ bytes: UnsafeRawBufferPointer)
    /// Returns the number of bytes in the buffer, or nil if the data is damaged.
    func fill(_ output: UnsafeMutableRawBufferPointer) -> Int?
}

private final class GzipEngine: MemberEngine {
    let mark = Inflater.gzipSignature
    private var inflater: Inflater

    init() throws(ZipError) { inflater = try Inflater(isWrapped: true) }

    var isFinished: Bool { inflater.isFinished }
    var unused: Int { inflater.unused }
    func reset() { inflater.reset() }
    func give(_ bytes: UnsafeRawBufferPointer) { inflater.give(UnsafeMutableRawBufferPointer(mutating: bytes)) }
    func fill(_ output: UnsafeMutableRawBufferPointer) -> Int? { inflater.fill(output) }
}

private final class ZstandardEngine: MemberEngine {
    let mark: [UInt8] = [0x28, 0xB5, 0x2F, 0xFD]
    let frames: ZstandardFrames

    init() throws(ZipError) { frames = try ZstandardFrames() }

    var isFinished: Bool { frames.isFinished }
    var unused: Int { frames.unused }
    func reset() { frames.reset() }
    func give(_ bytes: UnsafeRawBufferPointer) { frames.give(bytes) }
    func fill(_ output: UnsafeMutableRawBufferPointer) -> Int? { frames.fill(output) }
}

private final class LZ4Engine: MemberEngine {
    let mark: [UInt8] = [0x04, 0x22, 0x4D, 0x18]
    private var decoder = LZ4FrameDecoder()

    var isFinished: Bool { decoder.isFinished }
    var unused: Int { decoder.unused }
    func reset() { decoder = LZ4FrameDecoder() }
    func give(_ bytes: UnsafeRawBufferPointer) { decoder.give(bytes) }
    func fill(_ output: UnsafeMutableRawBufferPointer) -> Int? { decoder.fill(output) }
}

/// The records of a WARC or ARC that arrives in pieces, plain or in compressed members: gzip, Zstandard or LZ4.
///
/// Behind a damaged member, the next one that can be recognized is taken.
final class MemberStream {
    private enum State {
        /// Not compressed.
        case plain
        /// Before a member, of whose mark some bytes may be there.
        case mark
        case member
        /// Within a frame that isn't data: this many bytes remain.
        case skipping(Int64)
    }

    private static let outputSize = 128 << 10
    /// The most bytes of a dictionary.
    private static let dictionaryLimit = 16 << 20
    /// The largest ratio of decompressed to compressed bytes, of what exceeds some MiB.
    private static let maxRatio: Int64 = 1100
    private static let freeBytes: Int64 = 64 << 20

    private let intake: Intake
    private let file: Int
    private var records: RecordIntake
    private var parser = RecordParser()
    private var engine: (any MemberEngine)?
    private var state = State.plain
    private var offset: Int64 = 0
    private var memberStart: Int64 = 0
    private var emitted: Int64 = 0
    private var pending: [UInt8] = []
    private var hasBegun = false
    private var hasGap = false
    private var dictionary: [UInt8]?
    private let output = UnsafeMutableRawBufferPointer.allocate(byteCount: outputSize, alignment: 16)

    init(_ intake: Intake, file: Int) {
        (self.intake, self.file) = (intake, file)
        records = RecordIntake(intake, file: file)
    }

    deinit { output.deallocate() }

    /// The number of records so far.
    var count: Int { records.count }

    /// The first page.
    var firstPage: WebURL? { records.firstPage }

    /// Takes the next bytes of the file.
    func feed(_ bytes: UnsafeRawBufferPointer) throws {
        try intake.checkCancellation()
        if !hasBegun {
            pending.append(contentsOf: bytes)
            guard pending.count >= 4 else { return }
            let beginning = pending
            pending = []
            try begin(beginning)
            return try beginning.withUnsafeBytes { try take($0) }
        }
        try take(bytes)
    }

    /// Ends the file.
    func finish() throws {
        if !hasBegun, !pending.isEmpty {
            let beginning = pending
            pending = []
            hasBegun = true
            try beginning.withUnsafeBytes { try take($0) }
        }
        let damages = intake.report.damages
        try parser.interrupt(&records)
        switch state {
        case .plain: break
        case .mark: if pending.contains(where: { $0 != 0 }) { try lose() }
        case .member, .skipping:
            // Nothing may have come out of the member yet, or records that are whole.
            guard intake.report.damages == damages else { break }
            try intake.note(.cut, at: NotePlace(file: file, offset: memberStart, number: records.count + 1))
        }
    }

    private func begin(_ beginning: [UInt8]) throws {
        hasBegun = true
        do throws(ZipError) {
            switch (beginning[0], beginning[1], beginning[2], beginning[3]) {
            case (0x1F, 0x8B, _, _): engine = try GzipEngine()
            case (0x28, 0xB5, 0x2F, 0xFD), (0x50...0x5F, 0x2A, 0x4D, 0x18): engine = try ZstandardEngine()
            case (0x04, 0x22, 0x4D, 0x18): engine = LZ4Engine()
            default: return
            }
        } catch {
            throw ImportError(error, subject: intake.files[file])
        }
        state = .mark
    }

    private func take(_ bytes: UnsafeRawBufferPointer) throws {
        guard let engine else { return try parser.feed(bytes, to: &records) }
        var rest = bytes
        while !rest.isEmpty {
            let taken: Int
            switch state {
            case .plain: preconditionFailure("compressed data has members")
            case .mark: taken = try mark(rest, engine)
            case .member: taken = try member(rest, engine)
            case .skipping(let missing):
                taken = Int(min(missing, Int64(rest.count)))
                if dictionary != nil { dictionary?.append(contentsOf: rest[..<taken]) }
                state = .skipping(missing - Int64(taken))
                if missing == Int64(taken) { try endSkipped(engine) }
            }
            offset += Int64(taken)
            rest = UnsafeRawBufferPointer(rebasing: rest.dropFirst(taken))
        }
    }

    // MARK: Between members

    /// Looks for the mark of a member, and returns the number of bytes that precede its data.
    private func mark(_ bytes: UnsafeRawBufferPointer, _ engine: any MemberEngine) throws -> Int {
        for (index, byte) in bytes.enumerated() {
            // Some writers fill up with zeros.
            if pending.isEmpty, byte == 0, !hasGap { continue }
            pending.append(byte)
            if pending.count >= 4, pending[0] & 0xF0 == 0x50, pending[1...3] == [0x2A, 0x4D, 0x18] {
                if pending.count == 8 {
                    try beginSkipped(engine)
                    return index + 1
                }
                continue
            }
            if pending.count < 4, pending[0] & 0xF0 == 0x50, [0x2A, 0x4D].starts(with: pending.dropFirst()) {
                continue
            }
            while !pending.isEmpty, !engine.mark.starts(with: pending) {
                if !hasGap { try lose() }
                hasGap = true
                pending.removeFirst()
            }
            if pending.count == engine.mark.count {
                memberStart = offset + Int64(index + 1 - pending.count)
                hasGap = false
                engine.reset()
                try parser.beginMember(at: memberStart, to: &records)
                state = .member
                let beginning = pending
                pending = []
                _ = try beginning.withUnsafeBytes { try member($0, engine) }
                return index + 1
            }
        }
        return bytes.count
    }

    private func lose() throws {
        try intake.note(.lost, at: NotePlace(file: file, offset: offset, number: 0))
    }

    private func beginSkipped(_ engine: any MemberEngine) throws {
        let size = pending[4...].reversed().reduce(Int64(0)) { $0 << 8 | Int64($1) }
        // The dictionary of all frames may be in the first one (https://iipc.github.io/warc-specifications/ "WARC zstd").
        let isDictionary = engine is ZstandardEngine && pending[0] == 0x5D && offset < 16
        pending = []
        memberStart = offset
        if isDictionary, size <= Int64(Self.dictionaryLimit) { dictionary = [] }
        state = .skipping(size)
        if size == 0 { try endSkipped(engine) }
    }

    private func endSkipped(_ engine: any MemberEngine) throws {
        state = .mark
        guard var bytes = dictionary, let frames = (engine as? ZstandardEngine)?.frames else { return }
        dictionary = nil
        if bytes.starts(with: engine.mark) { bytes = decompressed(bytes, frames) }
        guard frames.use(dictionary: bytes) else {
            throw ImportError(
                .malformed,
                subject: intake.files[file],
                message: "the dictionary in the first frame is damaged, so nothing can be decompressed"
            )
        }
    }

    private func decompressed(_ bytes: [UInt8], _ frames: ZstandardFrames) -> [UInt8] {
        var result: [UInt8] = []
        frames.reset()
        bytes.withUnsafeBytes { bytes in
            frames.give(bytes)
            while !frames.isFinished, let count = frames.fill(output), count > 0 || frames.isFinished {
                result += output[..<count].prefix(Self.dictionaryLimit - result.count)
            }
        }
        return result
    }

    // MARK: Members

    private func member(_ bytes: UnsafeRawBufferPointer, _ engine: any MemberEngine) throws -> Int {
        engine.give(bytes)
        while true {
            guard let count = engine.fill(output) else {
                // What follows may be sound again.
                try parser.interrupt(&records)
                try lose()
                (state, hasGap) = (.mark, true)
                return max(1, bytes.count - engine.unused)
            }
            if count > 0 {
                emitted += Int64(count)
                try requireRatio(offset + Int64(bytes.count))
                try parser.feed(UnsafeRawBufferPointer(rebasing: output[..<count]), to: &records)
            }
            if engine.isFinished {
                state = .mark
                return bytes.count - engine.unused
            }
            if count < output.count { return bytes.count }
        }
    }

    private func requireRatio(_ taken: Int64) throws {
        guard emitted > Self.freeBytes, (emitted - Self.freeBytes) / Self.maxRatio > taken else { return }
        throw ImportError(
            .malformed,
            subject: intake.files[file],
            message: "the file expands to more than \(Self.maxRatio) times its size when decompressed"
        )
    }
}
