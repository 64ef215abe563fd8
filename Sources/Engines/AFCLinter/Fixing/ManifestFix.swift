internal import AFCPackageFormat

/// A manifest rewritten as docs/reference/format.md requires, without changing its meaning.
///
/// Lines that can't be parsed are kept byte for byte, and if there are any, all lines keep their order. It takes memory
/// for the manifest and about 50 bytes per line.
public struct ManifestFix: Sendable {
    /// A closure that returns true if a member with the name exists.
    public typealias Lookup = (_ name: String) -> Bool

    /// The fixed manifest.
    public let bytes: [UInt8]
    /// The number of corrections by defect; empty if nothing had to be done.
    public let mended: [ManifestDefect: Int]

    /// Fixes a manifest.
    ///
    /// - Parameters:
    ///   - manifest: The whole manifest.
    ///   - path: The file, for errors.
    ///   - allowsUnsafe: True to add fields and move headers, which older AFCache versions notice.
    ///   - isMember: Returns true if a member with the name exists. If an entry names no member, the reader tries
    ///     several names made of the URL's text; a rewritten URL must lead to the same member.
    /// - Throws: ``FixRefusal`` if the result is parsed differently from the manifest, which would be a bug here.
    public init(
        _ manifest: [UInt8],
        path: String,
        allowsUnsafe: Bool = false,
        isMember: Lookup
    ) throws(FixRefusal) {
        var draft = FixDraft(manifest, decisions: .init(ManifestLines(manifest), allowsUnsafe: allowsUnsafe))
        draft.read(isMember)
        // Decisions that are known only at the end may change earlier lines; each changes at most once.
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

    /// True if anything had to be done.
    public let isNeeded: Bool
    /// The number of remaining defects that only an unsafe fix corrects.
    public let withheld: Int
    /// The number of corrected defects.
    public var count: Int { mended.values.reduce(0, +) }
}
