internal import AFCFiles
import AFCPlatform
internal import Synchronization

/// The limit on the memory for copies of a cache's indices.
///
/// An index that exceeds it is read from its file for each look-up, which is slower.
final class IndexMemory: Sendable {
    /// The most bytes of all indices of a cache in memory; an index takes about 400 bytes for each resource.
    static let limit: UInt64 = 128 << 20

    private let free: Atomic<UInt64>

    init(limit: UInt64 = IndexMemory.limit) { free = Atomic(limit) }

    /// Reserves room until the returned value is released; nil if there is too little.
    func reserve(_ size: UInt64) -> Room? {
        var known = free.load(ordering: .relaxed)
        while known >= size {
            let (isDone, now) = free.compareExchange(expected: known, desired: known - size, ordering: .relaxed)
            if isDone { return Room(self, size) }
            known = now
        }
        return nil
    }

    /// Reserved room.
    final class Room: Sendable {
        let size: UInt64
        private let memory: IndexMemory

        fileprivate init(_ memory: IndexMemory, _ size: UInt64) { (self.memory, self.size) = (memory, size) }

        deinit { memory.free.add(size, ordering: .relaxed) }
    }
}

/// A copy of an index in memory.
final class IndexCopy: Sendable {
    // The bytes don't change after the initializer has read them.
    nonisolated(unsafe) private let bytes: UnsafeMutableRawBufferPointer
    private let room: IndexMemory.Room

    /// Reads an index; nil if it can't be read, or is shorter than its room.
    init?(_ descriptor: Int32, _ room: IndexMemory.Room) {
        self.room = room
        bytes = .allocate(byteCount: Int(room.size), alignment: 16)
        guard Descriptor.read(descriptor, into: bytes, at: 0) == bytes.count else { return nil }
    }

    deinit { bytes.deallocate() }

    /// Returns a part, which is valid as long as this copy; nil if it isn't within the file.
    func part(at offset: UInt64, count: Int) -> UnsafeRawBufferPointer? {
        guard offset <= UInt64(bytes.count), count <= bytes.count - Int(offset) else { return nil }
        return UnsafeRawBufferPointer(rebasing: bytes[Int(offset)..<Int(offset) + count])
    }
}
