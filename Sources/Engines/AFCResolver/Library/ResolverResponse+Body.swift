public import AFCCache
internal import AFCCaching
internal import HTTPTypes
public import NIOCore

/// A body has more bytes than the program takes.
public struct BodyTooLarge: Error, Equatable, CustomStringConvertible, Sendable {
    /// The most bytes that were to be taken.
    public var limit: Int

    /// In words.
    public var description: String { "the body has more than \(limit) bytes; read it in pieces, or raise the limit" }
}

extension ResolverResponse {
    /// The body in pieces, wherever it comes from; to be read once.
    public var pieces: ByteStream {
        switch body {
        case .none: StoredPieces()
        case .stored(let stored, let part): StoredPieces(part, of: stored)
        case .stream(let stream): stream
        }
    }

    /// The whole body as it lies in the store, with its path; nil where it comes from elsewhere, or is a part.
    public var storedBody: StoredBody? {
        if case .stored(let stored, .whole) = body { return stored }
        return nil
    }

    /// How many bytes the body will have; nil where the head doesn't say.
    public var expectedBytes: Int64? {
        switch body {
        case .none: 0
        case .stored, .stream: fields[.contentLength].flatMap { Int64($0) }
        }
    }

    /// Reads the body to its end.
    ///
    /// - Parameter limit: The most bytes to take.
    /// - Returns: All of them.
    /// - Throws: ``BodyTooLarge``, before any byte is read where the head says so; ``TransportFailure`` where the origin
    ///   breaks off; ``CacheError`` where the store fails; `CancellationError` where the task is cancelled.
    public func bytes(upTo limit: Int) async throws -> ByteBuffer {
        if let expectedBytes, expectedBytes > Int64(limit) { throw BodyTooLarge(limit: limit) }
        var all = ByteBuffer()
        for try await piece in pieces {
            guard piece.readableBytes <= limit - all.readableBytes else { throw BodyTooLarge(limit: limit) }
            all.writeImmutableBuffer(piece)
        }
        // Some sequences just end where they are cancelled.
        try Task.checkCancellation()
        return all
    }
}
