import TestSupport
import Testing

/// What clients and the log learn of an origin that gives no response.
@Suite(.fewAtOnce)
struct OriginFailureClientTests {
    /// Who the origin is for whom a request is meant.
    enum Peer: Sendable, CaseIterable {
        case nobody
        case selfSigned
        case otherHost
        case expired

        /// The word in Cache-Status, and the words of the answer and the log.
        var expected: (detail: String, title: String, reason: String) {
            switch self {
            case .nobody:
                ("origin-refused", "The origin is unreachable", "the server refused the connection")
            case .selfSigned:
                (
                    "origin-certificate-self-signed", "There is no secure connection to the origin",
                    "the server's certificate is self-signed, and this machine doesn't trust it"
                )
            case .otherHost:
                (
                    "origin-certificate-wrong-host", "There is no secure connection to the origin",
                    "the server's certificate is for another host: for 'other.example'; use its name, or tell the server's operator"
                )
            case .expired:
                (
                    "origin-certificate-expired", "There is no secure connection to the origin",
                    "the server's certificate expired at TIME, or this machine's clock is wrong"
                )
            }
        }
    }

    @Test(arguments: Peer.allCases)
    func `why an origin failed is said by the answer, by Cache-Status and by the log`(_ peer: Peer) async throws {
        let identity: Identity? =
            switch peer {
            case .nobody: nil
            case .selfSigned: try await Identity()
            case .otherHost: try await Identity("DNS:other.example")
            case .expired: try await Identity(days: -1)
            }
        let trusted = peer == .selfSigned ? nil : identity
        let origin = peer == .nobody ? nil : try await PythonOrigin(identity)
        defer { origin?.stop() }
        let taken = try TakenPort()
        let scheme = peer == .nobody ? "http" : "https"
        let address = "\(scheme)://localhost:\(origin?.port ?? UInt16(taken.port))"
        let options = ["--origin", address] + (trusted.map { ["--cacert", $0.certificate] } ?? [])
        let expected = peer.expected
        let sentence = expected.reason.prefix(1).uppercased() + expected.reason.dropFirst()
        let log = try await Served.run(options, in: Scratch()) { served in
            for _ in 0..<2 {
                let answer = try await curl(served.base + "/a?token=secret")
                #expect(answer.status == 504)
                #expect(answer.cache == "afcache; fwd=uri-miss; detail=\(expected.detail)")
                let error = peer == .nobody ? "connection_refused" : "tls_certificate_error"
                let proxyStatus = try #require(answer["Proxy-Status"])
                #expect(proxyStatus.hasPrefix("afcache; error=\(error); details=\""), "\(proxyStatus)")
                #expect(answer.text.hasPrefix("\(expected.title): \(address)/a"), "\(answer.text)")
                #expect(Self.timeless(answer.text).contains("\n\(sentence). No stored response may be served instead."))
            }
            return served.errors
        }
        let line = "cannot fetch from '\(address)': \(expected.reason)\n"
        #expect(Self.timeless(log()) == line, "once, and without the path")
        #expect(try origin?.count ?? 0 == 0)
    }

    /// Returns a text with the word TIME instead of each time.
    private static func timeless(_ text: String) -> String {
        text.replacing(/\d{4}-\d\d-\d\dT[\d:]+Z/, with: "TIME")
    }
}
