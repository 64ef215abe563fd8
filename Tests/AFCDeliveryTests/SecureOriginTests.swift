import AFCCaching
import AFCDelivery
import AFCHTTP
import AFCOrigin
import AFCText
import Foundation
import NIOSSL
import Synchronization
import TestSupport
import Testing

/// Downloads over TLS, and by several at a time.
struct SecureOriginTests {
    static let file = ServedFile(bytes: ServedFile.numbers(300_000))

    /// A key and a certificate for `localhost` that signs itself.
    private static func context(
        _ scratch: Scratch,
        extension name: String = "subjectAltName=DNS:localhost",
        newest: TLSVersion = .tlsv13
    ) throws -> NIOSSLContext {
        let made = try Program.run(
            "openssl",
            [
                "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "2", "-subj",
                "/CN=localhost", "-addext", name, "-keyout", scratch.path("key.pem"), "-out",
                scratch.path("certificate.pem"),
            ]
        )
        try #require(made.status == 0, "\(made.errors)")
        let certificates = try NIOSSLCertificate.fromPEMFile(scratch.path("certificate.pem"))
        var configuration = TLSConfiguration.makeServerConfiguration(
            certificateChain: certificates.map { .certificate($0) },
            privateKey: .privateKey(try NIOSSLPrivateKey(file: scratch.path("key.pem"), format: .pem))
        )
        (configuration.minimumTLSVersion, configuration.maximumTLSVersion) = (.tlsv1, newest)
        return try NIOSSLContext(configuration: configuration)
    }

    @Test(
        arguments: [
            (.tlsv1, "the TLS handshake failed (the server offers no version from TLS 1.2 on)"),
            (.tlsv11, "the TLS handshake failed (the server offers no version from TLS 1.2 on)"), (.tlsv12, nil),
        ] as [(TLSVersion, String?)]
    )
    func `TLS before 1.2 is refused`(newest: TLSVersion, words: String?) async throws {
        // RFC 8996.
        let scratch = try Scratch()
        let tls = try Self.context(scratch, newest: newest)
        try await Self.expect(words, scratch, tls)
    }

    @Test(arguments: ["extendedKeyUsage=serverAuth", "subjectAltName=email:a@docs.example"])
    func `a certificate that names its host as its common name only is refused`(_ name: String) async throws {
        // RFC 9525 §6.3.
        let scratch = try Scratch()
        let tls = try Self.context(scratch, extension: name)
        let words =
            name.hasPrefix("sub")
            ? "the server's certificate is for another host; use its name, or tell the server's operator"
            : "the server's certificate doesn't name its host (it has no subjectAltName)"
        try await Self.expect(words, scratch, tls)
    }

    /// Downloads with trust in the certificate; without words it must succeed.
    private static func expect(_ words: String?, _ scratch: Scratch, _ tls: NIOSSLContext) async throws {
        try await FaultyOrigin.run(tls: tls, answer: { request, _ in file.answer(request) }) { origin in
            let url = "https://localhost:\(origin.port)/d.zip"
            let options = Fetching.options {
                $0.servers.access.trustRoots = scratch.path("certificate.pem")
                $0.retries = 0
            }
            guard let words else {
                return try await Fetching.expectWhole(file, from: url, scratch.path("d"), options: options)
            }
            let failure = try await Fetching.failure(from: url, scratch.path("d"), options: options)
            #expect(failure?.message.hasPrefix(words) == true)
            #expect(origin.requests.isEmpty)
        }
    }

