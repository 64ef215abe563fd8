internal import AFCText
internal import AFCURL

/// Some lines of the sidecar, read apart from the others and put together with the manifest's resources.
struct RecordChunk: Sendable {
    /// What a line is.
    enum Content: Sendable {
        /// No record, with what is wrong with it.
        case malformed(reason: String)
        /// A record, the place of its resource, and which value the manifest has otherwise.
        case record(ResourceRecord, resource: Int?, disagreement: String?)
    }

    /// How many lines the chunk has, empty ones too.
    private(set) var lineCount = 0
    /// The lines that aren't empty, their numbers counted from 1 in this chunk.
    private(set) var lines: [(number: Int, content: Content)] = []

    /// No lines.
    init() {}

    /// Reads the lines of a range that begins and ends where a line does.
    ///
    /// - Parameters:
    ///   - bytes: The whole member.
    ///   - range: The chunk.
    ///   - resources: The manifest's resources, sorted by URL.
    init(_ bytes: UnsafeBufferPointer<UInt8>, _ range: Range<Int>, resources: ArraySlice<PackageIndex.Resource>) {
        let chunk = UnsafeBufferPointer(rebasing: bytes[range])
        var reader = RecordReader()
        // Records are in the order of the resources, as a rule.
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
            return .malformed(reason: "is longer than a line may be")
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

    /// The place of the first resource whose URL doesn't come before this one.
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
    /// Cuts a member at ends of lines.
    ///
    /// - Parameters:
    ///   - bytes: The whole member.
    ///   - size: How many bytes a chunk has at least, but the last.
    /// - Returns: The chunks' ranges, which tile the member.
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
