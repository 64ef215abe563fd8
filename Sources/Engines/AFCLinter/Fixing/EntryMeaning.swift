internal import AFCPackageFormat

/// What an entry says, in little memory: equal entries have equal ones, and others different ones but for one in 2⁶⁴.
struct EntryMeaning: Equatable {
    private let hash: Int

    init(_ entry: ManifestEntry) {
        var hasher = Hasher()
        hasher.combine(entry)
        hash = hasher.finalize()
    }
}
