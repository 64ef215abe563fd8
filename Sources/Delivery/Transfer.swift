internal import AsyncHTTPClient
internal import HTTPCaching
internal import HTTPTypes
internal import NIOCore
internal import NIOHTTP1
internal import URLStandard
internal import ZipArchive

/// Carries out what ``TransferStep`` decides, until the package is there or can't be had.
struct Transfer: Sendable {
    private static let redirectLimit = 10

    let url: WebURL
    let options: PackageDownload.Options
    let part: PartialFile
    let client: HTTPClient
    let onProgress: @Sendable (Int64, Int64?) -> Void

    func run() async throws(DeliveryError) -> PackageDownload.Outcome {
        var target = url
        var redirects = 0
        var failures = 0
        while true {
            let answer: (step: TransferStep, size: Int64)
            do throws(DeliveryError) {
                answer = (try await ask(target), part.size)
            } catch {
                guard error.code == .connection, failures < options.retries else { throw error }
                answer = (.retry(after: nil, reason: error.message), part.size)
            }
            switch answer.step {
            case .complete: return try await finish()
            case .unchanged:
                guard let known = options.known else {
                    throw DeliveryError(
                        .protocolViolation,
                        url,
                        "the server says that nothing changed, and wasn't asked"
                    )
                }
                part.remove()
                return .unchanged(known)
            case .startOver:
                failures += 1
                guard failures <= options.retries else {
                    throw DeliveryError(.protocolViolation, url, "the server sends other parts than it is asked for")
                }
                try await offPool { part throws(DeliveryError) in try part.begin(Validator()) }
            case .follow(let next):
                redirects += 1
                guard redirects <= Self.redirectLimit else {
                    throw DeliveryError(
                        .protocolViolation,
                        url,
                        "the server redirects more than \(Self.redirectLimit) times"
                    )
                }
                target = next
            case .retry(let seconds, let reason):
                failures += 1
                guard failures <= options.retries else {
                    throw DeliveryError(
                        .connection,
                        url,
                        "\(reason), \(failures) times; what arrived is kept for the next time"
                    )
                }
                try await wait(seconds, failures)
            case .fail(let code, let message): throw DeliveryError(code, url, message)
            case .append, .begin:
                throw DeliveryError(.protocolViolation, url, "the server's answer led nowhere")
            }
        }
    }

    /// Sends one request, and takes the body where the answer has one.
    private func ask(_ target: WebURL) async throws(DeliveryError) -> TransferStep {
        var request = HTTPClientRequest(url: target.description)
        request.headers.add(name: "User-Agent", value: options.userAgent)
        request.headers.add(name: "Accept", value: "application/zip, */*;q=0.5")
        // A package is compressed already, and a part of a coded body is of no use.
        request.headers.add(name: "Accept-Encoding", value: "identity")
        var offset: Int64 = 0
        if part.size > 0, let validator = part.validator.forRange {
            offset = part.size
            request.headers.add(name: "Range", value: "bytes=\(offset)-")
            request.headers.add(name: "If-Range", value: validator)
        } else if let known = options.known {
            if let tag = known.validator.entityTag { request.headers.add(name: "If-None-Match", value: tag) }
            if let date = known.validator.lastModified { request.headers.add(name: "If-Modified-Since", value: date) }
        }
        let isConditional =
            request.headers.contains(name: "If-None-Match") || request.headers.contains(name: "If-Modified-Since")
        do {
            let response = try await client.execute(request, deadline: .now() + .hours(24))
            var fields = HTTPFields()
            for (name, value) in response.headers {
                if let name = HTTPField.Name(name) { fields.append(HTTPField(name: name, value: value)) }
            }
            let step = TransferStep(
                status: Int(response.status.code),
                fields: fields,
                url: target,
                offset: offset,
                isConditional: isConditional,
                now: options.now
            )
            switch step {
            case .begin(let total):
                let validator = Validator(fields)
                try await offPool { part throws(DeliveryError) in try part.begin(validator) }
                try await receive(response, total: total)
                return .complete
            case .append(let total):
                try await receive(response, total: total)
                return .complete
            default: return step
            }
        } catch let error as DeliveryError {
            throw error
        } catch is CancellationError {
            throw DeliveryError(.cancelled, url, "interrupted; what arrived is kept for the next time")
        } catch {
            throw DeliveryError(.connection, url, "the connection failed (\(Self.words(error)))")
        }
    }

    private func receive(_ response: HTTPClientResponse, total: Int64?) async throws {
        if let total, total > options.maxBytes { throw tooLarge }
        do {
            for try await buffer in response.body {
                guard part.size + Int64(buffer.readableBytes) <= options.maxBytes else { throw tooLarge }
                try await offPool { part throws(DeliveryError) in
                    let result = buffer.withUnsafeReadableBytes { bytes in
                        Result { () throws(DeliveryError) in try part.append(bytes) }
                    }
                    try result.get()
                }
                onProgress(part.size, total)
            }
        } catch {
            // Whatever ended the body, what came of it is kept; that failing is the worse of the two errors.
            try await offPool { part throws(DeliveryError) in try part.sync() }
            throw error
        }
        try await offPool { part throws(DeliveryError) in try part.sync() }
        if let total, part.size != total {
            throw DeliveryError(.connection, url, "the body ended at \(part.size) of \(total) bytes")
        }
    }

    private func finish() async throws(DeliveryError) -> PackageDownload.Outcome {
        let state = RemoteState(url: url, validator: part.validator, size: part.size, sha256: part.digest)
        if let expected = options.sha256, expected != state.sha256 {
            part.remove()
            throw DeliveryError(
                .digest,
                url,
                "the package has the SHA-256 \(state.sha256), not \(expected); ask its publisher which is right"
            )
        }
        if options.known?.sha256 == state.sha256 {
            part.remove()
            return .unchanged(state)
        }
        return .arrived(ArrivedPackage(part, state))
    }

    private var tooLarge: DeliveryError {
        part.remove()
        return DeliveryError(.tooLarge, url, "the package has more than \(options.maxBytes) bytes")
    }

    private func wait(_ seconds: Int64?, _ failures: Int) async throws(DeliveryError) {
        let pause =
            seconds.map { Duration.seconds($0) } ?? min(options.pause * (1 << min(failures - 1, 6)), .seconds(60))
        do {
            try await Task.sleep(for: pause)
        } catch {
            throw DeliveryError(.cancelled, url, "interrupted; what arrived is kept for the next time")
        }
    }

    private func offPool(_ body: @escaping @Sendable (PartialFile) throws(DeliveryError) -> Void)
        async throws(DeliveryError)
    {
        try await OffPool.run { () throws(DeliveryError) in try body(part) }
    }

    private static func words(_ error: any Error) -> String {
        guard let error = error as? HTTPClientError else { return "\(error)" }
        return error.shortDescription
    }
}
