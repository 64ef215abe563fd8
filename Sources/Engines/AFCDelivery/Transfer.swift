internal import AFCCaching
internal import AFCCredentials
internal import AFCFiles
internal import AFCHTTP
internal import AFCOrigin
internal import AFCPackageFormat
internal import AFCText
internal import AFCURL
internal import AFCZip
internal import HTTPTypes
internal import NIOCore

/// The driver of a download, which does what ``TransferStep`` decides until the package is complete or has failed.
struct Transfer: Sendable {
    private static let redirectLimit = 10

    let url: WebURL
    let options: PackageDownload.Options
    let part: PartialFile
    let pool: OriginPool
    let onProgress: @Sendable (Int64, Int64?) -> Void

    func run() async throws(DeliveryError) -> PackageDownload.Outcome {
        var budget = newBudget()
        var target = url
        var redirects = 0
        var hasRestarted = false
        var asksForEnd = mayLackParts && part.size == 0
        var next = continued
        while true {
            let step = if let next { next } else { try await step(target, asksForEnd: asksForEnd) }
            next = nil
            switch step {
            case .beginAtEnd(_, let total):
                asksForEnd = false
                switch try await requestParts(target, total) {
                case .complete(let lacking):
                    let state = RemoteState(url: url, validator: part.validator, size: total, sha256: nil)
                    return .arrived(ArrivedPackage(part, state, lacking: lacking))
                case .changed(let exchange, let piece, let head):
                    next = try await self.step(target) {
                        defer { exchange.close() }
                        return try await begin(exchange, piece, head)
                    }
                case .useless: try await offPool { part throws(DeliveryError) in try part.begin(Validator()) }
                }
            case .complete:
                if let outcome = try await finish(isLastChance: hasRestarted) { return outcome }
                hasRestarted = true
            case .unchanged:
                guard let known = options.known else {
                    throw failure("the server sent 304 Not Modified to an unconditional request")
                }
                part.remove()
                return .unchanged(known)
            case .startOver:
                // The response to a request for the end only says that there are no parts to be had.
                guard asksForEnd || budget.allowsRetry(size: part.size) else {
                    throw failure("the server sent a part that was not requested")
                }
                asksForEnd = false
                try await offPool { part throws(DeliveryError) in try part.begin(Validator()) }
            case .follow(let next):
                redirects += 1
                guard redirects <= Self.redirectLimit else {
                    throw failure("the server redirected more than \(Self.redirectLimit) times")
                }
                try PackageDownload.check(next, redirectedFrom: url, options)
                target = next
            case .retry(let seconds, let reason):
                guard budget.allowsRetry(size: part.size) else {
                    throw DeliveryError(.connection, url, budget.counted(reason))
                }
                try await wait(budget.wait(seconds), after: reason)
                // The target of a redirect may be temporary.
                (target, redirects) = (url, 0)
                next = continued
            case .stalled(let reason):
                guard options.retriesTimeouts, budget.allowsRetry(size: part.size, isTimeout: true) else {
                    throw DeliveryError(.timeout, url, budget.counted(reason))
                }
                try await wait(budget.wait(nil), after: reason)
                (target, redirects) = (url, 0)
                next = continued
            case .fail(.status(401), _) where authorization(for: target) == nil && options.bucket == nil:
                var error = DeliveryError(.status(401), url, "the server wants a login (status 401)")
                error.remedy = .giveLogin
                throw error
            case .fail(.status(401), _) where options.bucket == nil:
                throw DeliveryError(
                    .status(401),
                    url,
                    "the server refuses the login that was given (status 401); check its user and password"
                )
            case .fail(.status(407), let message):
                let proxy = options.servers.access.proxies.proxy(for: target)
                throw DeliveryError(.status(407), url, proxy.map(ConnectionFailure.wantsLogin) ?? message)
            case .fail(let code, let message): throw DeliveryError(code, url, message)
            case .append, .begin: throw failure("the server's response has no end")
            }
        }
    }

    /// The step that continues with the parts that are there, in this run or from an earlier one.
    private var continued: TransferStep? { part.partsTotal.map { .beginAtEnd(from: 0, total: $0) } }

    /// Creates the budget for a run of requests.
    func newBudget() -> RetryBudget { RetryBudget(retries: options.retries, pause: options.pause, size: part.size) }

    /// True if parts of the package suffice, should the server have them.
    private var mayLackParts: Bool { options.heldMembers != nil && options.sha256 == nil }

    /// Requests the parts that are missing.
    private func requestParts(_ target: WebURL, _ total: Int64) async throws(DeliveryError) -> RangedTransfer.Outcome {
        guard let heldMembers = options.heldMembers, mayLackParts, total <= options.maxBytes else { return .useless }
        return try await RangedTransfer(transfer: self, heldMembers: heldMembers).run(target, total: total)
    }

    /// Sends one request, receives the body if there is one, and returns the next step.
    private func step(_ target: WebURL, asksForEnd: Bool) async throws(DeliveryError) -> TransferStep {
        try await step(target) { try await ask(target, asksForEnd: asksForEnd) }
    }

