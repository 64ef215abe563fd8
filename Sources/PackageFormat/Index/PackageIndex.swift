internal import HTTPCaching
public import URLStandard

/// What a package holds, as manifest, sidecar and members say together; no body is read for it.
public struct PackageIndex: Sendable {
    /// What the archive's directory says of one member.
    public struct Member: Equatable, Sendable {
        /// The member's name.
        public var name: String
        /// The bytes of its body.
        public var size: Int64
        /// Whether it is a folder.
        public var isFolder: Bool

        /// Creates the description of a member.
        public init(name: String, size: Int64, isFolder: Bool = false) {
            self.name = name
            self.size = size
            self.isFolder = isFolder
        }
    }

    /// A resource of the package.
    public struct Resource: Equatable, Sendable {
        /// The resource's URL.
        public var url: WebURL
        /// Its entry, or nil for a redirect.
        public var entry: ManifestEntry?
        /// Its line in the manifest, from 1, or 0 for a redirect.
        public var line: Int
        /// Its record, where the sidecar has one.
        public var record: ResourceRecord?
        /// The member with its body, as an index into the archive's members, or nil for a redirect.
        public var member: Int?

        /// Creates a resource.
        public init(url: WebURL, entry: ManifestEntry?, line: Int, record: ResourceRecord?, member: Int?) {
            self.url = url
            self.entry = entry
            self.line = line
            self.record = record
            self.member = member
        }
    }

    /// The resources, sorted by URL.
    public private(set) var resources: [Resource] = []
    /// What the package says of itself, where it does.
    public private(set) var info: PackageInfo?
    /// The base URL of AFCache 0.13's header line.
    public private(set) var baseURL: String?
    /// Members below `.userdata/`, as indices into the archive's members.
    public private(set) var userData: [Int] = []
    /// Everything found wrong or odd, in the order of the manifest, then of the sidecar, then of the members.
    public private(set) var problems: [PackageProblem] = []

    /// Whether nothing was found that keeps the package from being loaded.
    public var isLoadable: Bool { !problems.contains { $0.severity == .error } }

    /// Understands a package.
    ///
    /// - Parameters:
    ///   - members: What the archive's directory lists.
    ///   - manifest: The member `manifest.afcache`, or nil where there is none.
    ///   - info: The member `.afcache/package.json`, or nil.
    ///   - records: The member `.afcache/resources.jsonl`, or nil.
    public init(members: [Member], manifest: [UInt8]?, info: [UInt8]?, records: [UInt8]?) {
        if let info { readInfo(info) }
        guard let manifest else {
            problems.append(PackageProblem(.manifestMissing, at: .package))
            return
        }
        var reader = ManifestReader(manifest)
        var directory: [String: Int] = [:]
        directory.reserveCapacity(members.count)
        for (index, member) in members.enumerated() { directory[member.name] = index }
        var isNamed = [Bool](repeating: false, count: members.count)
        while let item = reader.next() {
            let resource = locate(item, in: directory, members: members)
            if let member = resource.member { isNamed[member] = true }
            resources.append(resource)
        }
        problems.append(contentsOf: reader.problems)
        baseURL = reader.baseURL
        sortResources()
        if let records { readRecords(records, members: members) }
        for (index, member) in members.enumerated() where !isNamed[index] && !member.isFolder {
            if member.name.hasPrefix(PackageLayout.userDataFolder) {
                userData.append(index)
            } else if member.name != PackageLayout.manifest, !member.name.hasPrefix(PackageLayout.sidecarFolder) {
                problems.append(PackageProblem(.memberWithoutEntry, at: .member(member.name)))
            }
        }
    }

    private mutating func readInfo(_ bytes: [UInt8]) {
        do throws(PackageInfo.Malformation) {
            info = try PackageInfo(bytes)
        } catch {
            let kind: PackageProblem.Kind =
                switch error {
                case .notJSON: .infoMalformed(reason: "is not a JSON object")
                case .noVersion: .infoMalformed(reason: "has no format version")
                case .newerVersion(let version): .newerFormat(version: version)
                }
            problems.append(PackageProblem(kind, at: .member(PackageLayout.info)))
        }
    }

