internal import AFCURL

/// Finds members by name: mostly the one behind that which was found last, since manifest and archive have one order.
struct MemberDirectory {
    let members: [PackageIndex.Member]
    /// Made when a member isn't where it is expected.
    private var places: [String: Int]?
    private var expected = 0

    init(_ members: [PackageIndex.Member]) { self.members = members }

    /// The member of a name.
    mutating func index(of name: String) -> Int? {
        if let places { return places[name] }
        var places: [String: Int] = [:]
        places.reserveCapacity(members.count)
        for (index, member) in members.enumerated() { places[member.name] = index }
        self.places = places
        return places[name]
    }

    /// The member that the rule gives to a URL.
    mutating func index(byRuleFor url: WebURL) -> Int? {
        // The manifest and the sidecar may stand before the first body.
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
