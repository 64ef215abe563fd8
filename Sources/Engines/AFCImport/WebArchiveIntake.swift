internal import AFCArchive
internal import AFCCrawlRules
internal import AFCFiles
internal import AFCHTTP
internal import AFCText
internal import AFCURL
internal import HTTPTypes

/// Reads a web archive of Safari: a property list with a page, what it loaded, and the archives of its frames.
final class WebArchiveIntake {
    /// The most bytes of a response in the list.
    private static let responseLimit: Int64 = 4 << 20
    private static let pieceSize = 256 << 10

    private let intake: Intake
    private let file: OpenFile
    private let name: String
    private let number: Int
    private var count = 0

    init(_ file: OpenFile, as name: String, _ intake: Intake) {
        (self.file, self.name, self.intake) = (file, name, intake)
        number = intake.beginFile(name)
    }

    /// Reads all responses.
    ///
    /// - Throws: ``ImportError``, or an error of what takes the remarks.
    func read() throws {
        let root: PropertyList
        do {
            root = try list()
        } catch let error as PropertyList.Malformation {
            let why =
                switch error {
                case .noList: "it is no property list, or its end is missing"
                case .damaged: "its property list is damaged"
                case .tooLarge: "its property list is too large or nested too deeply"
                }
            throw ImportError(.malformed, subject: name, message: "the file is not a web archive: \(why)")
        }
        guard root["WebMainResource"] != nil else {
            throw ImportError(
                .malformed,
                subject: name,
                message: "the file is a property list, but not a web archive: it has no WebMainResource"
            )
        }
        try take(root, isTop: true)
    }

    private func list() throws -> PropertyList {
        let size = try onFile { () throws(FileError) in try file.size() }
        let beginning = try bytes(Int(min(size, Int64(BinaryPropertyList.mark.count))), at: 0)
        if beginning == BinaryPropertyList.mark {
            return try BinaryPropertyList.read(size: size) { try bytes($1, at: $0) }
        }
        guard size <= XMLPropertyList.byteLimit else { throw PropertyList.Malformation.tooLarge }
        return try XMLPropertyList.read(try bytes(Int(size), at: 0))
    }

    // MARK: Archives

    /// Takes an archive, the page last: it counts where a frame has its URL.
    private func take(_ archive: PropertyList, isTop: Bool) throws {
        if case .array(let frames) = archive["WebSubframeArchives"] {
            for frame in frames { try take(frame, isTop: false) }
        }
        var earliest: ArchiveDate?
        if case .array(let resources) = archive["WebSubresources"] {
            for resource in resources {
                guard let date = try take(resource, date: nil)?.date else { continue }
                earliest = earliest.map { min($0, date) } ?? date
            }
        }
        // The page itself has no response, and was loaded before what it needs.
        guard let main = archive["WebMainResource"], let page = try take(main, date: earliest) else { return }
        if isTop, !intake.pages.contains(page.url) { intake.pages.append(page.url) }
    }

    /// Takes a response; nil if it is left out.
    private func take(_ resource: PropertyList, date known: ArchiveDate?) throws -> (url: WebURL, date: ArchiveDate?)? {
        try intake.checkCancellation()
        count += 1
        let place = NotePlace(file: number, offset: nil, number: count)
        let text = resource["WebResourceURL"]?.string ?? ""
        func note(_ kind: ImportNote.Kind, _ detail: String = "") throws {
            try intake.note(kind, at: place, url: text, detail: detail)
        }
        guard let url = try intake.url(text, at: place) else { return nil }
        let response = try response(of: resource)
        let status = response?.status ?? 200
        guard Intake.isStored(status) else {
            try note(.status, "\(status)")
            return nil
        }
        var head = FetchHead(status: status, fields: response?.fields ?? HTTPFields())
        let date =
            response?.time ?? head.fields[.date].flatMap { HTTPDate.parse($0) }.map { ArchiveDate(time: $0) } ?? known
        if let omission = intake.omission(url, date) {
            try note(omission)
            return nil
        }
        if !head.fields.contains(.contentType) { head.fields[.contentType] = type(of: resource) }
        guard case .data(let data) = resource["WebResourceData"] else {
            try note(.noBody)
            return nil
        }
        do {
            try fill(with: data)
            let result = try intake.bodies.decodedOrNot(intake.buffer, &head, url)
            let record = intake.record(url, head, date, body: result.body)
            try intake.add(Capture(record: record, date: date, body: result.body, notes: result.notes, place: place))
        } catch let refusal as BodyIntake.Refusal {
            try note(refusal.kind, refusal.detail)
            return nil
        }
        return (url, date)
    }

    private func type(of resource: PropertyList) -> String? {
        guard let type = resource["WebResourceMIMEType"]?.string, let parsed = MediaType(type) else { return nil }
        guard let charset = resource["WebResourceTextEncodingName"]?.string, !charset.isEmpty,
            parsed.parameter("charset") == nil, MediaType("\(type); charset=\(charset)") != nil
        else { return type }
        return "\(type); charset=\(charset)"
    }

    private func response(of resource: PropertyList) throws -> ArchivedURLResponse? {
        let bytes: [UInt8]
        switch resource["WebResourceResponse"] {
        case .data(.bytes(let data)): bytes = data
        case .data(.range(let offset, let count)):
            guard count <= Self.responseLimit else { return nil }
            bytes = try self.bytes(Int(count), at: offset)
        default: return nil
        }
        // What can't be read says nothing; the body is sound nevertheless.
        guard let list = try? BinaryPropertyList.read(bytes) else { return nil }
        return ArchivedURLResponse(keyed: list)
    }

    // MARK: The file

    private func fill(with data: PropertyList.Data) throws {
        intake.buffer.clear()
        switch data {
        case .bytes(let bytes): try bytes.withUnsafeBytes { try intake.buffer.append($0) }
        case .range(let start, let count):
            var offset: Int64 = 0
            while offset < count {
                let piece = try bytes(Int(min(Int64(Self.pieceSize), count - offset)), at: start + offset)
                try piece.withUnsafeBytes { try intake.buffer.append($0) }
                guard !intake.buffer.isTooLarge else { throw BodyIntake.Refusal(kind: .tooLarge) }
                offset += Int64(piece.count)
            }
        }
    }

    private func bytes(_ count: Int, at offset: Int64) throws -> [UInt8] {
        try onFile { () throws(FileError) in try file.bytes(count, at: offset) }
    }

    private func onFile<Value>(_ work: () throws(FileError) -> Value) throws -> Value {
        do throws(FileError) { return try work() } catch { throw ImportError(error, subject: name) }
    }
}
