import AFCCaching
internal import AFCFiles
internal import AFCHTTP
import AFCPackageFile
import AFCPackageFormat
import AFCText
import AFCURL
import AFCZip
import Crypto
import Foundation
import HTTPTypes

/// Writes a package of many small pages from a spool, and prints the time and the peak memory.
///
/// Pages aren't kept in memory: the writer reads what it needs from a file, as it does from a crawl's state.
struct PackageBenchmark {
    private let count: Int
    private let path: String
    /// The percentage of pages that have the same body as the previous page.
    private let duplicates: Int

    init(count: Int, path: String, duplicates: Int) {
        self.count = count
        self.path = path
        self.duplicates = duplicates
    }

    func run() async throws {
        let pages = try PageFile(count: count, path: path, duplicates: duplicates)
        let options = PackageWriter.Options(
            created: Timestamp(secondsSinceEpoch: 1_790_000_000),
            generator: "storebench/1"
        )
        let before = Self.peak
        let start = ContinuousClock.now
        let summary = try await PackageWriter.write(pages, to: path, options: options)
        let seconds = (ContinuousClock.now - start) / .seconds(1)
        print(
            "\(summary.resources) resources, \(summary.packageBytes) bytes, \(seconds) s, peak \(Self.peak) KiB, "
                + "of which \(before) KiB before writing"
        )
    }

    /// The peak memory of the process, in KiB.
    private static var peak: Int {
        var usage = rusage()
        #if canImport(Darwin)
        getrusage(RUSAGE_SELF, &usage)
        return usage.ru_maxrss / 1024
        #else
        getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage)
        return usage.ru_maxrss
        #endif
    }
}

/// Generated pages, sorted by URL: bodies in a spool, the rest in a file of fixed-size records.
struct PageFile: ResourceSource {
    private static let recordSize = 64
    private let count: Int
    private let spool: SpoolFile
    private let index: FileHandle

    init(count: Int, path: String, duplicates: Int) throws {
        self.count = count
        spool = try SpoolFile(in: Durable.folder(of: path))
        let name = path + ".index"
        guard FileManager.default.createFile(atPath: name, contents: nil),
            let index = FileHandle(forUpdatingAtPath: name)
        else { throw CocoaError(.fileWriteUnknown) }
        self.index = index
        unlink(name)
        var deflater = try Deflater()
        var records: [UInt8] = []
        var record: [UInt8] = []
        for number in 0..<count {
            if record.isEmpty || number % 100 >= duplicates {
                record = try Self.page(number, &deflater, spool)
            }
            records += record
            if records.count >= 1 << 20 || number == count - 1 {
                try index.write(contentsOf: records)
                records = []
            }
        }
    }

    private static func page(_ number: Int, _ deflater: inout Deflater, _ spool: SpoolFile) throws -> [UInt8] {
        var text = "<!DOCTYPE html><title>Page \(number)</title><link rel=stylesheet href=/s.css><body>"
        for line in 0..<24 {
            let word = String((number &+ line) &* 2_654_435_761 % 1_000_003, radix: 36)
            text +=
                "<p class=\"line\">Line \(line) of page \(number) has the word <a href=\"/\(word)\">\(word)</a>.</p>\n"
        }
        let body = Array(text.utf8)
        var data: [UInt8] = []
        let sink = { (chunk: UnsafeRawBufferPointer) throws(ZipError) in data.append(contentsOf: chunk) }
        try body.withUnsafeBytes { try deflater.append($0, to: sink) }
        let totals = try deflater.finish(to: sink)
        let extent = try data.withUnsafeBytes { try spool.append($0) }
        var record: [UInt8] = []
        for value in [extent.offset, Int64(extent.count), totals.uncompressedSize, Int64(totals.crc32)] {
            Swift.withUnsafeBytes(of: value.littleEndian) { record.append(contentsOf: $0) }
        }
        return record + SHA256.hash(data: body)
    }

    private func url(_ number: Int) throws -> WebURL {
        let digits = String(number)
        let padded = String(repeating: "0", count: 7 - digits.count) + digits
        return try WebURL("https://www.site.example/articles/\(padded.prefix(4))/page-\(padded).html")
    }

    func forEachURL(_ body: (WebURL) throws(PackageError) -> Void) throws(PackageError) {
        for number in 0..<count { try body(try reading { try url(number) }) }
    }

    func forEach(_ body: (PackageWriter.Resource) throws(PackageError) -> Void) throws(PackageError) {
        let pagesAtOnce = 4096
        for first in stride(from: 0, to: count, by: pagesAtOnce) {
            let pages = min(pagesAtOnce, count - first)
            let records = try reading {
                try index.seek(toOffset: UInt64(first * Self.recordSize))
                return [UInt8](try index.read(upToCount: pages * Self.recordSize) ?? Data())
            }
            for page in 0..<pages {
                let record = Array(records[(page * Self.recordSize)..<((page + 1) * Self.recordSize)])
                try body(try reading { try resource(first + page, record) })
            }
        }
    }

    private func reading<Value>(_ work: () throws -> Value) throws(PackageError) -> Value {
        do {
            return try work()
        } catch {
            throw PackageError(.inputOutput, subject: "pages", message: "\(error)")
        }
    }

    private func resource(_ number: Int, _ record: [UInt8]) throws -> PackageWriter.Resource {
        let values = record.withUnsafeBytes { bytes in
            (0..<4).map { Int64(littleEndian: bytes.loadUnaligned(fromByteOffset: $0 * 8, as: Int64.self)) }
        }
        let digest = record[32...].map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
        let url = try url(number)
        let time = Timestamp(secondsSinceEpoch: 1_780_000_000 + Int64(number))
        var fields = HTTPFields()
        fields[.contentType] = "text/html; charset=utf-8"
        fields[.server] = "nginx/1.26.3"
        fields[.date] = HTTPDate.format(time)
        fields[.lastModified] = HTTPDate.format(time)
        fields[.eTag] = "\"\(digest.prefix(16))\""
        fields[.acceptRanges] = "bytes"
        let totals = Deflater.Totals(
            crc32: UInt32(truncatingIfNeeded: values[3]),
            uncompressedSize: values[2],
            compressedSize: values[1]
        )
        let extent = FileExtent(offset: values[0], count: Int(values[1]))
        return PackageWriter.Resource(
            record: ResourceRecord(url: url, fields: fields, fetched: time, size: values[2], sha256: digest),
            entry: ManifestEntry(url: url, lastModified: time, mediaType: "text/html; charset=utf-8"),
            body: .spooled(spool.body(extents: [extent], totals: totals, method: .deflated)),
            isCompressible: true
        )
    }
}
