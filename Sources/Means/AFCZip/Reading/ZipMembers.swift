internal import AFCFiles

/// The members of an archive in the order of its directory, each made from the directory's bytes when it is asked for.
///
/// A member takes six bytes of memory, beside the directory, which is in memory only while it is small.
public struct ZipMembers: RandomAccessCollection, Sendable {
    private let directory: DirectoryBytes
    /// The place of each member's entry in the directory.
    private let places: [UInt32]
    /// The size of the extra fields in each member's local header, which lie between its name and its data.
    private let extraSizes: [UInt16]

    init(_ directory: DirectoryBytes, places: [UInt32], extraSizes: [UInt16]) {
        precondition(places.count == extraSizes.count, "\(places.count) places, \(extraSizes.count) sizes")
        (self.directory, self.places, self.extraSizes) = (directory, places, extraSizes)
    }

    /// Creates a list without members.
    init() { self.init(DirectoryBytes(), places: [], extraSizes: []) }

    /// The index of the first member.
    public var startIndex: Int { 0 }
    /// The number of members.
    public var endIndex: Int { places.count }

    /// The member at an index.
    public subscript(index: Int) -> ZipMember {
        directory.withEntry(at: Int(places[index])) { bytes in
            guard let entry = try? DirectoryEntry(bytes) else {
                preconditionFailure("entry \(index) of the directory was valid before")
            }
            let name = bytes.extracting(entry.name).withUnsafeBufferPointer { String(decoding: $0, as: UTF8.self) }
            return entry.member(named: name, extraSize: Int64(extraSizes[index]))
        }
    }
}

/// The bytes of an archive's directory, in memory while they are few, otherwise in a nameless copy on disk, which nobody
/// else can change once it was checked.
struct DirectoryBytes: Sendable {
    private enum Storage {
        case memory([UInt8])
        case copy(OpenFile)
    }

    private static let pieceSize: Int64 = 1 << 20
    /// The size that an entry rarely exceeds.
    private static let usualSize = 256

    let count: Int
    private let storage: Storage

    /// Creates a directory without entries.
    init() {
        count = 0
        storage = .memory([])
    }

    /// Reads the directory of an archive.
    ///
    /// - Parameters:
    ///   - file: The archive.
    ///   - offset: The directory's offset.
    ///   - size: The directory's size.
    ///   - limits: The limits on what reading may cost.
    ///   - folder: The folder for a copy.
    /// - Throws: ``ZipError`` if the archive can't be read, or the copy can't be written.
    init(
        _ file: OpenFile,
        at offset: Int64,
        size: Int64,
        limits: ReadLimits,
        folder: String
    ) throws(ZipError) {
        count = Int(size)
        storage = try onFile { () throws(FileError) in
            guard size > limits.memoryBytes else { return .memory(try file.bytes(Int(size), at: offset)) }
            let copy = try SpoolFile(in: folder)
            var done: Int64 = 0
            while done < size {
                let piece = try file.bytes(Int(Swift.min(Self.pieceSize, size - done)), at: offset + done)
                _ = try piece.span.bytes.withUnsafeBytes { bytes throws(FileError) in try copy.append(bytes) }
                done += Int64(piece.count)
            }
            return .copy(copy.file)
        }
    }

    /// Calls a body with the bytes from a place on: at least those of the entry there, if it is complete.
    func withEntry<Value: ~Copyable, Failure: Error>(
        at place: Int,
        _ body: (borrowing Span<UInt8>) throws(Failure) -> Value
    ) throws(Failure) -> Value {
        switch storage {
        case .memory(let bytes):
            return try body(bytes.span.extracting(place..<count))
        case .copy(let file):
            // The directory may end within an entry, which the caller then refuses.
            var bytes = Self.read(file, at: place, count: Swift.min(Self.usualSize, count - place))
            let needed = bytes.count < 46 ? 0 : DirectoryEntry.size(bytes.span)
            if needed > bytes.count { bytes = Self.read(file, at: place, count: Swift.min(needed, count - place)) }
            return try body(bytes.span)
        }
    }

    /// Reads from the copy, which was written by this process: if that fails, the temporary file's disk is broken.
    private static func read(_ file: OpenFile, at place: Int, count: Int) -> [UInt8] {
        do throws(FileError) {
            return try file.bytes(count, at: Int64(place))
        } catch {
            preconditionFailure("cannot read the copy of a directory: \(error)")
        }
    }
}
