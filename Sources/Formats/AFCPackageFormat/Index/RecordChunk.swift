internal import AFCText
internal import AFCURL

/// A range of the sidecar's lines, read independently and then combined with the manifest's resources.
struct RecordChunk: Sendable {
    /// The content of a line.
    enum Content: Sendable {
        /// A line that is not a record, with the reason.
        case malformed(reason: String)
        /// A record, the index of its resource, and the field in which the manifest disagrees.
        case record(ResourceRecord, resource: Int?, disagreement: String?)
    }

    /// The number of lines in the chunk, including empty ones.
    private(set) var lineCount = 0
    /// The lines that aren't empty, numbered from 1 within this chunk.
    private(set) var lines: [(number: Int, content: Content)] = []

    /// Creates a chunk without lines.
    init() {}

    /// Reads a range of whole lines.
    ///
    /// - Parameters:
    ///   - bytes: The whole member.
    ///   - range: The chunk.
    ///   - resources: The manifest's resources, sorted by URL.
    init(_ bytes: UnsafeBufferPointer<UInt8>, _ range: Range<Int>, resources: ArraySlice<PackageIndex.Resource>) {
        let chunk = UnsafeBufferPointer(rebasing: bytes[range])
        var reader = RecordReader()
        // Records usually come in the order of the resources.
        var expected: Int?
        var start = 0
        while start < chunk.count {
            let end = ByteCursor.next(UInt8(ascii: "\n"), in: chunk, from: start)
            lineCount += 1
            if end > start {
                let line = UnsafeBufferPointer(rebasing: chunk[start..<end])
                lines.append((lineCount, Self.content(line, &reader, &expected, resources)))
            }
            start = end + 1
        }
    }

    private static func content(
        _ line: UnsafeBufferPointer<UInt8>,
        _ reader: inout RecordReader,
        _ expected: inout Int?,
        _ resources: ArraySlice<PackageIndex.Resource>
    ) -> Content {
        guard line.count <= PackageLayout.lineByteLimit else {
            return .malformed(reason: "is longer than \(PackageLayout.lineByteLimit) bytes")
        }
        let record: ResourceRecord
        let url = expected.flatMap { $0 < resources.count ? resources[$0].url : nil }
        do throws(ResourceRecord.Malformation) {
            record = try reader.read(line, expecting: url)
        } catch {
            switch error {
            case .notJSON(let offset): return .malformed(reason: "is not JSON at byte \(offset)")
            case .badValue(let key): return .malformed(reason: "has no valid '\(key)'")
            }
        }
        var place = expected ?? 0
        if record.url != url { place = firstPlace(of: record.url, in: resources) }
        guard place < resources.count, resources[place].url == record.url else {
            expected = place
            return .record(record, resource: nil, disagreement: nil)
        }
        expected = place + 1
        let field = resources[place].entry.flatMap { reader.disagreement(of: $0, with: record) }
        return .record(record, resource: place, disagreement: field)
    }

    /// Returns the index of the first resource whose URL doesn't sort before this one.
    private static func firstPlace(of url: WebURL, in resources: ArraySlice<PackageIndex.Resource>) -> Int {
        var (low, high) = (0, resources.count)
        while low < high {
            let middle = (low + high) / 2
            if resources[middle].url < url { low = middle + 1 } else { high = middle }
        }
        return low
    }
}

extension RecordChunk {
    /// Splits a member into chunks at line ends.
    ///
    /// - Parameters:
    ///   - bytes: The whole member.
    ///   - size: The minimum number of bytes in a chunk, except for the last one.
    /// - Returns: The chunks' ranges, which cover the member without gaps.
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
