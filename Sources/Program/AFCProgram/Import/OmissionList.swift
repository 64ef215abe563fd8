import AFCCache
import AFCFiles
import AFCImport
import AFCText
import Synchronization

/// The file of an import's report, which is written while archives are read, since it may have millions of lines.
final class OmissionList: Sendable {
    private static let mark = #""generator": "afcache/"#
    private static let bufferSize = 64 << 10

    private struct State {
        var sink: OutputSink
        var pending: [UInt8]
        var isFirst = true
    }

    private let path: String
    private let state: Mutex<State>

    /// Opens the place of the file.
    ///
    /// - Parameters:
    ///   - path: The path.
    ///   - overwrites: True if any file may be replaced.
    /// - Throws: `CacheError` if it can't be written, or another file would be lost.
    init(_ path: String, overwrites: Bool) throws {
        self.path = path
        try WholeFile.requireWritable(path)
        if !overwrites {
            let mark = Self.mark
            try ReplacedFile.require(path, is: "a report") { $0.firstRange(of: mark.utf8) != nil }
        }
        let head = "{\n\(Self.mark)\(AFCacheCommand.version)\",\n\"version\": 1,\n\"notes\": ["
        do throws(FileError) {
            state = Mutex(State(sink: try OutputSink(OutputTarget(path)), pending: Array(head.utf8)))
        } catch {
            throw CacheError(.inputOutput, subject: path, message: error.message)
        }
    }

    /// Adds a remark.
    func add(_ note: ImportNote) throws {
        try state.withLock { state in
            state.pending += (state.isFirst ? "\n" : ",\n").utf8
            state.isFirst = false
            Self.json(note).write(to: &state.pending)
            if state.pending.count >= Self.bufferSize { try send(&state) }
        }
    }

    /// Adds the counts, and puts the file into its place.
    func finish(_ report: ImportReport) throws {
        try state.withLock { state in
            state.pending += "\n],\n\"counts\": ".utf8
            ImportSummary.counts(report).write(to: &state.pending)
            let others = report.others.sorted { $0.key < $1.key }
            state.pending += ",\n\"records\": ".utf8
            JSONValue.object(others.map { ($0.key, .number(String($0.value))) }).write(to: &state.pending)
            state.pending += ",\n\"secrets\": \(report.secrets)\n}\n".utf8
            try send(&state)
            do throws(FileError) {
                try state.sink.finish()
            } catch {
                throw CacheError(.inputOutput, subject: path, message: error.message)
            }
        }
    }

    /// Leaves the file as it was.
    func abandon() { state.withLock { $0.sink.abandon() } }

    private func send(_ state: inout State) throws {
        do throws(FileError) {
            try state.pending.span.bytes.withUnsafeBytes { bytes throws(FileError) in try state.sink.append(bytes) }
        } catch {
            throw CacheError(.inputOutput, subject: path, message: error.message)
        }
        state.pending.removeAll(keepingCapacity: true)
    }

    private static func json(_ note: ImportNote) -> JSONValue {
        var members: [(String, JSONValue)] = [
            ("kind", .string(note.kind.rawValue)), ("taken", .bool(note.kind.isTaken)), ("file", .string(note.file)),
        ]
        if let offset = note.offset { members.append(("offset", .number(String(offset)))) }
        if let number = note.number {
            members.append((note.offset == nil ? "entry" : "record", .number(String(number))))
        }
        if !note.url.isEmpty { members.append(("url", .string(note.url))) }
        if !note.detail.isEmpty { members.append(("detail", .string(note.detail))) }
        return .object(members)
    }
}
