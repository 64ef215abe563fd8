internal import AFCFiles
internal import Dispatch
internal import Synchronization

/// Text of a member that is produced piece by piece and deflated on its own thread, so that little of it is in memory.
public final class TextSpool {
    private static let pieceSize = 256 << 10
    private static let piecesAtOnce = 4

    private let folder: String
    private let level: Int32
    private var text: [UInt8] = []
    private var deflation: TextDeflation?
    /// Blocks the producer while too many pieces wait.
    private let places = DispatchSemaphore(value: TextSpool.piecesAtOnce)
    private let queue = DispatchQueue(label: "afcache.text")

    /// Creates an empty text.
    ///
    /// - Parameters:
    ///   - folder: The folder for a text that is too large for memory.
    ///   - level: zlib's level, 1 to 9.
    public init(in folder: String, level: Int32) {
        self.folder = folder
        self.level = level
    }

    /// Appends to the text.
    ///
    /// - Parameter bytes: The next bytes.
    /// - Throws: ``ZipError`` if earlier pieces can't be kept.
    public func append(_ bytes: [UInt8]) throws(ZipError) {
        text.append(contentsOf: bytes)
        if text.count >= Self.pieceSize { try passOn() }
    }

    /// Ends the text.
    ///
    /// - Returns: The body of a compressible member.
    /// - Throws: ``ZipError`` if the text can't be kept.
    public func finish() throws(ZipError) -> NewMember.Content {
        guard let deflation else { return .bytes(text) }
        try passOn()
        queue.sync {}
        return .deflated(try deflation.finish())
    }

    private func passOn() throws(ZipError) {
        let deflation: TextDeflation
        if let begun = self.deflation {
            deflation = begun
        } else {
            deflation = try TextDeflation(in: folder, level: level)
        }
        self.deflation = deflation
        try deflation.check()
        let (piece, places) = (text, places)
        text = []
        text.reserveCapacity(Self.pieceSize + 4096)
        places.wait()
        queue.async {
            deflation.append(piece)
            places.signal()
        }
    }
}

/// The deflating half of a text, which belongs to another thread.
private final class TextDeflation: Sendable {
    private struct State: ~Copyable {
        var deflater: Deflater
        var extents: [FileExtent] = []
        var failure: ZipError?

        init(level: Int32) throws(ZipError) { deflater = try Deflater(level: level) }
    }

    private let spool: SpoolFile
    private let state: Mutex<State>

    init(in folder: String, level: Int32) throws(ZipError) {
        spool = try onFile { () throws(FileError) in try SpoolFile(in: folder) }
        state = Mutex(try State(level: level))
    }

    func check() throws(ZipError) {
        if let failure = state.withLock({ $0.failure }) { throw failure }
    }

    func append(_ piece: [UInt8]) {
        state.withLock { state in
            guard state.failure == nil else { return }
            do throws(ZipError) {
                var data: [UInt8] = []
                try piece.span.bytes.withUnsafeBytes { bytes throws(ZipError) in
                    try state.deflater.append(bytes) { chunk throws(ZipError) in data.append(contentsOf: chunk) }
                }
                try keep(data, in: &state.extents)
            } catch {
                state.failure = error
            }
        }
    }

    func finish() throws(ZipError) -> DeflatedBody {
        try check()
        let result: Result<DeflatedBody, ZipError> = state.withLock { state in
            do throws(ZipError) {
                var data: [UInt8] = []
                let totals = try state.deflater.finish { chunk throws(ZipError) in data.append(contentsOf: chunk) }
                try keep(data, in: &state.extents)
                return .success(spool.body(extents: state.extents, totals: totals, method: .deflated))
            } catch {
                return .failure(error)
            }
        }
        return try result.get()
    }

    private func keep(_ data: [UInt8], in extents: inout [FileExtent]) throws(ZipError) {
        guard !data.isEmpty else { return }
        let extent = try data.span.bytes.withUnsafeBytes { data throws(ZipError) in
            try onFile { () throws(FileError) in try spool.append(data) }
        }
        extents.append(extent)
    }
}
