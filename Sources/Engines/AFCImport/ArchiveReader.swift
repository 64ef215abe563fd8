internal import AFCArchive
internal import AFCFiles
internal import AFCHTTP
internal import AFCPackageFormat
internal import AFCText
internal import AFCURL
internal import AFCZip

/// Reads archives of all formats, and those within zips.
struct ArchiveReader {
    /// The deepest nesting of zips.
    private static let depthLimit = 3
    /// The most bytes of all zips within zips.
    private static let nestedLimit: Int64 = 64 << 30
    /// The most bytes of a list of pages that are read.
    private static let pagesLimit = 1 << 20
    /// The most pages that are taken from a list.
    private static let pageCount = 16
    /// The most members of a zip.
    private static let memberLimit = 200_000

    let intake: Intake
    let format: ImportFormat?
    /// The folder for temporary files.
    let folder: String

    // MARK: Files

    /// Reads a file.
    ///
    /// - Parameter path: The file; nil for standard input.
    /// - Throws: ``ImportError``, or an error of what takes the remarks.
    func read(_ path: String?) throws {
        let name = path ?? "standard input"
        let file: OpenFile
        do throws(FileError) {
            if let path, !OpenFile.isPipe(path) {
                file = try OpenFile(reading: path)
            } else {
                // Zips need any part of the file.
                let cancellation = intake.cancellation
                file = try OpenFile.copy(ofPipe: path, in: folder) { cancellation.isCancelled }
            }
        } catch {
            throw ImportError(error, subject: error.path == folder ? folder : name)
        }
        try read(file, as: name, path: path)
    }

    /// Reads one of the files of a folder, or of the members of a zip: the others matter even if it has no record.
    ///
    /// - Parameters:
    ///   - name: The file's name.
    ///   - work: The reading.
    /// - Throws: ``ImportError``, or an error of what takes the remarks.
    func readPart(_ name: String, _ work: () throws -> Void) throws {
        do {
            try work()
        } catch let error as ImportError where error.code == .empty {
            let number = intake.files.last == name ? intake.files.count - 1 : intake.beginFile(name)
            try intake.note(.lost, at: NotePlace(file: number, offset: 0, number: 0), detail: error.message)
        }
    }

    private func read(_ file: OpenFile, as name: String, path: String?) throws {
        var beginning = [UInt8](repeating: 0, count: Self.beginningSize)
        let count = try onFile(name) { () throws(FileError) -> Int in
            var failure: FileError?
            let count = beginning.withUnsafeMutableBytes { buffer in
                do throws(FileError) {
                    return try file.read(into: buffer, at: 0)
                } catch {
                    failure = error
                    return 0
                }
            }
            if let failure { throw failure }
            return count
        }
        beginning.removeSubrange(count...)
        if let copy = PlainCopy(of: beginning) {
            return try read(try copy.copy(of: file, as: name, in: folder), as: name, path: path)
        }
        var format = format ?? Self.format(of: beginning)
        if self.format == nil, format == .wacz {
            let isCache = try onFile(name) { () throws(FileError) in try HTTrackIntake.recognizes(file) }
            if isCache { format = .httrack }
        }
        switch format {
        case .wacz: try readZip(file, as: name, depth: 0)
        case .har where beginning.starts(with: [0x50, 0x4B]): try readZip(file, as: name, depth: 0)
        case .har: try readHAR(as: name, beside: FolderFiles(beside: path)) { try file.forEachPiece(as: name, $0) }
        case .httrack: try readCache(file, as: name, path: path)
        case .zim: try readZIM(file, as: name)
        case .warc, .arc: try readRecords(as: name) { try file.forEachPiece(as: name, $0) }
        case .webarchive:
            try WebArchiveIntake(file, as: name, intake).read()
        case .urlcache: try readDatabase(file, as: name, path: path)
        case .mhtml: try readMHTML(as: name) { try file.forEachPiece(as: name, $0) }
        case .wget:
            throw ImportError(.malformed, subject: name, message: "a mirror by wget is a folder, and this is a file")
        case nil:
            throw ImportError(
                count == 0 ? .empty : .malformed,
                subject: name,
                message: count == 0
                    ? "the file is empty"
                    : "the file is neither a WARC nor an ARC, WACZ, HAR, ZIM, web archive, MHTML or cache"
            )
        }
    }

