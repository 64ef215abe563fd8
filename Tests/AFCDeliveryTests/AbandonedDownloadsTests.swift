import AFCCaching
import AFCDelivery
import AFCHTTP
import AFCText
import AFCURL
import Foundation
import TestSupport
import Testing

/// What is left of downloads that nobody went on with.
struct AbandonedDownloadsTests {
    static let file = ServedFile(bytes: ServedFile.numbers(300_000))
    static let past = Timestamp(secondsSinceEpoch: 0)
    static let future = Timestamp(secondsSinceEpoch: 1 << 40)

    /// A name as downloads have them.
    private static func name(_ byte: String) -> String { String(repeating: byte, count: 16) }

    @Test func `an old part is removed, and a package that arrives in the meantime is complete`() async throws {
        let scratch = try Scratch()
        let folder = scratch.path("d")
        #expect(AbandonedDownloads.remove(from: folder, unchangedSince: Self.future) == (0, 0))
        try await FaultyOrigin.run(answer: { request, n in
            n == 0 ? Self.file.answer(request, cutAfter: 100_000) : Self.file.answer(request)
        }) { origin in
            let url = origin.base + "/d.zip"
            _ = try await Fetching.failure(from: url, folder, options: Fetching.options { $0.retries = 0 })
            #expect(AbandonedDownloads.remove(from: folder, unchangedSince: Self.past) == (0, 0))
            // A process that another test starts has the lock, too, until it runs its program.
            try await waitUntil("the part is removed") {
                AbandonedDownloads.remove(from: folder, unchangedSince: Self.future).count == 1
            }
            #expect(try FileManager.default.contentsOfDirectory(atPath: folder).isEmpty)
            try await Fetching.expectWhole(Self.file, from: url, folder)
            #expect(origin.requests[1].start == nil)
        }
    }

    @Test func `what a killed process was making from a patch is removed, and what a running one makes stays`() throws {
        let scratch = try Scratch()
        // No process has that number, and this one runs.
        let (gone, own) = (".patch.999999999.afcache-tmp-1", ".patch.\(getpid()).afcache-tmp-1")
        for name in [gone, own] { try scratch.write(Array(repeating: 1, count: 10_000), to: "d/\(name)/package.zip") }
        let removed = AbandonedDownloads.remove(from: scratch.path("d"), unchangedSince: Self.past)
        #expect(removed.count == 1 && removed.bytes >= 10_000)
        #expect(try FileManager.default.contentsOfDirectory(atPath: scratch.path("d")) == [own])
    }

    @Test func `only files named like downloads are removed`() throws {
        let scratch = try Scratch()
        let own = Self.name("a1")
        for name in ["x.lock", "x.part", "x.json", own + ".lock", own + ".part"] {
            try scratch.write([1], to: "d/" + name)
        }
        #expect(AbandonedDownloads.remove(from: scratch.path("d"), unchangedSince: Self.future).count == 1)
        let left = try FileManager.default.contentsOfDirectory(atPath: scratch.path("d")).sorted()
        #expect(left == ["x.json", "x.lock", "x.part"])
        try FileManager.default.createSymbolicLink(
            atPath: scratch.path("link"),
            withDestinationPath: scratch.path("d")
        )
        try scratch.write([1], to: "d/\(own).lock")
        #expect(AbandonedDownloads.remove(from: scratch.path("link"), unchangedSince: Self.future) == (0, 0))
        #expect(FileManager.default.fileExists(atPath: scratch.path("d/\(own).lock")))
    }

    @Test(arguments: [false, true])
    func `nothing is written to a folder that other users could redirect`(isLink: Bool) async throws {
        let scratch = try Scratch()
        try FileManager.default.createDirectory(atPath: scratch.path("d"), withIntermediateDirectories: false)
        let folder = isLink ? scratch.path("link") : scratch.path("d")
        if isLink {
            try FileManager.default.createSymbolicLink(atPath: folder, withDestinationPath: scratch.path("d"))
        } else {
            #expect(chmod(folder, 0o777) == 0)
        }
        try await FaultyOrigin.run(answer: { request, _ in Self.file.answer(request) }) { origin in
            let error = try #require(try await Fetching.failure(from: origin.base + "/d.zip", folder))
            #expect(error.code == .inputOutput)
            #expect(error.message.contains("is a link, belongs to another user"))
            #expect(origin.requests.isEmpty)
        }
        #expect(try FileManager.default.contentsOfDirectory(atPath: scratch.path("d")).isEmpty)
    }

