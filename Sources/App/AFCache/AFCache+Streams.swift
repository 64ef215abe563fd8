internal import AFCCache
internal import AFCFiles
internal import AFCResolver
public import Foundation

#if canImport(FoundationNetworking)
public import FoundationNetworking
#endif

extension AFCache {
    /// The body of a response in pieces, without content codings.
    ///
    /// No more is received than is read, apart from some buffers; what may be stored is stored as it arrives. The body
    /// can be read once. Whoever stops reading ends the transfer, unless it is nearly complete or others read as well.
    public struct Bytes: AsyncSequence, Sendable {
        /// The type of the pieces, which have at least one byte each.
        public typealias Element = Data
        /// The type of the errors.
        public typealias Failure = any Error

        /// The length of the body as the origin states it, with its content coding, in bytes; nil if it doesn't.
        public let expectedLength: Int64?
        /// The source of the response.
        public let source: LoadedResponse.Source
        private let reader: BodyReader

        init(_ open: OpenResponse) {
            (expectedLength, source, reader) = (open.expectedBytes, open.source, open.reader)
        }

        /// Returns an iterator over the pieces that weren't read yet.
        public func makeAsyncIterator() -> Iterator { Iterator(reader: reader) }

        /// An iterator over the pieces of a body.
        public struct Iterator: AsyncIteratorProtocol {
            fileprivate let reader: BodyReader

            /// Returns the next piece, or nil at the end of the body.
            ///
            /// - Returns: The piece.
            /// - Throws: As ``AFCache/AFCache/data(for:options:progress:)``, also if the body breaks off.
            public mutating func next() async throws -> Data? {
                try await AFCache.Failure.of { try await reader.next() }
            }
        }
    }

    /// Loads a resource whose body is read in pieces, so that it may be larger than the memory.
    ///
    /// It returns as soon as the head is known. A request with a `Range` gets that part of what is stored.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - options: Further options.
    /// - Returns: The body and the head of the response; statuses such as 404 are responses, too.
    /// - Throws: As ``data(for:options:progress:)``.
    public func bytes(
        for request: URLRequest,
        options: LoadOptions = LoadOptions()
    ) async throws -> (Bytes, HTTPURLResponse) {
        let (open, _) = try await Failure.of { try await openLast(request, options, nil) }
        return (Bytes(open), open.head.response)
    }

    /// Loads a resource as a file, of which any range can be read, and whose size the memory doesn't limit.
    ///
    /// It returns when the body is complete. If the response is stored, the file is what the cache has, else one without
    /// a name in the folder for temporary files. It remains readable, and takes its space, as long as the value exists,
    /// even if the response is replaced or removed.
    ///
    /// - Parameters:
    ///   - request: The request, without a `Range`.
    ///   - options: Further options.
    ///   - progress: A closure called as bytes of the body arrive; nil for none.
    /// - Returns: The file and the head of the response; statuses such as 404 are responses, too.
    /// - Throws: As ``data(for:options:progress:)``; an error that names the folder if there is no room.
    public func file(
        for request: URLRequest,
        options: LoadOptions = LoadOptions(),
        progress: (@Sendable (LoadProgress) -> Void)? = nil
    ) async throws -> (BodyFile, HTTPURLResponse) {
        try await Failure.of { try await openFile(request, options, progress) }
    }

    private func openFile(
        _ request: URLRequest,
        _ options: LoadOptions,
        _ progress: (@Sendable (LoadProgress) -> Void)?
    ) async throws -> (BodyFile, HTTPURLResponse) {
        var (open, last) = try await openLast(request, options, progress, inMemory: false)
        if let stored = open.stored { return (BodyFile(stored), open.head.response) }
        if open.response?.isBeingStored == true, open.isDecoded {
            try await open.reader.skip()
            if let stored = try await stored(last) { return (BodyFile(stored), open.head.response) }
            // There was no room for it after all.
            var options = options
            options.storagePolicy = .notAllowed
            last.cachePolicy = .reloadIgnoringLocalCacheData
            open = try await openResponse(last, options, TimeLimits(silence: last.timeoutInterval), progress)
        }
        let spool = try await OffPool.run { try SpoolFile(in: FileManager.default.temporaryDirectory.path) }
        while let piece = try await open.reader.next() {
            _ = try await OffPool.run { try piece.withUnsafeBytes { try spool.append($0) } }
        }
        return (BodyFile(spool), open.head.response)
    }

    /// Returns what is stored for a request, whole and without a content coding; nil if nothing is.
    private func stored(_ request: URLRequest) async throws -> StoredBody? {
        let resolving = try request.resolving(LoadOptions(), place: .nowhere)
        return try await blocking { cache in
            guard let found = try cache.resolver.lookUp(resolving, policy: .returnCacheDataDontLoad) else { return nil }
            return found.response.storedBody
        }
    }

    /// Sends a file as the body of a request, as `URLSession.upload(for:fromFile:)` does; it isn't read into memory.
    ///
    /// The request invalidates what is stored for its URL, unless its method is safe (RFC 9111 §4.4).
    ///
    /// - Parameters:
    ///   - request: The request, with a method such as PUT.
    ///   - file: The file.
    ///   - options: Further options.
    /// - Returns: The body and the head of the response.
    /// - Throws: As ``data(for:options:progress:)``; an error that names the file if it can't be read.
    public func upload(
        for request: URLRequest,
        fromFile file: URL,
        options: LoadOptions = LoadOptions()
    ) async throws -> (Data, HTTPURLResponse) {
        try await Failure.of {
            let body = try await OffPool.run { try RequestBody(OpenFile(reading: file.path)) }
            let (open, last) = try await openLast(request, options, nil, body: body)
            let loaded = try await whole(open, last, upTo: configuration.largestData)
            return (loaded.data, loaded.response)
        }
    }

