internal import AFCCaching
internal import AFCFiles
internal import AFCHTTP
import AFCPlatform
internal import Synchronization

/// Remembers when entries of a generation were used, and writes it down now and then, never for each read.
///
/// The file holds four bytes an entry: minutes since 1970, little-endian; 0 or nothing where it was never used.
final class RecencyRecorder: Sendable {
    private let generation: GenerationLayout
    private let touched = Mutex<[UInt32: UInt32]>([:])

    init(_ generation: GenerationLayout) { self.generation = generation }

    static func minutes(_ time: Timestamp) -> UInt32 { UInt32(clamping: max(0, time.secondsSinceEpoch) / 60) }

    /// An entry was used.
    func touch(_ number: UInt32, at now: Timestamp) {
        let minutes = Self.minutes(now)
        touched.withLock { $0[number] = minutes }
    }

    /// Writes down what was remembered.
    ///
    /// Recency only advises eviction, so a cache that can't be written, a disk that is full, or a folder that belongs
    /// to somebody else, keeps none of it: that is no error of the read that it would be reported to.
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
    /// - Returns: Minutes since 1970 by number; shorter than the index where the last ones were never used.
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
