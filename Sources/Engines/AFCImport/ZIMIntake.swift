internal import AFCArchive
internal import AFCCoding
internal import AFCCrawlRules
internal import AFCCrawler
internal import AFCFiles
internal import AFCHTTP
internal import AFCText
internal import AFCURL
internal import AFCZip
internal import Crypto
internal import HTTPTypes

/// Reads the entries of one ZIM file, cluster by cluster, so that each is decompressed once.
///
/// Nothing that the file says is believed: each offset is compared with the file, each number with its list.
final class ZIMIntake {
    /// The namespaces with content in versions before 6.1: articles, images, and what pages need.
    private static let oldContent = Set("AIJ-".utf8)
    private static let (content, metadata) = (UInt8(ascii: "C"), UInt8(ascii: "M"))
    private static let pieceSize = 256 << 10
    /// The most bytes of the list of media types, and of a piece of metadata.
    private static let (typesLimit, metadataLimit) = (256 << 10, 64 << 10)
    /// The most redirects to the main page that are followed.
    private static let redirectLimit = 4
    /// The most bytes of all clusters, and the largest ratio of decompressed to compressed bytes of what exceeds some MiB.
    private static let (decodedLimit, maxRatio, freeBytes): (Int64, Int64, Int64) = (128 << 30, 1100, 64 << 20)
    /// The largest ratio of what xz decompresses: some bytes repeat a very long text.
    private static let maxXZRatio: Int64 = 8000
    /// The most entries: a package can't have more.
    private static let entryLimit = 2_000_000

    /// An entry with a blob.
    private struct Item {
        var cluster: UInt32
        var blob: UInt32
        var number: UInt32
    }

    private let intake: Intake
    private let file: OpenFile
    private let name: String
    private let header: ZIMHeader
    private let number: Int
    private let base: WebURL
    private var types: [String] = []
    private var date: ArchiveDate?
    private var decoded: Int64 = 0
    /// The name that the file gives itself.
    private(set) var packageName: String?

    /// Opens a file.
    ///
    /// - Parameters:
    ///   - file: The file.
    ///   - name: Its name, for remarks.
    ///   - intake: Takes its contents.
    /// - Throws: ``ImportError`` if it isn't a ZIM file that can be read.
    init(_ file: OpenFile, as name: String, _ intake: Intake) throws {
        (self.file, self.name, self.intake) = (file, name, intake)
        let size = try Self.onFile(name) { () throws(FileError) in try file.size() }
        let beginning = try Self.onFile(name) { () throws(FileError) in
            try file.beginning(Int(min(size, Int64(ZIMHeader.size))))
        }
        do throws(ZIMHeader.Malformation) {
            header = try ZIMHeader(beginning, fileSize: size)
        } catch {
            let message =
                switch error {
                case .noHeader: "the file is not a ZIM file"
                case .version(let major): "the ZIM file has version \(major); only 5 and 6 can be read"
                case .cut: "a part of the ZIM file is missing, or its beginning is damaged: get it again"
                }
            throw ImportError(.malformed, subject: name, message: message)
        }
        guard header.entryCount <= Self.entryLimit else {
            throw ImportError(
                .tooLarge,
                subject: name,
                message: "the file has \(header.entryCount) entries, and a package can't have so many"
            )
        }
        base = try intake.options.baseURL ?? WebURL("http://\(Self.host(name))/")
        number = intake.beginFile(name)
    }

    /// Reads all entries.
    ///
    /// - Throws: ``ImportError``, or an error of what takes the remarks.
    func read() throws {
        try readTypes()
        try verify()
        var items: [Item] = []
        var about: [String: Item] = [:]
        var redirects: [(from: UInt32, to: Int)] = []
        for index in 0..<header.entryCount {
            if index % 1024 == 0 { try intake.checkCancellation() }
            guard let entry = try entry(index) else {
                try intake.note(.lost, at: place(index), detail: "entry")
                continue
            }
            let isContent = isContent(entry.namespace)
            switch entry.content {
            case .blob(let cluster, let blob, _):
                let item = Item(cluster: UInt32(cluster), blob: UInt32(blob), number: UInt32(index))
                if isContent {
                    items.append(item)
                } else if entry.namespace == Self.metadata,
                    ["Date", "Name"].contains(String(decoding: entry.path, as: UTF8.self))
                {
                    about[String(decoding: entry.path, as: UTF8.self)] = item
                } else {
                    intake.count(other: "zim " + Self.letter(entry.namespace))
                }
            case .redirect(let target):
                if isContent { redirects.append((UInt32(index), target)) }
            case .nothing: intake.count(other: "zim deleted")
            }
        }
        date = try about["Date"].flatMap { try text(of: $0) }.flatMap { ArchiveDate($0) }
        packageName = try about["Name"].flatMap { try text(of: $0) }
        items.sort { ($0.cluster, $0.blob, $0.number) < ($1.cluster, $1.blob, $1.number) }
        var start = 0
        while start < items.count {
            let end = items[start...].firstIndex { $0.cluster != items[start].cluster } ?? items.count
            try read(items[start..<end])
            start = end
        }
        for (from, target) in redirects { try redirect(Int(from), to: target) }
        if intake.pages.isEmpty, let main = try mainPage() { intake.pages.append(main) }
    }

