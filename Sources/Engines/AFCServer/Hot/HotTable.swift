import AFCPlatform
internal import NIOCore

/// The repeatable answers of one event loop, found by the request's head, byte for byte, or by its target.
///
/// A head that equals an earlier one byte for byte has the same meaning, so no second parser is needed to find its
/// answer. Eviction works by generations: entries that are used move to the young generation, and when that holds
/// half of the limit, the old generation is dropped.
final class HotTable {
    /// The longest head that is remembered, in bytes.
    static let headLimit = 4 * 1024

    /// A plain request for a target.
    struct Target: Hashable {
        var isHead: Bool
        var host: String
        var target: String
        /// The number of the ``ConnectionContext`` that the request came through.
        var context: Int
    }

    /// A head and its answer.
    final class HeadEntry {
        let head: ByteBuffer
        let context: Int
        let answer: HotAnswer
        let record: AccessRecord?
        var countedIn = 0

        init(head: ByteBuffer, context: Int, answer: HotAnswer, record: AccessRecord?) {
            self.head = head
            self.context = context
            self.answer = answer
            self.record = record
        }
    }

    private struct Generation {
        var heads: [Int: HeadEntry] = [:]
        var targets: [Target: HotAnswer] = [:]
        var bytes = 0
    }

    private let byteLimit: Int
    private var young = Generation()
    private var old = Generation()
    private var number = 1

    /// Creates a table.
    ///
    /// - Parameter byteLimit: The most bytes that the table may take.
    init(byteLimit: Int) { self.byteLimit = byteLimit }

    /// The bytes that the table takes; an answer in both generations counts twice.
    var bytes: Int { young.bytes + old.bytes }

    /// True if the table keeps answers at all.
    var isEnabled: Bool { byteLimit > 0 }

    /// Finds the answer to a head.
    ///
    /// - Parameters:
    ///   - head: All bytes of a request's head.
    ///   - context: The number of the context that the request came through.
    /// - Returns: The entry, whose answer may be out of date.
    func find(head: UnsafeRawBufferPointer, context: Int) -> HeadEntry? {
        let key = Self.key(head, context)
        if let entry = young.heads[key] { return Self.isSame(entry, head, context) ? entry : nil }
        guard let entry = old.heads[key], Self.isSame(entry, head, context) else { return nil }
        insert(entry, key: key)
        return entry
    }

    /// Finds the answer to a plain request for a target.
    func find(_ target: Target) -> HotAnswer? {
        if let answer = young.targets[target] { return answer }
        guard let answer = old.targets[target] else { return nil }
        insert(answer, for: target)
        return answer
    }

    /// Remembers the answer to a head.
    func insert(_ entry: HeadEntry) {
        guard isEnabled, entry.head.readableBytes <= Self.headLimit else { return }
        let key = entry.head.withUnsafeReadableBytes { Self.key($0, entry.context) }
        insert(entry, key: key)
    }

    /// Remembers the answer to all plain requests for a target.
    func insert(_ answer: HotAnswer, for target: Target) {
        guard isEnabled else { return }
        young.targets[target] = answer
        young.bytes += target.host.utf8.count + target.target.utf8.count + 200
        count(answer)
    }

    /// Removes an answer that is no longer valid.
    func remove(_ target: Target) {
        young.targets[target] = nil
        old.targets[target] = nil
    }

    /// Removes an entry that is no longer valid.
    func remove(_ entry: HeadEntry) {
        let key = entry.head.withUnsafeReadableBytes { Self.key($0, entry.context) }
        young.heads[key] = nil
        old.heads[key] = nil
    }

    private func insert(_ entry: HeadEntry, key: Int) {
        young.heads[key] = entry
        young.bytes += entry.head.readableBytes + 300
        count(entry.answer)
    }

    private func count(_ answer: HotAnswer) {
        if answer.countedIn != number {
            answer.countedIn = number
            young.bytes += answer.size
        }
        guard young.bytes > byteLimit / 2 else { return }
        old = young
        young = Generation()
        number += 1
    }

    /// Hashes a head with a seed that differs in each process, so that clients can't construct colliding heads.
    private static func key(_ head: UnsafeRawBufferPointer, _ context: Int) -> Int {
        var hasher = Hasher()
        hasher.combine(bytes: head)
        hasher.combine(context)
        return hasher.finalize()
    }

    private static func isSame(_ entry: HeadEntry, _ head: UnsafeRawBufferPointer, _ context: Int) -> Bool {
        entry.context == context
            && entry.head.withUnsafeReadableBytes { bytes in
                guard bytes.count == head.count, let one = bytes.baseAddress, let other = head.baseAddress else {
                    return false
                }
                return memcmp(one, other, bytes.count) == 0
            }
    }
}
