import AFCDelivery
import AFCText
import AFCURL
import Foundation
import TestSupport
import Testing

/// Downloads from an origin that does what proper ones never do.
@Suite(.timeLimit(.minutes(10))) struct HostileOriginTests {
    typealias Piece = FaultyOrigin.Piece

    static let file = ServedFile(bytes: ServedFile.numbers(3_000_000))

    @Test func `a part that continues after its end is an error, and leaves nothing`() async throws {
        let scratch = try Scratch()
        let bytes = Self.file.bytes
        try await FaultyOrigin.run(answer: { request, _ in
            guard let start = request.start else { return Self.file.answer(request, cutAfter: 500_000) }
            let range = "Content-Range: bytes \(start)-\(bytes.count - 1)/\(bytes.count)"
            let zeros = [UInt8](repeating: 0, count: 0x10000)
            let chunk = Piece.bytes(Array("10000\r\n".utf8) + zeros + Array("\r\n".utf8))
            return [.text("HTTP/1.1 206 P\r\n\(range)\r\nTransfer-Encoding: chunked\r\n\r\n")]
                + [Piece](repeating: chunk, count: 100)
        }) { origin in
            let error = try await Fetching.failure(from: origin.base + "/d.zip", scratch.path("d"))
            #expect(error?.code == .protocolViolation)
            #expect(error?.message == "the server sent more than it announced")
            let left = try FileManager.default.contentsOfDirectory(atPath: scratch.path("d"))
            #expect(left.isEmpty, "\(left)")
        }
    }

    @Test func `a cancelled download isn't complete, even if its body ends with the connection`() async throws {
        let scratch = try Scratch()
        try await FaultyOrigin.run(answer: { _, _ in
            [.text("HTTP/1.1 200 OK\r\n\r\n"), .bytes(Array(Self.file.bytes[..<100_000])), .hang]
        }) { origin in
            let url = try WebURL(origin.base + "/d.zip")
            let (counts, count) = AsyncStream<Int64>.makeStream()
            let fetching = Task {
                try await PackageDownload.fetch(url, into: scratch.path("d"), options: Fetching.options()) { got, _ in
                    count.yield(got)
                }
            }
            for await got in counts where got == 100_000 { break }
            fetching.cancel()
            let error = await #expect(throws: DeliveryError.self) { try await fetching.value }
            #expect(error?.code == .cancelled)
        }
    }

    @Test(arguments: [
        ("a byte now and then", Piece.endless([0x50], every: .milliseconds(20))), ("nothing", .hang),
    ])
    func `a server that sends very slowly is abandoned`(name: String, piece: Piece) async throws {
        let scratch = try Scratch()
        try await FaultyOrigin.run(answer: { _, _ in
            [.text("HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\n"), piece]
        }) { origin in
            let options = Fetching.options {
                $0.readTimeout = .milliseconds(300)
                $0.retries = 1
            }
            let error = try await Fetching.failure(from: origin.base + "/d.zip", scratch.path("d"), options: options)
            #expect(error?.code == .timeout)
            // Either may be given up before the origin has read it.
            #expect(origin.requests.count <= 2)
        }
    }

    @Test(arguments: [
        (
            "interim responses without end",
            Piece.endless(Array("HTTP/1.1 102 Wait\r\n\r\n".utf8), every: .milliseconds(10))
        ),
        ("a head without end", .endless(Array("X-Filler: aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa\r\n".utf8), every: .zero)),
        ("a head that drips", .endless([0x61], every: .milliseconds(20))),
    ])
    func `a server that never answers is abandoned`(name: String, piece: Piece) async throws {
        let scratch = try Scratch()
        let start: [Piece] = name.hasPrefix("a head") ? [.text("HTTP/1.1 200 OK\r\n")] : []
        try await FaultyOrigin.run(answer: { _, _ in start + [piece] }) { origin in
            let options = Fetching.options {
                $0.readTimeout = .milliseconds(300)
                $0.connectTimeout = .milliseconds(300)
                $0.retries = 0
            }
            let error = try await Fetching.failure(from: origin.base + "/d.zip", scratch.path("d"), options: options)
            #expect(error?.code == .connection || error?.code == .timeout)
        }
    }

    @Test func `endless interim responses are an error at once, without a retry`() async throws {
        let scratch = try Scratch()
        let interim = Array("HTTP/1.1 100 Continue\r\n\r\n".utf8)
        try await FaultyOrigin.run(answer: { _, _ in [.endless(interim, every: .zero)] }) { origin in
            let options = Fetching.options {
                $0.readTimeout = .seconds(600)
                $0.connectTimeout = .seconds(600)
                $0.retries = 5
            }
            let error = try await Fetching.failure(from: origin.base + "/d.zip", scratch.path("d"), options: options)
            #expect(error?.code == .connection)
            #expect(error?.message.contains("more than 16 interim responses") == true)
            #expect(origin.requests.count == 1)
        }
    }

    @Test(arguments: [
        "HTTP/1.1 200 OK\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\nhello", "garbage\r\n\r\n",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n",
    ])
    func `a response that isn't HTTP is an error`(text: String) async throws {
        let scratch = try Scratch()
        try await FaultyOrigin.run(answer: { _, _ in [.text(text), .close] }) { origin in
            let error = try await Fetching.failure(from: origin.base + "/d.zip", scratch.path("d"))
            #expect(error?.code == .connection || error?.code == .protocolViolation)
        }
    }

    @Test func `a full disk isn't filled further`() async throws {
        let scratch = try Scratch()
        try await FaultyOrigin.run(answer: { _, _ in
            [.text("HTTP/1.1 200 OK\r\nContent-Length: 4000000000000000000\r\n\r\n"), .hang]
        }) { origin in
            let options = Fetching.options { $0.maxBytes = .max }
            let error = try await Fetching.failure(from: origin.base + "/d.zip", scratch.path("d"), options: options)
            #expect(error?.code == .inputOutput)
            #expect(error?.message.hasPrefix("the rest of the package has 4000000000000000000 bytes") == true)
        }
    }
}
