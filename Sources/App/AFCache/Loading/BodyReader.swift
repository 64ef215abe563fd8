internal import AFCCoding
internal import AFCResolver
internal import Foundation
internal import HTTPTypes
internal import NIOCore

#if canImport(FoundationNetworking)
internal import FoundationNetworking
#endif

/// The body of one response, without content codings, made no faster than it is read.
actor BodyReader {
    /// The coded bytes that are decoded at a time, and the most that may become of them, since few bytes can stand for
    /// very many.
    private static let (step, most) = (1024, 32 << 20)
    /// The bytes of a piece, as far as a step of decoding doesn't make more.
    private static let pieceSize = 64 << 10

    /// The whole body, if it is in memory and wasn't read yet.
    private var ready: Data?
    private var pieces: any AsyncIteratorProtocol<ByteBuffer, any Error>
    private var decoder: ContentDecoder?
    /// The coded bytes that aren't decoded yet.
    private var rest = ByteBuffer()
    private var received: Int64 = 0
    private var hasEnded = false
    private let url: URL?
    private let expected: Int64?
    /// The limits for waiting; nil if the body doesn't come from an origin.
    private let limits: TimeLimits?
    private let translate: @Sendable (any Error) -> any Error
    private let progress: (@Sendable (AFCache.LoadProgress) -> Void)?

    /// Creates a reader.
    ///
    /// - Parameters:
    ///   - response: The response.
    ///   - url: Its URL.
    ///   - limits: The limits for waiting for the origin.
    ///   - progress: A closure called as bytes arrive.
    ///   - translate: A closure that returns the error for a caller.
    /// - Throws: `ZipError` if memory is exhausted.
    init(
        _ response: ResolverResponse,
        _ url: URL?,
        _ limits: TimeLimits,
        progress: (@Sendable (AFCache.LoadProgress) -> Void)?,
        translate: @escaping @Sendable (any Error) -> any Error
    ) throws {
        pieces = response.pieces.makeAsyncIterator()
        if case .stream = response.body { self.limits = limits } else { self.limits = nil }
        // A part of a coded body can't be decoded.
        let codings = response.status.code == 206 ? [] : BodyCoding.codings(response.fields)
        decoder = codings.isEmpty ? nil : try ContentDecoder(codings, maxExpansion: .max)
        (self.url, expected, self.progress, self.translate) = (url, response.expectedBytes, progress, translate)
        progress?(AFCache.LoadProgress(received: 0, expected: expected))
    }

    /// Creates a reader of a body that is in memory.
    init(_ data: Data) {
        ready = data.isEmpty ? nil : data
        pieces = NoPieces()
        decoder = nil
        hasEnded = true
        (url, expected, limits, progress, translate) = (nil, Int64(data.count), nil, nil, { $0 })
    }

    /// Returns the next bytes.
    ///
    /// - Returns: The bytes, at least one; nil at the end of the body.
    /// - Throws: As ``AFCache/AFCache/data(for:options:progress:)``.
    func next() async throws -> Data? {
        if let ready {
            self.ready = nil
            return ready
        }
        while true {
            if rest.readableBytes > 0 {
                let decoded = try decode()
                if !decoded.isEmpty { return decoded }
            }
            guard !hasEnded else { return nil }
            guard let piece = try await arrived() else {
                hasEnded = true
                pieces = NoPieces()
                // Some sequences end without an error when they are cancelled.
                try Task.checkCancellation()
                try finish()
                return nil
            }
            received += Int64(piece.readableBytes)
            progress?(AFCache.LoadProgress(received: received, expected: expected))
            if decoder != nil {
                rest = piece
            } else if piece.readableBytes > 0 {
                return piece.withUnsafeReadableBytes { Data($0) }
            }
        }
    }

    /// Waits for the next bytes as they are stored or sent.
    private func arrived() async throws -> ByteBuffer? {
        do {
            guard let limits else { return try await advance() }
            return try await limits.waiting(for: url) { try await self.advance() }
        } catch {
            (hasEnded, pieces) = (true, NoPieces())
            throw translate(error)
        }
    }

    private func advance() async throws -> ByteBuffer? {
        var iterator = pieces
        defer { if !hasEnded { pieces = iterator } }
        return try await iterator.next(isolation: self)
    }

    private func decode() throws -> Data {
        var decoded = Data()
        do {
            while decoded.count < Self.pieceSize, rest.readableBytes > 0 {
                guard var slice = rest.readSlice(length: min(Self.step, rest.readableBytes)) else { break }
                let limit = decoded.count + Self.most
                try slice.readWithUnsafeReadableBytes { bytes in
                    _ = try decoder?.decode(bytes) { piece in
                        guard decoded.count + piece.count <= limit else { throw ContentDecoder.Failure.expansion }
                        decoded.append(contentsOf: piece)
                        return true
                    }
                    return bytes.count
                }
            }
        } catch {
            throw damaged(error)
        }
        return decoded
    }

    private func finish() throws {
        do { try decoder?.finish() } catch { throw damaged(error) }
    }

    /// Returns the error for a body that can't be decoded, after which nothing is read.
    private func damaged(_ error: any Error) -> any Error {
        (hasEnded, rest, pieces) = (true, ByteBuffer(), NoPieces())
        guard error is ContentDecoder.Failure else { return error }
        let reason = "the body of '\(url?.absoluteString ?? "")' isn't what its Content-Encoding says"
        return URLError(.cannotDecodeContentData, failing: url, reason: reason, cause: error)
    }
}

/// The pieces of a body that is no longer read.
private struct NoPieces: AsyncIteratorProtocol {
    mutating func next() async throws -> ByteBuffer? { nil }
}

extension BodyReader {
    /// Reads bytes, and forgets them.
    ///
    /// - Parameter limit: The number of bytes after which nothing more is read.
    /// - Throws: As ``next()``.
    func skip(upTo limit: Int64 = .max) async throws {
        var count: Int64 = 0
        while count < limit, let piece = try await next() { count += Int64(piece.count) }
    }
}
