public import AFCFiles

/// The readable parts of an archive that may be damaged, or made by programs that don't keep to the rules.
///
/// Where ``ZipReader`` refuses the whole archive, this leaves out the member. Nothing is trusted for that: members'
/// data may not overlap, sizes and checksums are compared when a body is read, and names are only what bodies are found
/// by; nobody may make files of them.
public struct SalvagedArchive: Sendable {
    /// A member and its name's bytes, which need not be UTF-8.
    public struct Found: Sendable {
        /// The member; its name has U+FFFD in the place of what is no UTF-8.
        public var member: ZipMember
        /// The name as it stands in the archive.
        public var name: [UInt8]
    }

    /// A member that can't be read, and why, in words that follow its name.
    public struct LeftOut: Sendable, Equatable {
        /// The name, with U+FFFD in the place of what is no UTF-8.
        public var name: String
        /// Why; lower case, no full stop.
        public var reason: String
    }

    /// The members, in the order of the directory, or of the file where there is none.
    public let members: [Found]
    /// The members that can't be read.
    public let leftOut: [LeftOut]
    /// Indicates whether the directory is missing or damaged, so that members were found by scanning.
    public let lacksDirectory: Bool

    private let reader: ZipReader

    /// Looks for an archive's members.
    ///
    /// - Parameters:
    ///   - path: The archive's path.
    ///   - limits: What it may cost.
    /// - Throws: ``ZipError`` where the file can't be read, has no member at all, or costs too much.
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
        reader = ZipReader(salvaging: file, members: members.map(\.member))
    }

    /// The archive's file.
    public var file: OpenFile { reader.file }

    /// Reads a member piece by piece; see ``ZipReader/forEachChunk(of:_:)``.
    ///
    /// - Parameters:
    ///   - member: A member of this archive.
    ///   - body: Called with each piece, which is valid only during the call.
    /// - Throws: ``ZipError`` where the data isn't what its headers say, and what the closure throws.
    public func forEachChunk(
        of member: ZipMember,
        _ body: (UnsafeRawBufferPointer) throws(ZipError) -> Void
    ) throws(ZipError) {
        try reader.forEachChunk(of: member, body)
    }

    /// Reads a small member at once.
    ///
    /// - Parameters:
    ///   - member: A member of this archive.
    ///   - maxBytes: The most bytes that its body may have.
    /// - Returns: The body.
    /// - Throws: ``ZipError`` where the body is larger, or isn't what its headers say.
    public func read(_ member: ZipMember, maxBytes: Int) throws(ZipError) -> [UInt8] {
        try reader.read(member, maxBytes: maxBytes)
    }

    /// A member's data as it is, to be copied into another archive; see ``ZipReader/deflatedBody(of:)``.
    ///
    /// - Parameter member: A member whose body was read before, and was found sound.
    /// - Returns: The body.
    /// - Throws: ``ZipError`` where the member is encrypted.
    public func deflatedBody(of member: ZipMember) throws(ZipError) -> DeflatedBody {
        try reader.deflatedBody(of: member)
    }
}
