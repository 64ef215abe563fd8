internal import AFCCache
internal import AFCCaching
internal import AFCHTTP
internal import AFCURL
internal import HTTPTypes
internal import NIOCore
internal import NIOHPACK
internal import Synchronization

/// An answer kept as the bytes to send, with the numbers in it that change with the clock.
///
/// Its body is in memory, or on the disk; then only the head is kept, and no look-up is needed to read the body.
final class HotAnswer: Sendable {
    /// The largest body that is kept in memory, in bytes.
    static let bodyLimit = 64 * 1024
    /// The room before the head, into which it grows when a number gets longer.
    private static let slack = 48

    /// A number in the head that changes with the clock.
    private struct MovingNumber: Sendable {
        var range: Range<Int>
        var number: Int64
        /// The change per second.
        var step: Int64

        /// Finds all moving numbers.
        ///
        /// - Parameters:
        ///   - head: The head.
        ///   - ttl: The `ttl` in the last line of Cache-Status, if this cache wrote it (RFC 9211 §2.4).
        /// - Returns: The numbers in their order; nil if one of them can't be updated.
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

    /// The time limit and the state of the cache for which the answer may be repeated.
    let repetition: Repetition
    /// The status, for logs.
    let status: Int
    /// The cache result, for statistics.
    let verdict: Counters.Verdict
    /// The bytes of the body, for logs.
    let bodyBytes: Int
    /// The URL, for logs.
    let url: WebURL?
    /// The value of Cache-Status, for logs.
    let cacheStatus: String
    /// The request, if it was for a URL of a packaged host that isn't stored.
    let unanswered: UnansweredRequest?
    /// The memory that the answer takes without its body, in bytes.
    var headSize: Int { Self.size(head: head.count, body: 0) }
    /// The memory that the body takes, in bytes.
    var keptBodySize: Int { state.withLock { $0.hasBody ? bodyBytes : 0 } }
    /// True if the body can also be read from the disk.
    var isOnDisk: Bool { place != nil }

    private let end: Timestamp
    private let head: [UInt8]
    private let numbers: [MovingNumber]
    private let place: BodyPlace?
    private let state: Mutex<Rendered>

    /// The bytes as they are sent at a time.
    private struct Rendered {
        /// The head and, if it is in memory, the body.
        var bytes: ByteBuffer
        var hasBody: Bool
        /// The time for which the head was rendered; nil if it is as recorded.
        var time: Timestamp?
        /// The head as HTTP/2 sends it; nil before it is needed.
        var fields: HPACKHeaders?
        /// The number of times that the body was read from the disk.
        var reads = 0
    }

    /// The memory that an answer takes, in bytes, if it is sent in HTTP/1.1 and in HTTP/2.
    static func size(head: Int, body: Int) -> Int { 4 * head + body + slack + 400 }

    /// Records an answer; nil if it can't be repeated.
    ///
    /// - Parameters:
    ///   - answer: The answer.
    ///   - wire: The head, and the body if it is kept in memory, as HTTP/1.1 sends them.
    ///   - headLength: The length of the head in bytes.
    ///   - place: The place of the body on the disk, if there is one.
    init?(_ answer: ServerAnswer, wire: ByteBuffer, headLength: Int, place: BodyPlace? = nil) {
        let head = Array(wire.readableBytesView.prefix(headLength))
        guard let repetition = answer.repetition,
            let numbers = MovingNumber.all(in: head, ttl: answer.cacheStatus?.ttl)
        else { return nil }
        self.repetition = repetition
        self.head = head
        self.numbers = numbers
        status = answer.status.code
        verdict = Counters.Verdict(answer.cacheStatus)
        let kept = wire.readableBytes - headLength
        bodyBytes = place?.size ?? kept
        self.place = place
        url = answer.url
        unanswered = answer.unanswered
        cacheStatus = answer.fields[.cacheStatus] ?? ""
        end = min(repetition.end, repetition.made + 60)
        state = Mutex(Rendered(bytes: Self.bytes(wire), hasBody: kept == bodyBytes))
    }

    /// Returns a copy of the bytes behind some room, into which the head can grow.
    private static func bytes(_ wire: ByteBuffer) -> ByteBuffer {
        var bytes = ByteBufferAllocator().buffer(capacity: slack + wire.readableBytes)
        bytes.writeRepeatingByte(0, count: slack)
        bytes.writeImmutableBuffer(wire)
        bytes.moveReaderIndex(to: slack)
        return bytes
    }