    // MARK: Entries

    private func isContent(_ namespace: UInt8) -> Bool {
        header.hasOneNamespace ? namespace == Self.content : Self.oldContent.contains(namespace)
    }

    private static func letter(_ namespace: UInt8) -> String {
        (0x21..<0x7F).contains(namespace) ? String(UnicodeScalar(namespace)) : "other"
    }

    private func place(_ index: Int) -> NotePlace { NotePlace(file: number, offset: nil, number: index + 1) }

    /// Returns an entry; nil if it isn't within the file.
    private func entry(_ index: Int) throws -> ZIMEntry? {
        guard let offset = try offset(index, in: header.entryList) else { return nil }
        // Nearly all paths are short.
        for size in [512, ZIMEntry.limit] {
            let bytes = try bytes(Int(min(Int64(size), header.checksum - offset)), at: offset)
            if let entry = ZIMEntry(bytes) { return entry }
        }
        return nil
    }

    /// Returns an offset of a list; nil if it isn't within the contents.
    private func offset(_ index: Int, in list: Int64) throws -> Int64? {
        let offset = try bytes(8, at: list + Int64(8 * index)).reversed().reduce(0) { $0 << 8 | UInt64($1) }
        guard offset >= UInt64(ZIMHeader.size), offset < UInt64(header.checksum) else { return nil }
        return Int64(offset)
    }

    private func bytes(_ count: Int, at offset: Int64) throws -> [UInt8] {
        try Self.onFile(name) { () throws(FileError) in try file.bytes(count, at: offset) }
    }

    /// Returns the URL of an entry; nil, after a remark, if it can't have one.
    private func url(_ entry: ZIMEntry, _ index: Int) throws -> WebURL? {
        guard !entry.path.isEmpty, let path = String(validating: entry.path, as: UTF8.self) else {
            try intake.note(.badURL, at: place(index), url: String(decoding: entry.path.prefix(200), as: UTF8.self))
            return nil
        }
        let parts = path.split(separator: "/", omittingEmptySubsequences: false).map(PercentEncodeSet.reserved.encode)
        let prefix = header.hasOneNamespace ? "" : Self.letter(entry.namespace) + "/"
        return try intake.url(base.description + prefix + parts.joined(separator: "/"), at: place(index))
    }

    private func redirect(_ index: Int, to target: Int) throws {
        guard target < header.entryCount, let other = try self.entry(target), let entry = try entry(index) else {
            return try intake.note(.lost, at: place(index), detail: "redirect")
        }
        guard isContent(other.namespace), let url = try url(entry, index), let location = try self.url(other, target)
        else { return }
        if let omission = intake.omission(url, date) {
            return try intake.note(omission, at: place(index), url: url.description)
        }
        var head = FetchHead(status: 302, fields: HTTPFields())
        head.fields[.location] = location.description
        let record = intake.record(url, head, date)
        try intake.add(Capture(kind: .redirect, record: record, date: date, place: place(index)))
    }

    private func mainPage() throws -> WebURL? {
        var index = header.mainPage
        for _ in 0..<Self.redirectLimit {
            guard let number = index, number < header.entryCount, let entry = try entry(number) else { return nil }
            if case .redirect(let target) = entry.content {
                index = target
                continue
            }
            return isContent(entry.namespace) ? try url(entry, number) : nil
        }
        return nil
    }

    // MARK: Clusters

