internal import AFCPackageFile
internal import AFCPackageFormat
internal import AFCText

/// The members that a package's file lacks because the cache holds their bodies, and those bodies.
struct HeldBodies: Sendable {
    /// The members.
    let members: MemberSet
    /// The bodies, by the SHA-256 of their records.
    let bodies: BodyLookUp
    /// The folder of the generation that the package replaces; nil for none.
    let previous: String?

    /// Looks for the bodies of a package's members.
    ///
    /// - Parameters:
    ///   - members: The members to look for; nil for all.
    ///   - package: The package, whose records say which bodies it has.
    ///   - generations: The generations to search, the one that the package replaces first.
    ///   - previous: The folder of that generation; nil for none.
    init(
        _ members: MemberSet?,
        of package: PackageReader,
        in generations: [GenerationLayout],
        replacing previous: String?
    ) {
        var wanted: Set<UInt64> = []
        package.forEachBody { member, key in
            if members?.contains(member) ?? true { wanted.insert(key) }
        }
        bodies = BodyLookUp(of: wanted, in: generations)
        self.previous = previous
        if let members {
            self.members = members
        } else {
            var found = MemberSet()
            package.forEachBody { [bodies] member, key in
                if bodies.contains(key) { found.insert(member) }
            }
            self.members = found
        }
    }
}

extension PackageReader {
    /// Calls a body with each member that has a record with a SHA-256, and the key of the body.
    fileprivate func forEachBody(_ body: (Int, UInt64) -> Void) {
        var cursor = PackageIndex.Resources.Cursor(index.resources)
        for number in index.resources.indices {
            let resource = cursor.resource(at: number)
            guard let member = resource.member, let digest = resource.record?.sha256.flatMap(Hexadecimal.bytes),
                let key = BodyLookUp.key(digest)
            else { continue }
            body(member, key)
        }
    }
}
