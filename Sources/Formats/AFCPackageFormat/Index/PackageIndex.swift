internal import AFCText
public import AFCURL
internal import Synchronization

/// The contents of a package according to its manifest, sidecar and member list.
///
/// No body is read.
public struct PackageIndex: Sendable {
    /// A member as the archive's directory lists it.
    public struct Member: Equatable, Sendable {
        /// The member's name.
        public var name: String
        /// The size of the body in bytes.
        public var size: Int64
        /// True if the member is a folder.
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
        /// The manifest entry, or nil for a redirect.
        public var entry: ManifestEntry?
        /// The line number in the manifest, from 1, or 0 for a redirect.
        public var line: Int
        /// The sidecar's record, if there is one.
        public var record: ResourceRecord?
        /// The index of the member that holds the body, or nil for a redirect.
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
    /// The description of the package in `.afcache/package.json`, if there is one.
    public private(set) var info: PackageInfo?
    /// The rules for parameters that make no difference, in `.afcache/match.json`; nil if there are none.
    public private(set) var matchRules: MatchRules?
    /// The pages for navigations to URLs that the package doesn't have, in `.afcache/fallback.json`; nil if there are
    /// none.
    public private(set) var fallback: FallbackRules?
    /// The base URL of AFCache 0.13's header line.
    public private(set) var baseURL: String?
    /// The indices of the members below `.userdata/`.
    public private(set) var userData: [Int] = []
    /// All problems, in the order of the manifest, then the sidecar, then the members.
    public private(set) var problems: [PackageProblem] = []

    /// True if no problem keeps the package from being loaded.
    public var isLoadable: Bool { !problems.contains { $0.severity == .error } }

    /// True if every line of the manifest and every record could be read.
    ///
    /// If false, nothing can be concluded from an entry that seems to be missing: it may be on a line that already has
    /// an error.
    public private(set) var isUnderstood = true

    /// True if the package has a manifest.
    private var hasManifest = true

    /// Calls a body once for each number below a count, in any order or concurrently, and returns when all calls are
    /// done.
    public typealias Loop = (_ count: Int, _ body: @Sendable (Int) -> Void) -> Void

    /// Reads a package's index.
    ///
    /// - Parameters:
    ///   - members: The members that the archive's directory lists.
    ///   - manifest: The member `manifest.afcache`, or nil if there is none.
    ///   - info: The member `.afcache/package.json`, or nil.
    ///   - records: The member `.afcache/resources.jsonl`, or nil.
    public init(members: [Member], manifest: [UInt8]?, info: [UInt8]?, records: [UInt8]?) {
        self.init(members: members, manifest: manifest, info: info)
        complete(members: members, records: records) { count, body in for number in 0..<count { body(number) } }
    }

    /// Reads a package's index without its records, so that the caller can fetch those at the same time.
    ///
    /// - Parameters:
    ///   - members: The members that the archive's directory lists.
    ///   - manifest: The member `manifest.afcache`, or nil if there is none.
    ///   - info: The member `.afcache/package.json`, or nil.
    ///   - match: The member `.afcache/match.json`, or nil.
    ///   - fallback: The member `.afcache/fallback.json`, or nil.
    public init(
        members: [Member],
        manifest: [UInt8]?,
        info: [UInt8]?,
        match: [UInt8]? = nil,
        fallback: [UInt8]? = nil
    ) {
        if let info { readInfo(info) }
        if let match { readMatchRules(match) }
        if let fallback { readFallback(fallback) }
        guard let manifest else {
            let elsewhere = members.first { $0.name.hasSuffix("/" + PackageLayout.manifest) }?.name
            problems.append(PackageProblem(.manifestMissing(elsewhere: elsewhere), at: .package))
            (hasManifest, isUnderstood) = (false, false)
            return
        }
        var reader = ManifestReader(manifest)
        var directory = MemberDirectory(members)
        resources.reserveCapacity(members.count)
        while let item = reader.next() { resources.append(locate(item, in: &directory)) }
        problems.append(contentsOf: reader.problems)
        isUnderstood = !reader.problems.contains(where: \.hidesLine)
        baseURL = reader.baseURL
        sortResources()
    }

