internal import AFCOrigin
internal import AFCText
internal import AFCURL
internal import HTTPTypes

/// The objects of a bucket whose keys begin alike, which jobs on several machines share like a folder.
///
/// An object is created only if there is none of its name (If-None-Match: *, RFC 9110 §13.1.2), and never changed. Failures
/// that may pass are tried again. Errors are ``DeliveryError``, and `CancellationError` if the task was cancelled.
package struct BucketFolder: Sendable {
    /// The most parts that a list may have.
    private static let partLimit = 10_000
    /// How often an object is created again that another request may be creating.
    private static let conflictLimit = 5

    /// `s3://BUCKET/KEY`, without a slash at its end.
    package let address: String
    private let access: BucketAccess
    private let options: PackageDownload.Options
    private let patience: Duration
    private let exchanges: SmallExchanges

    /// Creates the way to a folder; nothing is requested.
    ///
    /// - Parameters:
    ///   - text: `s3://BUCKET/KEY`; the key has letters, digits, `-`, `.`, `_`, `~` and slashes.
    ///   - options: The settings of the requests.
    ///   - patience: The time for which a service that isn't there is asked again.
    ///   - variable: Returns the value of an environment variable; see ``BucketAccess/init(_:)``.
    /// - Throws: ``DeliveryError`` with the code `badURL`.
    package init(
        _ text: String,
        options: PackageDownload.Options,
        patience: Duration = .zero,
        variable: (String) -> String?
    ) throws(DeliveryError) {
        var (text, options) = (text, options)
        while text.hasSuffix("/") { text.removeLast() }
        access = try BucketAccess(variable)
        let url = try options.find(text, in: access)
        guard try Self.isPlain(access.list(text).key) else {
            let message = "the folder's key may have letters, digits, '-', '.', '_', '~' and single slashes only"
            throw DeliveryError(.badURL, subject: text, message: message)
        }
        // The requests are signed, and the address of the service is the administrator's choice.
        options.servers.allowsPlainHTTP = true
        try PackageDownload.check(url, of: "a file", options)
        address = text
        (self.options, self.patience) = (options, patience)
        exchanges = try SmallExchanges("server", subject: text, url, options)
    }

    private static func isPlain(_ key: String) -> Bool {
        key.split(separator: "/", omittingEmptySubsequences: false).allSatisfy { part in
            !part.isEmpty && part.utf8.allSatisfy { PercentDecoding.isUnreserved($0) }
        }
    }

    /// Closes the connections.
    package func close() async { await exchanges.pool.shutDown() }

    // MARK: Objects

    /// Returns an object's bytes; nil if there is none.
    package func read(_ name: String, limit: Int) async throws -> [UInt8]? {
        try await lasting {
            let connection = try connection(name, limit: limit)
            let answer = try await connection.ask()
            switch answer.status {
            case 200: return answer.body
            case 404 where !answer.body.says("NoSuchBucket"): return nil
            default: throw connection.refusal(answer, isWriting: false)
            }
        }
    }

    /// Creates an object unless there is one.
    ///
    /// - Returns: False if there is one; it may be this one, if the answer to an earlier attempt was lost.
    package func create(_ name: String, _ bytes: [UInt8]) async throws -> Bool {
        try await lasting {
            let connection = try connection(name)
            for _ in 0..<Self.conflictLimit {
                if try await connection.put(bytes, .missing) { return true }
                // Another request that isn't done yet is refused in the same way; it may fail.
                let answer = try await connection.send("HEAD", [], nil)
                if answer.status == 200 { return false }
                guard answer.status == 404 else { throw connection.refusal(answer, isWriting: false) }
            }
            let message = "the server refuses to create \(name), although there is none"
            throw exchanges.failure(.busy, message, remedy: .waitLonger)
        }
    }

    /// Removes objects; those that are missing are no error.
    package func remove(_ names: [String]) async throws {
        try await lasting {
            for name in names {
                let connection = try connection(name)
                let answer = try await connection.send("DELETE", [], nil)
                guard (200..<300).contains(answer.status) || answer.status == 404 else {
                    throw connection.refusal(answer, isWriting: true)
                }
            }
        }
    }

    /// Calls a body, and again while the service isn't there.
    private func lasting<Value>(_ body: () async throws -> Value) async throws -> Value {
        let started = ContinuousClock.now
        var pause = options.pause
        while true {
            do {
                return try await body()
            } catch let error as DeliveryError {
                guard error.code != .cancelled else { throw CancellationError() }
                guard error.code.isOutage, ContinuousClock.now + pause - started <= patience else { throw error }
                options.onRetry(error.message, pause)
                try await Task.sleep(for: pause)
                pause = min(pause * 2, Self.longestPause)
            }
        }
    }

    private static let longestPause: Duration = .seconds(15)

    // MARK: Names

    /// Returns the names of all objects that begin with a text, in no order.
    package func names(below prefix: String) async throws -> [String] {
        try await lasting { try await list(prefix, delimiter: "").keys }
    }

    /// Returns the names, up to the next slash, of what begins with a text and has a slash after it.
    package func folders(below prefix: String) async throws -> [String] {
        try await lasting { try await list(prefix, delimiter: "/").folders.map { String($0.dropLast()) } }
    }

    private func list(_ prefix: String, delimiter: String) async throws -> (keys: [String], folders: [String]) {
        let (root, key) = try access.list(address)
        let common = key + "/"
        var found: (keys: [String], folders: [String]) = ([], [])
        var next: String?
        for _ in 0..<Self.partLimit {
            var query = "list-type=2&prefix=\(PercentEncodeSet.reserved.encode((common + prefix).utf8))"
            if !delimiter.isEmpty { query += "&delimiter=\(PercentEncodeSet.reserved.encode(delimiter.utf8))" }
            if let next { query += "&continuation-token=\(PercentEncodeSet.reserved.encode(next.utf8))" }
            let connection = RemoteFileConnection(
                url: try WebURL("\(root)?\(query)"),
                limit: BucketListing.byteLimit,
                options: options,
                exchanges: exchanges
            )
            let answer = try await connection.ask()
            guard answer.status == 200 else { throw connection.refusal(answer, isWriting: false) }
            guard let part = BucketListing(answer.body) else {
                throw exchanges.failure(.protocolViolation, "the server's answer is no list of objects")
            }
            found.keys += part.keys.compactMap { $0.hasPrefix(common) ? String($0.dropFirst(common.count)) : nil }
            found.folders += part.prefixes.compactMap {
                $0.hasPrefix(common) ? String($0.dropFirst(common.count)) : nil
            }
            guard let token = part.next else { return found }
            next = token
        }
        throw exchanges.failure(.tooLarge, "the list of objects has more than \(Self.partLimit) parts")
    }

    private func connection(_ name: String, limit: Int = 1 << 20) throws -> RemoteFileConnection {
        RemoteFileConnection(
            url: try access.url("\(address)/\(name)"),
            limit: limit,
            options: options,
            exchanges: exchanges
        )
    }
}

extension DeliveryErrorCode {
    /// True if the same request may succeed once the service is there again.
    fileprivate var isOutage: Bool {
        switch self {
        case .connection, .timeout: true
        case .status(let status): status >= 500
        default: false
        }
    }
}

extension [UInt8] {
    /// True if an error's body has a code.
    fileprivate func says(_ code: String) -> Bool { String(decoding: prefix(4096), as: UTF8.self).contains(code) }
}