    /// Loads a resource once or twice: what is stored, whatever its age, and then what the origin has if that differs.
    ///
    /// The origin is asked when the second response is. There is none if status and body are the same, if the origin
    /// can't be reached, in offline mode, or if the first one came from the origin.
    ///
    /// - Parameters:
    ///   - request: The request, whose policy doesn't reload.
    ///   - options: Further options; ``AFCache/AFCache/LoadOptions/Reuse/returnThenRevalidate`` is implied.
    /// - Returns: One response or two.
    public func responses(for request: URLRequest, options: LoadOptions = LoadOptions()) -> Responses {
        Responses(cache: self, request: request, options: options)
    }

    /// The stored response to a request, then the origin's if it differs.
    public struct Responses: AsyncSequence, Sendable {
        /// The type of the responses.
        public typealias Element = LoadedResponse
        /// The type of the errors.
        public typealias Failure = any Error

        fileprivate let cache: AFCache
        fileprivate let request: URLRequest
        fileprivate let options: LoadOptions

        /// Returns an iterator, which sends the request.
        public func makeAsyncIterator() -> Iterator { Iterator(all: self) }

        /// An iterator over one response or two.
        public struct Iterator: AsyncIteratorProtocol {
            fileprivate let all: Responses
            private var first: LoadedResponse?
            private var hasEnded = false

            fileprivate init(all: Responses) { self.all = all }

            /// Returns the next response, or nil.
            ///
            /// - Returns: The response.
            /// - Throws: As ``AFCache/AFCache/load(_:options:progress:)``, for the first response.
            public mutating func next() async throws -> LoadedResponse? {
                guard !hasEnded else { return nil }
                let (cache, options) = (all.cache, all.options)
                guard let first else {
                    let one = try await cache.load(all.request, options: options.stored)
                    hasEnded = one.source == .miss || one.source == .revalidated || cache.isOffline
                    first = one
                    return one
                }
                hasEnded = true
                var request = all.request
                request.cachePolicy = .reloadRevalidatingCacheData
                do {
                    let two = try await cache.load(request, options: options.plain)
                    let isSame = two.source != .miss || (two.statusCode == first.statusCode && two.data == first.data)
                    return isSame ? nil : two
                } catch {
                    // The first one remains the best that there is.
                    try Task.checkCancellation()
                    return nil
                }
            }
        }
    }
}

extension AFCache.LoadOptions {
    /// The same options for what is stored, which isn't revalidated behind.
    fileprivate var stored: AFCache.LoadOptions {
        var options = self
        options.reuse.remove(.returnThenRevalidate)
        options.reuse.insert(.neverRevalidate)
        return options
    }

    /// The same options for what the origin has.
    fileprivate var plain: AFCache.LoadOptions {
        var options = self
        options.reuse.subtract([.invalidate, .returnThenRevalidate, .neverRevalidate])
        return options
    }
}

extension OpenResponse {
    /// True if the body has no content coding that is removed.
    var isDecoded: Bool { response.map { BodyCoding.codings($0.fields).isEmpty } ?? true }

    /// The file that the body is in the cache; nil if it must be made.
    fileprivate var stored: StoredBody? { isDecoded ? response?.storedBody : nil }
}

extension AFCache {
    /// A complete body as a file that is open for reading.
    public struct BodyFile: Sendable {
        private enum Source: Sendable {
            case stored(StoredBody)
            case spool(SpoolFile)
        }

        /// The size of the body in bytes.
        public let size: Int64
        /// True if this is what the cache has stored; false for a copy of a response that isn't stored, or is stored with
        /// a content coding.
        public let isStored: Bool
        private let source: Source

        init(_ body: StoredBody) { (size, isStored, source) = (body.size, true, .stored(body)) }

        init(_ spool: SpoolFile) { (size, isStored, source) = (spool.size, false, .spool(spool)) }

        /// Reads a part, such as a player asks for.
        ///
        /// - Parameter range: The positions of the bytes; what lies past the end is left out.
        /// - Returns: The bytes.
        /// - Throws: ``Failure`` that names the file if it can't be read, or is damaged.
        public func data(in range: Range<Int64>) async throws -> Data {
            let range = range.clamped(to: 0..<size)
            guard !range.isEmpty else { return Data() }
            return try await Failure.of { try await OffPool.run { try read(range) } }
        }

        /// Writes a copy to a new file, for code that needs a path.
        ///
        /// - Parameter file: The file, which must not exist.
        /// - Throws: ``Failure`` that names the file if it exists or can't be written; what was written is removed.
        public func write(to file: URL) async throws { try await Failure.of { try await copy(to: file) } }

        private func copy(to file: URL) async throws {
            try await OffPool.run {
                let copy = try OpenFile(creating: file.path)
                do {
                    for start in stride(from: 0, to: size, by: 1 << 20) {
                        let data = try read(start..<min(size, start + 1 << 20))
                        try data.withUnsafeBytes { try copy.write($0, at: start) }
                    }
                } catch {
                    try? FileManager.default.removeItem(at: file)
                    throw error
                }
            }
        }

        private func read(_ range: Range<Int64>) throws -> Data {
            var data = Data(count: range.count)
            let count = try data.withUnsafeMutableBytes { room in
                switch source {
                case .stored(let body): try body.read(into: room, at: range.lowerBound)
                case .spool(let spool): try spool.read(into: room, at: range.lowerBound)
                }
            }
            return data.prefix(count)
        }
    }
}
