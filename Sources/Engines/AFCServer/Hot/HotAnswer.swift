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
    private struct MovingNumber {
        var range: Range<Int>
        var number: Int64
        /// What a second adds.
        var step: Int64

        /// Finds them all.
        ///
        /// - Parameters:
        ///   - head: The head.
        ///   - ttl: The number of `ttl` in the last line of Cache-Status, where it is of this cache (RFC 9211 §2.4).
        /// - Returns: The numbers, in their order; nil where there is one that can't be moved.
        static func all(in head: [UInt8], ttl: Int64?) -> [MovingNumber]? {
            var (numbers, ttl) = ([MovingNumber](), ttl)
            for line in head.split(separator: UInt8(ascii: "\n")).reversed() {
                let name = line.prefix { $0 != UInt8(ascii: ":") }
                let value = line.dropFirst(name.count + 2).dropLast()
                switch name.count {
                case 3 where name.text.lowercased() == "age":
                    guard let age = Int64(value.text), age >= 0 else { return nil }
                    numbers.append(MovingNumber(range: value.indices, number: age, step: 1))
                case 12 where name.text.lowercased() == "cache-status":
                    guard let number = ttl, let place = value.lastRange(of: "; ttl=\(number)") else { continue }
                    numbers.append(
                        MovingNumber(range: place.dropFirst("; ttl=".utf8.count), number: number, step: -1)
                    )
                    ttl = nil
                default: break
                }
            }
            return numbers.reversed()
        }
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
    private let numbers: [MovingNumber]
    private let bodyStart: Int
    private var bytes: ByteBuffer
    private var rendered: Timestamp

    /// Takes down an answer; nil where it can't be repeated.
    ///
    /// - Parameters:
    ///   - answer: The answer.
    ///   - wire: The head and the body as they went out.
    ///   - headLength: The bytes of the head.
    init?(_ answer: ServerAnswer, wire: ByteBuffer, headLength: Int) {
        let head = Array(wire.readableBytesView.prefix(headLength))
        guard let repetition = answer.repetition,
            let numbers = MovingNumber.all(in: head, ttl: answer.cacheStatus?.ttl)
        else { return nil }
        self.repetition = repetition
        self.head = head
        self.numbers = numbers
        status = answer.status.code
        bodyBytes = wire.readableBytes - headLength
        url = answer.url
        cacheStatus = answer.fields[.cacheStatus] ?? ""
        end = min(repetition.end, repetition.made + 60)
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
        guard !numbers.isEmpty else { return }
        let seconds = now.secondsSinceEpoch - repetition.made.secondsSinceEpoch
        let texts = numbers.map { Array(String($0.number + $0.step * seconds).utf8) }
        let growth = zip(texts, numbers).reduce(0) { $0 + $1.0.count - $1.1.range.count }
        var place = bodyStart - head.count - growth
        bytes.moveReaderIndex(to: 0)
        let start = place
        var from = 0
        for (text, number) in zip(texts, numbers) {
            place += bytes.setBytes(head[from..<number.range.lowerBound], at: place)
            place += bytes.setBytes(text, at: place)
            from = number.range.upperBound
        }
        bytes.setBytes(head[from...], at: place)
        bytes.moveReaderIndex(to: start)
    }
}

extension ArraySlice<UInt8> {
    fileprivate var text: String { String(decoding: self, as: UTF8.self) }

    /// Where a text stands for the last time.
    fileprivate func lastRange(of text: String) -> Range<Int>? {
        let text = Array(text.utf8)
        let starts = stride(from: endIndex - text.count, through: startIndex, by: -1)
        return starts.first { self[$0..<$0 + text.count].elementsEqual(text) }.map { $0..<$0 + text.count }
    }
}
