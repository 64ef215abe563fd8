internal import AFCPackageFormat

/// A manifest written as docs/format.md wants it, where that changes nothing of what it says.
///
/// Lines that can't be understood stay byte for byte, and where there are some, all lines stay in their order. Memory grows with
/// the bytes of the manifest, and by about 50 bytes for each line.
public struct ManifestFix: Sendable {
    /// What is said of the members that bodies may lie in.
    public typealias Lookup = (_ name: String) -> Bool

    /// The manifest as it should be.
    public let bytes: [UInt8]
    /// How often each defect was mended; empty where nothing was to do.
    public let mended: [ManifestDefect: Int]

    /// Fixes a manifest.
    ///
    /// - Parameters:
    ///   - manifest: The whole manifest.
    ///   - path: The file, for errors.
    ///   - allowsUnsafe: Whether lines may get more fields, and a header another place, which AFCache's own readers notice.
    ///   - isMember: Whether a file of a name is where bodies lie. Where an entry names no member, the reader tries several names
    ///     that it makes of the URL's text; a new text must lead to the same.
    /// - Throws: ``FixRefusal`` where what was made is read in another way than the manifest, which would be a mistake here.
    public init(
        _ manifest: [UInt8],
        path: String,
        allowsUnsafe: Bool = false,
        isMember: Lookup
    ) throws(FixRefusal) {
        var draft = FixDraft(manifest, decisions: .init(ManifestLines(manifest), allowsUnsafe: allowsUnsafe))
        draft.read(isMember)
        // What is only known at the end may change what is right for lines before it; each of these turns happens once.
        while let decisions = draft.revisedDecisions {
            draft = FixDraft(manifest, decisions: decisions)
            draft.read(isMember)
        }
        bytes = draft.finish()
        isNeeded = bytes != manifest
        withheld = draft.withheld
        mended = isNeeded ? draft.mended : [:]
        guard isNeeded else { return }
        if let difference = draft.difference(from: bytes) { throw .differs(path, difference) }
    }

    /// Whether anything was to do.
    public let isNeeded: Bool
    /// How many defects are left that a fix mends which isn't safe.
    public let withheld: Int
    /// How many defects were mended.
    public var count: Int { mended.values.reduce(0, +) }
}