    /// Reads the blobs of one cluster that entries have.
    private func read(_ items: ArraySlice<Item>) throws {
        var next = items.startIndex
        do {
            intake.buffer.clear()
            try forEachBlob(of: Int(items[next].cluster)) { blob, bytes, isLast in
                guard next < items.endIndex, blob == Int(items[next].blob) else { return next < items.endIndex }
                try intake.buffer.append(bytes)
                guard isLast else { return true }
                let end = items[next...].firstIndex { $0.blob != items[next].blob } ?? items.endIndex
                try add(items[next..<end])
                intake.buffer.clear()
                next = end
                return next < items.endIndex
            }
        } catch let damage as Damage {
            for item in items[next...] { try lose(item, damage.detail) }
            next = items.endIndex
        }
        for item in items[next...] { try lose(item, "no such blob") }
    }

    /// A cluster that can't be read to its end.
    private struct Damage: Error {
        var detail: String
    }

    private func lose(_ item: Item, _ detail: String) throws {
        let index = Int(item.number)
        let lost = try entry(index).flatMap { try url($0, index) }
        try intake.note(.damagedCoding, at: place(index), url: lost?.description ?? "", detail: detail)
    }

    /// Adds the entries that have the body at hand, which is stored once.
    private func add(_ items: ArraySlice<Item>) throws {
        var stored: BodyIntake.Result?
        for item in items {
            try intake.checkCancellation()
            let index = Int(item.number)
            guard let entry = try entry(index), case .blob(_, _, let type) = entry.content,
                let url = try url(entry, index)
            else {
                continue
            }
            if let omission = intake.omission(url, date) {
                try intake.note(omission, at: place(index), url: url.description)
                continue
            }
            guard !intake.buffer.isTooLarge else {
                try intake.note(.tooLarge, at: place(index), url: url.description)
                continue
            }
            var head = FetchHead(status: 200, fields: HTTPFields())
            if type < types.count, !types[type].isEmpty { head.fields[.contentType] = types[type] }
            let result = try stored ?? intake.bodies.plain(intake.buffer, head, url)
            stored = result
            let record = intake.record(url, head, date, body: result.body)
            try intake.add(Capture(record: record, date: date, body: result.body, place: place(index)))
        }
    }

    /// Gives the parts of the blobs of a cluster while the receiver returns true.
    private func forEachBlob(
        of cluster: Int,
        _ receive: (_ blob: Int, _ bytes: UnsafeRawBufferPointer, _ isLast: Bool) throws -> Bool
    ) throws {
        guard cluster < header.clusterCount, let offset = try offset(cluster, in: header.clusterList) else {
            throw Damage(detail: "no cluster \(cluster)")
        }
        let kind = try bytes(1, at: offset)[0]
        var parser = ZIMBlobParser(isExtended: kind & 0x10 != 0)
        var isWanted = true
        func take(_ bytes: UnsafeRawBufferPointer) throws {
            decoded += Int64(bytes.count)
            guard decoded <= Self.decodedLimit else {
                throw ImportError(.tooLarge, subject: name, message: "the clusters have more than 128 GiB")
            }
            do {
                try parser.feed(bytes) { if isWanted { isWanted = try receive($0, $1, $2) } }
            } catch let error as ZIMBlobParser.Malformation {
                throw Damage(detail: "cluster \(cluster): \(error)")
            }
        }
        switch kind & 0x0F {
        case 0, 1:
            try forEachPiece(from: offset + 1) { piece in
                try take(piece)
                return isWanted && !parser.isFinished
            }
        case 5: try decompress(from: offset + 1, cluster, take) { isWanted && !parser.isFinished }
        case 4: try decompressXZ(from: offset + 1, cluster, take) { isWanted && !parser.isFinished }
        default: throw Damage(detail: "cluster \(cluster) has an unknown compression")
        }
    }

    private func decompressXZ(
        from start: Int64,
        _ cluster: Int,
        _ take: (UnsafeRawBufferPointer) throws -> Void,
        while isWanted: () -> Bool
    ) throws {
        var decoder = XZDecoder()
        var (given, made): (Int64, Int64) = (0, 0)
        do {
            try forEachPiece(from: start) { piece in
                given += Int64(piece.count)
                try decoder.decode(piece) { bytes in
                    made += Int64(bytes.count)
                    try Self.requirePlausible(made, from: given, Self.maxXZRatio, cluster)
                    try take(bytes)
                    return isWanted()
                }
                return isWanted() && !decoder.isFinished
            }
        } catch let error as XZDecoder.Malformation {
            throw Damage(detail: "cluster \(cluster): \(error)")
        }
    }

