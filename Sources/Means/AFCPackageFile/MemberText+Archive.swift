package import AFCFiles
package import AFCPackageFormat
package import AFCZip

extension ZipReader {
    /// Reads a text into memory or, if it is large, into a nameless file, which nobody else can change.
    ///
    /// - Parameters:
    ///   - member: The member.
    ///   - memoryLimit: The size up to which it is kept in memory, in bytes.
    ///   - folder: The folder for the file.
    ///   - note: Called with each piece.
    /// - Returns: The text.
    /// - Throws: ``ZipError`` if the member is damaged or too large, or the file can't be written.
    func text(
        of member: ZipMember,
        memoryLimit: Int64,
        folder: String,
        _ note: (UnsafeRawBufferPointer) -> Void = { _ in }
    ) throws(ZipError) -> MemberText {
        guard member.uncompressedSize > memoryLimit, member.uncompressedSize <= Int64(PackageLayout.metadataByteLimit)
        else {
            let bytes = try read(member, maxBytes: PackageLayout.metadataByteLimit)
            bytes.withUnsafeBytes { note($0) }
            return MemberText(bytes)
        }
        let copy: SpoolFile
        do throws(FileError) {
            copy = try SpoolFile(in: folder)
        } catch {
            throw ZipError(error)
        }
        try forEachChunk(of: member) { chunk throws(ZipError) in
            note(chunk)
            do throws(FileError) {
                _ = try copy.append(chunk)
            } catch {
                throw ZipError(error)
            }
        }
        return MemberText(count: Int(copy.size)) { buffer, offset in
            do throws(FileError) {
                return try copy.read(into: buffer, at: Int64(offset))
            } catch {
                // This process has just written the file: its disk is broken.
                preconditionFailure("cannot read the copy of a member: \(error)")
            }
        }
    }
}

extension StatedBodies {
    /// Reads the members that describe a package from a file in which only they and the end of the directory are there;
    /// nil if the outline lacks these members, or they don't state the bodies.
    ///
    /// - Parameters:
    ///   - file: The file.
    ///   - outline: The last members of the archive.
    ///   - limits: The limits on what reading may cost.
    ///   - folder: The folder for nameless copies of members that are too large for memory.
    /// - Throws: ``ZipError`` if one of them is damaged, or its copy can't be written.
    package init?(
        in file: OpenFile,
        _ outline: ArchiveOutline,
        limits: ReadLimits,
        folder: String
    ) throws(ZipError) {
        guard let manifest = outline.member(named: PackageLayout.manifest),
            let records = outline.member(named: PackageLayout.records)
        else { return nil }
        let archive = ZipReader(readingKnownMembersOf: file)
        self.init(
            manifest: try archive.text(of: manifest, memoryLimit: limits.memoryBytes, folder: folder),
            records: try archive.text(of: records, memoryLimit: limits.memoryBytes, folder: folder),
            upTo: outline.precedingCount + outline.count
        )
    }
}
