internal import AFCArchive
internal import AFCCrawlRules
internal import AFCFiles
internal import AFCHTTP
internal import AFCText
internal import AFCURL
internal import AFCZip
internal import HTTPTypes

/// Reads the responses of one cache of HTTrack, header by header.
///
/// The directory at the end of the zip doesn't matter: it has neither the heads of the responses nor, while HTTrack
/// still works or when it crashed, a place in the file. Nothing that the file says is believed.
final class HTTrackIntake {
    private static let pieceSize = 256 << 10
    /// The most bytes of the log that are read.
    private static let logLimit = 64 << 10

    private let intake: Intake
    private let file: OpenFile
    private let name: String
    private let number: Int
    private let size: Int64
    /// The files of the mirror, which has the bodies that the cache lacks.
    private let mirror: any BesideFiles
    /// The time of the mirror; nil if no log states it.
    private let date: ArchiveDate?
    private var count = 0
    private(set) var firstPage: WebURL?

    /// Opens a cache.
    ///
    /// - Parameters:
    ///   - file: The zip.
    ///   - name: Its name, for remarks.
    ///   - mirror: The files of the mirror.
    ///   - date: The time of the mirror; nil if none is known.
    ///   - intake: Takes its contents.
    /// - Throws: ``ImportError`` if the file can't be read.
    init(_ file: OpenFile, as name: String, mirror: any BesideFiles, date: ArchiveDate?, _ intake: Intake) throws {
        (self.file, self.name, self.mirror, self.date, self.intake) = (file, name, mirror, date, intake)
        size = try Self.onFile(name) { () throws(FileError) in try file.size() }
        number = intake.beginFile(name)
    }

    /// Returns true if the first member of a zip has the head of a response in its extra field.
    static func recognizes(_ file: OpenFile) throws(FileError) -> Bool {
        let size = try file.size()
        let beginning = try file.beginning(Int(min(size, Int64(HTTrackHeader.size))))
        // Without the field, those are the bytes of the body, as in a package of responses.
        guard let header = HTTrackHeader(beginning), header.headSize >= 5 else { return false }
        let start = Int64(HTTrackHeader.size + header.nameSize)
        guard size >= start + 5 else { return false }
        return try file.bytes(5, at: start).elementsEqual("HTTP/".utf8)
    }

    /// Returns the time that the log of a mirror states; nil if there is none.
    static func date(inLogOf mirror: any BesideFiles) throws -> ArchiveDate? {
        var bytes: [UInt8] = []
        _ = try mirror.read("hts-cache/doit.log") { bytes += $0.prefix(Self.logLimit - bytes.count) }
        return HTTrackEntry.beginning(in: String(decoding: bytes, as: UTF8.self))
    }

    /// Reads all responses.
    ///
    /// - Throws: ``ImportError``, or an error of what takes the remarks.
    func read() throws {
        var offset: Int64 = 0
        var hasEnd = false
        while offset + 4 <= size {
            try intake.checkCancellation()
            let available = Int(min(Int64(HTTrackHeader.size), size - offset))
            let bytes = try bytes(available, at: offset)
            hasEnd = HTTrackHeader.endMarks.contains { bytes.starts(with: $0) }
            guard !hasEnd else { break }
            count += 1
            guard let header = HTTrackHeader(bytes) else {
                try intake.note(.lost, at: place(offset))
                guard let next = try nextHeader(from: offset + 1) else { break }
                offset = next
                continue
            }
            let body = offset + Int64(HTTrackHeader.size + header.nameSize + header.headSize)
            guard body + header.storedSize <= size else {
                try intake.note(.cut, at: place(offset))
                break
            }
            let words = try self.bytes(header.nameSize + header.headSize, at: offset + Int64(HTTrackHeader.size))
            try take(header, Array(words[..<header.nameSize]), Array(words[header.nameSize...]), body, place(offset))
            offset = body + header.storedSize
        }
        guard count > 0 || hasEnd else {
            throw ImportError(.malformed, subject: name, message: "the file is not a cache of HTTrack")
        }
    }

    // MARK: Responses

