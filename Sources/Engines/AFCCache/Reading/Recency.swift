internal import AFCCaching
internal import AFCFiles
internal import AFCHTTP
import AFCPlatform
internal import Synchronization

/// Records when entries of a generation were used, and writes that to disk from time to time, never for each read.
///
/// The file has four bytes per entry: minutes since 1970, little-endian; 0 or nothing for an entry that was never used.
final class RecencyRecorder: Sendable {
    private let generation: GenerationLayout
    private let touched = Mutex<[UInt32: UInt32]>([:])

    init(_ generation: GenerationLayout) { self.generation = generation }

    static func minutes(_ time: Timestamp) -> UInt32 { UInt32(clamping: max(0, time.secondsSinceEpoch) / 60) }

    /// Returns a recorded time as it counts for eviction, in minutes.
    ///
    /// What is more than a day in the future comes from a clock that was wrong. It says nothing, so it counts as never.
    static func plausible(_ minutes: UInt32, at now: Timestamp) -> UInt32 {
        let now = Self.minutes(now)
        return minutes > now &+ tolerance ? 0 : min(minutes, now)
    }

    /// The number of minutes for which a recorded time may be in the future.
    static let tolerance: UInt32 = 24 * 60

    /// Records that an entry was used.
    func touch(_ number: UInt32, at now: Timestamp) {
        let minutes = Self.minutes(now)
        touched.withLock { $0[number] = minutes }
    }

    /// Writes the recorded uses to disk.
    ///
    /// Recency is only advice for eviction. If it can't be written (a read-only cache, a full disk, another user's
    /// folder), it is dropped, and the read that caused the write doesn't fail.
    func flush() {
        let numbers = touched.withLock { touched in
            defer { touched.removeAll(keepingCapacity: true) }
            return touched
        }
        guard !numbers.isEmpty else { return }
        guard let folder = try? generation.open(), folder.isOwn,
            let descriptor = try? folder.file(GenerationLayout.recencyName, O_WRONLY | O_CREAT)
        else { return }
        defer { close(descriptor) }
        for (number, minutes) in numbers.sorted(by: { $0.key < $1.key }) {
            let isWritten = withUnsafeBytes(of: minutes.littleEndian) { bytes in
                Descriptor.write(bytes, to: descriptor, at: Int64(number) * 4)
            }
            guard isWritten else { return }
        }
    }

    /// Reads when entries were used.
    ///
    /// - Returns: The minutes since 1970 by number; shorter than the index if the last entries were never used.
    static func read(_ generation: GenerationLayout, count: Int) -> [UInt32] {
        var status = stat()
        guard let descriptor = try? generation.open().file(GenerationLayout.recencyName) else { return [] }
        defer { close(descriptor) }
        guard fstat(descriptor, &status) == 0 else { return [] }
        let count = max(0, min(count, Int(status.st_size) / 4))
        return [UInt32](unsafeUninitializedCapacity: count) { buffer, initialized in
            let bytes = UnsafeMutableRawBufferPointer(buffer)
            initialized = (Descriptor.read(descriptor, into: bytes, at: 0) ?? 0) / 4
            for index in 0..<initialized { buffer[index] = UInt32(littleEndian: buffer[index]) }
        }
    }
}
