internal import AFCFiles

/// Searches for the members of an archive: in its directory or, without one, from local header to local header.
struct SalvageSearch {
    private(set) var found: [SalvagedArchive.Found] = []
    private(set) var leftOut: [SalvagedArchive.LeftOut] = []
    private let file: OpenFile
    private let size: Int64
    private let limits: ReadLimits
    /// The offset of each member's header, in the order of `found`.
    private var starts: [Int64] = []
    private var totalBytes: Int64 = 0
    /// The offsets of data descriptors, by the start of the data that they describe; searched when first needed.
    private var descriptors: [Int64: Int64]?
    /// The part of the file that was searched last.
    private var window: (start: Int64, bytes: [UInt8]) = (0, [])

    private static let recordSize = 22
    private static let longestComment = 65535

    init(_ file: OpenFile, limits: ReadLimits) throws(ZipError) {
        self.file = file
        self.limits = limits
        size = try onFile { () throws(FileError) in try file.size() }
    }

    // MARK: The directory

    /// Reads the directory; returns false if there is none, or if it ends before its last entry.
    mutating func readDirectory() throws(ZipError) -> Bool {
        guard let directory = try directory() else { return false }
        let bytes = try onFile { () throws(FileError) in
            try file.bytes(
                Int(directory.range.upperBound - directory.range.lowerBound),
                at: directory.range.lowerBound
            )
        }
        var position = 0
        while position + 46 <= bytes.count, bytes.span.u32(position) == 0x0201_4B50 {
            let name = (position + 46)..<(position + 46 + Int(bytes.span.u16(position + 28)))
            let extra = name.upperBound..<(name.upperBound + Int(bytes.span.u16(position + 30)))
            let end = extra.upperBound + Int(bytes.span.u16(position + 32))
            guard end <= bytes.count else { break }
            try addEntry(bytes, at: position, name: name, extra: extra, shift: directory.shift)
            position = end
        }
        guard found.count + leftOut.count > 0, found.count + leftOut.count >= directory.count else {
            (found, leftOut, starts, totalBytes) = ([], [], [], 0)
            return false
        }
        return true
    }

    /// Returns the directory's range, its minimum number of entries, and the distance by which members come later than
    /// declared.
    private func directory() throws(ZipError) -> (range: Range<Int64>, count: Int, shift: Int64)? {
        do throws(ZipError) {
            let end = try EndRecord(file, size: size)
            guard end.directorySize <= limits.directoryBytes else {
                throw .refused(.directoryTooLarge(limit: limits.directoryBytes))
            }
            return (end.directoryOffset..<(end.directoryOffset + end.directorySize), Int(clamping: end.count), 0)
        } catch {
            if error.rule == "zip.too-large" || error.code == .inputOutput { throw error }
        }
        // Without a valid end record, take the last one that is preceded by a directory.
        let tailSize = Int(min(size, Int64(Self.recordSize + Self.longestComment)))
        let tailOffset = size - Int64(tailSize)
        let bytes = try onFile { () throws(FileError) in try file.bytes(tailSize, at: tailOffset) }
        for index in stride(from: tailSize - Self.recordSize, through: 0, by: -1)
        where bytes.span.u32(index) == 0x0605_4B50 {
            let end = tailOffset + Int64(index)
            let length = Int64(bytes.span.u32(index + 12))
            let declared = Int64(bytes.span.u32(index + 16))
            guard length <= limits.directoryBytes else { continue }
            for start in [end - length, declared] where start >= 0 && start + 46 <= end {
                guard let mark = try self.bytes(4, at: start), mark.span.u32(0) == 0x0201_4B50 else { continue }
                let range = start..<min(end, start == declared ? max(start + length, end) : end)
                guard range.upperBound - range.lowerBound <= limits.directoryBytes else { continue }
                return (range, Int(bytes.span.u16(index + 10)), start == declared ? 0 : start - declared)
            }
        }
        return nil
    }

