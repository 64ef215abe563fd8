import AFCCache
import AFCCaching
import AFCURL
import Foundation
import HTTPTypes
import NIOCore
import Synchronization
import TestSupport
import Testing

@testable import AFCResolver

/// A body on its way, in a store with room for so many bytes.
private struct Way: Sendable {
    let scratch: Scratch
    let store: DiskCache
    let body: SharedBody
    let cuts = Cuts()

    final class Cuts: Sendable {
        private let number = Mutex(0)
        var count: Int { number.withLock { $0 } }
        func add() { number.withLock { $0 += 1 } }
    }

    init(
        room: Int64? = nil,
        length: Int64? = nil,
        finishingBytes: Int64 = 0,
        limit: Int64 = .max
    ) async throws {
        scratch = try Scratch()
        store = try DiskCache(path: scratch.path("store"), access: .readWrite)
        let now = LibraryBench.noon
        if let room { _ = try await store.setLimits(CacheLimits(bytes: room), now: now) }
        let response = StoredResponse(status: 200, fields: HTTPFields(), size: 0, received: now, source: .received)
        body = SharedBody(try store.receive(response, for: try WebURL("http://docs.example/a")), limit: limit)
        body.onAbandonment(length: length, finishingBytes: finishingBytes, cuts.add)
    }

    /// A reader that is there before anything comes.
    func reader() throws -> SharedBody.Reader { try #require(body.subscribe()) }

    /// Waits until so many bytes are in memory, so that the writer waits.
    func waitUntilFull(_ count: Int) async throws {
        try await waitUntil("memory is full") { body.count >= Int64(count) }
    }

    func append(_ count: Int, of byte: UInt8) async { await body.append(ByteBuffer(repeating: byte, count: count)) }
}

@Suite(.timeLimit(.minutes(10))) struct SharedBodyTests {
    private static let piece = 64 * 1024
    /// What waits in memory at most, in pieces, and the one that is being appended.
    private static let window = (1 << 20) / piece + 1

    private func count(_ reader: SharedBody.Reader) async throws -> Int {
        var count = 0
        for try await piece in reader { count += piece.readableBytes }
        return count
    }

    @Test func `each reader has its own pace, and the writer waits for none`() async throws {
        let way = try await Way()
        let (slow, fast) = (try way.reader(), try way.reader())
        way.body.release(isWanted: false)
        async let counted = count(fast)
        for number in 0..<100 { await way.append(Self.piece, of: UInt8(number)) }
        way.body.end(.success(()))
        #expect(try await counted == 100 * Self.piece)
        var bytes: [UInt8] = []
        for try await piece in slow { bytes.append(contentsOf: Set(piece.readableBytesView).sorted()) }
        #expect(bytes == Array(0..<100))
        #expect(way.body.isKept)
    }

    @Test func `if the cache is full, memory contains only what the slowest reader needs`() async throws {
        let way = try await Way(room: 1)
        let (slow, fast) = (try way.reader(), try way.reader())
        way.body.release(isWanted: false)
        let appended = Way.Cuts()
        let writer = Task {
            for _ in 0..<100 {
                await way.append(Self.piece, of: 1)
                appended.add()
            }
            way.body.end(.success(()))
        }
        // The fast one takes all that there is, and waits; the writer waits too.
        let read = Way.Cuts()
        let reading = Task {
            for try await _ in fast { read.add() }
        }
        try await waitUntil("the fast one has all that there is") { read.count == Self.window }
        // Many turns for a writer that wouldn't wait.
        for _ in 0..<1000 { await Task.yield() }
        #expect(appended.count < Self.window && read.count == Self.window)
        var taken = 0
        for try await piece in slow {
            taken += piece.readableBytes
            #expect(appended.count < Self.window + taken / Self.piece)
        }
        #expect(taken == 100 * Self.piece)
        try await reading.value
        await writer.value
        #expect(!way.body.isKept)
    }

    /// The bytes on the disk of files that this process has open below a folder, whether they have a name or not.
    private func openBytes(below folder: String) throws -> Int {
        try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").reduce(0) { sum, name in
            let link = "/proc/self/fd/" + name
            guard let target = try? FileManager.default.destinationOfSymbolicLink(atPath: link),
                target.hasPrefix(folder + "/received/")
            else { return sum }
            var status = stat()
            return stat(link, &status) == 0 ? sum + Int(status.st_size) : sum
        }
    }