    /// The number of bytes that decide on the format of a file.
    static let beginningSize = 4096

    /// Returns the format of a file by its first bytes; nil for none that is imported.
    static func format(of beginning: [UInt8]) -> ImportFormat? {
        let text = beginning.drop { [0xEF, 0xBB, 0xBF, 0x20, 0x09, 0x0A, 0x0D].contains($0) }
        if beginning.starts(with: [0x50, 0x4B]) { return .wacz }
        if text.first == UInt8(ascii: "{") { return .har }
        if text.starts(with: "WARC/".utf8) { return .warc }
        if beginning.starts(with: ZIMHeader.mark) { return .zim }
        if text.starts(with: "filedesc:".utf8) { return .arc }
        if beginning.starts(with: URLCacheIntake.mark) { return .urlcache }
        if beginning.starts(with: BinaryPropertyList.mark) { return .webarchive }
        if text.first == UInt8(ascii: "<"), text.firstRange(of: "<plist".utf8) != nil { return .webarchive }
        if isMHTML(text) { return .mhtml }
        let marks: [[UInt8]] = [[0x1F, 0x8B], [0x28, 0xB5, 0x2F, 0xFD], [0x04, 0x22, 0x4D, 0x18]]
        if marks.contains(where: { beginning.starts(with: $0) }) { return .warc }
        let isSkippable = beginning.count >= 4 && beginning[0] & 0xF0 == 0x50
        return isSkippable && beginning[1...3] == [0x2A, 0x4D, 0x18] ? .warc : nil
    }