    /// Returns true if the answer may be repeated.
    func isValid(at now: Timestamp, changes: UInt64) -> Bool {
        repetition.changes == changes && now < end && now >= repetition.made
    }

    /// Returns the bytes to send in HTTP/1.1; nil if the body would have to be waited for.
    func wire(at now: Timestamp) -> ByteBuffer? {
        let (bytes, hasBody) = state.withLock { state in
            render(at: now, into: &state)
            return (state.bytes, state.hasBody)
        }
        return hasBody ? bytes : read(behind: bytes)
    }

    /// Returns the fields and the body to send in HTTP/2 (RFC 9113 §8.3.2); nil if the body would have to be waited for.
    func message(at now: Timestamp) -> (fields: HPACKHeaders, body: ByteBuffer)? {
        let (fields, kept) = state.withLock { state in
            render(at: now, into: &state)
            var body = state.bytes
            let headLength = body.readableBytes - (state.hasBody ? bodyBytes : 0)
            let fields = state.fields ?? HPACKHeaders(status, head: body.readableBytesView.prefix(headLength))
            state.fields = fields
            body.moveReaderIndex(forwardBy: headLength)
            return (fields, state.hasBody ? body : nil)
        }
        return (kept ?? read(behind: ByteBuffer())).map { (fields, $0) }
    }

    // MARK: The body

    /// Returns the bytes with the body behind them.
    private func read(behind bytes: ByteBuffer) -> ByteBuffer? {
        guard let place else { return nil }
        var wire = ByteBufferAllocator().buffer(capacity: bytes.readableBytes + place.size)
        wire.writeImmutableBuffer(bytes)
        let count = wire.writeWithUnsafeMutableBytes(minimumWritableBytes: place.size) { room in
            place.readAtOnce(into: UnsafeMutableRawBufferPointer(rebasing: room[..<place.size])) ? place.size : 0
        }
        return count == place.size ? wire : nil
    }

    /// Notes that the body was needed.
    ///
    /// - Returns: True if the body was read from the disk so often that it may be worth its memory.
    func noteUse() -> Bool {
        guard place != nil, bodyBytes <= Self.bodyLimit else { return false }
        return state.withLock { state in
            guard !state.hasBody else { return false }
            state.reads += 1
            return state.reads.isMultiple(of: 8)
        }
    }

    /// Keeps the body in memory; the caller has made room for it.
    func keepBody(_ body: ByteBuffer) {
        var wire = ByteBuffer(bytes: head)
        wire.writeImmutableBuffer(body)
        set(wire, hasBody: true)
    }

    /// Removes the body from memory, if it is on the disk as well.
    func dropBody() {
        guard isOnDisk else { return }
        set(ByteBuffer(bytes: head), hasBody: false)
    }

    private func set(_ wire: ByteBuffer, hasBody: Bool) {
        state.withLock { state in
            state.bytes = Self.bytes(wire)
            state.hasBody = hasBody
            state.time = nil
            state.fields = nil
        }
    }

    // MARK: Rendering

    private func render(at now: Timestamp, into state: inout Rendered) {
        guard now != state.time ?? repetition.made else { return }
        state.time = now
        guard !numbers.isEmpty else { return }
        state.fields = nil
        render(at: now, into: &state.bytes, bodyStart: Self.slack + head.count)
    }

    /// Writes the current numbers into the head, which ends where the body begins, so that only its start moves.
    private func render(at now: Timestamp, into bytes: inout ByteBuffer, bodyStart: Int) {
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

extension HPACKHeaders {
    /// Creates the fields of a response from its HTTP/1.1 head.
    fileprivate init(_ status: Int, head: ByteBufferView) {
        self.init()
        add(name: ":status", value: String(status))
        for line in head.split(separator: UInt8(ascii: "\n")).dropFirst() {
            guard let colon = line.firstIndex(of: UInt8(ascii: ":")) else { continue }
            let value = line[(colon + 1)...].dropFirst().dropLast()
            addSent(
                name: String(decoding: line[..<colon], as: UTF8.self).lowercased(),
                value: String(decoding: value, as: UTF8.self)
            )
        }
    }
}

extension ArraySlice<UInt8> {
    fileprivate var text: String { String(decoding: self, as: UTF8.self) }

    /// Returns the last occurrence of a text.
    fileprivate func lastRange(of text: String) -> Range<Int>? {
        let text = Array(text.utf8)
        let starts = stride(from: endIndex - text.count, through: startIndex, by: -1)
        return starts.first { self[$0..<$0 + text.count].elementsEqual(text) }.map { $0..<$0 + text.count }
    }
}
