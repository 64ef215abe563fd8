internal import AFCOrigin
internal import AFCText
internal import AFCURL
internal import HTTPTypes
internal import NIOCore

/// Requests to one server whose bodies and answers are small, so that both are held in memory.
struct SmallExchanges: Sendable {
    /// The whole answer to a request.
    struct Answer {
        var status: Int
        var fields: HTTPFields
        var body: [UInt8]
    }

    /// What the server is called in errors.
    let server: String
    /// The subject of errors.
    let subject: String
    let options: PackageDownload.Options
    let pool: OriginPool

    init(_ server: String, subject: String, _ url: WebURL, _ options: PackageDownload.Options) throws(DeliveryError) {
        (self.server, self.subject, self.options) = (server, subject, options)
        pool = try PackageDownload.pool(options, url)
    }

    func failure(_ code: DeliveryErrorCode, _ message: String, remedy: Remedy? = nil) -> DeliveryError {
        DeliveryError(code, subject: subject, message: message, remedy: remedy)
    }

    /// Calls a body, and closes the connections afterwards.
    func closing<Value>(_ body: () async throws -> Value) async throws -> Value {
        let result: Result<Value, any Error>
        do {
            result = .success(try await body())
        } catch {
            result = .failure(error)
        }
        await pool.shutDown()
        return try result.get()
    }

    /// Sends a request, and again after a failure that may pass.
    ///
    /// - Parameters:
    ///   - url: The URL, of which the errors speak.
    ///   - exchange: Sends the request once; see ``once(_:_:_:_:limit:)``.
    /// - Returns: The answer, whatever its status is.
    /// - Throws: ``DeliveryError``.
    func repeated(_ url: WebURL, _ exchange: () async throws -> Answer) async throws(DeliveryError) -> Answer {
        var budget = RetryBudget(retries: options.retries, pause: options.pause, size: 0)
        while true {
            let failed: String
            do {
                let answer = try await exchange()
                guard [408, 429, 500, 502, 503, 504].contains(answer.status), budget.allowsRetry(size: 0) else {
                    return answer
                }
                failed = "the \(server) answered with status \(answer.status)"
            } catch let error as DeliveryError {
                throw error
            } catch is CancellationError {
                throw failure(.cancelled, "interrupted")
            } catch {
                var reason = await ConnectionFailure(error, of: url, options)
                let trouble = ConnectionTrouble(error)
                if trouble == .cut { reason.message = trouble.words }
                guard reason.isTransient, options.retriesTimeouts || !reason.isTimeout,
                    budget.allowsRetry(size: 0, isTimeout: reason.isTimeout)
                else {
                    throw failure(
                        reason.isTimeout ? .timeout : .connection,
                        reason.isTransient ? budget.counted(reason.message) : reason.message,
                        remedy: reason.remedy
                    )
                }
                failed = reason.message
            }
            let pause = budget.wait(nil)
            options.onRetry(failed, pause)
            try await sleep(for: pause)
        }
    }

    func sleep(for pause: Duration) async throws(DeliveryError) {
        do {
            try await Task.sleep(for: pause)
        } catch {
            throw failure(.cancelled, "interrupted")
        }
    }

    /// Sends a request once.
    ///
    /// - Parameters:
    ///   - method: The method.
    ///   - url: The URL.
    ///   - fields: The fields.
    ///   - body: The body.
    ///   - limit: The largest body that is accepted, in bytes.
    /// - Returns: The answer, whatever its status is.
    /// - Throws: ``DeliveryError`` with the code `tooLarge`, and the errors of the connection.
    func once(
        _ method: HTTPRequest.Method,
        _ url: WebURL,
        _ fields: HTTPFields,
        _ body: [UInt8]?,
        limit: Int
    ) async throws -> Answer {
        var fields = fields
        fields[.userAgent] = options.userAgent
        fields[.acceptEncoding] = "identity"
        var request = OriginRequest(url, method: method, fields: fields)
        if let body {
            request.body = WholeBody(buffer: ByteBuffer(bytes: body))
            request.bodyLength = Int64(body.count)
        }
        var (exchange, piece) = try await pool.begin(request)
        defer { exchange.close() }
        var head: ResponseHead?
        var bytes: [UInt8] = []
        while true {
            if let found = piece.head { head = found }
            for buffer in piece.body {
                guard bytes.count + buffer.readableBytes <= limit else {
                    throw failure(.tooLarge, "the \(server)'s answer is larger than \(Quantity.bytes(Int64(limit)))")
                }
                bytes += buffer.readableBytesView
            }
            if piece.isEnd { break }
            piece = try await exchange.more()
        }
        guard let head else { throw WireError("the response has no head") }
        return Answer(status: head.status, fields: head.fields, body: bytes)
    }
}

/// A request body that is in memory.
private struct WholeBody: AsyncSequence, Sendable {
    let buffer: ByteBuffer

    struct AsyncIterator: AsyncIteratorProtocol {
        var buffer: ByteBuffer?

        mutating func next() async throws -> ByteBuffer? {
            defer { buffer = nil }
            return buffer
        }
    }

    func makeAsyncIterator() -> AsyncIterator { AsyncIterator(buffer: buffer) }
}