    private func take(
        _ header: HTTrackHeader,
        _ name: [UInt8],
        _ head: [UInt8],
        _ offset: Int64,
        _ place: NotePlace
    ) throws {
        guard let entry = HTTrackEntry(name: name, head: head) else {
            let url = String(decoding: name.prefix(200), as: UTF8.self)
            return try intake.note(.noHead, at: place, url: url)
        }
        func note(_ kind: ImportNote.Kind, _ detail: String = "") throws {
            try intake.note(kind, at: place, url: entry.url, detail: detail)
        }
        // Such a response is that to a request with '#' in its path, and mostly an error.
        guard !entry.hasFragment else { return try note(.badURL, "fragment") }
        guard let url = try intake.url(entry.url, at: place) else { return }
        guard Intake.isStored(entry.status) else { return try note(.status, "\(entry.status)") }
        let modified = entry.fields[.lastModified].flatMap { HTTPDate.parse($0) }.map { ArchiveDate(time: $0) }
        let time = date ?? modified
        if let omission = intake.omission(url, time) { return try note(omission) }
        var response = FetchHead(status: entry.status, reason: entry.reason, fields: entry.fields)
        guard Intake.target(response, url) == nil else {
            let record = intake.record(url, response, time)
            return try intake.add(Capture(kind: .redirect, record: record, date: time, place: place))
        }
        do {
            try readBody(of: entry, header, at: offset)
            var result = try intake.bodies.unstated(intake.buffer, response, url)
            if let stated = entry.size, stated > intake.buffer.size {
                result.notes.append((.short, "\(intake.buffer.size) of \(stated) bytes"))
            }
            response.coding = result.coding
            let record = intake.record(url, response, time, body: result.body)
            try intake.add(Capture(record: record, date: time, body: result.body, notes: result.notes, place: place))
        } catch let refusal as BodyIntake.Refusal {
            return try note(refusal.kind, refusal.detail)
        }
        let type = response.fields[.contentType].flatMap { MediaType($0)?.essence }
        if firstPage == nil, entry.status == 200, type == "text/html" || type == "application/xhtml+xml" {
            firstPage = url
        }
    }

    /// Puts the body of a response into the buffer.
    private func readBody(of entry: HTTrackEntry, _ header: HTTrackHeader, at offset: Int64) throws {
        intake.buffer.clear()
        if entry.isInCache {
            try readBody(header, at: offset)
        } else {
            guard !entry.saved.isEmpty else { throw BodyIntake.Refusal(kind: .noBody) }
            guard try mirror.read(entry.saved, { try intake.buffer.append($0) }) else {
                throw BodyIntake.Refusal(kind: .noBody, detail: "no file \(PrintableText.quoted(entry.saved))")
            }
        }
        guard !intake.buffer.isTooLarge else { throw BodyIntake.Refusal(kind: .tooLarge) }
    }

    private func readBody(_ header: HTTrackHeader, at offset: Int64) throws {
        var inflater: Inflater
        do throws(ZipError) { inflater = try Inflater() } catch { throw ImportError(error, subject: name) }
        let input = UnsafeMutableRawBufferPointer.allocate(byteCount: Self.pieceSize, alignment: 16)
        let output = UnsafeMutableRawBufferPointer.allocate(byteCount: Self.pieceSize, alignment: 16)
        defer {
            input.deallocate()
            output.deallocate()
        }
        var checksum = CRC32()
        var (given, made): (Int64, Int64) = (0, 0)
        func take(_ bytes: UnsafeRawBufferPointer) throws {
            made += Int64(bytes.count)
            guard made <= header.bodySize else { throw BodyIntake.Refusal(kind: .damagedCoding) }
            checksum.update(bytes)
            try intake.buffer.append(bytes)
            guard !intake.buffer.isTooLarge else { throw BodyIntake.Refusal(kind: .tooLarge) }
        }
        while given < header.storedSize, !inflater.isFinished {
            let wanted = Int(min(Int64(input.count), header.storedSize - given))
            let piece = UnsafeMutableRawBufferPointer(rebasing: input[..<wanted])
            let place = offset + given
            let count = try Self.onFile(name) { () throws(FileError) in try file.read(into: piece, at: place) }
            guard count > 0 else { break }
            given += Int64(count)
            let bytes = UnsafeMutableRawBufferPointer(rebasing: piece[..<count])
            guard header.isDeflated else {
                try take(UnsafeRawBufferPointer(bytes))
                continue
            }
            inflater.give(bytes)
            var filled = output.count
            while filled == output.count, !inflater.isFinished {
                guard let next = inflater.fill(output) else { throw BodyIntake.Refusal(kind: .damagedCoding) }
                filled = next
                try take(UnsafeRawBufferPointer(rebasing: output[..<filled]))
            }
        }
        guard made == header.bodySize, checksum.value == header.crc32 else {
            throw BodyIntake.Refusal(kind: .damagedCoding)
        }
    }

    // MARK: The file

    private func place(_ offset: Int64) -> NotePlace { NotePlace(file: number, offset: offset, number: count) }

    /// Returns the offset of the next header; nil if there is none.
    private func nextHeader(from start: Int64) throws -> Int64? {
        var offset = start
        while offset + 4 <= size {
            try intake.checkCancellation()
            let piece = try bytes(Int(min(Int64(Self.pieceSize), size - offset)), at: offset)
            if let range = piece.firstRange(of: HTTrackHeader.mark) { return offset + Int64(range.lowerBound) }
            // A mark may lie across the border.
            offset += Int64(max(1, piece.count - 3))
        }
        return nil
    }

    private func bytes(_ count: Int, at offset: Int64) throws -> [UInt8] {
        try Self.onFile(name) { () throws(FileError) in try file.bytes(count, at: offset) }
    }

    private static func onFile<Value>(_ name: String, _ work: () throws(FileError) -> Value) throws -> Value {
        do throws(FileError) { return try work() } catch { throw ImportError(error, subject: name) }
    }
}
