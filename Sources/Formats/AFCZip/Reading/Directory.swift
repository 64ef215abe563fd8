internal import AFCFiles
internal import Dispatch
internal import Synchronization

/// The strict check of an archive's records.
///
/// Every byte must belong to exactly one record, and local headers must agree with the directory.
///
/// It is our own code because libzip's consistency check detects neither overlaps nor gaps nor unsafe names, and opens
/// an archive hidden in another's comment. See docs/decisions/0003-zip-reading.md.
struct Directory {
    /// The members in the order of the directory.
    let members: [ZipMember]
    /// The names of the members, for finding members by name.
    let names: NameRules

    init(_ file: OpenFile, limits: ReadLimits, hasPassword: Bool = false) throws(ZipError) {
        let size = try onFile { () throws(FileError) in try file.size() }
        let end = try EndRecord(file, size: size)
        guard end.count <= Int64(limits.members) else {
            throw .refused(.tooManyMembers(end.count, limit: limits.members))
        }
        guard end.directorySize <= limits.directoryBytes else {
            throw .refused(.directoryTooLarge(limit: limits.directoryBytes))
        }
        guard end.directorySize / 46 >= end.count else { throw .refused(.wrongCount(end.count)) }
        let bytes = try onFile { () throws(FileError) in try file.bytes(Int(end.directorySize), at: end.directoryOffset)
        }
        var reading = Reading(bytes, count: Int(end.count), limits: limits)
        try reading.readEntries()
        try reading.checkEncryption(hasPassword: hasPassword)
        try reading.claimNames()
        try reading.checkLocalHeaders(of: file, size: size, directoryOffset: end.directoryOffset)
        members = reading.entries.map { entry in
            let name = bytes[entry.name].withContiguousStorageIfAvailable { String(decoding: $0, as: UTF8.self) }
            return entry.member(named: name ?? String(decoding: bytes[entry.name], as: UTF8.self))
        }
        names = reading.names
    }
}

