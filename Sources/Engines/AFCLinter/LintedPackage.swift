internal import AFCPackageFile
internal import AFCPackageFormat
internal import AFCURL
internal import AFCZip
internal import HTTPTypes

/// A package, as rules see it.
struct LintedPackage: Sendable {
    /// Where a reference leads in the package, redirects followed.
    enum Target: Equatable, Sendable {
        /// To a resource with a body, as an index into the resources.
        case resource(Int)
        /// Nowhere: the package doesn't have this URL.
        case missing(WebURL)
        /// Through more redirects than browsers follow.
        case endless
    }

    /// The package.
    let reader: PackageReader
    /// What rules compare with.
    let context: LintContext
    /// The SHA-256 of each body, by index into the members; empty where bodies aren't read.
    var digests: [Int: [UInt8]] = [:]

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
    }

    /// What is in the package.
    var index: PackageIndex { reader.index }
    /// The archive's members.
    var members: [ZipMember] { reader.archive.members }
    /// Whether it was made by a program that writes the sidecar.
    var hasSidecar: Bool { has(PackageLayout.info) }

    /// Whether it has records.
    var hasRecords: Bool { has(PackageLayout.records) }

    /// The member with a resource's body, or nil.
    func member(of resource: PackageIndex.Resource) -> ZipMember? { resource.member.map { members[$0] } }

    /// Whether the archive has a member of a name.
    func has(_ member: String) -> Bool { reader.archive.member(named: member) != nil }

    /// Where a finding about a resource belongs: its line, or, for a redirect, the records.
    func place(of resource: PackageIndex.Resource) -> PackageProblem.Place {
        resource.line > 0 ? .manifest(line: resource.line, column: 1) : .member(PackageLayout.records)
    }

    /// Where a URL leads; as many redirects are followed as browsers follow (Fetch §4.4).
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

    /// How many redirects are followed one behind the other.
    static let redirectLimit = 20

    /// Where a redirect points, or nil where that is no URL.
    static func location(of resource: PackageIndex.Resource) -> WebURL? {
        guard let record = resource.record, record.isRedirect, let text = record.fields[.location] else { return nil }
        return try? WebURL(text, base: resource.url)
    }
}