    @Test func `a certificate is trusted by the system or by name, and only for its host`() async throws {
        let scratch = try Scratch()
        let tls = try Self.context(scratch)
        try await FaultyOrigin.run(tls: tls, answer: { request, _ in Self.file.answer(request) }) { origin in
            let url = "https://localhost:\(origin.port)/d.zip"
            let trusting = Fetching.options { $0.servers.access.trustRoots = scratch.path("certificate.pem") }
            try await Fetching.expectWhole(Self.file, from: url, scratch.path("d"), options: trusting)
            let asked = origin.requests.count
            let now = Timestamp(secondsSinceEpoch: Int64(Date().timeIntervalSince1970))
            for (offset, words) in [
                (0, ["is self-signed, and this machine doesn't trust it"]),
                (9_000_000_000, ["expired at 2", "T", "Z, or this machine's clock is wrong"]),
                (-900_000_000, ["isn't valid before 20", "T", "Z, or this machine's clock is wrong"]),
            ] as [(Int64, [String])] {
                let then = Fetching.options { $0.now = now + offset }
                let unknown = try await Fetching.failure(from: url, scratch.path("d"), options: then)
                #expect(unknown?.code == .connection)
                let sentence = try #require(unknown?.message)
                #expect(sentence.hasPrefix("the server's certificate " + words[0]), "\(sentence)")
                #expect(
                    words.allSatisfy(sentence.contains) && sentence.hasSuffix(words[words.count - 1]),
                    "\(sentence)"
                )
                #expect(unknown?.remedy == (offset == 0 ? .trustServer : nil))
            }
            let byAddress = "https://127.0.0.1:\(origin.port)/d.zip"
            let other = try await Fetching.failure(from: byAddress, scratch.path("d"), options: trusting)
            #expect(
                other?.message
                    == "the server's certificate is for another host: for 'localhost'; use its name, or tell the server's operator"
            )
            #expect(origin.requests.count == asked)
            let unverified = Fetching.options { $0.servers.access.verifiesCertificates = false }
            try await Fetching.expectWhole(Self.file, from: byAddress, scratch.path("d"), options: unverified)
        }
    }

    @Test func `a download over a cut TLS connection is resumed`() async throws {
        let scratch = try Scratch()
        let tls = try Self.context(scratch)
        let answer: FaultyOrigin.Answer = { request, n in Self.file.answer(request, cutAfter: n == 0 ? 100_000 : nil) }
        try await FaultyOrigin.run(tls: tls, answer: answer) { origin in
            let options = Fetching.options { $0.servers.access.trustRoots = scratch.path("certificate.pem") }
            let url = "https://localhost:\(origin.port)/d.zip"
            try await Fetching.expectWhole(Self.file, from: url, scratch.path("d"), options: options)
            #expect(origin.requests.count == 2)
        }
    }

    @Test func `a redirect from https to http is never followed`() async throws {
        let scratch = try Scratch()
        let tls = try Self.context(scratch)
        let answer: FaultyOrigin.Answer = { _, _ in
            [.text("HTTP/1.1 302 Go\r\nLocation: http://127.0.0.1:9/d.zip\r\nContent-Length: 0\r\n\r\n")]
        }
        try await FaultyOrigin.run(tls: tls, answer: answer) { origin in
            let options = Fetching.options {
                $0.servers.access.trustRoots = scratch.path("certificate.pem")
                $0.servers.allowsPlainHTTP = true
            }
            let url = "https://localhost:\(origin.port)/d.zip"
            let error = try await Fetching.failure(from: url, scratch.path("d"), options: options)
            #expect(error?.code == .refusedRedirect)
        }
    }

    @Test func `a server without TLS, a closed port and missing trust roots have sentences`() async throws {
        let scratch = try Scratch()
        let once = Fetching.options { $0.retries = 0 }
        try await FaultyOrigin.run(answer: { _, _ in [] }) { origin in
            let error = try await Fetching.failure(
                from: "https://localhost:\(origin.port)/d.zip",
                scratch.path("d"),
                options: once
            )
            #expect(error?.message.hasPrefix("the server doesn't speak TLS at this port; use 'http://'") == true)
        }
        // A port that is taken, and at which nobody listens.
        let taken = try TakenPort()
        let closed = try await Fetching.failure(
            from: "http://127.0.0.1:\(taken.port)/d.zip",
            scratch.path("d"),
            options: once
        )
        #expect(closed?.message == "the server refused the connection; is it running, and is the port right?")
        let missing = Fetching.options { $0.servers.access.trustRoots = scratch.path("none.pem") }
        let unread = try await Fetching.failure(
            from: "https://localhost:\(taken.port)/",
            scratch.path("d"),
            options: missing
        )
        #expect(unread?.code == .inputOutput)
    }

    @Test func `one of two downloads of a package waits, and nothing is mixed up`() async throws {
        let scratch = try Scratch()
        let waits = Mutex(0)
        let isReleased = Mutex(false)
        let answer: FaultyOrigin.Answer = { request, n in
            let pieces = Self.file.answer(request)
            // The first has the package until both others wait for it, the fourth until it is given up.
            let gate: FaultyOrigin.Piece =
                n < 3 ? .until { waits.withLock { $0 == 2 } } : .until { isReleased.withLock { $0 } }
            return [pieces[0], gate] + pieces.dropFirst()
        }
        try await FaultyOrigin.run(answer: answer) { origin in
            let url = origin.base + "/d.zip"
            let folder = scratch.path("d")
            let options = Fetching.options { $0.onWait = { waits.withLock { $0 += 1 } } }
            try await withThrowingTaskGroup(of: Void.self) { group in
                for _ in 0..<3 {
                    group.addTask { try await Fetching.expectWhole(Self.file, from: url, folder, options: options) }
                }
                try await group.waitForAll()
            }
            #expect(waits.withLock { $0 } == 2)
            #expect(origin.requests.count == 3)
            // Who waits can be told to stop.
            let first = Task { try await Fetching.expectWhole(Self.file, from: url, folder) }
            try await waitUntil("the origin is asked for the fourth time") { origin.requests.count == 4 }
            let impatient = Fetching.options { $0.waitLimit = .zero }
            let busy = try await Fetching.failure(from: url, folder, options: impatient)
            #expect(busy?.code == .busy && busy?.remedy == .waitLonger)
            let patience = AsyncStream.makeStream(of: Void.self)
            let second = Task {
                let options = Fetching.options { $0.onWait = { patience.continuation.finish() } }
                return try await Fetching.failure(from: url, folder, options: options)
            }
            for await _ in patience.stream {}
            second.cancel()
            first.cancel()
            _ = await first.result
            isReleased.withLock { $0 = true }
            #expect(try await second.value?.code == .cancelled)
        }
    }
}
