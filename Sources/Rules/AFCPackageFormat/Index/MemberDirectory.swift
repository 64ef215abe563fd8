internal import AFCURL

/// The members of an archive, as far as a package's index needs them.
public protocol PackageMembers: Sendable {
    /// The number of members.
    var count: Int { get }
    /// The member at an index.
    subscript(index: Int) -> PackageIndex.Member { get }
    /// Returns the index of the member with exactly this name, or nil.
    func index(of name: String) -> Int?
}

/// Members in memory.
public struct ListedMembers: PackageMembers {
    private let members: [PackageIndex.Member]
    private let places: [String: Int]

    /// Creates a list.
    public init(_ members: [PackageIndex.Member]) {
        self.members = members
        places = Dictionary(members.indices.map { (members[$0].name, $0) }) { _, last in last }
    }

    /// The number of members.
    public var count: Int { members.count }
    /// The member at an index.
    public subscript(index: Int) -> PackageIndex.Member { members[index] }
    /// Returns the index of the member with exactly this name, or nil.
    public func index(of name: String) -> Int? { places[name] }
}

/// Finds members by name.
///
/// It first looks just behind the last match, since manifest and archive usually have the same order.
struct MemberDirectory<Members: PackageMembers> {
    let members: Members
    private var expected = 0

    init(_ members: Members) { self.members = members }

    /// Returns the index of the member whose name follows from the URL by the member rule.
    mutating func index(byRuleFor url: WebURL) -> Int? {
        // The manifest and the sidecar may come before the first body.
        for index in expected..<max(expected, min(expected + 4, members.count))
        where MemberRule.isName(members[index].name, for: url) {
            expected = index + 1
            return index
        }
        guard let index = members.index(of: MemberRule.name(for: url)) else { return nil }
        expected = index + 1
        return index
    }
}
