public import AFCCache
internal import AFCCaching
internal import AFCHTTP
internal import HTTPTypes
public import NIOCore

/// An error for a body that is larger than the program's limit.
public struct BodyTooLarge: Error, Equatable, CustomStringConvertible, Sendable {
    /// The limit in bytes.
    public var limit: Int

    /// The error as a sentence.
    public var description: String { "the body has more than \(limit) bytes; read it in pieces, or raise the limit" }
}

extension ResolverResponse {
    /// The body in pieces, from any source; it can be read once.
    public var pieces: ByteStream {
        switch body {
        case .none: StoredPieces()
        case .stored(let stored, let part): StoredPieces(part, of: stored)
        case .stream(let stream): stream
        }
    }

    /// The whole stored body, with its path; nil if the body has another source, or is a part.
    public var storedBody: StoredBody? {
        if case .stored(let stored, .whole) = body { return stored }
        return nil
    }

    /// True if the body is stored on the disk while it is read.
    package var isBeingStored: Bool {
        if case .stream(let stream) = body { return stream is SharedBody.Reader }
        return false
    }

    /// The length of the body in bytes; nil if the head doesn't state it.
    public var expectedBytes: Int64? {
        switch body {
        case .none: 0
        case .stored, .stream: fields[.contentLength].flatMap { Int64($0) }
        }
    }

    /// Reads the body to its end.
    ///
    /// - Parameter limit: The most bytes to read.
    /// - Returns: The bytes.
    /// - Throws: ``BodyTooLarge``, before any byte is read if the head states the length; ``TransportFailure`` if the
    ///   connection to the origin breaks; `CacheError` if the cache fails; `CancellationError` if the task is
    ///   cancelled.
    public func bytes(upTo limit: Int) async throws -> ByteBuffer {
        if let expectedBytes, expectedBytes > Int64(limit) { throw BodyTooLarge(limit: limit) }
        var all = ByteBuffer()
        for try await piece in pieces {
            guard piece.readableBytes <= limit - all.readableBytes else { throw BodyTooLarge(limit: limit) }
            all.writeImmutableBuffer(piece)
        }
        // Some sequences end without an error when they are cancelled.
        try Task.checkCancellation()
        return all
    }

    /// Returns the same response, which reports the progress of reading its body.
    func reporting(to progress: @escaping @Sendable (ResourceProgress) -> Void) -> ResolverResponse {
        guard case .stream(let stream) = body else {
            // A stored body is complete from the start.
            let size = expectedBytes ?? 0
            progress(ResourceProgress(received: size, expected: size))
            return self
        }
        var response = self
        progress(ResourceProgress(received: 0, expected: expectedBytes))
        response.body = .stream(ReportingBody(body: stream, expected: expectedBytes, progress: progress))
        return response
    }

    /// Returns true if the origin's answer differs from the first one.
    func isNews(after first: ResolverResponse) async throws -> Bool {
        guard source == .miss else { return false }
        guard status == first.status, let tag = fields[.eTag].flatMap({ EntityTag($0) }),
            first.fields[.eTag].flatMap({ EntityTag($0) })?.strongMatches(tag) == true
        else { return true }
        // The body equals the first answer's; it is read all the same, so that the cache stores the newer head.
        do {
            for try await _ in pieces {}
        } catch is CancellationError {
            throw CancellationError()
        } catch {
            return false
        }
        return false
    }

    /// The answer when the stored response to serve has been removed.
    static var gone: ResolverResponse {
        var response = ResolverResponse(
            refusing: .badGateway,
            CacheStatus(forward: .miss, detail: "body-has-left")
        )
        response.fields[.cacheControl] = "no-store"
        return response
    }
}