    private func decompress(
        from start: Int64,
        _ cluster: Int,
        _ take: (UnsafeRawBufferPointer) throws -> Void,
        while isWanted: () -> Bool
    ) throws {
        let frames: ZstandardFrames
        do throws(ZipError) { frames = try ZstandardFrames() } catch { throw ImportError(error, subject: name) }
        let output = UnsafeMutableRawBufferPointer.allocate(byteCount: Self.pieceSize, alignment: 16)
        defer { output.deallocate() }
        var (given, made): (Int64, Int64) = (0, 0)
        try forEachPiece(from: start) { piece in
            frames.give(piece)
            var count = output.count
            while count == output.count {
                guard let filled = frames.fill(output) else { throw Damage(detail: "cluster \(cluster)") }
                count = filled
                made += Int64(count)
                let used = given + Int64(piece.count - frames.unused)
                try Self.requirePlausible(made, from: used, Self.maxRatio, cluster)
                try take(UnsafeRawBufferPointer(rebasing: output[..<count]))
                guard isWanted(), !frames.isFinished else { return false }
            }
            given += Int64(piece.count)
            return true
        }
    }

    /// Refuses more decompressed bytes than a sound cluster has.
    private static func requirePlausible(_ made: Int64, from given: Int64, _ ratio: Int64, _ cluster: Int)
        throws(Damage)
    {
        guard made <= freeBytes || made / ratio <= given else {
            throw Damage(detail: "cluster \(cluster) expands too much")
        }
    }

    /// Gives the bytes from an offset to the end of the contents while the receiver returns true.
    private func forEachPiece(from start: Int64, _ receive: (UnsafeRawBufferPointer) throws -> Bool) throws {
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: Self.pieceSize, alignment: 16)
        defer { buffer.deallocate() }
        var offset = start
        while offset < header.checksum {
            try intake.checkCancellation()
            let part = UnsafeMutableRawBufferPointer(
                rebasing: buffer[..<Int(min(Int64(buffer.count), header.checksum - offset))]
            )
            let at = offset
            let count = try Self.onFile(name) { () throws(FileError) in try file.read(into: part, at: at) }
            guard count > 0, try receive(UnsafeRawBufferPointer(rebasing: part[..<count])) else { return }
            offset += Int64(count)
        }
    }

    // MARK: The file

    /// Returns the text of a piece of metadata; nil if it can't be read.
    private func text(of item: Item) throws -> String? {
        var text: [UInt8] = []
        do {
            try forEachBlob(of: Int(item.cluster)) { blob, bytes, isLast in
                guard blob == Int(item.blob) else { return blob < Int(item.blob) }
                text += bytes.prefix(Self.metadataLimit - text.count)
                return !isLast
            }
        } catch is Damage {
            return nil
        }
        return String(validating: text, as: UTF8.self)
    }

    private func readTypes() throws {
        let list = try bytes(Int(min(Int64(Self.typesLimit), header.checksum - header.typeList)), at: header.typeList)
        for text in list.split(separator: 0, maxSplits: 0xFFFD, omittingEmptySubsequences: false) {
            // An empty type ends the list.
            guard !text.isEmpty else { return }
            let type = String(decoding: text, as: UTF8.self)
            types.append(MediaType(type) == nil ? "" : type)
        }
    }

    /// Compares the contents with the checksum at the end.
    private func verify() throws {
        var hash = Insecure.MD5()
        try forEachPiece(from: 0) { piece in
            hash.update(bufferPointer: piece)
            return true
        }
        guard try Array(hash.finalize()) != bytes(16, at: header.checksum) else { return }
        try intake.note(.digest, at: NotePlace(file: number, offset: header.checksum, number: 0))
    }

    /// Returns the host that stands for a file: its name in letters, digits and hyphens, and `.zim`.
    private static func host(_ name: String) -> String {
        let last = name.split { $0 == "/" || $0 == "!" }.last.map(String.init) ?? ""
        let stem = last.lowercased().hasSuffix(".zim") ? String(last.dropLast(4)) : last
        let letters = stem.lowercased().map { $0.isASCII && ($0.isLetter || $0.isNumber) ? $0 : "-" }
        let words = String(letters).split(separator: "-").joined(separator: "-").prefix(60)
        return (words.isEmpty ? "archive" : words.hasSuffix("-") ? String(words.dropLast()) : String(words)) + ".zim"
    }

    private static func onFile<Value>(_ name: String, _ work: () throws(FileError) -> Value) throws -> Value {
        do throws(FileError) { return try work() } catch { throw ImportError(error, subject: name) }
    }
}