    private mutating func locate(_ item: ManifestReader.Item, in directory: [String: Int], members: [Member])
        -> Resource
    {
        let url = item.entry.url
        var resource = Resource(url: url, entry: item.entry, line: item.line, record: nil, member: nil)
        // Nearly every line has its URL in normal form and its body where the rule puts it.
        if item.entry.member == nil, !url.hasCredentials, item.urlText == url.description,
            let index = directory[MemberRule.name(for: url)], !members[index].isFolder
        {
            resource.member = index
            return resource
        }
        let names = item.entry.member.map { [$0] } ?? MemberRule.candidates(text: item.urlText, url: url)
        var folder: String?
        for name in names {
            guard let index = directory[name] else { continue }
            if members[index].isFolder {
                folder = name
                continue
            }
            resource.member = index
            return resource
        }
        let place = PackageProblem.Place.manifest(line: item.line, column: 1)
        if let folder {
            problems.append(PackageProblem(.memberIsFolder(url: url.description, member: folder), at: place))
        } else {
            let name = names.first ?? ""
            problems.append(PackageProblem(.memberMissing(url: url.description, member: name), at: place))
        }
        return resource
    }

    private mutating func sortResources() {
        let isSorted = zip(resources, resources.dropFirst()).allSatisfy { $0.url < $1.url }
        if !isSorted { resources.sort { $0.url < $1.url } }
    }

    private mutating func readRecords(_ bytes: [UInt8], members: [Member]) {
        var positions: [WebURL: Int] = [:]
        positions.reserveCapacity(resources.count)
        for (index, resource) in resources.enumerated() { positions[resource.url] = index }
        let hadEntries = resources.count
        bytes.withUnsafeBufferPointer { buffer in
            var start = 0
            var line = 0
            while start < buffer.count {
                var end = start
                while end < buffer.count, buffer[end] != UInt8(ascii: "\n") { end += 1 }
                line += 1
                if end > start {
                    readRecord(
                        UnsafeBufferPointer(rebasing: buffer[start..<end]),
                        line: line,
                        positions: &positions,
                        members: members
                    )
                }
                start = end + 1
            }
        }
        if resources.count > hadEntries { sortResources() }
    }

    private mutating func readRecord(
        _ bytes: UnsafeBufferPointer<UInt8>,
        line: Int,
        positions: inout [WebURL: Int],
        members: [Member]
    ) {
        let place = PackageProblem.Place.record(line: line)
        guard bytes.count <= PackageLayout.lineByteLimit else {
            problems.append(PackageProblem(.recordMalformed(reason: "is longer than a line may be"), at: place))
            return
        }
        let record: ResourceRecord
        do throws(ResourceRecord.Malformation) {
            record = try ResourceRecord(line: bytes)
        } catch {
            let reason =
                switch error {
                case .notJSON(let offset): "is not JSON at byte \(offset)"
                case .badValue(let key): "has no valid '\(key)'"
                }
            problems.append(PackageProblem(.recordMalformed(reason: reason), at: place))
            return
        }
        let url = record.url
        guard let index = positions[url] else {
            guard record.isRedirect else {
                problems.append(PackageProblem(.recordWithoutEntry(url: url.description), at: place))
                return
            }
            positions[url] = resources.count
            resources.append(Resource(url: url, entry: nil, line: 0, record: record, member: nil))
            return
        }
        guard resources[index].record == nil else {
            problems.append(PackageProblem(.duplicateRecord(url: url.description), at: place))
            return
        }
        if let size = record.size, let member = resources[index].member, members[member].size != size {
            let kind = PackageProblem.Kind.recordSizeDiffers(
                url: url.description,
                recorded: size,
                actual: members[member].size
            )
            problems.append(PackageProblem(kind, at: place))
        }
        resources[index].record = record
        if let field = disagreement(of: resources[index]) {
            problems.append(PackageProblem(.recordDisagrees(url: url.description, field: field), at: place))
        }
    }
}
