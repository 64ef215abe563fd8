internal import AFCCaching
internal import AFCFiles
internal import AFCHTTP
internal import AFCOrigin
internal import AFCPackageFormat
internal import AFCText
internal import AFCURL
internal import AFCZip
internal import AsyncHTTPClient
internal import HTTPTypes
internal import NIOCore
internal import NIOHTTP1
internal import Synchronization

/// Carries out what ``TransferStep`` decides, until the package is there or can't be had.
struct Transfer: Sendable {
    private static let redirectLimit = 10

    let url: WebURL
    let options: PackageDownload.Options
    let part: PartialFile
    let client: HTTPClient
    let onProgress: @Sendable (Int64, Int64?) -> Void

    func run() async throws(DeliveryError) -> PackageDownload.Outcome {
        var budget = RetryBudget(retries: options.retries, pause: options.pause, size: part.size)
        var target = url
        var redirects = 0
        var hasBegunAnew = false
        while true {
            switch try await step(target) {
            case .complete:
                if let outcome = try await finish(isLastChance: hasBegunAnew) { return outcome }
                hasBegunAnew = true
            case .unchanged:
                guard let known = options.known else {
                    throw failure("the server sent 304 Not Modified to an unconditional request")
                }
                part.remove()
                return .unchanged(known)
            case .startOver:
                guard budget.allowsRetry(size: part.size) else {
                    throw failure("the server sends other parts than it is asked for")
                }
                try await offPool { part throws(DeliveryError) in try part.begin(Validator()) }
            case .follow(let next):
                redirects += 1
                guard redirects <= Self.redirectLimit else {
                    throw failure("the server redirects more than \(Self.redirectLimit) times")
                }
                try PackageDownload.check(next, redirectedFrom: url, options)
                target = next
            case .retry(let seconds, let reason):
                guard budget.allowsRetry(size: part.size) else {
                    let times = budget.failures == 1 ? "" : ", \(budget.failures) times"
                    throw DeliveryError(
                        .connection,
                        url,
                        "\(reason)\(times)"
                    )
                }
                try await wait(budget.wait(seconds))
                // What a redirect leads to may have been for a short time only.
                (target, redirects) = (url, 0)
            case .fail(let code, let message): throw DeliveryError(code, url, message)
            case .append, .begin: throw failure("the server's answer led nowhere")
            }
        }
    }

    /// Sends one request, takes the body where the answer has one, and says what is next.
    private func step(_ target: WebURL) async throws(DeliveryError) -> TransferStep {
        do {
            return try await ask(target)
        } catch let error as DeliveryError {
            throw error
        } catch is CancellationError {
            throw .cancelled(url)
        } catch let error as HTTPClientError where error == .cancelled {
            throw .cancelled(url)
        } catch {
            let reason = ConnectionFailure(await explained(error, target))
            guard reason.isTransient else { throw DeliveryError(.connection, url, reason.message) }
            return .retry(after: nil, reason: reason.message)
        }
    }

    /// The error, or where a certificate isn't trusted why it isn't.
    private func explained(_ error: any Error, _ target: WebURL) async -> any Error {
        guard ConnectionTrouble(error) == .untrusted(nil), let host = target.host, let port = target.effectivePort
        else {
            return error
        }
        let name = host.hasPrefix("[") ? String(host.dropFirst().dropLast()) : host
        let now = options.now.secondsSinceEpoch
        do {
            guard let address = try await NameLookup.system.addresses(of: name, port: port).first else { return error }
            return ConnectionTrouble.untrusted(await CertificateProbe.distrust(of: name, at: address, now: now))
        } catch {
            // The name was known a moment ago. The failure is then reported without a reason.
            return ConnectionTrouble.untrusted(nil)
        }
    }

    private func ask(_ target: WebURL) async throws -> TransferStep {
        let request = TransferRequest(
            url,
            held: part.size,
            validator: part.validator,
            known: options.known,
            sha256: options.sha256
        )
        let response = try await head(target, request)
        var fields = HTTPFields()
        for (name, value) in response.headers {
            if let name = HTTPField.Name(name) { fields.append(HTTPField(name: name, value: value)) }
        }
        let status = Int(response.status.code)
        let step = TransferStep(status: status, fields: fields, url: target, request: request, now: options.now)
        switch step {
        case .begin(let total):
            let validator = Validator(fields, status: status)
            if let step = try foretold(validator) { return step }
            try await offPool { part throws(DeliveryError) in try part.begin(validator) }
            return try await receive(response, upTo: total, total: total)
        case .append(let end, let total):
            part.patch()
            return try await receive(response, upTo: end, total: total)
        default: return step
        }
    }