    /// Adds the records that ``init(members:manifest:info:)`` left out.
    ///
    /// - Parameters:
    ///   - members: The members that the archive's directory lists.
    ///   - records: The member `.afcache/resources.jsonl`, or nil.
    ///   - bodyLimit: The maximum size of all bodies together; a body that several entries name counts once for each.
    ///   - loop: Runs the work on pieces of the records; the order makes no difference to the result.
    public mutating func complete(
        members: [Member],
        records: [UInt8]?,
        bodyLimit: Int64 = PackageLayout.bodyByteLimit,
        _ loop: Loop
    ) {
        guard hasManifest else { return }
        let hasAllEntries = isUnderstood
        var isNamed = [Bool](repeating: false, count: members.count)
        var bodyBytes: Int64 = 0
        for resource in resources {
            guard let member = resource.member else { continue }
            isNamed[member] = true
            let (sum, overflow) = bodyBytes.addingReportingOverflow(members[member].size)
            bodyBytes = overflow ? .max : sum
        }
        // A body is read once for each entry that names it, so a million entries could cost a million times its bytes.
        if bodyBytes > bodyLimit { problems.append(PackageProblem(.bodiesTooLarge(limit: bodyLimit), at: .package)) }
        if let records { readRecords(records, members: members, loop) }
        if isUnderstood { checkFallback() }
        for (index, member) in members.enumerated() where !isNamed[index] && !member.isFolder {
            if member.name.hasPrefix(PackageLayout.userDataFolder) {
                userData.append(index)
            } else if member.name != PackageLayout.manifest, !member.name.hasPrefix(PackageLayout.sidecarFolder) {
                guard hasAllEntries else { continue }
                problems.append(PackageProblem(.memberWithoutEntry, at: .member(member.name)))
            }
        }
    }