    private func step(_ target: WebURL, _ work: () async throws -> TransferStep) async throws(DeliveryError)
        -> TransferStep
    {
        do {
            return try await work()
        } catch {
            return try await step(after: error, target).get()
        }
    }

    /// Decides on what to do after a request failed.
    func step(after error: any Error, _ target: WebURL) async -> Result<TransferStep, DeliveryError> {
        if let error = error as? DeliveryError { return .failure(error) }
        if error is CancellationError || Task.isCancelled { return .failure(.cancelled(url)) }
        let reason = await ConnectionFailure(error, of: target, options)
        if reason.isTimeout { return .success(.stalled(reason: reason.message)) }
        guard reason.isTransient else {
            var failure = DeliveryError(.connection, url, reason.message)
            failure.remedy = reason.remedy
            return .failure(failure)
        }
        return .success(.retry(after: nil, reason: reason.message))
    }

    private func ask(_ target: WebURL, asksForEnd: Bool) async throws -> TransferStep {
        let request = TransferRequest(
            url,
            held: part.partsTotal == nil ? part.size : 0,
            validator: part.validator,
            known: options.known,
            sha256: options.sha256,
            asksForEnd: asksForEnd
        )
        let (exchange, piece, head) = try await head(target, request)
        // Does nothing if the response is complete.
        defer { exchange.close() }
        let (status, fields) = (head.status, head.fields)
        let step = TransferStep(status: status, fields: fields, url: target, request: request, now: options.now)
        switch step {
        case .begin: return try await begin(exchange, piece, head)
        case .beginAtEnd(let start, let total):
            let validator = Validator(fields, status: status)
            // A server that doesn't evaluate conditions with Range answers for the known version, too.
            if let step = try decide(by: validator) { return step }
            if let known = request.known?.validator.entityTag, known == validator.entityTag { return .unchanged }
            guard total <= options.maxBytes else { throw tooLarge() }
            try await offPool { part throws(DeliveryError) in try part.begin(validator, total: total) }
            // A failure within this response leaves a part of the end, and the next request is for the rest.
            return try await receivePart(exchange, piece, start..<total) ? step : .startOver
        case .append(let end, let total):
            part.patch()
            return try await receive(exchange, piece, upTo: end, total: total)
        case .fail(let code, _):
            guard let (origin, access) = options.bucket, origin == target.origin,
                let refusal = BucketRefusal(status: status, fields: fields, body: await beginning(exchange, piece))
            else { return step }
            return .fail(code, refusal.sentence(isSigned: access.isSigning))
        default: return step
        }
    }

    /// Returns the beginning of a response that says why a request is refused; what fails while reading it ends it.
    private func beginning(_ exchange: OriginExchange, _ first: ResponsePiece) async -> [UInt8] {
        var (piece, bytes) = (first, [UInt8]())
        do {
            while true {
                for buffer in piece.body { bytes += buffer.readableBytesView }
                guard !piece.isEnd, bytes.count < BucketRefusal.byteLimit else { break }
                piece = try await exchange.more()
            }
        } catch {
            // The status is the error to report.
        }
        return Array(bytes.prefix(BucketRefusal.byteLimit))
    }

    /// Receives the whole package from its beginning.
    private func begin(_ exchange: OriginExchange, _ piece: ResponsePiece, _ head: ResponseHead) async throws
        -> TransferStep
    {
        let validator = Validator(head.fields, status: head.status)
        if let step = try decide(by: validator) { return step }
        try await offPool { part throws(DeliveryError) in try part.begin(validator) }
        let total = TransferStep.length(head.fields)
        return try await receive(exchange, piece, upTo: total, total: total)
    }

    /// Returns the value of Authorization for a request, which only the origin that it is for gets.
    private func authorization(for target: WebURL) -> String? {
        if let authorization = options.authorization, authorization.origin == target.origin {
            return authorization.value
        }
        return options.servers.credentials.first { $0.origin == target.origin }?.fieldValue
    }

    func head(_ target: WebURL, _ asked: TransferRequest) async throws
        -> (OriginExchange, ResponsePiece, ResponseHead)
    {
        var fields: HTTPFields = [
            .userAgent: options.userAgent, .accept: "application/zip, */*;q=0.5",
            // A package is already compressed, and a part of an encoded body couldn't be used.
            .acceptEncoding: "identity",
        ]
        for (name, value) in [("Want-Repr-Digest", "sha-256=1")] + asked.fields {
            if let name = HTTPField.Name(name) { fields.append(HTTPField(name: name, value: value)) }
        }
        fields[.authorization] = authorization(for: target)
        if let (origin, access) = options.bucket, origin == target.origin {
            for field in access.fields(for: target, at: options.requestTime) {
                if let name = HTTPField.Name(field.name) { fields[name] = field.value }
            }
        }
        do {
            var (exchange, piece) = try await pool.begin(OriginRequest(target, fields: fields))
            while true {
                if let head = piece.head { return (exchange, piece, head) }
                piece = try await exchange.more()
            }
        } catch ConnectionTrouble.timeout {
            throw ConnectionFailure("the server sent no response", isTimeout: true)
        }
    }

