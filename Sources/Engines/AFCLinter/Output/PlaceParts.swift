internal import AFCPackageFormat
internal import AFCText

extension PackageProblem.Place {
    /// The line number, if the place has one.
    var line: Int? {
        switch self {
        case .manifest(let line, _), .record(let line): line
        case .member, .package: nil
        }
    }

    /// The member of the package, if the place is in one.
    var memberName: String? {
        switch self {
        case .manifest: PackageLayout.manifest
        case .record: PackageLayout.records
        case .member(let name): name
        case .package: nil
        }
    }
}

extension Finding {
    /// The sentence, with the member before it, for reports that show only the file.
    var wordsWithMember: String {
        switch place {
        case .record, .member: "\(PrintableText.quoted(place.memberName ?? "")): \(words)"
        case .manifest(let line, let column) where isInPackage: "\(PackageLayout.manifest):\(line):\(column): \(words)"
        case .manifest, .package: words
        }
    }
}
