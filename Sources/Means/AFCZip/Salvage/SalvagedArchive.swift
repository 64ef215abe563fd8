public import AFCFiles

/// The readable parts of an archive that may be damaged, or made by programs that break the rules.
///
/// ``ZipReader`` would refuse the whole archive; this leaves out single members. Nothing in the archive is trusted: the
/// data of members may not overlap, sizes and checksums are verified when a body is read, and names serve only for
/// finding bodies. Don't create files with these names.
public struct SalvagedArchive: Sendable {
    /// A member and the bytes of its name, which may not be UTF-8.
    public struct Found: Sendable {
        /// The member; its name has U+FFFD in place of invalid UTF-8.
        public var member: ZipMember
        /// The name as in the archive.
        public var name: [UInt8]
    }

    /// A member that can't be read, and the reason.
    public struct LeftOut: Sendable, Equatable {
        /// The name, with U+FFFD in place of invalid UTF-8.
        public var name: String
        /// The reason, in words that follow the name; lower case, no full stop.
        public var reason: String
    }

    /// The members, in the order of the directory, or of the file if there is no directory.
    public let members: [Found]
    /// The members that can't be read.
    public let leftOut: [LeftOut]
    /// True if the directory is missing or damaged, so that members were found by scanning.
    public let lacksDirectory: Bool

    private let reader: ZipReader

    /// Searches for an archive's members.
    ///
    /// - Parameters:
    ///   - path: The archive's path.
    ///   - limits: The limits on what reading may cost.
    /// - Throws: ``ZipError`` if the file can't be read, has no members, or exceeds the limits.
    public init(path: String, limits: ReadLimits = ReadLimits()) throws(ZipError) {
        let file = try onFile { () throws(FileError) in try OpenFile(reading: path) }
        var search = try SalvageSearch(file, limits: limits)
        lacksDirectory = try !search.readDirectory()
        if lacksDirectory { try search.walk() }
        guard !search.found.isEmpty || !search.leftOut.isEmpty else {
            throw .refused(try onFile { () throws(FileError) in try file.size() } == 0 ? .empty : .noEndRecord)
        }
        search.leaveOutOverlaps()
        (members, leftOut) = (search.found, search.leftOut)
        reader = ZipReader(salvaging: file)
    }

    /// The archive's file.
    public var file: OpenFile { reader.file }

    /// Reads a member piece by piece; see ``ZipReader/forEachChunk(of:_:)``.
    ///
    /// - Parameters:
    ///   - member: A member of this archive.
    ///   - body: Called with each piece, which is valid only during the call.
    /// - Throws: ``ZipError`` if the data differs from what its headers say, and any error of the closure.
    public func forEachChunk(
        of member: ZipMember,
        _ body: (UnsafeRawBufferPointer) throws(ZipError) -> Void
    ) throws(ZipError) {
        try reader.forEachChunk(of: member, body)
    }

    /// Reads a small member as a whole.
    ///
    /// - Parameters:
    ///   - member: A member of this archive.
    ///   - maxBytes: The maximum size of the body.
    /// - Returns: The body.
    /// - Throws: ``ZipError`` if the body is larger, or differs from what its headers say.
    public func read(_ member: ZipMember, maxBytes: Int) throws(ZipError) -> [UInt8] {
        try reader.read(member, maxBytes: maxBytes)
    }

    /// Returns a member's compressed data, to be copied into another archive; see ``ZipReader/deflatedBody(of:)``.
    ///
    /// - Parameter member: A member whose body was read before and is intact.
    /// - Returns: The body.
    /// - Throws: ``ZipError`` if the member is encrypted.
    public func deflatedBody(of member: ZipMember) throws(ZipError) -> DeflatedBody {
        try reader.deflatedBody(of: member)
    }
}
