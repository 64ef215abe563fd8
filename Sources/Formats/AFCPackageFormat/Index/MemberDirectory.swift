internal import AFCURL

/// Finds members by name.
///
/// It first looks just behind the last match, since manifest and archive usually have the same order.
struct MemberDirectory {
    let members: [PackageIndex.Member]
    /// The index of each member by name, built when a member isn't where it is expected.
    private var places: [String: Int]?
    private var expected = 0

    init(_ members: [PackageIndex.Member]) { self.members = members }

    /// Returns the index of the member with this name.
    mutating func index(of name: String) -> Int? {
        if let places { return places[name] }
        var places: [String: Int] = [:]
        places.reserveCapacity(members.count)
        for (index, member) in members.enumerated() { places[member.name] = index }
        self.places = places
        return places[name]
    }

    /// Returns the index of the member whose name follows from the URL by the member rule.
    mutating func index(byRuleFor url: WebURL) -> Int? {
        // The manifest and the sidecar may come before the first body.
        for index in expected..<min(expected + 4, members.count) where MemberRule.isName(members[index].name, for: url)
        {
            expected = index + 1
            return index
        }
        guard let index = index(of: MemberRule.name(for: url)) else { return nil }
        expected = index + 1
        return index
    }
}