    /// Returns the resource with a URL, including its record and its member.
    ///
    /// - Parameter url: The resource's URL.
    /// - Returns: The resource, or nil if the package has none with this URL.
    public func resource(for url: WebURL) -> Resource? {
        var (low, high) = (0, resources.count)
        while low < high {
            let middle = (low + high) / 2
            if resources[middle].url < url { low = middle + 1 } else { high = middle }
        }
        return low < resources.count && resources[low].url == url ? resources[low] : nil
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

    private mutating func readMatchRules(_ bytes: [UInt8]) {
        do throws(MatchRules.Malformation) {
            matchRules = try MatchRules(bytes)
        } catch {
            problems.append(PackageProblem(.matchMalformed(reason: error.reason), at: .member(PackageLayout.match)))
        }
    }

    private mutating func readFallback(_ bytes: [UInt8]) {
        do throws(FallbackRules.Malformation) {
            fallback = try FallbackRules(bytes)
        } catch {
            reportFallback(error.reason)
        }
    }

    /// Reports fallbacks that the package doesn't have, since a rule may only lead to a page of the same package.
    private mutating func checkFallback() {
        for page in fallback?.pages ?? [] {
            let found = resource(for: page.url)
            guard found?.member == nil || (found?.record?.status ?? 200) != 200 else { continue }
            let url = PrintableText.quoted(page.url.description)
            reportFallback("'\(page.kind.rawValue)' is \(url), which the package doesn't have with status 200")
        }
    }

    private mutating func reportFallback(_ reason: String) {
        problems.append(PackageProblem(.fallbackMalformed(reason: reason), at: .member(PackageLayout.fallback)))
    }

    private mutating func locate(_ item: ManifestReader.Item, in directory: inout MemberDirectory) -> Resource {
        let entry = item.entry
        let url = entry.url
        var resource = Resource(url: url, entry: entry, line: item.line, record: nil, member: nil)
        // On nearly every line the URL is in normal form and the body is where the rule puts it.
        if entry.member == nil, item.isURLNormal, let index = directory.index(byRuleFor: url),
            !directory.members[index].isFolder
        {
            resource.member = index
            return resource
        }
        let names = entry.member.map { [$0] } ?? MemberRule.candidates(text: item.urlText, url: url)
        var folder: String?
        for name in names {
            guard let index = directory.index(of: name) ?? directory.index(of: name + "/") else { continue }
            if directory.members[index].isFolder {
                folder = name
                continue
            }
            resource.member = index
            return resource
        }
        let kind: PackageProblem.Kind =
            if let folder {
                .memberIsFolder(url: url.description, member: folder)
            } else {
                .memberMissing(url: url.description, member: names.first ?? "", splitType: item.splitMediaType)
            }
        let part = entry.member == nil ? item.fields.url : item.fields.member ?? item.fields.url
        problems.append(item.place.problem(kind, at: part))
        return resource
    }

    private mutating func sortResources() {
        let isSorted = zip(resources, resources.dropFirst()).allSatisfy { $0.url < $1.url }
        if !isSorted { resources.sort { $0.url < $1.url } }
    }

    private mutating func readRecords(_ bytes: [UInt8], members: [Member], _ loop: Loop) {
        let hadEntries = resources.count
        let hasAllEntries = isUnderstood
        let ranges = bytes.withUnsafeBufferPointer { RecordChunk.ranges(of: $0, size: Self.chunkSize) }
        var redirects: Set<WebURL> = []
        var line = 0
        var start = 0
        // Chunks that are read but not yet combined take memory, so only a few are read ahead.
        while start < ranges.count {
            let end = min(start + Self.chunksAtOnce, ranges.count)
            let chunks = Self.chunks(bytes, ranges[start..<end], resources[..<hadEntries], loop)
            for chunk in chunks {
                for (number, content) in chunk.lines {
                    let place = PackageProblem.Place.record(line: line + number)
                    if case .record(let record, nil, _) = content, !record.isRedirect, !hasAllEntries { continue }
                    add(content, at: place, members: members, redirects: &redirects)
                }
                line += chunk.lineCount
            }
            start = end
        }
        if resources.count > hadEntries { sortResources() }
    }

    private static let chunkSize = 64 << 10
    private static let chunksAtOnce = 128

    private static func chunks(
        _ bytes: [UInt8],
        _ ranges: ArraySlice<Range<Int>>,
        _ resources: ArraySlice<Resource>,
        _ loop: Loop
    ) -> [RecordChunk] {
        let chunks = Mutex([RecordChunk](repeating: RecordChunk(), count: ranges.count))
        loop(ranges.count) { number in
            let range = ranges[ranges.startIndex + number]
            let chunk = bytes.withUnsafeBufferPointer { RecordChunk($0, range, resources: resources) }
            chunks.withLock { $0[number] = chunk }
        }
        return chunks.withLock { $0 }
    }

    private mutating func add(
        _ content: RecordChunk.Content,
        at place: PackageProblem.Place,
        members: [Member],
        redirects: inout Set<WebURL>
    ) {
        switch content {
        case .malformed(let reason):
            problems.append(PackageProblem(.recordMalformed(reason: reason), at: place))
            isUnderstood = false
        case .record(let record, nil, _):
            let url = record.url
            if redirects.contains(url) {
                problems.append(PackageProblem(.duplicateRecord(url: url.description), at: place))
            } else if record.isRedirect {
                redirects.insert(url)
                resources.append(Resource(url: url, entry: nil, line: 0, record: record, member: nil))
            } else {
                problems.append(PackageProblem(.recordWithoutEntry(url: url.description), at: place))
            }
        case .record(let record, let index?, let disagreement):
            guard resources[index].record == nil else {
                problems.append(PackageProblem(.duplicateRecord(url: record.url.description), at: place))
                return
            }
            if let size = record.size, let member = resources[index].member, members[member].size != size {
                let kind = PackageProblem.Kind.recordSizeDiffers(
                    url: record.url.description,
                    recorded: size,
                    actual: members[member].size
                )
                problems.append(PackageProblem(kind, at: place))
            }
            resources[index].record = record
            if let disagreement {
                let kind = PackageProblem.Kind.recordDisagrees(url: record.url.description, field: disagreement)
                problems.append(PackageProblem(kind, at: place))
            }
        }
    }
}
