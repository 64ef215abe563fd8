/// Which members of a package; any number of them takes a bit each.
public struct MemberSet: Sendable, Equatable {
    private var words: [UInt64] = []
    /// The number of members in the set.
    public private(set) var count = 0

    /// Creates an empty set.
    public init() {}

    /// True if the set is empty.
    public var isEmpty: Bool { count == 0 }

    /// Returns whether a member is in the set.
    ///
    /// - Parameter member: The index of the member in the archive.
    /// - Returns: True if it is.
    public func contains(_ member: Int) -> Bool {
        member / 64 < words.count && words[member / 64] & (1 << UInt64(member % 64)) != 0
    }

    /// Returns true if each member of the set is in another one, too.
    ///
    /// - Parameter other: The other set.
    /// - Returns: True also for an empty set.
    public func isSubset(of other: MemberSet) -> Bool {
        words.indices.allSatisfy { words[$0] & ~($0 < other.words.count ? other.words[$0] : 0) == 0 }
    }

    /// Adds a member.
    ///
    /// - Parameter member: The index of the member in the archive.
    public mutating func insert(_ member: Int) {
        guard !contains(member) else { return }
        if member / 64 >= words.count {
            words.append(contentsOf: repeatElement(0, count: member / 64 + 1 - words.count))
        }
        words[member / 64] |= 1 << UInt64(member % 64)
        count += 1
    }
}
