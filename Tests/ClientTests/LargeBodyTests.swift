import Foundation
import TestSupport
import Testing

/// Large bodies, and clients that take them slowly, or not to their end.
@Suite(.serialized, .fewAtOnce, .timeLimit(.minutes(10)))
struct LargeBodyTests {
    /// The memory of a process that isn't shared and isn't a file's, in bytes.
    private func memory(of pid: Int32) throws -> Int {
        let text = try String(contentsOfFile: "/proc/\(pid)/status", encoding: .utf8)
        let line = try #require(text.split(separator: "\n").first { $0.hasPrefix("RssAnon:") })
        return (line.split(whereSeparator: { !$0.isNumber }).first.flatMap { Int($0) } ?? 0) * 1024
    }

    private static let size = 200_000_000

    @Test func `200 MB are streamed while they are stored, and memory use doesn't grow`() async throws {
        try await PythonOrigin.run { origin in
            try await Served.gateway(origin) { served in
                _ = try await curl(served.base + "/warm?size=5000000")
                let before = try memory(of: served.pid)
                for control in ["max-age=600", "max-age=600", "no-store"] {
                    let url = served.base + "/large?size=\(Self.size)&Cache-Control=\(control)"
                    let result = try await Programs.run(
                        "curl",
                        ["-sS", "--max-time", "120", "--noproxy", "", "-o", "/dev/null", "-w", "%{size_download}", url]
                    )
                    #expect(result.text == String(Self.size), "\(result.errors)")
                    let after = try memory(of: served.pid)
                    #expect(after - before < 48_000_000, "\(control): \(before) bytes before, \(after) after")
                }
                #expect(try origin.count == 3)
            }
        }
    }

    @Test func `a slow reader delays neither a fast one nor the origin`() async throws {
        try await PythonOrigin.run { origin in
            try await Served.gateway(origin) { served in
                let url = served.base + "/large?size=20000000&Cache-Control=max-age=600"
                let slow = try Programs.start(
                    "curl",
                    ["-sS", "--noproxy", "", "--limit-rate", "20k", "-o", "/dev/null", url]
                )
                defer { _ = slow.stop(SIGKILL) }
                try await waitUntil("the slow reader's request is at the origin") {
                    try origin.count == 1 || slow.hasEnded
                }
                // At that rate the slow one needs 1,000 seconds.
                let fast = try await curl(url, "--max-time", "500")
                #expect(fast.exit == 0, "\(fast.errors)")
                #expect(fast.text.utf8.count == 20_000_000)
                #expect(try origin.count == 1)
            }
        }
    }

    @Test func `a client that disconnects midway leaves nothing that looks complete`() async throws {
        try await PythonOrigin.run { origin in
            try await Served.gateway(origin) { served in
                let url = served.base + "/large?size=30000000&pace=0.005&Cache-Control=max-age=600&ETag=%221%22"
                do {
                    let scratch = try Scratch()
                    let cut = try Programs.start(
                        "curl",
                        ["-sS", "--noproxy", "", "--limit-rate", "200k", "-o", scratch.path("part"), url]
                    )
                    defer { _ = cut.stop(SIGKILL) }
                    try await waitUntil("a part of the body has arrived") {
                        try cut.hasEnded || !(scratch.names.isEmpty || scratch.read("part").isEmpty)
                    }
                    // At that rate it would need more than two minutes.
                    #expect(!cut.hasEnded, "\(cut.errors)")
                }
                let whole = try await curl(url)
                #expect(whole.text.utf8.count == 30_000_000, "\(whole.exit) \(whole.errors)")
                #expect(whole.status == 200)
                #expect(try await curl(url).isHit)
                // The second client joins what the first one began, where that hasn't ended yet.
                #expect(try origin.count <= 2)
            }
        }
    }
}
