/// The place of a record in its file.
package struct RecordPlace: Equatable, Sendable {
    /// The offset in the file: of the compressed member that holds the record's beginning, or else of the record.
    package var offset: Int64
    /// The number of the record in its file, from 1 on.
    package var number: Int

    /// Creates a place.
    package init(offset: Int64, number: Int) { (self.offset, self.number) = (offset, number) }
}

/// The way in which a record's content ended.
package enum RecordEnding: Equatable, Sendable {
    /// After the number of bytes that the head states.
    case complete
    /// Later than the head states: the content said that it was longer, and another record begins where it then ends.
    case late
    /// Earlier, where the next compressed member begins with another record; the content may end in the empty lines
    /// between records.
    case early
    /// With the file, or with what of it could be decompressed.
    case cut
}

/// A receiver of the records of a file.
package protocol RecordReceiver {
    /// Takes the head of the next record.
    mutating func begin(_ head: RecordHead, at place: RecordPlace) throws
    /// Takes the next bytes of the record's content.
    mutating func append(_ bytes: UnsafeRawBufferPointer) throws
    /// Takes the end of the record.
    mutating func end(_ ending: RecordEnding) throws
    /// The bytes that the record at hand lacks by what its content says; 0 if it doesn't say.
    var shortfall: Int64 { get }
    /// Learns that bytes aren't part of any record: a head that can't be read, or the rest of a record with a wrong length.
    ///
    /// - Parameters:
    ///   - place: The place of the bytes.
    ///   - isEnd: True for a head that is cut with the file, or before a damaged part.
    /// - Throws: An error of the receiver.
    mutating func lose(at place: RecordPlace, isEnd: Bool) throws
}

