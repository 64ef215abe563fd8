extension ArchiveOutline {
    /// Makes entries of a directory that stand for those before the outline, so that the file opens although they
    /// weren't received.
    ///
    /// They have the members' names and sizes. Checksum, compressed size and place of a member are made up, and so its
    /// body can't be read: the caller has it from elsewhere. Together they fill exactly the bytes of the directory and
    /// of the file that the real ones fill.
    ///
    /// - Parameters:
    ///   - members: The members before those in the outline, in any order: all of them, each with the size of its body
    ///     in bytes.
    ///   - limits: The limits that the file will be read with.
    ///   - write: Called with each part of the entries and its offset in the file.
    /// - Returns: False if the real entries don't describe these members; nothing was written then.
    /// - Throws: What the closure throws.
    package func makeStandIns<Failure: Error>(
        for members: some Collection<(name: String, size: Int64)>,
        limits: ReadLimits,
        _ write: (_ bytes: [UInt8], _ offset: Int64) throws(Failure) -> Void
    ) throws(Failure) -> Bool {
        guard members.count == precedingCount else { return false }
        var (entryBytes, needed) = (Int64(0), Int64(0))
        for member in members {
            let name = Int64(member.name.utf8.count)
            // Beyond these sizes, the entries have a field more, of which nothing is known.
            guard name > 0, name <= UInt16.max, member.size >= 0, member.size < WideValues.mark else { return false }
            entryBytes += 46 + name
            needed += 30 + name + limits.leastData(for: member.size)
        }
        guard entryBytes == Int64(precedingEntries.count), needed <= Int64(precedingRecords.count),
            precedingRecords.upperBound < WideValues.mark
        else { return false }
        // The first member takes the bytes that the others don't need.
        var surplus = Int64(precedingRecords.count) - needed
        var (bytes, place, offset) = ([UInt8](), precedingEntries.lowerBound, Int64(0))
        for member in members {
            let totals = Deflater.Totals(
                crc32: 0,
                uncompressedSize: member.size,
                compressedSize: limits.leastData(for: member.size) + surplus
            )
            surplus = 0
            let record = MemberRecord(
                name: member.name,
                method: .deflated,
                totals: totals,
                dosDateTime: 0,
                offset: offset
            )
            record.appendDirectoryEntry(to: &bytes)
            offset += 30 + Int64(member.name.utf8.count) + totals.compressedSize
            if bytes.count > 64 << 10 {
                try write(bytes, place)
                place += Int64(bytes.count)
                bytes = []
            }
        }
        try write(bytes, place)
        return true
    }
}
