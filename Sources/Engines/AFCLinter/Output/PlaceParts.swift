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