/// Splits the decompressed bytes of a WARC or ARC into records.
///
/// Lengths decide, since compressed members and records need not agree: a record may have several members, and a member
/// several records. Where no head follows a record, its length was wrong; the place is found again at the next member, or at
/// the next line that begins a record.
package struct RecordParser {
    private enum State {
        /// Only empty lines may precede the next head.
        case between
        /// Within a head of several lines.
        case head
        /// Within content, of which this many bytes are missing.
        case content(Int64)
        /// Within content, where a compressed member begins: it may be another record.
        case probing(Int64)
        /// Behind content that seems to lack this many bytes.
        case checking(Int)
        /// Looking for a line that begins a record.
        case searching
    }

    /// The longest line that is kept.
    private static let lineLimit = 64 << 10
    /// The bytes by which a head at the beginning of a member is recognized: `WARC/1.0` and a line end.
    private static let probeLength = 9
    /// The most bytes that are looked for behind content with a wrong length.
    private static let shortfallLimit = 64 << 10
    /// The bytes that may be read twice in any file.
    private static let freeBytes: Int64 = 16 << 20

    private var state = State.between
    private var line: [UInt8] = []
    private var isLineTooLong = false
    private var head: [UInt8] = []
    /// True once a head of an ARC was read.
    private var isARC = false
    private var lineStart: Int64 = 0
    private var offset: Int64 = 0
    private var readAgain: Int64 = 0
    private var member: Int64?
    /// The member that began within the line at hand.
    private var nextMember: Int64?
    private var headPlace = RecordPlace(offset: 0, number: 1)
    /// The number of heads so far.
    package private(set) var count = 0

    /// Creates a parser for a file.
    package init() {}

    /// Takes the next bytes.
    ///
    /// - Parameters:
    ///   - bytes: The bytes.
    ///   - receiver: The receiver of the records in them.
    /// - Throws: An error of the receiver.
    package mutating func feed(_ bytes: UnsafeRawBufferPointer, to receiver: inout some RecordReceiver) throws {
        var rest = bytes
        while !rest.isEmpty {
            let taken: Int
            switch state {
            case .content(let missing): taken = try content(rest, missing, &receiver)
            case .probing(let missing): taken = try probe(rest, missing, &receiver)
            case .checking(let missing): taken = try check(rest, missing, &receiver)
            case .between, .head, .searching: taken = try lines(rest, &receiver)
            }
            offset += Int64(taken)
            rest = UnsafeRawBufferPointer(rebasing: rest.dropFirst(taken))
        }
    }

    /// Notes that a compressed member begins with the next bytes.
    ///
    /// - Parameters:
    ///   - place: The offset of the member in the file.
    ///   - receiver: The receiver of the records.
    /// - Throws: An error of the receiver.
    package mutating func beginMember(at place: Int64, to receiver: inout some RecordReceiver) throws {
        if case .checking(let missing) = state { try decide(missing, isEnd: true, &receiver) }
        switch state {
        case .content(let missing):
            state = .probing(missing)
            line = []
        case .probing(let missing): try release(missing, &receiver)
        // A head may have several members, too.
        case .head: break
        case .between:
            // Nor need a version be in one member.
            if isVersionBegun {
                nextMember = place
                return
            }
            if !isBlank { try receiver.lose(at: placed(lineStart), isEnd: false) }
        case .searching, .checking: state = .between
        }
        switch state {
        case .probing, .head: break
        case .between, .content, .checking, .searching: clearLine()
        }
        member = place
    }

    /// True if the line at hand may become a version.
    private var isVersionBegun: Bool {
        let mark = "WARC/".utf8
        return !line.isEmpty && line.count <= Self.probeLength && line.starts(with: mark.prefix(line.count))
    }

    /// Ends the record at hand, because the next bytes are damaged or missing.
    ///
    /// - Parameter receiver: The receiver of the records.
    /// - Throws: An error of the receiver.
    package mutating func interrupt(_ receiver: inout some RecordReceiver) throws {
        if case .checking(let missing) = state { try decide(missing, isEnd: true, &receiver) }
        if case .probing(let missing) = state { try release(missing, &receiver) }
        switch state {
        case .content: try receiver.end(.cut)
        case .head: try receiver.lose(at: headPlace, isEnd: true)
        case .between: if !isBlank { try receiver.lose(at: placed(lineStart), isEnd: true) }
        case .searching, .probing, .checking: break
        }
        state = .between
        clearLine()
    }

    // MARK: Content

    private mutating func content(
        _ bytes: UnsafeRawBufferPointer,
        _ missing: Int64,
        _ receiver: inout some RecordReceiver
    ) throws -> Int {
        let count = Int(min(missing, Int64(bytes.count)))
        try receiver.append(UnsafeRawBufferPointer(rebasing: bytes[..<count]))
        state = .content(missing - Int64(count))
        try endContent(&receiver)
        return count
    }

    /// Ends the content once nothing is missing.
    private mutating func endContent(_ receiver: inout some RecordReceiver) throws {
        guard case .content(0) = state else { return }
        clearLine()
        let shortfall = receiver.shortfall
        // In a hostile file, each record could have the same bytes read again.
        if shortfall > 0, shortfall <= Int64(Self.shortfallLimit), readAgain <= Self.freeBytes + offset {
            state = .checking(Int(shortfall))
        } else {
            try receiver.end(.complete)
            state = .between
        }
    }

    /// Gives bytes that were kept to the state that follows.
    private mutating func feedAgain(_ bytes: ArraySlice<UInt8>, to receiver: inout some RecordReceiver) throws {
        offset -= Int64(bytes.count)
        readAgain += Int64(bytes.count)
        try bytes.withUnsafeBytes { try feed($0, to: &receiver) }
    }

    // MARK: Wrong lengths

    private mutating func probe(
        _ bytes: UnsafeRawBufferPointer,
        _ missing: Int64,
        _ receiver: inout some RecordReceiver
    ) throws -> Int {
        let count = min(Self.probeLength - line.count, bytes.count)
        line.append(contentsOf: bytes[..<count])
        offset += Int64(count)
        defer { offset -= Int64(count) }
        guard line.starts(with: "WARC/".utf8.prefix(line.count)) else {
            try release(missing, &receiver)
            return count
        }
        guard line.count == Self.probeLength else { return count }
        guard line[8] == 0x0D || line[8] == 0x0A, RecordHead.isVersion(line[..<8]) else {
            try release(missing, &receiver)
            return count
        }
        try receiver.end(.early)
        let probed = line
        state = .between
        clearLine()
        try feedAgain(probed[...], to: &receiver)
        return count
    }

    /// Gives probed bytes to the content after all.
    private mutating func release(_ missing: Int64, _ receiver: inout some RecordReceiver) throws {
        let probed = line
        state = .content(missing)
        clearLine()
        try feedAgain(probed[...], to: &receiver)
    }

    private mutating func check(
        _ bytes: UnsafeRawBufferPointer,
        _ missing: Int,
        _ receiver: inout some RecordReceiver
    ) throws -> Int {
        let wanted = missing + Self.separated.count
        // Usually the length is right, and another record follows at once.
        let first = Self.separated.count
        let count = min((line.count < first ? first : wanted) - line.count, bytes.count)
        line.append(contentsOf: bytes[..<count])
        if line.count == wanted || line.count == first && Self.isSeparator(line[...], isEnd: false) {
            offset += Int64(count)
            defer { offset -= Int64(count) }
            try decide(missing, isEnd: false, &receiver)
        }
        return count
    }

    /// Decides whether the content continues beyond its stated length.
    private mutating func decide(_ missing: Int, isEnd: Bool, _ receiver: inout some RecordReceiver) throws {
        let kept = line
        clearLine()
        state = .between
        let isLonger =
            kept.count >= missing && !Self.isSeparator(kept[...], isEnd: isEnd)
            && Self.isSeparator(kept[missing...], isEnd: isEnd)
        guard isLonger else {
            try receiver.end(.complete)
            return try feedAgain(kept[...], to: &receiver)
        }
        try kept[..<missing].withUnsafeBytes { try receiver.append($0) }
        try receiver.end(.late)
        try feedAgain(kept[missing...], to: &receiver)
    }

    /// The bytes between two records, and those with which the second one begins.
    private static let separated = Array("\r\n\r\nWARC/".utf8)

    /// Returns true if bytes are those between two records, or at the end of the last one.
    private static func isSeparator(_ bytes: ArraySlice<UInt8>, isEnd: Bool) -> Bool {
        let lines = bytes.drop { $0 == 0x0D || $0 == 0x0A }
        guard bytes.count - lines.count >= 2 || isEnd && lines.isEmpty else { return false }
        return lines.isEmpty ? isEnd : lines.starts(with: "WARC/".utf8.prefix(lines.count))
    }

    // MARK: Lines

    private var isBlank: Bool { !isLineTooLong && line.allSatisfy { $0 == 0x0D || $0 == 0x20 || $0 == 0x09 } }

    private mutating func clearLine() {
        line.removeAll(keepingCapacity: true)
        isLineTooLong = false
    }

    private func placed(_ offset: Int64) -> RecordPlace {
        RecordPlace(offset: member ?? offset, number: count + 1)
    }

    /// Takes bytes up to the end of a line, and returns their number.
    private mutating func lines(_ bytes: UnsafeRawBufferPointer, _ receiver: inout some RecordReceiver) throws -> Int {
        if line.isEmpty, !isLineTooLong { lineStart = offset }
        let end = bytes.firstIndex(of: 0x0A)
        let part = bytes[..<(end ?? bytes.count)]
        let room = Self.lineLimit - line.count
        line.append(contentsOf: part.prefix(room))
        if part.count > room { isLineTooLong = true }
        guard let end else {
            if case .between = state, isLineTooLong { try lose(&receiver) }
            return bytes.count
        }
        while line.last == 0x0D { line.removeLast() }
        try endLine(&receiver)
        if let nextMember { (member, self.nextMember) = (nextMember, nil) }
        clearLine()
        return end + 1
    }

    private mutating func lose(_ receiver: inout some RecordReceiver) throws {
        try receiver.lose(at: placed(lineStart), isEnd: false)
        state = .searching
    }

    private mutating func endLine(_ receiver: inout some RecordReceiver) throws {
        switch state {
        case .between:
            if isBlank { return }
            guard try begins(&receiver) else { return try lose(&receiver) }
        case .searching: _ = try begins(&receiver)
        case .head:
            if RecordHead.isVersion(line) {
                // The head before ends without an empty line.
                try receiver.lose(at: headPlace, isEnd: false)
                state = .between
                _ = try begins(&receiver)
                return
            }
            guard head.count + line.count <= RecordHead.byteLimit, !isLineTooLong else { return try lose(&receiver) }
            head += line
            head.append(0x0A)
            guard line.isEmpty else { return }
            guard let parsed = RecordHead(warc: head) else {
                try receiver.lose(at: headPlace, isEnd: false)
                state = .searching
                return
            }
            try begin(parsed, &receiver)
        case .content, .probing, .checking: preconditionFailure("content has no lines")
        }
    }

    /// Returns true if the line begins a record.
    private mutating func begins(_ receiver: inout some RecordReceiver) throws -> Bool {
        if !isLineTooLong, RecordHead.isVersion(line) {
            headPlace = placed(lineStart)
            head = line + [0x0A]
            state = .head
            return true
        }
        // The first record of an ARC describes the file.
        guard isARC || count == 0, !isLineTooLong, let parsed = RecordHead(arc: line) else { return false }
        guard isARC || parsed.target.hasPrefix("filedesc:") else { return false }
        isARC = true
        headPlace = placed(lineStart)
        try begin(parsed, &receiver)
        return true
    }

    private mutating func begin(_ parsed: RecordHead, _ receiver: inout some RecordReceiver) throws {
        count += 1
        head = []
        clearLine()
        try receiver.begin(parsed, at: headPlace)
        state = .content(parsed.length)
        try endContent(&receiver)
    }
}