    private mutating func addEntry(
        _ bytes: [UInt8],
        at position: Int,
        name: Range<Int>,
        extra: Range<Int>,
        shift: Int64
    ) throws(ZipError) {
        let raw = Array(bytes[name])
        let text = String(decoding: raw, as: UTF8.self)
        try checkCount()
        do throws(Refusal) {
            guard !name.isEmpty else { throw .nameEmpty }
            let entry = try DirectoryEntry(bytes.span, at: position, name: name, extra: extra)
            try entry.checkSizes(limits)
            var member = entry.member(named: text, extraSize: 0)
            let start = entry.offset + shift
            member.dataOffset = try dataOffset(of: entry, at: start)
            guard member.dataOffset + member.compressedSize <= size else { throw .cutOff }
            add(member, raw, at: start)
        } catch {
            leftOut.append(SalvagedArchive.LeftOut(name: text, reason: error.words))
        }
        try checkTotal()
    }

    /// Returns the offset of a member's data, according to its local header.
    private func dataOffset(of entry: DirectoryEntry, at start: Int64) throws(Refusal) -> Int64 {
        guard start >= 0, let header = try? bytes(30, at: start), header.span.u32(0) == 0x0403_4B50 else {
            throw .noLocalHeader
        }
        guard header.span.u16(8) == entry.headerMethod else { throw .localDiffers("method") }
        return start + 30 + Int64(header.span.u16(26)) + Int64(header.span.u16(28))
    }

    // MARK: Without a directory

    /// Reads local headers one after the other, from the start of the file.
    mutating func walk() throws(ZipError) {
        var position: Int64? = 0
        while let start = try position.flatMap({ position throws(ZipError) in try find(0x0403_4B50, from: position) }) {
            position = try addLocal(at: start)
        }
    }

    /// Adds the member whose local header is at an offset, and returns the offset where the next may begin.
    private mutating func addLocal(at start: Int64) throws(ZipError) -> Int64 {
        guard let header = try bytes(30, at: start) else { return size }
        let fields = header.span
        let nameLength = Int(fields.u16(26))
        let dataOffset = start + 30 + Int64(nameLength) + Int64(fields.u16(28))
        guard nameLength > 0, dataOffset <= size, let raw = try bytes(nameLength, at: start + 30) else {
            return start + 4
        }
        let text = String(decoding: raw, as: UTF8.self)
        try checkCount()
        var (crc, compressed, uncompressed) = (fields.u32(14), Int64(fields.u32(18)), Int64(fields.u32(22)))
        var end = dataOffset + compressed
        let flags = fields.u16(6)
        let isDescribed = flags & 8 != 0 && compressed == 0
        let description = isDescribed ? try descriptor(from: dataOffset) : nil
        do throws(Refusal) {
            guard flags & 1 == 0 else { throw .shortKey }
            guard flags & ~0x080F == 0 else { throw .unknownFlags(flags) }
            guard let method = ZipMember.Method(rawValue: fields.u16(8)) else { throw .method(fields.u16(8)) }
            guard compressed != WideValues.mark, uncompressed != WideValues.mark else { throw .zip64Missing }
            if isDescribed {
                guard let description else { throw .descriptorMissing }
                (crc, compressed, uncompressed) = (description.crc, description.compressed, description.uncompressed)
                end = dataOffset + compressed + 16
            }
            guard dataOffset + compressed <= size else { throw .cutOff }
            let isFolder = raw.last == UInt8(ascii: "/")
            if isFolder, uncompressed != 0 { throw .folderWithData }
            if method == .stored, compressed != uncompressed { throw .storedSizes }
            guard uncompressed <= limits.memberBytes else {
                throw .memberTooLarge(uncompressed, limit: limits.memberBytes)
            }
            if uncompressed > 1 << 20, uncompressed / limits.ratio > compressed { throw .ratio(limits.ratio) }
            let member = ZipMember(
                name: text,
                method: method,
                crc32: crc,
                compressedSize: compressed,
                uncompressedSize: uncompressed,
                dataOffset: dataOffset,
                isDirectory: isFolder,
                dosDateTime: fields.u32(10),
                encryption: nil
            )
            add(member, raw, at: start)
        } catch {
            leftOut.append(SalvagedArchive.LeftOut(name: text, reason: error.words))
            end = dataOffset
        }
        try checkTotal()
        return end
    }

