internal import AFCOrigin
package import AFCURL
internal import HTTPTypes
internal import NIOCore

/// The question to a running server if it is healthy, as the health check of a container asks it.
package enum HealthQuestion {
    /// The time for an answer, which is less than what containers wait for.
    private static let patience = TimeAmount.seconds(4)

    /// Returns the URL to ask.
    ///
    /// - Parameters:
    ///   - listen: The address on which the server listens; that for all addresses stands for this machine's own.
    ///   - port: Its port.
    ///   - isSecure: True if it speaks TLS.
    /// - Returns: The URL; nil if the address isn't one.
    package static func url(listen: String, port: UInt16, isSecure: Bool) -> WebURL? {
        let host =
            switch listen {
            case "0.0.0.0": "127.0.0.1"
            case "::": "[::1]"
            default: listen.contains(":") ? "[\(listen)]" : listen
            }
        return try? WebURL("\(isSecure ? "https" : "http")://\(host):\(port)/.afcache/healthz")
    }

    /// Asks a server.
    ///
    /// Its certificate may be for other names, since nothing secret is sent.
    ///
    /// - Parameter url: The URL to ask.
    /// - Returns: The reason why the server isn't healthy; nil if it is.
    package static func problem(at url: WebURL) async -> String? {
        var access = OriginAccess()
        access.verifiesCertificates = false
        let trust: OriginTrust
        do {
            trust = try OriginTrust(access)
        } catch {
            return "TLS can't be used: \(error)"
        }
        let pool = OriginPool(
            OriginPool.Options(
                connectTimeout: patience,
                readTimeout: patience,
                idleTimeout: patience,
                connectionsPerOrigin: 1
            ),
            trust: trust
        )
        let problem = await problem(at: url, pool)
        await pool.shutDown()
        return problem
    }

    private static func problem(at url: WebURL, _ pool: OriginPool) async -> String? {
        do {
            let (exchange, first) = try await pool.begin(OriginRequest(url, fields: [:]))
            defer { exchange.close() }
            var piece = first
            while piece.head == nil, !piece.isEnd { piece = try await exchange.more() }
            guard let status = piece.head?.status else { return "the server answers without a status" }
            return switch status {
            case 200: nil
            case 503: "it can't read what it serves; see its log"
            default: "the server answered \(status)"
            }
        } catch {
            return "the server doesn't answer"
        }
    }
}
