public import AFCCache
public import AFCFiles
internal import AFCPlatform
internal import AFCText
internal import AFCURL
internal import Synchronization

/// The ports at which origins are served for machines that have no names for them; docs/reference/serve.md, "A port for
/// each site".
///
/// Browsers keep storage by host and port. So a port that once meant an origin never means another one, for as long as
/// the table is kept. Origins that find no free port have none.
public final class SitePorts: Sendable {
    /// The most ports of one server, each of which is a listening socket.
    public static let limit = 1000
    /// The largest file that is read, in bytes.
    private static let byteLimit = 1 << 20

    /// The ports that may be given to origins.
    public let range: ClosedRange<UInt16>
    private let file: String
    private let onNotKept: @Sendable (FileError) -> Void
    private let table: Mutex<Table>

    private struct Table {
        var origins: [UInt16: PackagedOrigin] = [:]
        var ports: [PackagedOrigin: UInt16] = [:]
        /// The origins that were seen last, to which nothing has to be added again.
        var seen: Set<PackagedOrigin> = []
        var wasReported = false
        var mainPort: UInt16?

        mutating func set(_ port: UInt16, _ origin: PackagedOrigin) {
            guard origins[port] == nil, ports[origin] == nil else { return }
            origins[port] = origin
            ports[origin] = port
        }
    }

    /// Reads a table.
    ///
    /// - Parameters:
    ///   - range: The ports that may be given to origins.
    ///   - file: The path of the table's file; a missing one is an empty table.
    ///   - onNotKept: Called once if the table can't be kept, so that ports may change with the next start.
    /// - Throws: `FileError` if the file can't be read, or is damaged.
    public init(
        _ range: ClosedRange<UInt16>,
        file: String,
        onNotKept: @escaping @Sendable (FileError) -> Void
    ) throws(FileError) {
        (self.range, self.file, self.onNotKept) = (range, file, onNotKept)
        var table = Table()
        for (port, origin) in try Self.read(file) { table.set(port, origin) }
        self.table = Mutex(table)
    }

    /// The port of the server's own pages; nil before the server listens.
    var mainPort: UInt16? {
        get { table.withLock { $0.mainPort } }
        set { table.withLock { $0.mainPort = newValue } }
    }

    /// Returns true if a port is one of the range.
    func contains(_ port: UInt16) -> Bool { range.contains(port) }

    /// Returns the origin at a port; nil if it has none.
    func origin(at port: UInt16) -> PackagedOrigin? { table.withLock { $0.origins[port] } }

    /// Returns the port of an origin in the range; nil if it has none.
    func port(of origin: PackagedOrigin) -> UInt16? {
        table.withLock { $0.ports[origin] }.flatMap { range.contains($0) ? $0 : nil }
    }

    /// The origins with their ports, by port.
    public var sites: [(port: UInt16, origin: String)] {
        table.withLock { $0.origins }.filter { range.contains($0.key) }.sorted { $0.key < $1.key }.map {
            ($0.key, $0.value.text)
        }
    }

    /// Gives each origin a port that has none, and keeps the table.
    ///
    /// Blocks.
    ///
    /// - Parameter summaries: The packaged origins; those without a page of their own come last.
    public func add(_ summaries: [OriginSummary]) {
        let sorted = summaries.filter { $0.start != nil } + summaries.filter { $0.start == nil }
        let origins = sorted.compactMap { PackagedOrigin($0) }
        table.withLock { table in
            guard !origins.allSatisfy(table.seen.contains) else { return }
            table.seen = Set(origins)
            guard origins.contains(where: { table.ports[$0] == nil }) else { return }
            do throws(FileError) {
                // Another server may have given ports of the same table meanwhile.
                let lock = try FileLock(file: file + ".lock")
                guard lock.take(waiting: true) == .held else { throw lock.failure() }
                for (port, origin) in try Self.read(file) { table.set(port, origin) }
                fill(&table, origins)
                try Durable.write(Array(Self.text(table.origins).utf8), to: file, mode: 0o644, replacing: true)
            } catch {
                fill(&table, origins)
                guard !table.wasReported else { return }
                table.wasReported = true
                onNotKept(error)
            }
        }
    }

    private func fill(_ table: inout Table, _ origins: [PackagedOrigin]) {
        var next = Int(range.lowerBound)
        for origin in origins where table.ports[origin] == nil {
            while next <= Int(range.upperBound), table.origins[UInt16(next)] != nil { next += 1 }
            guard next <= Int(range.upperBound) else { return }
            table.set(UInt16(next), origin)
        }
    }

    // MARK: The file

    private static func text(_ origins: [UInt16: PackagedOrigin]) -> String {
        origins.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value.text)\n" }.joined()
    }

    private static func read(_ path: String) throws(FileError) -> [(UInt16, PackagedOrigin)] {
        let file: OpenFile
        do throws(FileError) {
            file = try OpenFile(reading: path)
        } catch {
            guard error.number == ENOENT else { throw error }
            return []
        }
        var rows: [(UInt16, PackagedOrigin)] = []
        let text = String(decoding: try file.contents(upTo: byteLimit), as: UTF8.self)
        for (index, line) in text.split(separator: "\n").enumerated() {
            let parts = line.split(separator: " ")
            guard parts.count == 2, let port = UInt16(parts[0]), let url = try? WebURL(parts[1] + "/"),
                let origin = PackagedOrigin(url), origin.text == parts[1]
            else {
                // What a line meant is unknown, so that its port could be given to another origin.
                let name = PrintableText.quoted(path)
                throw FileError(path, "\(name): line \(index + 1) is no port and origin; mend it, or remove the file")
            }
            rows.append((port, origin))
        }
        return rows
    }
}

extension SitePorts: Hashable {
    /// Returns true if both are the same table.
    public static func == (left: SitePorts, right: SitePorts) -> Bool { left === right }

    /// Hashes the table's identity.
    public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}

extension PackagedOrigin {
    /// Returns the origin that a cache names; nil if it isn't one that can be served.
    init?(_ summary: OriginSummary) { self.init(summary.origin) }

    /// Returns the origin of a text such as `http://docs.example`; nil if it isn't one that can be served.
    init?(_ text: String) {
        guard let url = try? WebURL(text + "/") else { return nil }
        self.init(url)
    }
}
