public import AFCZip

/// Decodes a content-coded body that arrives in pieces.
///
/// A gzip body may have several members (RFC 1952 §2.2), and a Zstandard body several frames. Deflate is also accepted
/// without its zlib wrapping, as browsers do, because servers send it so. Bytes after the end are ignored.
public struct ContentDecoder: ~Copyable {
    /// A defect of a coded body.
    public enum Failure: Error, Equatable {
        /// The data doesn't have the format of its coding.
        case damaged(ContentCoding)
        /// The data ends early.
        case truncated
        /// The decoded body exceeds the permitted expansion.
        case expansion
    }

    /// The layers, the one that was applied last first.
    private let layers: [CodedLayer]
    private let maxExpansion: Int64
    private var taken: Int64 = 0

    /// Creates a decoder.
    ///
    /// - Parameters:
    ///   - codings: The codings, in the order in which they were applied.
    ///   - maxExpansion: The largest permitted ratio of decoded to coded size.
    /// - Throws: ``ZipError`` if memory is exhausted.
    public init(_ codings: [ContentCoding], maxExpansion: Int) throws(ZipError) {
        var layers: [CodedLayer] = []
        for coding in codings.reversed() { layers.append(try CodedLayer(coding)) }
        (self.layers, self.maxExpansion) = (layers, Int64(maxExpansion))
    }

    /// Decodes bytes.
    ///
    /// - Parameters:
    ///   - bytes: The next coded bytes.
    ///   - body: Takes decoded bytes, which are valid only during the call, and returns true to get more.
    /// - Returns: True if the closure wants more.
    /// - Throws: ``Failure``, and the closure's errors.
    public mutating func decode(
        _ bytes: UnsafeRawBufferPointer,
        _ body: (UnsafeRawBufferPointer) throws -> Bool
    ) throws -> Bool {
        taken += Int64(bytes.count)
        let (most, isMore) = taken.multipliedReportingOverflow(by: maxExpansion)
        return try decode(bytes, from: 0, most: isMore ? .max : most, body)
    }

    private func decode(
        _ bytes: UnsafeRawBufferPointer,
        from index: Int,
        most: Int64,
        _ body: (UnsafeRawBufferPointer) throws -> Bool
    ) throws -> Bool {
        guard index < layers.count else { return try body(bytes) }
        return try layers[index].decode(bytes, most: most) { decoded in
            try decode(decoded, from: index + 1, most: most, body)
        }
    }

    /// Checks that the body is complete; an empty one is.
    ///
    /// - Throws: ``Failure/truncated`` if it isn't.
    public func finish() throws(Failure) {
        guard taken > 0 else { return }
        guard layers.allSatisfy(\.isComplete) else { throw .truncated }
    }
}

/// One coding of a body, with the state of its decoder.
private final class CodedLayer {
    private static let bufferSize = 64 << 10

    private let coding: ContentCoding
    private var engine: any Decompressor
    private let output: UnsafeMutableRawBufferPointer
    private var hasBegun = false
    private var emitted: Int64 = 0
    private var isPastEnd = false

    init(_ coding: ContentCoding) throws(ZipError) {
        self.coding = coding
        engine = try coding.decompressor()
        output = .allocate(byteCount: Self.bufferSize, alignment: 16)
    }

    deinit { output.deallocate() }

    /// True if the data ended where its coding says.
    var isComplete: Bool { !hasBegun || engine.isFinished }

    func decode(
        _ bytes: UnsafeRawBufferPointer,
        most: Int64,
        _ body: (UnsafeRawBufferPointer) throws -> Bool
    ) throws -> Bool {
        guard !isPastEnd, !bytes.isEmpty else { return true }
        if !hasBegun, coding == .deflate, bytes[0] & 0x0F != 8 || bytes[0] >> 4 > 7 {
            engine = try InflatingDecompressor(isWrapped: false, hasMembers: false)
        }
        var rest = bytes
        while !rest.isEmpty {
            if engine.isFinished, hasBegun {
                guard engine.begin(with: rest[0]) else {
                    isPastEnd = true
                    break
                }
            }
            hasBegun = true
            engine.give(rest)
            guard try drain(most: most, body) else { return false }
            rest = UnsafeRawBufferPointer(rebasing: rest.suffix(engine.unused))
            guard engine.isFinished else { break }
        }
        return true
    }

    private func drain(most: Int64, _ body: (UnsafeRawBufferPointer) throws -> Bool) throws -> Bool {
        while true {
            guard let count = engine.fill(output) else { throw ContentDecoder.Failure.damaged(coding) }
            emitted += Int64(count)
            guard emitted <= most else { throw ContentDecoder.Failure.expansion }
            if count > 0, try !body(UnsafeRawBufferPointer(rebasing: output[..<count])) { return false }
            if count < output.count || engine.isFinished { return true }
        }
    }
}
