internal import AFCDiscovery
internal import AFCFiles
internal import AFCHTTP
package import AFCPackageFile
internal import AFCPackageFormat
internal import AFCText
package import AFCURL
internal import AFCZip
internal import Crypto
internal import HTTPTypes

/// Writes packages as a web archive: a file of WARC records (ISO 28500:2017, version 1.1), or WACZ 1.1.1, which adds an index
/// and a list of pages, or HAR 1.2; docs/reference/export.md.
///
/// The same packages give the same bytes: dates are those of the packages and their responses.
package struct ArchiveExport {
    /// The form of an archive.
    package enum Form: Sendable {
        /// WACZ.
        case wacz
        /// Records, each a gzip member of its own.
        case warc
        /// Records that aren't compressed.
        case plainWARC
        /// HAR 1.2.
        case har
    }

    /// What became of an export.
    package struct Report: Sendable {
        /// The number of responses with a body.
        package var responses = 0
        /// The number of those whose body is that of another URL, and was written once.
        package var revisits = 0
        /// The number of redirects.
        package var redirects = 0
        /// The size of the bodies, each counted once, in bytes.
        package var bytes: Int64 = 0
        /// The number of pages in the list.
        package var pages = 0
        /// The size of the archive in bytes.
        package var size: Int64 = 0
        /// The number of URLs that have the key of another one, so that readers may confuse them, and two such URLs.
        package var folded: (count: Int, first: WebURL, second: WebURL)?
        /// True if a package has pages for missing URLs or rules for parameters, which archives can't hold.
        package var leavesOut = false
    }

    /// A body that has been written, which other URLs may have as well.
    private struct Written {
        var url: WebURL
        var date: Timestamp
        var id: String
    }

    private let packages: [PackageReader]
    private let software: String
    private let created: Timestamp
    private var report = Report()
    /// True if the archive keeps the package's sidecar, from which `import` makes the same package again.
    private var keepsSidecar = false
    /// The name of the file of records in the index.
    private static let recordsName = "data.warc.gz"
    /// The most bytes of a page that are read for its title.
    private static let titleBytes = 256 << 10

    /// Creates an export.
    ///
    /// - Parameters:
    ///   - packages: The packages; of several with a URL, the first counts.
    ///   - software: The program and its version, which the archive states.
    package init(_ packages: [PackageReader], software: String) {
        (self.packages, self.software) = (packages, software)
        created = packages.compactMap { $0.index.info?.created }.max() ?? Timestamp(secondsSinceEpoch: 0)
    }

    /// Writes the archive; blocks.
    ///
    /// - Parameters:
    ///   - path: The file; an older one stays until the new one is complete.
    ///   - form: The form.
    /// - Returns: What became of the packages.
    /// - Throws: `PackageError` if a body is damaged, or the file can't be written; `CancellationError`. Nothing is left
    ///   behind then.
    package mutating func write(to path: String, as form: Form) throws -> Report {
        keepsSidecar = form == .wacz && packages.count == 1 && packages[0].index.info != nil
        report.leavesOut = !keepsSidecar && packages.contains { $0.index.fallback != nil || $0.index.matchRules != nil }
        do {
            let target = try OutputTarget(path)
            switch form {
            case .wacz: try writeCollection(to: path, target)
            case .har: try writeHAR(to: target)
            case .warc, .plainWARC: try writeRecords(to: target, form)
            }
        } catch let error as FileError {
            throw PackageError(ZipError(error), subject: path)
        } catch let error as ZipError {
            throw PackageError(error, subject: path)
        }
        return report
    }

    // MARK: Records

    private mutating func writeRecords(to target: OutputTarget, _ form: Form) throws {
        let sink = try OutputSink(target)
        let records = try RecordFile(isCompressed: form == .warc) { bytes throws(FileError) in try sink.append(bytes) }
        try write(records) { _, _, _ in }
        try sink.finish()
        report.size = records.position
    }

    /// Writes the records of all resources.
    private mutating func write(
        _ records: RecordFile,
        _ note: (WebURL, _ entry: ArchivedResponse.Entry, _ page: [UInt8]?) throws -> Void
    ) throws {
        try writeAbout(to: records)
        for (place, package) in packages.enumerated() {
            // The owners of bodies that several URLs have, by member.
            var written: [Int: Written] = [:]
            let shared = Self.sharedMembers(of: package)
            for resource in package.index.resources
            where isWritten(resource.url, ofPackage: place, withInvented: keepsSidecar) {
                try Task.checkCancellation()
                let response = try ArchivedResponse(resource, of: package, created: created)
                var page: [UInt8] = []
                let extent: (offset: Int64, size: Int64)
                let first = resource.member.flatMap { written[$0] }
                if let first {
                    extent = try records.add(response.beginning) {
                        response.revisit(ofID: first.id, first.url, WARCDate.text(first.date), $0)
                    }
                    report.revisits += 1
                    if response.isPage { page = try package.beginning(of: resource, limit: Self.titleBytes) }
                } else {
                    let body: ExportedBody = { take in
                        try package.readBody(of: resource) { bytes in
                            if response.isPage { page += bytes.prefix(Self.titleBytes - page.count) }
                            try take(bytes)
                        }
                    }
                    extent = try records.add(
                        response.beginning,
                        size: response.size,
                        as: records.isCompressed ? try Self.form(of: resource, in: package) : .other,
                        body,
                        head: response.record
                    )
                    report.bytes += response.size
                    if let member = resource.member, response.size > 0, shared.contains(member) {
                        written[member] = Written(url: resource.url, date: response.date, id: response.id)
                    }
                }
                if resource.member == nil { report.redirects += 1 } else { report.responses += 1 }
                let entry = ArchivedResponse.Entry(response: response, extent: extent, isRevisit: first != nil)
                try note(resource.url, entry, response.isPage ? page : nil)
            }
        }
    }

    /// Returns the form in which a package has a body; a large one is written as it is read.
    private static func form(
        of resource: PackageIndex.Resource,
        in package: PackageReader
    ) throws(FileError) -> RecordFile.BodyForm {
        guard let index = resource.member else { return .other }
        let member = package.archive.members[index]
        guard member.encryption == nil, member.uncompressedSize <= RecordFile.wholeLimit,
            member.compressedSize <= RecordFile.wholeLimit
        else { return .other }
        guard member.method == .deflated else { return .stored }
        return .deflated(try package.archive.file.bytes(Int(member.compressedSize), at: member.dataOffset))
    }

    /// Returns the members that are the bodies of several URLs.
    private static func sharedMembers(of package: PackageReader) -> Set<Int> {
        var isSeen = [Bool](repeating: false, count: package.archive.members.count)
        var shared: Set<Int> = []
        for resource in package.index.resources {
            guard let member = resource.member else { continue }
            if isSeen[member] { shared.insert(member) }
            isSeen[member] = true
        }
        return shared
    }

    /// Writes the record that says what made the file (WARC 1.1, §6.2).
    private func writeAbout(to records: RecordFile) throws {
        let fields =
            "software: \(software)\r\nformat: WARC File Format 1.1\r\n"
            + "conformsTo: https://iipc.github.io/warc-specifications/specifications/warc-format/warc-1.1/\r\n"
        _ = try records.add(Array(fields.utf8)) { digest in
            ArchivedResponse.head([
                ("WARC-Type", "warcinfo"), ("WARC-Record-ID", RecordID.text(of: [software, WARCDate.text(created)])),
                ("WARC-Date", WARCDate.text(created)), ("WARC-Block-Digest", digest ?? ""),
                ("Content-Type", "application/warc-fields"), ("Content-Length", String(fields.utf8.count)),
            ])
        }
    }

    // MARK: HAR

    private mutating func writeHAR(to target: OutputTarget) throws {
        let sink = try OutputSink(target)
        func write(_ text: String) throws {
            var text = text
            report.size += Int64(text.utf8.count)
            try text.withUTF8 { try sink.append(UnsafeRawBufferPointer($0)) }
        }
        let parts = software.split(separator: "/", maxSplits: 1).map { JSONValue.string(String($0)).serialized }
        try write(
            "{\"log\":{\"version\":\"1.2\",\"creator\":{\"name\":\(parts.first ?? "\"\""),\"version\":"
                + "\(parts.dropFirst().first ?? "\"\"")},\"entries\":["
        )
        var separator = "\n"
        for (place, package) in packages.enumerated() {
            for resource in package.index.resources where isWritten(resource.url, ofPackage: place) {
                try Task.checkCancellation()
                let response = try ArchivedResponse(resource, of: package, created: created)
                let isRedirect = resource.member == nil
                let (beginning, end) = response.har(hasBody: !isRedirect)
                try write(separator + beginning)
                // Base 64 has groups of three bytes.
                var rest: [UInt8] = []
                if !isRedirect {
                    try package.readBody(of: resource) { bytes in
                        rest += bytes
                        let whole = rest.count / 3 * 3
                        try write(Base64.encode(Array(rest[..<whole])))
                        rest.removeFirst(whole)
                    }
                }
                try write(Base64.encode(rest) + end)
                separator = ",\n"
                report.bytes += response.size
                if isRedirect { report.redirects += 1 } else { report.responses += 1 }
            }
        }
        try write("\n]}}\n")
        try sink.finish()
    }

    /// Returns true for a URL of a package unless an earlier package has it, or no server does.
    private func isWritten(_ url: WebURL, ofPackage place: Int, withInvented: Bool = false) -> Bool {
        (withInvented || !FallbackRules.isInvented(url))
            && !packages[..<place].contains { $0.index.resource(for: url) != nil }
    }

    // MARK: WACZ

    private mutating func writeCollection(to path: String, _ target: OutputTarget) throws {
        let drafts = DraftFiles(of: target)
        defer { drafts.remove() }
        let recordsFile = try drafts.make("warc")
        let records = try RecordFile(isCompressed: true) { bytes throws(FileError) in try recordsFile.append(bytes) }
        var index = SortedLines(folder: target.folder)
        let pagesFile = try drafts.make("pages")
        try pagesFile.append(line: #"{"format": "json-pages-1.0", "id": "pages", "title": "All Pages"}"#)
        let seeds = Set(packages.flatMap { $0.index.info?.seeds ?? [] })
        var pages = 0
        var (first, seed): ((url: WebURL, date: Timestamp)?, (url: WebURL, date: Timestamp)?)
        try write(records) { url, entry, page in
            let date = entry.response.date
            try index.add("\(ArchiveKey.key(of: url)) \(WARCDate.digits(date)) \(entry.json(file: Self.recordsName))")
            guard let page, !FallbackRules.isInvented(url) else { return }
            let line: [(String, JSONValue)] = [
                ("id", .string(entry.response.shortID)), ("url", .string(url.description)),
                ("ts", .string(WARCDate.text(date))), ("title", .string(Self.title(of: page, entry.response))),
            ]
            try pagesFile.append(line: JSONValue.object(line).serialized)
            pages += 1
            if first == nil { first = (url, date) }
            if seed == nil, seeds.contains(url.description) { seed = (url, date) }
        }
        report.pages = pages
        try recordsFile.finish()
        try pagesFile.finish()
        let indexFile = try drafts.make("index")
        var (last, lastURL): ([UInt8], String) = ([], "")
        var folded = 0
        var example: (String, String)?
        try index.forEach { line throws(FileError) in
            let key = Array(line.prefix { $0 != UInt8(ascii: " ") })
            if key == last {
                folded += 1
                if example == nil { example = (lastURL, Self.url(in: line)) }
            }
            last = key
            // Only the first pair is named.
            if example == nil { lastURL = Self.url(in: line) }
            try line.span.bytes.withUnsafeBytes { bytes throws(FileError) in try indexFile.append(bytes) }
        }
        try indexFile.finish()
        if let example, let one = try? WebURL(example.0), let other = try? WebURL(example.1) {
            report.folded = (folded, one, other)
        }

        func described(_ path: String, _ file: DraftFile) -> JSONValue {
            .object([
                ("name", .string(String(path.split(separator: "/").last ?? ""))), ("path", .string(path)),
                ("hash", .string("sha256:" + file.sha256)), ("bytes", .number(String(file.size))),
            ])
        }
        var kept: [(name: String, file: DraftFile)] = []
        for name in keepsSidecar ? PackageLayout.keptInCollection : [] {
            guard let member = packages[0].archive.member(named: name) else { continue }
            let file = try drafts.make("sidecar\(kept.count)")
            try packages[0].archive.forEachChunk(of: member) { bytes throws(ZipError) in
                do throws(FileError) { try file.append(bytes) } catch { throw ZipError(error) }
            }
            try file.finish()
            kept.append((PackageLayout.collectionName(of: name), file))
        }
        var description: [(String, JSONValue)] = [
            ("profile", .string("data-package")),
            (
                "resources",
                .array(
                    [
                        described("pages/pages.jsonl", pagesFile),
                        described("archive/" + Self.recordsName, recordsFile),
                        described("indexes/index.cdx", indexFile),
                    ] + kept.map { described($0.name, $0.file) }
                )
            ),
            ("wacz_version", .string("1.1.1")), ("software", .string(software)),
            ("created", .string(WARCDate.text(created))),
        ]
        if let name = packages.lazy.compactMap({ $0.index.info?.name }).first {
            description.append(("title", .string(name)))
        }
        if let main = seed ?? first {
            description.append(("mainPageUrl", .string(main.url.description)))
            description.append(("mainPageDate", .string(WARCDate.text(main.date))))
        }
        let package = Array(JSONValue.object(description).serialized.utf8)
        let digest: [(String, JSONValue)] = [
            ("path", .string("datapackage.json")),
            ("hash", .string("sha256:" + Hexadecimal.text(Array(SHA256.hash(data: package))))),
        ]
        var options = ZipWriter.Options()
        options.modified = max(created.secondsSinceEpoch, options.modified)
        let output = try ZipOutput(to: path, options: options)
        // Readers of a WACZ on a server fetch parts of records and index, which therefore aren't compressed again.
        try output.add(
            NewMember(name: "archive/" + Self.recordsName, content: .file(recordsFile.path), isCompressible: false)
        )
        try output.add(NewMember(name: "indexes/index.cdx", content: .file(indexFile.path), isCompressible: false))
        try output.add(NewMember(name: "pages/pages.jsonl", content: .file(pagesFile.path), isCompressible: true))
        for (name, file) in kept {
            try output.add(NewMember(name: name, content: .file(file.path), isCompressible: true))
        }
        try output.add(NewMember(name: "datapackage.json", content: .bytes(package), isCompressible: true))
        try output.add(
            NewMember(
                name: "datapackage-digest.json",
                content: .bytes(Array(JSONValue.object(digest).serialized.utf8)),
                isCompressible: true
            )
        )
        report.size = try output.finish()
    }

    /// Returns the URL in a line of the index.
    private static func url(in line: [UInt8]) -> String {
        guard let begin = line.firstIndex(of: UInt8(ascii: "{")) else { return "" }
        return (try? JSONValue(parsing: Array(line[begin...].dropLast())))?["url"]?.string ?? ""
    }

    private static func title(of page: [UInt8], _ response: ArchivedResponse) -> String {
        var limits = PageText.Limits()
        (limits.text, limits.headings) = (0, 0)
        return page.withUnsafeBufferPointer {
            PageText(
                html: $0,
                charset: response.type?.parameter("charset"),
                isXML: response.type?.essence == "application/xhtml+xml",
                limits: limits
            )
            .title
        }
    }
}

/// Files beside an archive from which it is put together.
private final class DraftFiles {
    private let target: OutputTarget
    private var paths: [String] = []

    init(of target: OutputTarget) { self.target = target }

    func make(_ suffix: String) throws(FileError) -> DraftFile {
        let file = try DraftFile(target.draft(suffix))
        paths.append(file.path)
        return file
    }

    func remove() { for path in paths { try? FolderTree<FileError>.remove(path) } }
}

/// A file that is written once, in order.
private final class DraftFile {
    let path: String
    private var output: OutputFile
    private var hash = SHA256()

    init(_ path: String) throws(FileError) {
        self.path = path
        output = OutputFile(try OpenFile(creating: path, mode: 0o600))
    }

    var size: Int64 { output.position }
    var sha256: String { Hexadecimal.text(Array(hash.finalize())) }

    func append(_ bytes: UnsafeRawBufferPointer) throws(FileError) {
        try output.append(bytes)
        hash.update(bufferPointer: bytes)
    }

    func append(line: String) throws(FileError) {
        let bytes = Array((line + "\n").utf8)
        try bytes.span.bytes.withUnsafeBytes { bytes throws(FileError) in try append(bytes) }
    }

    func finish() throws(FileError) { try output.flush() }
}