    /// Decides by the declared digest before any of the body is read.
    private func decide(by validator: Validator) throws(DeliveryError) -> TransferStep? {
        guard let declared = validator.sha256 else { return nil }
        if let expected = options.sha256, declared != expected { throw wrongDigest(declared, expected) }
        return options.known?.sha256 == declared ? .unchanged : nil
    }

    /// Writes a part of the package to its place as it arrives.
    ///
    /// - Returns: False if the response has more or fewer bytes than it announced.
    /// - Throws: An error if the connection ends before the response.
    func receivePart(_ exchange: OriginExchange, _ first: ResponsePiece, _ range: Range<Int64>) async throws -> Bool {
        var (piece, place) = (first, range.lowerBound)
        while true {
            for buffer in piece.body {
                let (offset, count) = (place, Int64(buffer.readableBytes))
                guard count <= range.upperBound - offset else { return false }
                try await offPool { part throws(DeliveryError) in
                    let result = buffer.withUnsafeReadableBytes { bytes in
                        Result { () throws(DeliveryError) in try part.write(bytes, at: offset) }
                    }
                    try result.get()
                }
                place += count
                onProgress(part.size, nil)
            }
            if piece.isEnd { return place == range.upperBound }
            piece = try await exchange.more()
        }
    }

    private func receive(
        _ exchange: OriginExchange,
        _ first: ResponsePiece,
        upTo end: Int64?,
        total: Int64?
    ) async throws -> TransferStep {
        if let total {
            guard total <= options.maxBytes else { throw tooLarge() }
            let missing = total - part.size
            try await offPool { part throws(DeliveryError) in try part.requireRoom(for: missing) }
        }
        var piece = first
        let result: Result<Void, any Error>
        do {
            while true {
                for buffer in piece.body { try await keep(buffer, upTo: end, total) }
                if piece.isEnd { break }
                piece = try await exchange.more()
            }
            try Task.checkCancellation()
            result = .success(())
        } catch {
            result = .failure(error)
        }
        // The received bytes are kept, whatever ended the body; if syncing fails, that is the error to report.
        try await offPool { part throws(DeliveryError) in try part.sync() }
        let isEnded = if case .failure(let error) = result { ConnectionTrouble(error) == .cut } else { true }
        if isEnded, let end, part.size < end {
            throw ConnectionFailure(
                "the connection closed before the package was complete, after \(part.size) of \(end) bytes"
            )
        }
        try result.get()
        guard let total, part.size < total else { return .complete }
        return .retry(after: 0, reason: "the server sent less than requested")
    }

    private func keep(_ buffer: ByteBuffer, upTo end: Int64?, _ total: Int64?) async throws(DeliveryError) {
        guard part.size + Int64(buffer.readableBytes) <= end ?? options.maxBytes else {
            guard end != nil else { throw tooLarge() }
            part.remove()
            throw failure("the server sent more than it announced")
        }
        try await offPool { part throws(DeliveryError) in
            let result = buffer.withUnsafeReadableBytes { bytes in
                Result { () throws(DeliveryError) in try part.append(bytes) }
            }
            try result.get()
        }
        onProgress(part.size, total)
    }

    /// Checks the complete file; nil if the whole package must be downloaded once more.
    private func finish(isLastChance: Bool) async throws(DeliveryError) -> PackageDownload.Outcome? {
        let found = part.digest
        let state = RemoteState(url: url, validator: part.validator, size: part.size, sha256: found)
        if let expected = options.sha256 ?? state.validator.sha256, expected != found {
            // The file may consist of parts of two versions, if a server uses one tag for both.
            if part.isPatched, !isLastChance {
                try await offPool { part throws(DeliveryError) in try part.begin(Validator()) }
                return nil
            }
            part.remove()
            throw wrongDigest(found, expected)
        }
        if let known = options.known, known.sha256 == found {
            part.remove()
            var state = state
            state.digest = known.digest
            return .unchanged(state)
        }
        return .arrived(ArrivedPackage(part, state))
    }

    private func wrongDigest(_ found: String, _ expected: String) -> DeliveryError {
        let remedy =
            options.sha256 == nil
            ? "it was damaged in transit, or the server declares a wrong digest" : "ask its publisher which is right"
        return DeliveryError(.digest, url, "the package has the SHA-256 \(found), not \(expected); \(remedy)")
    }

    private func tooLarge() -> DeliveryError {
        part.remove()
        return DeliveryError(.tooLarge, url, "the package has more than \(options.maxBytes) bytes")
    }

    private func failure(_ message: String) -> DeliveryError { DeliveryError(.protocolViolation, url, message) }

    func wait(_ pause: Duration, after reason: String) async throws(DeliveryError) {
        options.onRetry(reason, pause)
        do {
            try await Task.sleep(for: pause)
        } catch {
            throw .cancelled(url)
        }
    }

    private func offPool(_ body: @escaping @Sendable (PartialFile) throws(DeliveryError) -> Void)
        async throws(DeliveryError)
    {
        try await OffPool.run { () throws(DeliveryError) in try body(part) }
    }
}