    /// Returns the first data descriptor whose size matches its distance from the start of the data.
    private mutating func descriptor(
        from start: Int64
    ) throws(ZipError) -> (crc: UInt32, compressed: Int64, uncompressed: Int64)? {
        if descriptors == nil { descriptors = try findDescriptors() }
        guard let place = descriptors?[start], let bytes = try bytes(16, at: place) else { return nil }
        return (bytes.span.u32(4), place - start, Int64(bytes.span.u32(12)))
    }

    /// Returns the offset of each data descriptor by the start of the data that it describes; of several, the first.
    ///
    /// It reads the file once, since searching for each header separately would take quadratic time.
    private mutating func findDescriptors() throws(ZipError) -> [Int64: Int64] {
        var places: [Int64: Int64] = [:]
        var position: Int64 = 0
        while let place = try find(0x0807_4B50, from: position) {
            guard let bytes = try bytes(16, at: place) else { break }
            let start = place - Int64(bytes.span.u32(8))
            if start >= 0, places[start] == nil {
                guard places.count < limits.members else { break }
                places[start] = place
            }
            position = place + 4
        }
        return places
    }

    // MARK: With or without a directory

    private mutating func add(_ member: ZipMember, _ name: [UInt8], at start: Int64) {
        found.append(SalvagedArchive.Found(member: member, name: name))
        starts.append(start)
        totalBytes += member.uncompressedSize
    }

    private func checkCount() throws(ZipError) {
        guard found.count + leftOut.count < limits.members else {
            throw .refused(.tooManyMembers(Int64(limits.members) + 1, limit: limits.members))
        }
    }

    private func checkTotal() throws(ZipError) {
        guard totalBytes <= limits.totalBytes else { throw .refused(.bodiesTooLarge(limit: limits.totalBytes)) }
    }

    /// Leaves out members that begin within another one, as in some zip bombs.
    mutating func leaveOutOverlaps() {
        var end: Int64 = 0
        var overlapping: Set<Int> = []
        for index in starts.indices.sorted(by: { starts[$0] < starts[$1] }) {
            if starts[index] < end {
                overlapping.insert(index)
            } else {
                end = found[index].member.dataOffset + found[index].member.compressedSize
            }
        }
        guard !overlapping.isEmpty else { return }
        for index in overlapping.sorted() {
            leftOut.append(SalvagedArchive.LeftOut(name: found[index].member.name, reason: Refusal.overlap.words))
        }
        found = found.indices.filter { !overlapping.contains($0) }.map { found[$0] }
        starts = starts.indices.filter { !overlapping.contains($0) }.map { starts[$0] }
    }

    /// Returns bytes of the file, or nil if the file is too short.
    private func bytes(_ count: Int, at offset: Int64) throws(ZipError) -> [UInt8]? {
        guard offset >= 0, offset + Int64(count) <= size else { return nil }
        return try onFile { () throws(FileError) in try file.bytes(count, at: offset) }
    }

    /// Returns the offset of the next occurrence of four bytes, or nil if there is none.
    private mutating func find(_ mark: UInt32, from start: Int64) throws(ZipError) -> Int64? {
        var position = start
        while position + 4 <= size {
            try moveWindow(to: position)
            let first = Int(position - window.start)
            let place = window.bytes.withUnsafeBufferPointer { bytes -> Int? in
                var index = first
                while index + 4 <= bytes.count {
                    if bytes[index] == 0x50, bytes.span.u32(index) == mark { return index }
                    index += 1
                }
                return nil
            }
            if let place { return window.start + Int64(place) }
            position = window.start + Int64(window.bytes.count - 3)
        }
        return nil
    }

    /// Reads a part of the file, unless the part read last contains the four bytes at a position.
    private mutating func moveWindow(to position: Int64) throws(ZipError) {
        guard position < window.start || position + 4 > window.start + Int64(window.bytes.count) else { return }
        window = (
            position,
            try onFile { () throws(FileError) in try file.bytes(Int(min(256 << 10, size - position)), at: position) }
        )
    }
}