    /// Returns true if a text begins with the head of a message whose parts belong together.
    private static func isMHTML(_ text: some Collection<UInt8>) -> Bool {
        let name = text.prefix(64).prefix { $0 != UInt8(ascii: ":") }
        guard !name.isEmpty, name.count < 64, name.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) else { return false }
        let head = String(decoding: text, as: UTF8.self).lowercased()
        return head.contains("multipart/related") && head.contains("boundary=")
    }

    private func onFile<Value>(_ name: String, _ work: () throws(FileError) -> Value) throws -> Value {
        do throws(FileError) { return try work() } catch { throw ImportError(error, subject: name) }
    }

    // MARK: Formats

    private func readRecords(as name: String, _ pieces: ((UnsafeRawBufferPointer) throws -> Void) throws -> Void) throws
    {
        let number = intake.beginFile(name)
        let stream = MemberStream(intake, file: number)
        try pieces { try stream.feed($0) }
        try stream.finish()
        guard stream.count > 0 else {
            throw ImportError(.empty, subject: name, message: "the file has no record of a WARC or ARC")
        }
        if intake.pages.isEmpty, let page = stream.firstPage { intake.pages.append(page) }
    }

    private func readHAR(
        as name: String,
        beside: any BesideFiles,
        _ pieces: ((UnsafeRawBufferPointer) throws -> Void) throws -> Void
    ) throws {
        let number = intake.beginFile(name)
        let taker = HARIntake(intake, file: number, beside: beside)
        var reader = HARReader(to: taker)
        do {
            try pieces { try reader.feed($0) }
            try reader.finish()
        } catch JSONEventParser.Failure.receiver(let error) {
            throw error
        } catch let failure as JSONEventParser.Failure {
            guard reader.count > 0 else {
                let why = if case .depth = failure { "it nests too deeply" } else { "it is no JSON" }
                let place = "after byte \(reader.offset)"
                throw ImportError(.malformed, subject: name, message: "the file is not a HAR: \(why) \(place)")
            }
            let place = NotePlace(file: number, offset: reader.offset, number: reader.count + 1)
            try intake.note(.cut, at: place)
        }
        guard reader.hasEntries else {
            throw ImportError(
                .malformed,
                subject: name,
                message: "the file is JSON, but not a HAR: it has no list of entries"
            )
        }
        if intake.pages.isEmpty, let page = taker.firstPage { intake.pages.append(page) }
    }

    private func readZIM(_ file: OpenFile, as name: String) throws {
        let taker = try ZIMIntake(file, as: name, intake)
        try taker.read()
        if intake.packageName == nil { intake.packageName = taker.packageName }
    }

    /// Reads the cache of an app, with the log and the files beside it.
    private func readDatabase(_ file: OpenFile, as name: String, path: String?) throws {
        let log = (path?.split(separator: "/").last).map { "\($0)-wal" } ?? ""
        let taker = URLCacheIntake(as: name, beside: FolderFiles(beside: path), intake)
        try taker.read(file, log: log, folder: folder)
        if intake.pages.isEmpty, let page = taker.firstPage { intake.pages.append(page) }
    }

    private func readMHTML(as name: String, _ pieces: ((UnsafeRawBufferPointer) throws -> Void) throws -> Void) throws {
        let taker = MHTMLIntake(intake, file: intake.beginFile(name))
        var reader = MHTMLReader(to: taker)
        do {
            try pieces { try reader.feed($0) }
            try reader.finish()
        } catch let error as MHTMLReader<MHTMLIntake>.Malformation {
            let why =
                error == .noMessage
                ? "it has no head of a message with parts" : "a head is too large or nested too deeply"
            throw ImportError(.malformed, subject: name, message: "the file is not an MHTML file: \(why)")
        }
    }

    /// Reads a cache of HTTrack; those in a folder `hts-cache` belong to the mirror around it.
    private func readCache(_ file: OpenFile, as name: String, path: String?) throws {
        let parts = (path ?? "").split(separator: "/", omittingEmptySubsequences: false)
        let isInMirror = parts.count > 1 && parts[parts.count - 2] == Self.cacheFolder
        let root = parts.dropLast(2).joined(separator: "/")
        let mirror = isInMirror ? FolderFiles(in: parts.count == 2 ? "." : root) : FolderFiles(beside: nil)
        // The log is that of the latest run.
        let date = parts.last == "old.zip" ? nil : try HTTrackIntake.date(inLogOf: mirror)
        let taker = try HTTrackIntake(file, as: name, mirror: mirror, date: date, intake)
        try taker.read()
        if intake.pages.isEmpty, let page = taker.firstPage { intake.pages.append(page) }
    }

    /// The name of HTTrack's folder in a mirror.
    static let cacheFolder: Substring = "hts-cache"

    // MARK: Zips

    private func readZip(_ file: OpenFile, as name: String, depth: Int) throws {
        guard depth < Self.depthLimit else {
            throw ImportError(
                .malformed,
                subject: name,
                message: "zips are within each other more than \(Self.depthLimit) levels deep"
            )
        }
        let zip: ZipReader
        var limits = ReadLimits()
        limits.members = Self.memberLimit
        do throws(ZipError) {
            zip = try ZipReader(path: name, limits: limits, folder: folder, file: file)
        } catch {
            throw ImportError(error, subject: name)
        }
        guard zip.member(named: PackageLayout.manifest) == nil else {
            throw ImportError(.package, subject: name, message: "the file is a package already; it needs no import")
        }
        try readPages(zip)
        if depth == 0 { intake.sidecar = try CollectionSidecar(in: zip, to: intake.store) }
        var found = 0
        for member in zip.members where !member.isDirectory {
            let path = "\(name)!\(member.name)"
            switch Kind(member.name) {
            case .records:
                found += 1
                try readPart(path) {
                    try readRecords(as: path) { body in try forEachPiece(of: member, in: zip, path, body) }
                }
            case .har:
                found += 1
                let beside = MemberFiles(zip: zip, har: member.name, name: name)
                let file = try extracted(member, zip, path)
                let beginning = try onFile(path) { () throws(FileError) in
                    try file.beginning(Int(min(member.uncompressedSize, Int64(Self.beginningSize))))
                }
                let plain = try PlainCopy(of: beginning)?.copy(of: file, as: path, in: folder) ?? file
                try readHAR(as: path, beside: beside) { try plain.forEachPiece(as: path, $0) }
            case .zim:
                found += 1
                try readZIM(try extracted(member, zip, path), as: path)
            case .zip:
                found += 1
                try readZip(try extracted(member, zip, path), as: path, depth: depth + 1)
            case .saved, nil: break
            }
        }
        guard found > 0 else {
            throw ImportError(.malformed, subject: name, message: "the zip has no WARC, ARC, WACZ, HAR or ZIM in it")
        }
    }

    /// The kinds of members that hold captures.
    enum Kind {
        /// A file that isn't within zips.
        case saved
        case records
        case har
        case zim
        case zip

        private static let cacheNames: Set<String> = ["cache.db"]

        /// Returns the kind of a file by its name; nil for none.
        init?(_ name: String) {
            var rest = name.lowercased()
            if rest.hasSuffix(".wacz") || rest.hasSuffix(".har.zip") {
                self = .zip
                return
            }
            if [".webarchive", ".mht", ".mhtml"].contains(where: rest.hasSuffix) || Self.cacheNames.contains(rest) {
                self = .saved
                return
            }
            if rest.hasSuffix(".zim") {
                self = .zim
                return
            }
            // Crawlers mark the files that they are writing.
            if rest.hasSuffix(".open") { rest.removeLast(".open".count) }
            for suffix in [".gz", ".zst", ".lz4"] where rest.hasSuffix(suffix) {
                rest.removeLast(suffix.count)
                break
            }
            if rest.hasSuffix(".har") {
                self = .har
                return
            }
            guard rest.hasSuffix(".warc") || rest.hasSuffix(".arc") else { return nil }
            self = .records
        }
    }

    private func forEachPiece(
        of member: ZipMember,
        in zip: ZipReader,
        _ name: String,
        _ body: (UnsafeRawBufferPointer) throws -> Void
    ) throws {
        try MemberFiles.forEachPiece(of: member, in: zip, name, body)
    }

    /// Returns a copy of an archive within a zip, which is read in any order.
    private func extracted(_ member: ZipMember, _ zip: ZipReader, _ name: String) throws -> OpenFile {
        guard member.uncompressedSize <= Self.nestedLimit else {
            throw ImportError(.tooLarge, subject: name, message: "the archive within the zip has more than 64 GiB")
        }
        let copy = try onFile(folder) { () throws(FileError) in try OpenFile(temporaryIn: folder) }
        var offset: Int64 = 0
        try forEachPiece(of: member, in: zip, name) { bytes in
            try onFile(folder) { () throws(FileError) in try copy.write(bytes, at: offset) }
            offset += Int64(bytes.count)
        }
        return copy
    }

    /// Takes the pages that a WACZ names: the main page of `datapackage.json`, or the first ones of its list.
    private func readPages(_ zip: ZipReader) throws {
        func value(_ name: String) -> [UInt8]? {
            zip.member(named: name).flatMap { try? zip.read($0, maxBytes: Self.pagesLimit) }
        }
        var texts: [String] = []
        if let bytes = value("datapackage.json"), let json = try? JSONValue(parsing: bytes),
            let main = (json["mainPageURL"] ?? json["mainPageUrl"])?.string
        {
            texts = [main]
        } else if let bytes = value("pages/pages.jsonl") {
            for line in bytes.split(separator: 0x0A) where texts.count < Self.pageCount {
                if let json = try? JSONValue(parsing: Array(line)), let url = json["url"]?.string { texts.append(url) }
            }
        }
        for text in texts {
            guard let url = try? WebURL(text), url.isHTTP, !intake.pages.contains(url) else { continue }
            intake.pages.append(url.removingCredentials)
        }
    }
}

/// The members of a zip beside the HAR in it.
struct MemberFiles: BesideFiles {
    let zip: ZipReader
    /// The name of the HAR's member.
    let har: String
    /// The name of the zip, for errors.
    let name: String

    func read(_ file: String, _ body: (UnsafeRawBufferPointer) throws -> Void) throws -> Bool {
        guard PathName.isInside(file) else { return false }
        let folder = har.lastIndex(of: "/").map { String(har[...$0]) } ?? ""
        guard let member = zip.member(named: folder + file) ?? zip.member(named: file) else { return false }
        try Self.forEachPiece(of: member, in: zip, "\(name)!\(member.name)", body)
        return true
    }

    /// Gives the bytes of a member.
    static func forEachPiece(
        of member: ZipMember,
        in zip: ZipReader,
        _ name: String,
        _ body: (UnsafeRawBufferPointer) throws -> Void
    ) throws {
        var failure: (any Error)?
        do throws(ZipError) {
            try zip.forEachChunk(of: member) { bytes throws(ZipError) in
                do {
                    try body(bytes)
                } catch {
                    failure = error
                    throw ZipError(.cancelled, rule: "import", message: "")
                }
            }
        } catch {
            throw failure ?? ImportError(error, subject: name)
        }
    }
}