    @Test func `a part that is being downloaded is kept, however old it is`() async throws {
        let scratch = try Scratch()
        let folder = scratch.path("d")
        try await FaultyOrigin.run(answer: { request, _ in Self.file.answer(request) }) { origin in
            let url = try WebURL(origin.base + "/d.zip")
            let outcome = try await PackageDownload.fetch(url, into: folder, options: Fetching.options())
            guard case .arrived(let package) = outcome else {
                Issue.record("\(outcome)")
                return
            }
            #expect(AbandonedDownloads.remove(from: folder, unchangedSince: Self.future) == (0, 0))
            #expect(FileManager.default.fileExists(atPath: package.path))
            package.discard()
            #expect(try FileManager.default.contentsOfDirectory(atPath: folder).isEmpty)
        }
    }

    /// Each of them removes the lock's file when it is done, while others wait for it.
    @Test func `many downloads of one package never run at the same time`() async throws {
        let scratch = try Scratch()
        let folder = scratch.path("d")
        try await FaultyOrigin.run(answer: { request, _ in Self.file.answer(request) }) { origin in
            let url = origin.base + "/d.zip"
            try await withThrowingTaskGroup(of: Void.self) { group in
                for _ in 0..<12 { group.addTask { try await Fetching.expectWhole(Self.file, from: url, folder) } }
                try await group.waitForAll()
            }
            #expect(try FileManager.default.contentsOfDirectory(atPath: folder).isEmpty)
        }
    }

    @Test(arguments: [
        ("HTTP/1.1 404 No\r\nContent-Length: 0\r\n\r\n", "nothing"),
        ("HTTP/1.1 302 Go\r\nLocation: http://packages.example/x\r\nContent-Length: 0\r\n\r\n", "nothing"),
        ("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n", "a part without a validator"),
        ("HTTP/1.1 200 OK\r\nETag: W/\"v1\"\r\nContent-Length: 100\r\n\r\n", "a part with a weak validator"),
    ])
    func `a download that can't be resumed leaves nothing`(head: String, what: String) async throws {
        let scratch = try Scratch()
        let folder = scratch.path("d")
        let part = Array(repeating: UInt8(ascii: "x"), count: 50)
        try await FaultyOrigin.run(answer: { _, _ in
            what == "nothing" ? [.text(head)] : [.text(head), .bytes(part), .arrived(50), .close]
        }) { origin in
            let once = Fetching.options { $0.retries = 0 }
            let error = try await Fetching.failure(from: origin.base + "/d.zip", folder, options: once)
            #expect(error?.message.contains("is kept") == false, "\(error?.message ?? "")")
            #expect(try FileManager.default.contentsOfDirectory(atPath: folder).isEmpty)
        }
    }

    @Test func `a killed process's part that can't be resumed is removed at once`() throws {
        let scratch = try Scratch()
        let (kept, empty, bare) = (Self.name("a1"), Self.name("b2"), Self.name("c3"))
        for (name, state) in [
            (kept, #"{"url":"http://p.example/","synced":0,"etag":"\"v\""}"#), (empty, "{}"), (bare, nil),
        ] {
            try scratch.write(Array("part".utf8), to: "d/\(name).part")
            try scratch.write([], to: "d/\(name).lock")
            if let state { try scratch.write(Array(state.utf8), to: "d/\(name).json") }
        }
        let removed = AbandonedDownloads.remove(from: scratch.path("d"), unchangedSince: Self.past)
        #expect(removed.count == 2)
        let left = try FileManager.default.contentsOfDirectory(atPath: scratch.path("d")).sorted()
        #expect(left == ["\(kept).json", "\(kept).lock", "\(kept).part"])
    }
}
