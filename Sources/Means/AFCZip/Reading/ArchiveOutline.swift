package import AFCFiles

/// The places of an archive's members as its directory alone predicts them, for a file of which only the end is there.
///
/// Prediction is possible for archives as this project writes them: the members lie one after the other in the order of
/// the directory, each with a local header that repeats its entry, without encryption, data descriptors, or extra
/// fields other than zip64's. Whatever is predicted here is checked again when the file is opened by ``ZipReader``.
///
/// An outline of the last members alone needs only the end of the directory.
package struct ArchiveOutline: Sendable {
    /// The number of members in the outline.
    package var count: Int { places.count }
    /// The place of the directory and of what follows it, up to the end of the file.
    package let directory: Range<Int64>
    /// The number of members before those in the outline.
    package let precedingCount: Int
    /// The place in the file of the directory's entries before those in the outline.
    package var precedingEntries: Range<Int64> { directory.lowerBound..<(start + Int64(places.first ?? 0)) }
    /// The place of the records of the members before those in the outline.
    package var precedingRecords: Range<Int64> { 0..<(offsets.first ?? directory.lowerBound) }

    private let entries: DirectoryBytes
    /// The offset in the file of the first byte in ``entries``.
    private let start: Int64
    /// The place of each member's entry in ``entries``.
    private let places: [UInt32]
    /// The offset of each member's local header.
    private let offsets: [Int64]

    /// Returns the place of an archive's directory and of what follows it, of which at least the end record is there.
    ///
    /// - Parameter file: A file with the size of the archive, and the archive's last bytes. Bytes that aren't there
    ///   are 0.
    /// - Returns: The bytes that ``init(_:limits:folder:)`` needs.
    /// - Throws: ``ZipError`` if there is no end record, or it can't be right.
    package static func directory(of file: OpenFile) throws(ZipError) -> Range<Int64> {
        let size = try onFile { () throws(FileError) in try file.size() }
        return try EndRecord(file, size: size).directoryOffset..<size
    }

    /// The largest number of bytes that are searched for the beginning of an entry: no entry of an archive that this
    /// project writes is larger.
    private static let longestEntry = 46 + 1024 + 28

    /// Reads the directory, or its end; nil if the records can't be predicted from it.
    ///
    /// - Parameters:
    ///   - file: A file with the size of the archive, in which the directory is there.
    ///   - known: The offset in the file from which the directory is there, at the beginning of an entry or within one;
    ///     nil if all of it is.
    ///   - limits: The limits on what reading may cost.
    ///   - folder: The folder for a nameless copy of a directory that is too large for memory.
    /// - Throws: ``ZipError`` if the directory can't be right or is too large.
    package init?(
        _ file: OpenFile,
        from known: Int64? = nil,
        limits: ReadLimits,
        folder: String
    ) throws(ZipError) {
        directory = try Self.directory(of: file)
        let end = try EndRecord(file, size: directory.upperBound)
        guard end.count <= Int64(limits.members), end.directorySize <= min(limits.directoryBytes, Int64(UInt32.max)),
            end.directorySize / 46 >= end.count
        else { throw .refused(.wrongCount(end.count)) }
        let first = max(known ?? end.directoryOffset, end.directoryOffset)
        let size = end.directoryOffset + end.directorySize - first
        guard size >= 0 else { return nil }
        entries = try DirectoryBytes(file, at: first, size: size, limits: limits, folder: folder)
        guard first > end.directoryOffset else {
            guard let chain = try Chain(entries, end: end, from: 0, offset: 0), chain.places.count == end.count else {
                return nil
            }
            (start, precedingCount, places, offsets) = (first, 0, chain.places, chain.offsets)
            return
        }
        for position in 0..<min(entries.count, Self.longestEntry) {
            // Bytes within an entry may look like the beginning of one, but don't lead to the directory's end.
            guard let chain = try? Chain(entries, end: end, from: position, offset: nil),
                chain.places.count < end.count
            else { continue }
            start = first
            precedingCount = Int(end.count) - chain.places.count
            (places, offsets) = (chain.places, chain.offsets)
            return
        }
        return nil
    }

    /// Returns the place of a member's record: its local header and its data.
    package func record(_ index: Int) -> Range<Int64> {
        offsets[index]..<(index + 1 < count ? offsets[index + 1] : directory.lowerBound)
    }

    /// Returns the bytes of a member's local header, which is where its record begins.
    package func header(_ index: Int) -> [UInt8] { entry(index).header }

    /// Returns the name of a member.
    package func name(_ index: Int) -> String { String(decoding: entry(index).name, as: UTF8.self) }

    /// Returns the place of a member's entry in the file.
    package func entryOffset(_ index: Int) -> Int64 { start + Int64(places[index]) }

    /// Returns the member with a name, to read its body; nil if it isn't in the outline.
    package func member(named name: String) -> ZipMember? {
        for index in places.indices.reversed() {
            let entry = entry(index)
            guard name.utf8.elementsEqual(entry.name) else { continue }
            return ZipMember(
                knownAs: name,
                method: entry.method,
                crc32: entry.crc32,
                dataOffset: offsets[index] + Int64(entry.header.count),
                compressedSize: entry.dataSize,
                uncompressedSize: entry.bodySize
            )
        }
        return nil
    }

    /// The entries from a position to the end of the directory, which must be contiguous, like the records that they
    /// describe.
    private struct Chain {
        var places: [UInt32] = []
        var offsets: [Int64] = []

        /// Reads entries; nil if they don't predict the records.
        ///
        /// - Parameters:
        ///   - entries: The directory's bytes, up to its end.
        ///   - end: The end record.
        ///   - position: The position of the first entry.
        ///   - offset: The offset of its record; nil for what it says itself.
        /// - Throws: ``ZipError`` if one of them can't be an entry.
        init?(_ entries: DirectoryBytes, end: EndRecord, from position: Int, offset: Int64?) throws(ZipError) {
            var (position, next) = (position, offset)
            while position < entries.count {
                guard places.count < end.count else { return nil }
                let entry = try ArchiveOutline.entry(entries, at: position)
                guard let entry, entry.offset == next ?? entry.offset else { return nil }
                places.append(UInt32(position))
                offsets.append(entry.offset)
                position += entry.size
                let (sum, overflow) = entry.offset.addingReportingOverflow(Int64(entry.header.count) + entry.dataSize)
                guard !overflow, sum <= end.directoryOffset else { return nil }
                next = sum
            }
            guard position == entries.count, next ?? 0 == end.directoryOffset else { return nil }
        }
    }

    private func entry(_ index: Int) -> Entry {
        guard let entry = try? Self.entry(entries, at: Int(places[index])) else {
            preconditionFailure("entry \(index) of the directory was valid before")
        }
        return entry
    }

    private struct Entry {
        /// The size of the entry in the directory.
        let size: Int
        let offset: Int64
        let dataSize: Int64
        let bodySize: Int64
        let method: ZipMember.Method
        let crc32: UInt32
        let name: [UInt8]
        let header: [UInt8]
    }

    /// Reads an entry; nil if its local header can't be predicted.
    private static func entry(_ directory: DirectoryBytes, at position: Int) throws(ZipError) -> Entry? {
        guard directory.count - position >= 46 else { throw .refused(.noEntry) }
        return try directory.withEntry(at: position) { bytes throws(ZipError) in
            guard bytes.count >= 46, bytes.u32(0) == 0x0201_4B50 else { throw .refused(.noEntry) }
            let size = DirectoryEntry.size(bytes)
            guard size <= bytes.count, bytes.u16(28) > 0 else { throw .refused(.entryTooLong) }
            let entry: DirectoryEntry
            do throws(Refusal) {
                entry = try DirectoryEntry(bytes)
            } catch {
                throw .refused(error)
            }
            guard entry.aes == nil, !entry.isDescribed else { return nil }
            let name = bytes.extracting(entry.name).withUnsafeBufferPointer { Array($0) }
            let isWide = max(entry.compressedSize, entry.uncompressedSize) >= WideValues.mark
            var header: [UInt8] = []
            header.append(littleEndian: 0x0403_4B50 as UInt32)
            header.append(littleEndian: bytes.u16(6))
            header.append(littleEndian: entry.flags)
            header.append(littleEndian: entry.headerMethod)
            header.append(littleEndian: entry.dosDateTime)
            header.append(littleEndian: entry.crc32)
            for value in [entry.compressedSize, entry.uncompressedSize] {
                header.append(littleEndian: UInt32(isWide ? WideValues.mark : value))
            }
            header.append(littleEndian: UInt16(name.count))
            header.append(littleEndian: isWide ? 20 : 0 as UInt16)
            header.append(contentsOf: name)
            if isWide {
                header.append(littleEndian: 0x0001 as UInt16)
                header.append(littleEndian: 16 as UInt16)
                header.append(littleEndian: UInt64(entry.uncompressedSize))
                header.append(littleEndian: UInt64(entry.compressedSize))
            }
            return Entry(
                size: size,
                offset: entry.offset,
                dataSize: entry.compressedSize,
                bodySize: entry.uncompressedSize,
                method: entry.method,
                crc32: entry.crc32,
                name: name,
                header: header
            )
        }
    }
}
