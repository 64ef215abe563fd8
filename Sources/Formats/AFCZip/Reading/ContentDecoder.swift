internal import CZlib

/// Removes the content coding gzip or deflate from a body that comes in pieces (RFC 9110 §8.4.1).
///
/// A gzip body may have several members (RFC 1952 §2.2); deflate is taken without its zlib wrapping, too, as browsers do,
/// since servers send it so. What stands behind the end means nothing.
public struct ContentDecoder: ~Copyable {
    /// What is wrong with a coded body.
    public enum Failure: Error, Equatable, Sendable {
        /// It isn't what its coding says.
        case damaged
        /// It ends too early.
        case truncated
        /// It unpacks to more than it may.
        case expansion
    }

    private static let bufferSize = 64 << 10

    private let maxExpansion: Int
    private let isGzip: Bool
    private var inflater: Inflater
    private let output: UnsafeMutableRawBufferPointer
    private var taken: Int64 = 0
    private var emitted: Int64 = 0
    private var isPastEnd = false

    /// Starts.
    ///
    /// - Parameters:
    ///   - isGzip: Whether the coding is gzip; else it is deflate.
    ///   - maxExpansion: How many times larger than its coded form a body may be.
    /// - Throws: ``ZipError`` where there is no memory.
    public init(isGzip: Bool, maxExpansion: Int) throws(ZipError) {
        inflater = try Inflater(isWrapped: true)
        self.isGzip = isGzip
        self.maxExpansion = maxExpansion
        output = .allocate(byteCount: Self.bufferSize, alignment: 16)
    }

    deinit { output.deallocate() }

    /// Takes coded bytes.
    ///
    /// - Parameters:
    ///   - bytes: The next ones.
    ///   - body: Takes decoded bytes, which are valid only during the call, and says whether it wants more.
    /// - Returns: Whether more is wanted.
    /// - Throws: ``Failure``, and what the closure throws.
    public mutating func decode(
        _ bytes: UnsafeRawBufferPointer,
        _ body: (UnsafeRawBufferPointer) throws -> Bool
    ) throws -> Bool {
        guard !isPastEnd, !bytes.isEmpty else { return true }
        if taken == 0, !isGzip, bytes[0] & 0x0F != 8 || bytes[0] >> 4 > 7 { inflater = try Inflater() }
        taken += Int64(bytes.count)
        var rest = bytes
        while !rest.isEmpty {
            inflater.give(UnsafeMutableRawBufferPointer(mutating: rest))
            guard try drain(body) else { return false }
            rest = UnsafeRawBufferPointer(rebasing: rest.suffix(inflater.unused))
            guard inflater.isFinished else { break }
            guard isGzip, rest.first == 0x1F else {
                if !rest.isEmpty { isPastEnd = true }
                break
            }
            inflater.reset()
        }
        return true
    }

    private mutating func drain(_ body: (UnsafeRawBufferPointer) throws -> Bool) throws -> Bool {
        while true {
            guard let count = inflater.fill(output) else { throw Failure.damaged }
            emitted += Int64(count)
            guard emitted <= taken * Int64(maxExpansion) else { throw Failure.expansion }
            if count > 0, try !body(UnsafeRawBufferPointer(rebasing: output[..<count])) { return false }
            if count < output.count { return true }
            if inflater.isFinished { return true }
        }
    }

    /// Makes sure that the body is whole; an empty one is.
    ///
    /// - Throws: ``Failure/truncated`` where it isn't.
    public func finish() throws(Failure) {
        if taken == 0 { return }
        guard inflater.isFinished else { throw .truncated }
    }
}
