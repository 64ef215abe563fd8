internal import AFCCaching
internal import AFCHTTP
internal import AFCURL
internal import HTTPTypes
internal import NIOCore

/// An answer as the bytes that go out, with the numbers in it that move with the clock.
final class HotAnswer {
    /// The most bytes of a body that is kept.
    static let bodyLimit = 64 * 1024
    /// Room before the head, so that it may grow when a number gets longer.
    private static let slack = 48

    /// A number in the head that moves with the clock.
    private struct Hole {
        var range: Range<Int>
        var number: Int64
        /// What a second adds.
        var step: Int64
    }

    /// Until when, and for what state of the store, it may be repeated.
    let repetition: Repetition
    /// For logs.
    let status: Int
    /// For logs.
    let bodyBytes: Int
    /// For logs.
    let url: WebURL?
    /// For logs.
    let cacheStatus: String
    /// The bytes that it takes.
    var size: Int { head.count + bodyBytes + Self.slack + 400 }
    /// In which generation of the table it was counted.
    var countedIn = 0

    private let end: Timestamp
    private let head: [UInt8]
    private let holes: [Hole]
    private let bodyStart: Int
    private var bytes: ByteBuffer
    private var rendered: Timestamp

    /// Takes down an answer.
    ///
    /// - Parameters:
    ///   - answer: The answer.
    ///   - repetition: How long it may be repeated.
    ///   - wire: The head and the body as they went out.
    ///   - headLength: The bytes of the head.
    ///   - holes: Where the moving numbers stand in it.
    init(
        _ answer: ServerAnswer,
        repetition: Repetition,
        wire: ByteBuffer,
        headLength: Int,
        holes: HeadWriter.Holes
    ) {
        self.repetition = repetition
        status = answer.status.code
        bodyBytes = wire.readableBytes - headLength
        url = answer.url
        cacheStatus = answer.fields[.cacheStatus] ?? ""
        end = min(repetition.end, repetition.made + 60)
        head = Array(wire.readableBytesView.prefix(headLength))
        self.holes = [
            holes.age.map { Hole(range: $0.range, number: $0.number, step: 1) },
            holes.ttl.map { Hole(range: $0.range, number: $0.number, step: -1) },
        ].compactMap(\.self).sorted { $0.range.lowerBound < $1.range.lowerBound }
        rendered = repetition.made
        bytes = ByteBufferAllocator().buffer(capacity: Self.slack + wire.readableBytes)
        bytes.writeRepeatingByte(0, count: Self.slack)
        bytes.writeImmutableBuffer(wire)
        bytes.moveReaderIndex(to: Self.slack)
        bodyStart = Self.slack + headLength
    }

    /// Whether it may be repeated.
    func isValid(at now: Timestamp, changes: UInt64) -> Bool {
        repetition.changes == changes && now < end && now >= repetition.made
    }

    /// The bytes to send.
    func wire(at now: Timestamp) -> ByteBuffer {
        if now != rendered { render(at: now) }
        return bytes
    }

    /// The head alone may move: it ends where the body begins.
    private func render(at now: Timestamp) {
        rendered = now
        guard !holes.isEmpty else { return }
        let seconds = now.secondsSinceEpoch - repetition.made.secondsSinceEpoch
        let numbers = holes.map { Array(String($0.number + $0.step * seconds).utf8) }
        let growth = zip(numbers, holes).reduce(0) { $0 + $1.0.count - $1.1.range.count }
        var place = bodyStart - head.count - growth
        bytes.moveReaderIndex(to: 0)
        let start = place
        var from = 0
        for (number, hole) in zip(numbers, holes) {
            place += bytes.setBytes(head[from..<hole.range.lowerBound], at: place)
            place += bytes.setBytes(number, at: place)
            from = hole.range.upperBound
        }
        bytes.setBytes(head[from...], at: place)
        bytes.moveReaderIndex(to: start)
    }
}
