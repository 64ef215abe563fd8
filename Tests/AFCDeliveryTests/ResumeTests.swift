import AFCDelivery
import AFCText
import AFCURL
import Foundation
import Synchronization
import TestSupport
import Testing

/// Downloads over connections that end early: what is asked for again, and what is not.
struct ResumeTests {
    static let file = ServedFile(bytes: ServedFile.numbers(3_000_000))

    @Test func `a connection that is cut repeatedly is no failure while more arrives each time`() async throws {
        let scratch = try Scratch()
        try await FaultyOrigin.run(answer: { request, _ in Self.file.answer(request, cutAfter: 200_000) }) { origin in
            let options = Fetching.options { $0.retries = 1 }
            try await Fetching.expectWhole(Self.file, from: origin.base + "/d.zip", scratch.path("d"), options: options)
            #expect(origin.requests.count >= 15)
            #expect(origin.requests.dropFirst().allSatisfy { $0["range"] != nil && $0["if-range"] == "\"v1\"" })
        }
    }

    @Test func `a connection that is repeatedly cut without progress is a failure`() async throws {
        let scratch = try Scratch()
        try await FaultyOrigin.run(answer: { request, _ in Self.file.answer(request, cutAfter: 10) }) { origin in
            let told = Mutex<[String]>([])
            let options = Fetching.options {
                $0.onRetry = { reason, pause in told.withLock { $0.append("\(reason), \(pause)") } }
            }
            let error = try await Fetching.failure(from: origin.base + "/d.zip", scratch.path("d"), options: options)
            #expect(error?.code == .connection)
            let end = Self.file.bytes.count
            func cut(_ attempt: Int) -> String {
                "the connection closed before the package was complete, after \(10 * attempt) of \(end) bytes"
            }
            #expect(told.withLock(\.self) == (1...5).map { "\(cut($0)), \(Duration.milliseconds(1 << $0))" })
            #expect(
                error?.message
                    == "\(cut(6)), 6 times; "
                    + "the partial download is kept and will be resumed"
            )
            #expect(origin.requests.count == 6)
        }
    }

    @Test func `a server that sends nothing is asked once if another one has the package`() async throws {
        let scratch = try Scratch()
        try await FaultyOrigin.run(answer: { _, _ in [.hang] }) { origin in
            let options = Fetching.options {
                $0.retriesTimeouts = false
                $0.readTimeout = .milliseconds(50)
            }
            let url = origin.base + "/d.zip"
            let error = try await Fetching.failure(from: url, scratch.path("d"), options: options)
            #expect(error?.code == .timeout)
            #expect(error?.message == "the server sent no response")
            // It may be given up before the origin has read it.
            #expect(origin.requests.count <= 1)
        }
    }

    @Test func `a server that starts over each time isn't asked forever`() async throws {
        let scratch = try Scratch()
        let answer: FaultyOrigin.Answer = { request, _ in
            var whole = request
            whole.fields["range"] = nil
            return Self.file.answer(whole, cutAfter: 1_000_000)
        }
        try await FaultyOrigin.run(answer: answer) { origin in
            let error = try await Fetching.failure(from: origin.base + "/d.zip", scratch.path("d"))
            #expect(error?.code == .connection)
            // As much may arrive as in the attempt before, or a little more.
            #expect((6...20).contains(origin.requests.count))
        }
    }

    @Test func `a killed process's download is resumed, and damage is detected`() async throws {
        let scratch = try Scratch()
        let folder = scratch.path("d")
        try await FaultyOrigin.run(answer: { request, n in
            Self.file.answer(request, cutAfter: n % 2 == 0 ? 500_000 : nil)
        }) { origin in
            let url = origin.base + "/d.zip"
            let once = Fetching.options { $0.retries = 0 }
            _ = try await Fetching.failure(from: url, folder, options: once)
            let part = try Fetching.name(in: folder, suffix: ".part")
            // Written, not synced: doesn't count.
            var bytes = try scratch.read("d/" + part)
            let kept = bytes.count
            #expect(kept > 0)
            try scratch.write(bytes + [0, 0, 0, 0], to: "d/" + part)
            try await Fetching.expectWhole(Self.file, from: url, folder)
            #expect(origin.requests[1]["range"] == "bytes=\(kept)-")
            // A disk that holds something else than was synced: all of it is asked for again.
            _ = try await Fetching.failure(from: url, folder, options: once)
            bytes = try scratch.read("d/" + part)
            bytes[bytes.count - 1] ^= 1
            try scratch.write(bytes, to: "d/" + part)
            try await Fetching.expectWhole(Self.file, from: url, folder)
            #expect(origin.requests[3]["range"] == nil)
        }
    }

    @Test(arguments: ["{", "", "[]", #"{"url":1}"#, String(repeating: "[", count: 100_000)])
    func `an unreadable state counts as none`(text: String) async throws {
        let scratch = try Scratch()
        let folder = scratch.path("d")
        try await FaultyOrigin.run(answer: { request, n in
            Self.file.answer(request, cutAfter: n == 0 ? 500_000 : nil)
        }) { origin in
            let url = origin.base + "/d.zip"
            _ = try await Fetching.failure(from: url, folder, options: Fetching.options { $0.retries = 0 })
            let state = try Fetching.name(in: folder, suffix: ".json")
            try scratch.write(Array(text.utf8), to: "d/" + state)
            try await Fetching.expectWhole(Self.file, from: url, folder)
            #expect(origin.requests[1]["range"] == nil)
        }
    }

    @Test func `a new version between two parts is downloaded from its beginning`() async throws {
        let scratch = try Scratch()
        var next = Self.file
        next.bytes = Array(next.bytes.reversed())
        next.tag = "\"v2\""
        let second = next
        try await FaultyOrigin.run(answer: { request, n in
            n == 0 ? Self.file.answer(request, cutAfter: 500_000) : second.answer(request)
        }) { origin in
            try await Fetching.expectWhole(second, from: origin.base + "/d.zip", scratch.path("d"))
            #expect(origin.requests.count == 2)
        }
    }

    @Test func `parts of two versions with one tag are detected by digest and downloaded again`() async throws {
        let scratch = try Scratch()
        var next = Self.file
        next.bytes = Array(next.bytes.reversed())
        let second = next
        let digest = second.digest
        let isMixed = Mutex(false)
        try await FaultyOrigin.run(answer: { request, _ in
            if request.start != nil { isMixed.withLock { $0 = true } }
            return isMixed.withLock { $0 } ? second.answer(request) : Self.file.answer(request, cutAfter: 500_000)
        }) { origin in
            let options = Fetching.options { $0.sha256 = digest }
            try await Fetching.expectWhole(second, from: origin.base + "/d.zip", scratch.path("d"), options: options)
            #expect(origin.requests.suffix(2).map { $0.start == nil } == [false, true])
        }
    }

    @Test func `a chunked body that was cut off is resumed`() async throws {
        let scratch = try Scratch()
        let chunk = "4000\r\n" + String(decoding: Self.file.bytes.prefix(0x4000), as: UTF8.self) + "\r\n"
        try await FaultyOrigin.run(answer: { request, n in
            guard n == 0 else { return Self.file.answer(request) }
            return [
                .text("HTTP/1.1 200 OK\r\nETag: \"v1\"\r\nTransfer-Encoding: chunked\r\n\r\n" + chunk),
                .arrived(0x4000), .close,
            ]
        }) { origin in
            try await Fetching.expectWhole(Self.file, from: origin.base + "/d.zip", scratch.path("d"))
            #expect(origin.requests.count == 2)
        }
    }

    @Test func `a part that is shorter than requested is followed by the next one`() async throws {
        let scratch = try Scratch()
        let bytes = Self.file.bytes
        try await FaultyOrigin.run(answer: { request, n in
            guard let start = request.start else {
                return Self.file.answer(request, cutAfter: 500_000)
            }
            let end = min(start + 1_000_000, bytes.count)
            let head =
                "HTTP/1.1 206 P\r\nContent-Range: bytes \(start)-\(end - 1)/\(bytes.count)\r\nContent-Length: \(end - start)"
            return [.text(head + "\r\n\r\n"), .bytes(Array(bytes[start..<end]))]
        }) { origin in
            try await Fetching.expectWhole(
                Self.file,
                from: origin.base + "/d.zip",
                scratch.path("d"),
                options: Fetching.options { $0.retries = 1 }
            )
            #expect(origin.requests.count { $0.start != nil } == 3)
        }
    }

    @Test func `a temporary redirect is requested again after a failure`() async throws {
        let scratch = try Scratch()
        try await FaultyOrigin.run(answer: { request, n in
            if request.target == "/d.zip" {
                return [.text("HTTP/1.1 302 Go\r\nLocation: /signed?n=\(n)\r\nContent-Length: 0\r\n\r\n")]
            }
            return Self.file.answer(request, cutAfter: n == 1 ? 500_000 : nil)
        }) { origin in
            try await Fetching.expectWhole(Self.file, from: origin.base + "/d.zip", scratch.path("d"))
            #expect(origin.requests.map(\.target) == ["/d.zip", "/signed?n=0", "/d.zip", "/signed?n=2"])
        }
    }
}
