internal import AFCHTTP
internal import AFCText
internal import AFCURL

/// The bodies that a package's manifest and records state, in the order in which this project writes their members.
///
/// The order is that of docs/reference/format.md, "The same input gives the same bytes". Other writers have others, so
/// it says only where a member's entry in the directory probably is.
package struct StatedBodies: RandomAccessCollection, Sendable {
    private struct Body {
        /// The time of the last change in seconds since 1970; the largest number if there is none.
        var rank: Int64
        var size: Int64
        var nameStart: UInt32
        var nameCount: UInt32
    }

    /// The largest size of all names together, in bytes.
    private static let nameByteLimit = 128 << 20

    private var names: [UInt8] = []
    private var bodies: [Body] = []

    /// The index of the first body.
    package var startIndex: Int { 0 }
    /// The number of bodies.
    package var endIndex: Int { bodies.count }

    /// The name and the size in bytes of a body's member.
    package subscript(index: Int) -> (name: String, size: Int64) {
        let body = bodies[index]
        let start = Int(body.nameStart)
        return (String(decoding: names[start..<(start + Int(body.nameCount))], as: UTF8.self), body.size)
    }

    /// Reads manifest and records; nil if they don't state the name and the size of each body, aren't both sorted by URL,
    /// or state too many.
    ///
    /// - Parameters:
    ///   - manifest: The member `manifest.afcache`.
    ///   - records: The member `.afcache/resources.jsonl`.
    ///   - limit: The largest number of bodies.
    package init?(manifest: MemberText, records: MemberText, upTo limit: Int) {
        var reader = ManifestReader()
        var sizes = RecordedSizes(records)
        // Bodies that several entries name are stated once.
        var known: Set<Int> = []
        while let item = reader.next({ buffer, offset in manifest.read(into: buffer, at: offset) }) {
            let url = item.url
            guard let size = sizes.size(of: url) else { return nil }
            let name = item.member ?? MemberRule.name(for: url)
            guard known.insert(name.hashValue).inserted else { continue }
            guard bodies.count < limit, names.count + name.utf8.count <= Self.nameByteLimit else { return nil }
            bodies.append(
                Body(
                    rank: item.lastModified?.secondsSinceEpoch ?? .max,
                    size: size,
                    nameStart: UInt32(names.count),
                    nameCount: UInt32(name.utf8.count)
                )
            )
            names.append(contentsOf: name.utf8)
        }
        guard reader.problems.isEmpty else { return nil }
        // Names are noted in the order of the URLs, which decides between equal dates.
        bodies.sort { $0.rank == $1.rank ? $0.nameStart < $1.nameStart : $0.rank < $1.rank }
    }
}

/// The sizes in a package's records, which are asked for in the order of their URLs.
private struct RecordedSizes: ~Copyable {
    private let count: Int
    private var window: TextWindow
    private var reader = RecordReader()
    private var fillings = 0
    private var offset = 0

    init(_ records: MemberText) {
        count = records.count
        window = TextWindow(records)
    }

    /// Returns the size of the body with a URL, or nil if the next record that isn't of an earlier URL doesn't state it.
    mutating func size(of url: WebURL) -> Int64? {
        while offset < count {
            guard var line = window.newLine(at: offset) else { return nil }
            offset += line.count
            if line.last == UInt8(ascii: "\n") { line = UnsafeBufferPointer(rebasing: line.dropLast()) }
            // The reader remembers bytes of the window.
            if window.fillings != fillings { reader = RecordReader() }
            fillings = window.fillings
            guard let record = try? reader.read(line, expecting: url) else { return nil }
            if record.url == url { return record.size }
            // Redirects have no entry.
            guard record.url < url else { return nil }
        }
        return nil
    }
}
