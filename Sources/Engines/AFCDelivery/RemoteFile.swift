public import AFCText
internal import AFCURL

/// A small file on a web server or in a bucket, which several programs change without losing each other's changes.
///
/// A change is sent with the entity tag of what it was made from (If-Match, RFC 9110 §13.1.1), so that the server refuses
/// it if the file has changed in between; then it is made again from the new file.
public struct RemoteFile: Sendable {
    private let url: WebURL
    private let limit: Int
    private let options: PackageDownload.Options

    /// Creates the way to a file; nothing is requested.
    ///
    /// - Parameters:
    ///   - text: An https or http URL, or `s3://BUCKET/KEY`.
    ///   - limit: The largest file that is accepted, in bytes.
    ///   - options: The settings of the requests, of which those for conditions and digests aren't used.
    ///   - variable: Returns the value of an environment variable; see ``BucketAccess/init(_:)``.
    /// - Throws: ``DeliveryError`` with the code `badURL`.
    public init(
        _ text: String,
        limit: Int,
        options: PackageDownload.Options,
        variable: (String) -> String?
    ) throws(DeliveryError) {
        var options = options
        if text.hasPrefix(BucketAccess.prefix) {
            url = try options.find(text, in: try BucketAccess(variable))
        } else {
            guard let found = try? WebURL(text) else {
                throw DeliveryError(.badURL, subject: text, message: "this is not a valid URL")
            }
            url = found
        }
        try PackageDownload.check(url, of: "a file", remedy: .allowPlainHTTP, options)
        (self.limit, self.options) = (limit, options)
    }

    /// Reads the file.
    ///
    /// - Returns: Its bytes.
    /// - Throws: ``DeliveryError``.
    public func read() async throws -> [UInt8] { try await connected { try await $0.get().body } }

    /// Replaces the file by what a body makes of it; the body is called again if the file has changed in between.
    ///
    /// - Parameters:
    ///   - patience: The longest time for which the change is made again; nil for no limit.
    ///   - body: Returns the new bytes, and a value for the caller.
    /// - Returns: The value.
    /// - Throws: ``DeliveryError``: with the code `protocolViolation` if the server can't make sure that no change is
    ///   lost, and `busy` if others changed the file all the time; and the body's error. The file is then unchanged,
    ///   unless the connection was lost before the last answer.
    public func change<Value>(within patience: Duration?, _ body: ([UInt8]) throws -> ([UInt8], Value)) async throws
        -> Value
    {
        try await connected { connection in
            let started = ContinuousClock.now
            var attempts = 0
            while true {
                let old = try await connection.version()
                // Otherwise, a server that ignores conditions would lose changes, and nobody would hear of it.
                if attempts == 0 { try await connection.requireConditions(old) }
                let (new, value) = try body(old.bytes)
                if try await connection.put(new, .unchanged(old.entityTag)) { return value }
                // The answer to an earlier attempt may have been lost.
                if try await connection.version().bytes == new { return value }
                attempts += 1
                let pause = Duration.milliseconds(Int64.random(in: 10...50 * Int64(min(attempts, 20))))
                if let patience, ContinuousClock.now + pause - started > patience {
                    throw connection.exchanges.failure(.busy, "others are changing the file", remedy: .waitLonger)
                }
                try await connection.exchanges.sleep(for: pause)
            }
        }
    }

    /// Creates the file.
    ///
    /// - Parameter bytes: Its contents.
    /// - Returns: False if there is a file already, which is unchanged then.
    /// - Throws: ``DeliveryError``.
    public func create(_ bytes: [UInt8]) async throws -> Bool {
        try await connected { connection in
            // Not every server obeys the condition.
            let answer = try await connection.ask()
            guard answer.status == 404 else {
                guard answer.status == 200 else { throw connection.refusal(answer, isWriting: false) }
                return false
            }
            if try await connection.put(bytes, .missing) { return true }
            // The answer to an earlier attempt may have been lost.
            return try await connection.get().body == bytes
        }
    }

    private func connected<Value>(_ body: (RemoteFileConnection) async throws -> Value) async throws -> Value {
        let exchanges = try SmallExchanges("server", subject: url.shown, url, options)
        let connection = RemoteFileConnection(url: url, limit: limit, options: options, exchanges: exchanges)
        return try await exchanges.closing { try await body(connection) }
    }
}
