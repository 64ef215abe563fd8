internal import AFCCrawlRules
internal import AFCHTTP
internal import AFCZip
internal import HTTPTypes

/// A content coding that requests accept and the crawler decodes (RFC 9110 §8.4.1); its raw value is its name.
enum ContentCoding: String, CaseIterable, Sendable {
    case gzip
    case deflate

    /// Older names with the same meaning (RFC 9110 §8.4.1.3).
    private var aliases: [String] {
        switch self {
        case .gzip: ["x-gzip"]
        case .deflate: []
        }
    }

    /// The value of Accept-Encoding.
    static let accepted = allCases.map(\.rawValue).joined(separator: ", ")

    /// Returns the coding that a response's fields name.
    ///
    /// - Returns: The coding, or nil for none.
    /// - Throws: ``FetchFailure/coding(_:)`` if the coding is unknown, or there are several.
    static func named(by fields: HTTPFields) throws(FetchFailure) -> ContentCoding? {
        guard fields.contains(.contentEncoding) else { return nil }
        let names = fields[values: .contentEncoding].flatMap { FieldText.list($0) }.map { $0.lowercased() }
            .filter { $0 != "identity" }
        guard let name = names.first else { return nil }
        guard names.count == 1, let coding = allCases.first(where: { $0.rawValue == name || $0.aliases.contains(name) })
        else { throw .coding(names.joined(separator: ", ")) }
        return coding
    }
}

/// Decodes a content-coded body that arrives in pieces.
///
/// A gzip body may have several members (RFC 1952 §2.2). Deflate is also accepted without its zlib wrapping, as
/// browsers do, because servers send it so. Bytes after the end are ignored.
struct ContentDecoder: ~Copyable {
    /// A defect of a coded body.
    enum Failure: Error, Equatable {
        /// The data doesn't have the format of its coding.
        case damaged(ContentCoding)
        /// The data ends early.
        case truncated
        /// The decoded body exceeds the permitted expansion.
        case expansion
    }

    private static let bufferSize = 64 << 10

    private let maxExpansion: Int
    private let coding: ContentCoding
    private var inflater: Inflater
    private let output: UnsafeMutableRawBufferPointer
    private var taken: Int64 = 0
    private var emitted: Int64 = 0
    private var isPastEnd = false

    /// Creates a decoder.
    ///
    /// - Parameters:
    ///   - coding: The coding.
    ///   - maxExpansion: The largest permitted ratio of decoded to coded size.
    /// - Throws: ``ZipError`` if memory is exhausted.
    init(_ coding: ContentCoding, maxExpansion: Int) throws(ZipError) {
        switch coding {
        case .gzip, .deflate: inflater = try Inflater(isWrapped: true)
        }
        self.coding = coding
        self.maxExpansion = maxExpansion
        output = .allocate(byteCount: Self.bufferSize, alignment: 16)
    }

    deinit { output.deallocate() }

    /// Decodes bytes.
    ///
    /// - Parameters:
    ///   - bytes: The next coded bytes.
    ///   - body: Takes decoded bytes, which are valid only during the call, and returns true to get more.
    /// - Returns: True if the closure wants more.
    /// - Throws: ``Failure``, and the closure's errors.
    mutating func decode(
        _ bytes: UnsafeRawBufferPointer,
        _ body: (UnsafeRawBufferPointer) throws -> Bool
    ) throws -> Bool {
        guard !isPastEnd, !bytes.isEmpty else { return true }
        if taken == 0, coding == .deflate, bytes[0] & 0x0F != 8 || bytes[0] >> 4 > 7 { inflater = try Inflater() }
        taken += Int64(bytes.count)
        var rest = bytes
        while !rest.isEmpty {
            inflater.give(UnsafeMutableRawBufferPointer(mutating: rest))
            guard try drain(body) else { return false }
            rest = UnsafeRawBufferPointer(rebasing: rest.suffix(inflater.unused))
            guard inflater.isFinished else { break }
            guard coding == .gzip, rest.first == 0x1F else {
                if !rest.isEmpty { isPastEnd = true }
                break
            }
            inflater.reset()
        }
        return true
    }

    private mutating func drain(_ body: (UnsafeRawBufferPointer) throws -> Bool) throws -> Bool {
        while true {
            guard let count = inflater.fill(output) else { throw Failure.damaged(coding) }
            emitted += Int64(count)
            guard emitted <= taken * Int64(maxExpansion) else { throw Failure.expansion }
            if count > 0, try !body(UnsafeRawBufferPointer(rebasing: output[..<count])) { return false }
            if count < output.count { return true }
            if inflater.isFinished { return true }
        }
    }

    /// Checks that the body is complete; an empty one is.
    ///
    /// - Throws: ``Failure/truncated`` if it isn't.
    func finish() throws(Failure) {
        if taken == 0 { return }
        guard inflater.isFinished else { throw .truncated }
    }
}
