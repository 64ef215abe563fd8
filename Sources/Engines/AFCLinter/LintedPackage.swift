internal import AFCPackageFile
internal import AFCPackageFormat
internal import AFCURL
internal import AFCZip
internal import HTTPTypes

/// A package, as rules see it.
struct LintedPackage: Sendable {
    /// The target of a reference in the package, after redirects.
    enum Target: Equatable, Sendable {
        /// A resource with a body, as an index into the resources.
        case resource(Int)
        /// This URL, which the package doesn't have.
        case missing(WebURL)
        /// More redirects than browsers follow.
        case endless
    }

    /// The package.
    let reader: PackageReader
    /// The values that rules compare with.
    let context: LintContext
    /// The SHA-256 of each body, by index into the members; empty if bodies aren't read.
    var digests: [Int: [UInt8]] = [:]

    /// The hosts of the package's resources.
    let hosts: Set<String?>
    private let numbers: [WebURL: Int]

    init(_ reader: PackageReader, _ context: LintContext) {
        self.reader = reader
        self.context = context
        var numbers: [WebURL: Int] = [:]
        numbers.reserveCapacity(reader.index.resources.count)
        for (number, resource) in reader.index.resources.enumerated() {
            numbers[resource.url] = number
        }
        self.numbers = numbers
        hosts = Set(reader.index.resources.lazy.map(\.url.host))
    }

    /// The package's index.
    var index: PackageIndex { reader.index }
    /// The archive's members.
    var members: ZipMembers { reader.archive.members }
    /// True if the package has a sidecar.
    var hasSidecar: Bool { has(PackageLayout.info) }

    /// True if the package has records.
    var hasRecords: Bool { has(PackageLayout.records) }

    /// Returns the member with a resource's body, or nil.
    func member(of resource: PackageIndex.Resource) -> ZipMember? { resource.member.map { members[$0] } }

    /// Returns true if the archive has a member with the name.
    func has(_ member: String) -> Bool { reader.archive.member(named: member) != nil }

    /// Returns the place for a finding about a resource: its line or, for a redirect, the records.
    func place(of resource: PackageIndex.Resource) -> PackageProblem.Place {
        resource.line > 0 ? .manifest(line: resource.line, column: 1) : .member(PackageLayout.records)
    }

    /// Returns the target of a URL after as many redirects as browsers follow (Fetch §4.4).
    func target(of url: WebURL) -> Target {
        var url = url
        for _ in 0...Self.redirectLimit {
            guard let number = numbers[url] else { return .missing(url) }
            let resource = index.resources[number]
            guard resource.entry == nil else { return .resource(number) }
            guard let next = Self.location(of: resource) else { return .missing(url) }
            url = next
        }
        return .endless
    }

    /// The number of consecutive redirects that are followed.
    static let redirectLimit = 20

    /// Returns the URL that a redirect points to, or nil if it isn't valid.
    static func location(of resource: PackageIndex.Resource) -> WebURL? {
        guard let record = resource.record, record.isRedirect, let text = record.fields[.location] else { return nil }
        return try? WebURL(text, base: resource.url)
    }
}