extension Directory {
    /// A directory that is being read.
    ///
    /// Names become strings only once everything is valid, or for error messages.
    fileprivate struct Reading {
        private(set) var entries: [DirectoryEntry] = []
        private(set) var names: NameRules
        private let bytes: [UInt8]
        private let count: Int
        private let limits: ReadLimits

        init(_ bytes: [UInt8], count: Int, limits: ReadLimits) {
            self.bytes = bytes
            self.count = count
            self.limits = limits
            names = NameRules(capacity: count)
            entries.reserveCapacity(count)
        }

        mutating func readEntries() throws(ZipError) {
            var position = 0
            var total: Int64 = 0
            for _ in 0..<count {
                let entry = try readEntry(at: &position)
                // Neither addend exceeds its limit, but callers may choose any limit.
                let (sum, overflow) = total.addingReportingOverflow(entry.uncompressedSize)
                total = overflow ? .max : sum
                guard names.folders <= limits.members else { throw .refused(.tooManyFolders(limit: limits.members)) }
                guard total <= limits.totalBytes else { throw .refused(.bodiesTooLarge(limit: limits.totalBytes)) }
                entries.append(entry)
            }
            guard position == bytes.count else { throw .refused(.tooManyEntries(Int64(count))) }
        }

        private mutating func readEntry(at position: inout Int) throws(ZipError) -> DirectoryEntry {
            // A copy of the reference, so that checking names may modify the other properties.
            let directory = bytes
            let bytes = directory.span
            let start = position
            guard start + 46 <= bytes.count, bytes.u32(start) == 0x0201_4B50 else { throw .refused(.noEntry) }
            let name = (start + 46)..<(start + 46 + Int(bytes.u16(start + 28)))
            let extra = name.upperBound..<(name.upperBound + Int(bytes.u16(start + 30)))
            let comment = extra.upperBound..<(extra.upperBound + Int(bytes.u16(start + 32)))
            guard comment.upperBound <= bytes.count else { throw .refused(.entryTooLong) }
            position = comment.upperBound
            do throws(Refusal) {
                let hash = try names.accept(bytes.extracting(name))
                var entry = try DirectoryEntry(bytes, at: start, name: name, extra: extra)
                entry.nameHash = hash
                guard !RecordMarks.occur(in: bytes, comment) else { throw .memberCommentHidesArchive }
                try entry.checkSizes(limits)
                return entry
            } catch {
                throw .refused(error, error == .nameEmpty ? nil : text(name))
            }
        }

        /// Refuses an archive in which only some members are encrypted: the others were added without the password.
        func checkEncryption(hasPassword: Bool) throws(ZipError) {
            guard entries.contains(where: { $0.aes != nil }) else { return }
            guard hasPassword else {
                throw ZipError(
                    .locked,
                    rule: "zip.password-missing",
                    message:
                        "the archive is encrypted; give its password"
                )
            }
            guard let plain = entries.first(where: { $0.aes == nil && $0.uncompressedSize > 0 }) else { return }
            throw .refused(.partlyEncrypted, text(plain.name))
        }

        mutating func claimNames() throws(ZipError) {
            for (index, entry) in entries.enumerated() {
                switch names.claim(entry.nameHash, isFolder: entry.isFolder, index: index) {
                case .isNew: continue
                case .isBoth: throw .refused(.fileAndFolder, text(entry.name))
                case .isTaken(let other):
                    let isSame = bytes[entries[other].name] == bytes[entry.name]
                    throw .refused(isSame ? .duplicate : .collision, text(entry.name))
                }
            }
        }

        mutating func checkLocalHeaders(
            of file: OpenFile,
            size: Int64,
            directoryOffset: Int64
        ) throws(ZipError) {
            let isSorted = zip(entries, entries.dropFirst()).allSatisfy { $0.offset <= $1.offset }
            let order = isSorted ? nil : entries.indices.sorted { entries[$0].offset < entries[$1].offset }
            let stride = directoryOffset / Int64(max(1, count))
            // If the fast check fails, checking the members one by one finds the wrong one and the reason.
            if isSorted, count >= Self.manyMembers,
                let offsets = Self.dataOffsets(
                    of: entries,
                    bytes,
                    file,
                    size: size,
                    stride: stride,
                    directoryOffset: directoryOffset
                )
            {
                for (index, offset) in offsets.enumerated() { entries[index].dataOffset = offset }
                return
            }
            var headers = LocalHeaders(RecordWindow(file, fileSize: size, stride: stride))
            for position in entries.indices {
                let index = order?[position] ?? position
                let isLast = position + 1 == count
                let next = isLast ? directoryOffset : entries[order?[position + 1] ?? position + 1].offset
                do throws(LocalHeaders.Failure) {
                    try headers.check(&entries[index], in: bytes, before: next)
                } catch {
                    switch error {
                    case .refused(let refusal): throw .refused(refusal, text(entries[index].name))
                    case .unreadable(let error): throw error
                    }
                }
            }
            guard headers.end == directoryOffset else {
                throw .refused(.gapBeforeDirectory(directoryOffset - headers.end))
            }
        }

        private static let manyMembers = 2048

        /// Returns the offsets of the members' data.
        ///
        /// Several threads check runs of adjacent members, each of which must end where the next begins.
        ///
        /// - Returns: The offsets, or nil if anything is wrong.
        private static func dataOffsets(
            of entries: [DirectoryEntry],
            _ bytes: [UInt8],
            _ file: OpenFile,
            size: Int64,
            stride: Int64,
            directoryOffset: Int64
        ) -> [Int64]? {
            let runSize = manyMembers / 4
            let offsets = Mutex([[Int64]](repeating: [], count: (entries.count + runSize - 1) / runSize))
            DispatchQueue.concurrentPerform(iterations: (entries.count + runSize - 1) / runSize) { run in
                let (start, end) = (run * runSize, min((run + 1) * runSize, entries.count))
                let window = RecordWindow(file, fileSize: size, stride: stride)
                var headers = LocalHeaders(window, from: start == 0 ? 0 : entries[start].offset)
                let next = end == entries.count ? directoryOffset : entries[end].offset
                var found: [Int64] = []
                found.reserveCapacity(end - start)
                for index in start..<end {
                    var entry = entries[index]
                    let limit = index + 1 < end ? entries[index + 1].offset : next
                    guard (try? headers.check(&entry, in: bytes, before: limit)) != nil else { return }
                    found.append(entry.dataOffset)
                }
                if headers.end == next { offsets.withLock { $0[run] = found } }
            }
            let found = offsets.withLock { Array($0.joined()) }
            return found.count == entries.count ? found : nil
        }

        private func text(_ name: Range<Int>) -> String { String(decoding: bytes[name], as: UTF8.self) }
    }
}