    private func head(_ target: WebURL, _ asked: TransferRequest) async throws -> HTTPClientResponse {
        let outgoing = HTTPClientRequest(
            target,
            fields: [
                ("User-Agent", options.userAgent), ("Accept", "application/zip, */*;q=0.5"),
                // A package is compressed already, and a part of a coded body is of no use.
                ("Accept-Encoding", "identity"), ("Want-Repr-Digest", "sha-256=1"),
            ] + asked.fields.map { ($0.name, $0.value) }
        )
        // The client's own limit begins anew with each interim response, of which a server may send any number.
        return try await withThrowingTaskGroup(of: HTTPClientResponse.self) { group in
            group.addTask { try await client.execute(outgoing, deadline: .now() + .hours(24)) }
            group.addTask {
                try await Task.sleep(for: options.connectTimeout + options.readTimeout)
                throw ConnectionFailure("the server sends no answer")
            }
            defer { group.cancelAll() }
            guard let first = try await group.next() else { throw CancellationError() }
            return first
        }
    }

    /// What the declared digest tells before any of the body is read.
    private func foretold(_ validator: Validator) throws(DeliveryError) -> TransferStep? {
        guard let declared = validator.sha256 else { return nil }
        if let expected = options.sha256, declared != expected { throw wrongDigest(declared, expected) }
        return declared == options.known?.sha256 ? .unchanged : nil
    }

    private func receive(_ response: HTTPClientResponse, upTo end: Int64?, total: Int64?) async throws -> TransferStep {
        if let total {
            guard total <= options.maxBytes else { throw tooLarge() }
            let missing = total - part.size
            try await offPool { part throws(DeliveryError) in try part.requireRoom(for: missing) }
        }
        let limit = end ?? options.maxBytes
        let pace = Mutex(Pace(window: options.readTimeout, now: .now))
        let result: Result<Void, any Error>
        do {
            try await Silence.forEach(of: response.body, limit: options.readTimeout) { buffer in
                let start = ContinuousClock.now
                guard part.size + Int64(buffer.readableBytes) <= limit else {
                    guard end != nil else { throw tooLarge() }
                    part.remove()
                    throw failure("the server sends more than it said")
                }
                try await offPool { part throws(DeliveryError) in
                    let result = buffer.withUnsafeReadableBytes { bytes in
                        Result { () throws(DeliveryError) in try part.append(bytes) }
                    }
                    try result.get()
                }
                onProgress(part.size, total)
                let isEnough = pace.withLock { pace in
                    // How long this machine's disk took is none of the server's doing.
                    pace.pause(for: start.duration(to: .now))
                    return pace.isEnough(buffer.readableBytes, at: .now)
                }
                guard isEnough else {
                    throw ConnectionFailure("the server sends hardly anything")
                }
            }
            result = .success(())
        } catch {
            result = .failure(error)
        }
        // Whatever ended the body, what came of it is kept; that failing is the worse of the two errors.
        try await offPool { part throws(DeliveryError) in try part.sync() }
        try result.get()
        if let end, part.size < end { throw ConnectionFailure("the connection ended before the package did") }
        guard let total, part.size < total else { return .complete }
        return .retry(after: 0, reason: "the server sends less than it is asked for")
    }

    /// Judges what is there; nil where all of it is to be asked for once more.
    private func finish(isLastChance: Bool) async throws(DeliveryError) -> PackageDownload.Outcome? {
        let state = RemoteState(url: url, validator: part.validator, size: part.size, sha256: part.digest)
        if let expected = options.sha256 ?? state.validator.sha256, expected != state.sha256 {
            // Parts of two versions may be the reason, where a server tells both by one tag.
            if part.isPatched, !isLastChance {
                try await offPool { part throws(DeliveryError) in try part.begin(Validator()) }
                return nil
            }
            part.remove()
            throw wrongDigest(state.sha256, expected)
        }
        if options.known?.sha256 == state.sha256 {
            part.remove()
            return .unchanged(state)
        }
        return .arrived(ArrivedPackage(part, state))
    }

    private func wrongDigest(_ found: String, _ expected: String) -> DeliveryError {
        let remedy =
            options.sha256 == nil
            ? "it was damaged on the way, or the server is wrong about it" : "ask its publisher which is right"
        return DeliveryError(.digest, url, "the package has the SHA-256 \(found), not \(expected); \(remedy)")
    }

    private func tooLarge() -> DeliveryError {
        part.remove()
        return DeliveryError(.tooLarge, url, "the package has more than \(options.maxBytes) bytes")
    }

    private func failure(_ message: String) -> DeliveryError { DeliveryError(.protocolViolation, url, message) }

    private func wait(_ pause: Duration) async throws(DeliveryError) {
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
