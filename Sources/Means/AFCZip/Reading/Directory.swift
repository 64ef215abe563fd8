internal import AFCFiles
internal import Dispatch
internal import Synchronization

/// The strict check of an archive's records.
///
/// Every byte must belong to exactly one record, and local headers must agree with the directory.
///
/// It is our own code because libzip's consistency check detects neither overlaps nor gaps nor unsafe names, and opens
/// an archive hidden in another's comment. See docs/developers/decisions/0003-zip-reading.md.
struct Directory {
    /// The members in the order of the directory.
    let members: ZipMembers
    /// The names of the members, for finding members by name.
    let names: NameRules

    /// Reads and checks the directory of an archive.
    ///
    /// - Parameters:
    ///   - file: The archive.
    ///   - limits: The limits on what reading may cost.
    ///   - folder: The folder for a copy of a directory that is too large for memory.
    ///   - hasPassword: Whether encrypted members can be read.
    /// - Throws: ``ZipError`` with the rule that refuses the archive.
    init(_ file: OpenFile, limits: ReadLimits, folder: String, hasPassword: Bool = false) throws(ZipError) {
        let size = try onFile { () throws(FileError) in try file.size() }
        let end = try EndRecord(file, size: size)
        guard end.count <= Int64(limits.members) else {
            throw .refused(.tooManyMembers(end.count, limit: limits.members))
        }
        // Places in the directory are kept as 32 bits.
        let byteLimit = min(limits.directoryBytes, Int64(UInt32.max))
        guard end.directorySize <= byteLimit else { throw .refused(.directoryTooLarge(limit: byteLimit)) }
        guard end.directorySize / 46 >= end.count else { throw .refused(.wrongCount(end.count)) }
        let bytes = try DirectoryBytes(
            file,
            at: end.directoryOffset,
            size: end.directorySize,
            limits: limits,
            folder: folder
        )
        var reading = Reading(bytes, count: Int(end.count), limits: limits)
        try reading.readEntries()
        try reading.checkEncryption(hasPassword: hasPassword)
        try reading.claimNames()
        let extraSizes = try reading.checkLocalHeaders(of: file, size: size, directoryOffset: end.directoryOffset)
        members = ZipMembers(bytes, places: reading.places, extraSizes: extraSizes)
        names = reading.names
    }
}

