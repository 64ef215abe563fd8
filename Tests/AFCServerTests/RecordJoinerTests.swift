import NIOCore
import NIOEmbedded
import Testing

@testable import AFCServer

/// Small writes before TLS: joined, in their order, and never lost.
struct RecordJoinerTests {
    /// Writes buffers of so many bytes, each with a promise, and returns what comes out after each flush or close.
    private func written(_ sizes: [Int], end: (EmbeddedChannel) throws -> Void = { $0.flush() }) throws -> [[UInt8]] {
        let channel = EmbeddedChannel(handler: RecordJoiner())
        try channel.connect(to: try SocketAddress(ipAddress: "127.0.0.1", port: 1)).wait()
        var kept: [EventLoopFuture<Void>] = []
        for (number, size) in sizes.enumerated() {
            let promise = channel.eventLoop.makePromise(of: Void.self)
            kept.append(promise.futureResult)
            channel.write(ByteBuffer(repeating: UInt8(number), count: size), promise: promise)
        }
        try end(channel)
        var records: [[UInt8]] = []
        while let record = try channel.readOutbound(as: ByteBuffer.self) {
            records.append(Array(record.readableBytesView))
        }
        for future in kept { try future.wait() }
        _ = try? channel.finish()
        return records
    }

    @Test(arguments: [
        ([10, 9, 1000], [1019]),
        ([10, 9, 1025], [19, 1025]),
        ([1025, 10], [1025, 10]),
        ([1024, 1024, 1024, 1024, 10], [4096, 10]),
        ([0], [0]),
        ([5], [5]),
    ])
    func `small writes are joined up to a record, and large ones pass`(sizes: [Int], records: [Int]) throws {
        let written = try written(sizes)
        #expect(written.map(\.count) == records)
        let bytes = sizes.enumerated().flatMap { Array(repeating: UInt8($0.offset), count: $0.element) }
        #expect(written.flatMap(\.self) == bytes, "in their order")
    }

    @Test func `closing passes on what waits`() throws {
        let written = try written([10, 9]) { channel in try channel.close().wait() }
        #expect(written.map(\.count) == [19])
    }
}
