internal import AFCText
internal import AFCURL

/// A range of the sidecar's lines, read independently and then combined with the manifest's resources.
struct RecordChunk: Sendable {
    /// The content of a line.
    enum Content: Sendable {
        /// A line that is not a record, with the reason.
        case malformed(reason: String)
        /// A record without an entry in the manifest.
        case loose(ResourceRecord)
        /// The record of a resource: the resource's index, the size of the body that the record names, and the field
        /// in which the manifest disagrees.
        case matched(Int, size: Int64?, disagreement: String?)
    }

    /// The number of lines in the chunk, including empty ones.
    private(set) var lineCount = 0
    /// The lines that aren't empty, numbered from 1 within this chunk, with their offsets within it.
    private(set) var lines: [(number: Int, offset: Int, content: Content)] = []

    /// Creates a chunk without lines.
    init() {}

    /// Reads a range of whole lines.
    ///
    /// - Parameters:
    ///   - chunk: The lines.
    ///   - resources: The manifest's resources, sorted by URL.
    init(_ chunk: UnsafeBufferPointer<UInt8>, resources: PackageIndex.Resources) {
        var reader = RecordReader()
        var cursor = PackageIndex.Resources.Cursor(resources)
        // Records usually come in the order of the resources.
        var expected: Int?
        var start = 0
        while start < chunk.count {
            let end = ByteCursor.next(UInt8(ascii: "\n"), in: chunk, from: start)
            lineCount += 1
            if end > start {
                let line = UnsafeBufferPointer(rebasing: chunk[start..<end])
                let content = Self.content(line, &reader, &expected, &cursor, count: resources.count)
                lines.append((lineCount, start, content))
            }
            start = end + 1
        }
    }

    private static func content(
        _ line: UnsafeBufferPointer<UInt8>,
        _ reader: inout RecordReader,
        _ expected: inout Int?,
        _ cursor: inout PackageIndex.Resources.Cursor,
        count: Int
    ) -> Content {
        guard line.count <= PackageLayout.lineByteLimit else {
            return .malformed(reason: "is longer than \(PackageLayout.lineByteLimit) bytes")
        }
        let record: ResourceRecord
        var entry = expected.flatMap { $0 < count ? cursor.entry(at: $0) : nil }
        do throws(ResourceRecord.Malformation) {
            record = try reader.read(line, expecting: entry?.url)
        } catch {
            switch error {
            case .notJSON(let offset): return .malformed(reason: "is not JSON at byte \(offset)")
            case .badValue(let key): return .malformed(reason: "has no valid '\(key)'")
            }
        }
        var place = expected ?? 0
        if record.url != entry?.url {
            place = firstPlace(of: record.url, in: &cursor, count: count)
            entry = place < count ? cursor.entry(at: place) : nil
        }
        guard let entry, entry.url == record.url else {
            expected = place
            return .loose(record)
        }
        expected = place + 1
        return .matched(place, size: record.size, disagreement: reader.disagreement(of: entry, with: record))
    }

    /// Returns the index of the first resource whose URL doesn't sort before this one.
    private static func firstPlace(of url: WebURL, in cursor: inout PackageIndex.Resources.Cursor, count: Int) -> Int {
        var (low, high) = (0, count)
        while low < high {
            let middle = (low + high) / 2
            if cursor.url(at: middle) < url { low = middle + 1 } else { high = middle }
        }
        return low
    }
}

extension RecordChunk {
    /// Splits text into chunks at line ends.
    ///
    /// - Parameters:
    ///   - bytes: The text.
    ///   - size: The minimum number of bytes in a chunk, except for the last one.
    /// - Returns: The chunks' ranges, which cover the text without gaps.
    static func ranges(of bytes: UnsafeBufferPointer<UInt8>, size: Int) -> [Range<Int>] {
        var ranges: [Range<Int>] = []
        var start = 0
        while start < bytes.count {
            let least = min(start + size - 1, bytes.count)
            let end = min(ByteCursor.next(UInt8(ascii: "\n"), in: bytes, from: least) + 1, bytes.count)
            ranges.append(start..<end)
            start = end
        }
        return ranges
    }
}