extension Directory {
    /// A directory that is being read.
    ///
    /// Names become strings only for error messages.
    fileprivate struct Reading {
        private(set) var names: NameRules
        /// The place of each entry.
        private(set) var places: [UInt32] = []
        /// The offset of each local header.
        private var offsets: [Int64] = []
        /// The hash of each name, until it is claimed.
        private var hashes: [UInt64] = []
        private var isSorted = true
        /// The first encrypted entry, and the first with data that isn't encrypted.
        private var encrypted: Int?
        private var plain: Int?
        private let bytes: DirectoryBytes
        private let count: Int
        private let limits: ReadLimits

        init(_ bytes: DirectoryBytes, count: Int, limits: ReadLimits) {
            self.bytes = bytes
            self.count = count
            self.limits = limits
            names = NameRules(capacity: count)
            places.reserveCapacity(count)
            offsets.reserveCapacity(count)
            hashes.reserveCapacity(count)
        }

        mutating func readEntries() throws(ZipError) {
            var position = 0
            var total: Int64 = 0
            for index in 0..<count {
                let start = position
                let entry = try readEntry(at: &position)
                // Neither addend exceeds its limit, but callers may choose any limit.
                let (sum, overflow) = total.addingReportingOverflow(entry.uncompressedSize)
                total = overflow ? .max : sum
                guard names.folders <= limits.members else { throw .refused(.tooManyFolders(limit: limits.members)) }
                guard total <= limits.totalBytes else { throw .refused(.bodiesTooLarge(limit: limits.totalBytes)) }
                isSorted = isSorted && (offsets.last ?? 0) <= entry.offset
                if entry.aes != nil { encrypted = encrypted ?? index }
                if entry.aes == nil, entry.uncompressedSize > 0 { plain = plain ?? index }
                places.append(UInt32(start))
                offsets.append(entry.offset)
            }
            guard position == bytes.count else { throw .refused(.tooManyEntries(Int64(count))) }
        }

        private mutating func readEntry(at position: inout Int) throws(ZipError) -> DirectoryEntry {
            let start = position
            var (hash, size) = (UInt64(0), 0)
            // A copy of the reference, so that checking names may modify the other properties.
            let directory = bytes
            let entry = try directory.withEntry(at: start) { bytes throws(ZipError) in
                guard bytes.count >= 46, bytes.u32(0) == 0x0201_4B50 else { throw .refused(.noEntry) }
                size = DirectoryEntry.size(bytes)
                guard size <= bytes.count else { throw .refused(.entryTooLong) }
                let name = 46..<(46 + Int(bytes.u16(28)))
                let comment = (name.upperBound + Int(bytes.u16(30)))..<size
                do throws(Refusal) {
                    hash = try names.accept(bytes.extracting(name))
                    let entry = try DirectoryEntry(bytes)
                    guard !RecordMarks.occur(in: bytes, comment) else { throw .memberCommentHidesArchive }
                    try entry.checkSizes(limits)
                    return entry
                } catch {
                    throw .refused(error, error == .nameEmpty ? nil : Self.text(bytes, name))
                }
            }
            position = start + size
            hashes.append(hash)
            return entry
        }

        /// Refuses an archive in which only some members are encrypted: the others were added without the password.
        func checkEncryption(hasPassword: Bool) throws(ZipError) {
            guard encrypted != nil else { return }
            guard hasPassword else {
                throw ZipError(
                    .locked,
                    rule: "zip.password-missing",
                    message:
                        "the archive is encrypted; give its password"
                )
            }
            guard let plain else { return }
            throw .refused(.partlyEncrypted, name(plain))
        }

        mutating func claimNames() throws(ZipError) {
            for index in places.indices {
                switch names.claim(hashes[index], isFolder: isFolder(index), index: index) {
                case .isNew: continue
                case .isBoth: throw .refused(.fileAndFolder, name(index))
                case .isTaken(let other):
                    // Compared as bytes, since strings are equal if they are canonically equivalent.
                    let isSame = name(other).utf8.elementsEqual(name(index).utf8)
                    throw .refused(isSame ? .duplicate : .collision, name(index))
                }
            }
            hashes = []
        }

        /// Checks all local headers.
        ///
        /// - Returns: The sizes of their extra fields.
        mutating func checkLocalHeaders(
            of file: OpenFile,
            size: Int64,
            directoryOffset: Int64
        ) throws(ZipError) -> [UInt16] {
            defer { offsets = [] }
            let order = isSorted ? nil : offsets.indices.sorted { offsets[$0] < offsets[$1] }
            let stride = directoryOffset / Int64(max(1, count))
            // If the fast check fails, checking the members one by one finds the wrong one and the reason.
            if isSorted, count >= Self.manyMembers,
                let sizes = extraSizes(in: file, size: size, stride: stride, directoryOffset: directoryOffset)
            {
                return sizes
            }
            var sizes = [UInt16](repeating: 0, count: count)
            var headers = LocalHeaders(RecordWindow(file, fileSize: size, stride: stride))
            for position in places.indices {
                let index = order?[position] ?? position
                let isLast = position + 1 == count
                let next = isLast ? directoryOffset : offsets[order?[position + 1] ?? position + 1]
                do throws(LocalHeaders.Failure) {
                    sizes[index] = try check(index, &headers, before: next)
                } catch {
                    switch error {
                    case .refused(let refusal): throw .refused(refusal, name(index))
                    case .unreadable(let error): throw error
                    }
                }
            }
            guard headers.end == directoryOffset else {
                throw .refused(.gapBeforeDirectory(directoryOffset - headers.end))
            }
            return sizes
        }

        private func check(
            _ index: Int,
            _ headers: inout LocalHeaders,
            before next: Int64
        ) throws(LocalHeaders.Failure) -> UInt16 {
            try bytes.withEntry(at: Int(places[index])) { bytes throws(LocalHeaders.Failure) in
                let entry: DirectoryEntry
                do throws(Refusal) {
                    entry = try DirectoryEntry(bytes)
                } catch {
                    throw .refused(error)
                }
                return try headers.check(entry, in: bytes, before: next)
            }
        }

        private static let manyMembers = 2048

        /// Returns the sizes of the local headers' extra fields.
        ///
        /// Several threads check runs of adjacent members, each of which must end where the next begins.
        ///
        /// - Returns: The sizes, or nil if anything is wrong.
        private func extraSizes(
            in file: OpenFile,
            size: Int64,
            stride: Int64,
            directoryOffset: Int64
        ) -> [UInt16]? {
            let runSize = Self.manyMembers / 4
            let runs = (count + runSize - 1) / runSize
            let sizes = Mutex([[UInt16]](repeating: [], count: runs))
            DispatchQueue.concurrentPerform(iterations: runs) { run in
                let (start, end) = (run * runSize, min((run + 1) * runSize, count))
                let window = RecordWindow(file, fileSize: size, stride: stride)
                var headers = LocalHeaders(window, from: start == 0 ? 0 : offsets[start])
                let next = end == count ? directoryOffset : offsets[end]
                var found: [UInt16] = []
                found.reserveCapacity(end - start)
                for index in start..<end {
                    let limit = index + 1 < end ? offsets[index + 1] : next
                    guard let size = try? check(index, &headers, before: limit) else { return }
                    found.append(size)
                }
                if headers.end == next { sizes.withLock { $0[run] = found } }
            }
            let found = sizes.withLock { Array($0.joined()) }
            return found.count == count ? found : nil
        }

        private func isFolder(_ index: Int) -> Bool {
            bytes.withEntry(at: Int(places[index])) { $0[45 + Int($0.u16(28))] == UInt8(ascii: "/") }
        }

        private func name(_ index: Int) -> String {
            bytes.withEntry(at: Int(places[index])) { Self.text($0, 46..<(46 + Int($0.u16(28)))) }
        }

        private static func text(_ bytes: borrowing Span<UInt8>, _ name: Range<Int>) -> String {
            bytes.extracting(name).withUnsafeBufferPointer { String(decoding: $0, as: UTF8.self) }
        }
    }
}