    @Test func `a body over the limit passes through, and its stored part is deleted meanwhile`()
        async throws
    {
        let way = try await Way(limit: Int64(20 * Self.piece))
        let reader = try way.reader()
        way.body.release(isWanted: false)
        var pieces = reader.makeAsyncIterator()
        var (sent, taken) = (0, 0)
        for number in 0..<60 {
            await way.append(Self.piece, of: UInt8(number))
            sent += Self.piece
            while taken < sent {
                let piece = try #require(try await pieces.next())
                #expect(piece.readableBytesView.allSatisfy { $0 == UInt8(number) })
                taken += piece.readableBytes
            }
        }
        #expect(!way.body.isKept)
        #if os(Linux)
        #expect(try openBytes(below: way.scratch.path("store")) == 0)
        #endif
        #expect(way.body.subscribe() == nil)
        way.body.end(.success(()))
        #expect(try await pieces.next() == nil)
    }

    @Test func `if the cache is full, a cancelled writer waits for no client`() async throws {
        let way = try await Way(room: 1)
        let slow = try way.reader()
        way.body.release(isWanted: false)
        let writer = Task {
            for _ in 0..<100 { await way.append(Self.piece, of: 1) }
        }
        try await way.waitUntilFull(Self.window * Self.piece)
        writer.cancel()
        await writer.value
        withExtendedLifetime(slow) {}
    }

    @Test func `if the cache is full, no reader begins in the middle`() async throws {
        let way = try await Way(room: 1)
        let first = try way.reader()
        way.body.release(isWanted: false)
        var pieces = first.makeAsyncIterator()
        for _ in 0..<3 {
            await way.append(10, of: 1)
            #expect(try await pieces.next()?.readableBytes == 10)
        }
        #expect(way.body.subscribe() == nil)
    }

    @Test func `if the cache is full, readers that wait for the head miss nothing`() async throws {
        let way = try await Way(room: 1)
        let writer = Task {
            for _ in 0..<40 { await way.append(Self.piece, of: 1) }
            way.body.end(.success(()))
        }
        try await way.waitUntilFull(Self.window * Self.piece)
        let late = try way.reader()
        way.body.release(isWanted: false)
        #expect(try await count(late) == 40 * Self.piece)
        await writer.value
    }

    @Test func `a cancelled reader stops waiting`() async throws {
        let way = try await Way()
        let reader = try way.reader()
        way.body.release(isWanted: false)
        await way.append(10, of: 1)
        let began = Gate()
        let reading = Task {
            for try await _ in reader { began.open() }
        }
        await began.pass()
        reading.cancel()
        await #expect(throws: CancellationError.self) { try await reading.value }
    }

    @Test(arguments: [
        (Int64?.some(1000), Int64(989), 1), (1000, 990, 0), (nil, 9, 1), (nil, 10, 0),
    ])
    func `when the last reader has left, a body that isn't nearly complete is cut off`(
        _ length: Int64?,
        _ finishingBytes: Int64,
        _ cuts: Int
    ) async throws {
        let way = try await Way(length: length, finishingBytes: finishingBytes)
        do {
            let (one, other) = (try way.reader(), try way.reader())
            way.body.release(isWanted: false)
            await way.append(10, of: 1)
            #expect(way.cuts.count == 0)
            withExtendedLifetime((one, other)) {}
        }
        #expect(way.cuts.count == cuts)
        #expect((way.body.subscribe() == nil) == (cuts > 0))
    }

    @Test func `a body that nobody reads is cut off at a limit`() async throws {
        let way = try await Way(finishingBytes: 25)
        way.body.release(isWanted: false)
        await way.append(10, of: 1)
        await way.append(10, of: 1)
        #expect(way.cuts.count == 0)
        await way.append(10, of: 1)
        #expect(way.cuts.count == 1)
    }

    @Test func `a response for the cache is cut off if the cache is full`() async throws {
        let way = try await Way(room: 100)
        way.body.release(isWanted: true)
        for _ in 0..<10 { await way.append(10, of: 1) }
        #expect(way.cuts.count == 0 && way.body.isKept)
        await way.append(10, of: 1)
        #expect(way.cuts.count == 1)
    }
}
