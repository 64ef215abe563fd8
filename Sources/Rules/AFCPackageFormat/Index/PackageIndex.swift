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

    /// The resources, sorted by URL.
    public private(set) var resources = Resources()
    /// The size of all bodies together, in bytes; a body that several entries name counts once for each.
    public private(set) var bodyBytes: Int64 = 0
    /// The description of the package in `.afcache/package.json`, if there is one.
    public private(set) var info: PackageInfo?
    /// The rules for parameters that make no difference, in `.afcache/match.json`; nil if there are none.
    public private(set) var matchRules: MatchRules?
    /// The pages for navigations to URLs that the package doesn't have, in `.afcache/fallback.json`; nil if there are
    /// none.
    public private(set) var fallback: FallbackRules?
    /// The URLs that the site doesn't have, in `.afcache/absent`; nil if there are none.
    public private(set) var absent: AbsentURLs?
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

    /// True if the zip has the member that only patches have, so that it isn't read as a package.
    public var isPatch: Bool {
        problems.contains { problem in
            if case .isPatch = problem.kind { true } else { false }
        }
    }

    /// Calls a body once for each number below a count, in any order or concurrently, and returns when all calls are
    /// done.
    public typealias Loop = (_ count: Int, _ body: @Sendable (Int) -> Void) -> Void

    /// Reads a package's index from members in memory.
    ///
    /// - Parameters:
    ///   - members: The members that the archive's directory lists.
    ///   - manifest: The member `manifest.afcache`, or nil if there is none.
    ///   - info: The member `.afcache/package.json`, or nil.
    ///   - records: The member `.afcache/resources.jsonl`, or nil.
    public init(members: [Member], manifest: [UInt8]?, info: [UInt8]?, records: [UInt8]? = nil) {
        let members = ListedMembers(members)
        self.init(members: members, manifest: manifest.map { MemberText($0) }, info: info)
        complete(members: members, records: records.map { MemberText($0) }) { count, body in
            for number in 0..<count { body(number) }
        }
    }

    /// Reads a package's index without its records, so that the caller can fetch those at the same time.
    ///
    /// - Parameters:
    ///   - members: The members that the archive's directory lists.
    ///   - manifest: The member `manifest.afcache`, or nil if there is none.
    ///   - info: The member `.afcache/package.json`, or nil.
    ///   - match: The member `.afcache/match.json`, or nil.
    ///   - fallback: The member `.afcache/fallback.json`, or nil.
    ///   - absent: The member `.afcache/absent`, or nil.
    public init(
        members: some PackageMembers,
        manifest: MemberText?,
        info: [UInt8]?,
        match: [UInt8]? = nil,
        fallback: [UInt8]? = nil,
        absent: [UInt8]? = nil
    ) {
        // Whoever reads it as a package, and whoever reads it as a patch, must not see different resources.
        guard members.index(of: PackageLayout.patch) == nil else {
            problems.append(PackageProblem(.isPatch(hasManifest: manifest != nil), at: .package))
            (hasManifest, isUnderstood) = (false, false)
            return
        }
        if let info { readInfo(info) }
        if let match { readMatchRules(match) }
        if let fallback { readFallback(fallback) }
        if let absent { readAbsent(absent) }
        guard let manifest else {
            let names = (0..<members.count).lazy.map { members[$0].name }
            let elsewhere = names.first { $0.hasSuffix("/" + PackageLayout.manifest) }
            problems.append(PackageProblem(.manifestMissing(elsewhere: elsewhere), at: .package))
            (hasManifest, isUnderstood) = (false, false)
            return
        }
        resources.manifest = manifest
        var reader = ManifestReader()
        var directory = MemberDirectory(members)
        resources.rows.reserveCapacity(members.count)
        var last: WebURL?
        var isSorted = true
        while let item = reader.next({ buffer, offset in manifest.read(into: buffer, at: offset) }) {
            let url = item.url
            isSorted = isSorted && last.map { $0 < url } ?? true
            last = url
            var row = Resources.Row(line: UInt32(item.line), entry: UInt32(item.offset))
            if let member = locate(item, url, in: &directory) { row.member = UInt32(member) }
            resources.rows.append(row)
        }
        problems.append(contentsOf: reader.problems)
        isUnderstood = !reader.problems.contains(where: \.hidesLine)
        baseURL = reader.baseURL
        if !isSorted { sortResources() }
    }

    /// Adds the records that ``init(members:manifest:info:match:fallback:absent:)`` left out.
    ///
    /// - Parameters:
    ///   - members: The members that the archive's directory lists.
    ///   - records: The member `.afcache/resources.jsonl`, or nil.
    ///   - bodyLimit: The maximum size of all bodies together; a body that several entries name counts once for each.
    ///   - loop: Runs the work on pieces of the records; the order makes no difference to the result.
    public mutating func complete(
        members: some PackageMembers,
        records: MemberText?,
        bodyLimit: Int64 = PackageLayout.bodyByteLimit,
        _ loop: Loop
    ) {
        guard hasManifest else { return }
        let hasAllEntries = isUnderstood
        var isNamed = [Bool](repeating: false, count: members.count)
        for row in resources.rows where row.member != Resources.Row.none {
            isNamed[Int(row.member)] = true
            let (sum, overflow) = bodyBytes.addingReportingOverflow(members[Int(row.member)].size)
            bodyBytes = overflow ? .max : sum
        }
        // A body is read once for each entry that names it, so a million entries could cost a million times its bytes.
        if bodyBytes > bodyLimit { problems.append(PackageProblem(.bodiesTooLarge(limit: bodyLimit), at: .package)) }
        if let records { readRecords(records, members: members, loop) }
        if isUnderstood {
            checkFallback()
            checkAbsent()
        }
        for index in isNamed.indices where !isNamed[index] {
            let member = members[index]
            if member.isFolder { continue }
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
        var cursor = Resources.Cursor(resources)
        var (low, high) = (0, resources.count)
        while low < high {
            let middle = (low + high) / 2
            if cursor.url(at: middle) < url { low = middle + 1 } else { high = middle }
        }
        guard low < resources.count else { return nil }
        let found = cursor.resource(at: low)
        return found.url == url ? found : nil
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

    private mutating func readAbsent(_ bytes: [UInt8]) {
        do throws(AbsentURLs.Malformation) {
            absent = try AbsentURLs(bytes)
        } catch {
            reportAbsent(error.reason)
        }
    }

    /// Reports absent URLs of hosts that the package is not about, and those that it has.
    private mutating func checkAbsent() {
        guard let absent else { return }
        var origin: String?
        for entry in absent.entries {
            let url = PrintableText.quoted(entry.url.description)
            if entry.url.origin != origin {
                guard hasResource(beginningWith: entry.url.origin + "/") else {
                    return reportAbsent("\(url) is of an origin from which the package has nothing")
                }
                origin = entry.url.origin
            }
            guard resource(for: entry.url) == nil else { return reportAbsent("the package has \(url)") }
        }
    }

    /// Returns true if the package has a resource whose URL begins with a text.
    ///
    /// - Parameter text: The beginning, which is a URL itself.
    /// - Returns: True if there is one.
    package func hasResource(beginningWith text: String) -> Bool {
        guard let url = try? WebURL(text) else { return false }
        var cursor = Resources.Cursor(resources)
        var (low, high) = (0, resources.count)
        while low < high {
            let middle = (low + high) / 2
            if cursor.url(at: middle) < url { low = middle + 1 } else { high = middle }
        }
        return low < resources.count && cursor.url(at: low).description.utf8.starts(with: text.utf8)
    }

    private mutating func reportAbsent(_ reason: String) {
        absent = nil
        problems.append(PackageProblem(.absentMalformed(reason: reason), at: .member(PackageLayout.absent)))
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

    /// Returns the index of the member with an entry's body, or nil after reporting that there is none.
    private mutating func locate(
        _ item: ManifestReader.Item,
        _ url: WebURL,
        in directory: inout MemberDirectory<some PackageMembers>
    ) -> Int? {
        let written = item.member
        // On nearly every line the URL is in normal form and the body is where the rule puts it.
        if written == nil, item.isURLNormal, let index = directory.index(byRuleFor: url),
            !directory.members[index].isFolder
        {
            return index
        }
        let names = written.map { [$0] } ?? MemberRule.candidates(text: item.urlText, url: url)
        var folder: String?
        for name in names {
            guard let index = directory.members.index(of: name) ?? directory.members.index(of: name + "/") else {
                continue
            }
            if !directory.members[index].isFolder { return index }
            folder = name
        }
        let kind: PackageProblem.Kind =
            if let folder {
                .memberIsFolder(url: url.description, member: folder)
            } else {
                .memberMissing(url: url.description, member: names.first ?? "", splitType: item.splitMediaType)
            }
        let part = written == nil ? item.fields.url : item.fields.member ?? item.fields.url
        problems.append(item.place.problem(kind, at: part))
        return nil
    }

    /// Sorts the resources by URL; all URLs are in memory meanwhile.
    private mutating func sortResources() {
        var cursor = Resources.Cursor(resources)
        var keyed = resources.rows.indices.map { (url: cursor.url(at: $0), row: resources.rows[$0]) }
        keyed.sort { $0.url < $1.url }
        resources.rows = keyed.map(\.row)
    }

    /// Adds redirects, which have no entry, to the resources.
    private mutating func add(_ redirects: [(url: WebURL, row: Resources.Row)]) {
        guard !redirects.isEmpty else { return }
        let sorted = redirects.sorted { $0.url < $1.url }
        var merged: [Resources.Row] = []
        merged.reserveCapacity(resources.count + sorted.count)
        var cursor = Resources.Cursor(resources)
        var next = 0
        for (index, row) in resources.rows.enumerated() {
            if next < sorted.count {
                let url = cursor.url(at: index)
                while next < sorted.count, sorted[next].url < url {
                    merged.append(sorted[next].row)
                    next += 1
                }
            }
            merged.append(row)
        }
        merged.append(contentsOf: sorted[next...].map(\.row))
        resources.rows = merged
    }

    // MARK: Records

    private static let chunkSize = 64 << 10
    /// Chunks that are read but not yet combined take memory, so only a few are read ahead.
    private static let chunksAtOnce = 64

    private mutating func readRecords(_ text: MemberText, members: some PackageMembers, _ loop: Loop) {
        let hasAllEntries = isUnderstood
        let entries = resources
        resources.records = text
        var redirects: [(url: WebURL, row: Resources.Row)] = []
        var known: Set<WebURL> = []
        var line = 0
        var block = RecordBlock(text, size: Self.chunkSize * Self.chunksAtOnce)
        while block.next() {
            for (range, chunk) in block.chunks(of: Self.chunkSize, entries, loop) {
                for (number, offset, content) in chunk.lines {
                    let place = PackageProblem.Place.record(line: line + number)
                    let offset = UInt32(block.base + range.lowerBound + offset)
                    switch content {
                    case .malformed(let reason):
                        problems.append(PackageProblem(.recordMalformed(reason: reason), at: place))
                        isUnderstood = false
                    case .loose(let record):
                        guard record.isRedirect || hasAllEntries else { continue }
                        let url = record.url.description
                        guard !known.contains(record.url) else {
                            problems.append(PackageProblem(.duplicateRecord(url: url), at: place))
                            continue
                        }
                        guard record.isRedirect else {
                            problems.append(PackageProblem(.recordWithoutEntry(url: url), at: place))
                            continue
                        }
                        known.insert(record.url)
                        redirects.append((record.url, Resources.Row(record: offset)))
                    case .matched(let index, let size, let disagreement):
                        match(index, offset, size: size, disagreement: disagreement, at: place, members)
                    }
                }
                line += chunk.lineCount
            }
        }
        add(redirects)
    }

    /// Adds a record to the resource that has its URL.
    private mutating func match(
        _ index: Int,
        _ offset: UInt32,
        size: Int64?,
        disagreement: String?,
        at place: PackageProblem.Place,
        _ members: some PackageMembers
    ) {
        let row = resources.rows[index]
        guard row.record == Resources.Row.none else {
            problems.append(PackageProblem(.duplicateRecord(url: resources[index].url.description), at: place))
            return
        }
        if let size, row.member != Resources.Row.none, case let actual = members[Int(row.member)].size, actual != size {
            let url = resources[index].url.description
            problems.append(PackageProblem(.recordSizeDiffers(url: url, recorded: size, actual: actual), at: place))
        }
        resources.rows[index].record = offset
        if let disagreement {
            let url = resources[index].url.description
            problems.append(PackageProblem(.recordDisagrees(url: url, field: disagreement), at: place))
        }
    }
}

/// Whole lines of the sidecar's records, as many as are read at once.
private struct RecordBlock: ~Copyable {
    private let text: MemberText
    private var buffer: UnsafeMutableRawBufferPointer
    /// The offset of the block in the text.
    private(set) var base = 0
    /// The number of bytes in the block, and of those before the end of its last line.
    private var count = 0
    private var end = 0

    init(_ text: MemberText, size: Int) {
        self.text = text
        buffer = .allocate(byteCount: max(1, min(size, text.count)), alignment: 16)
    }

    deinit { buffer.deallocate() }

    /// Reads the lines after those that were read before; false if there are none.
    mutating func next() -> Bool {
        let rest = count - end
        buffer.copyMemory(from: UnsafeRawBufferPointer(rebasing: buffer[end..<count]))
        base += end
        (count, end) = (rest, 0)
        while true {
            count += text.read(into: UnsafeMutableRawBufferPointer(rebasing: buffer[count...]), at: base + count)
            if base + count == text.count {
                end = count
                return count > 0
            }
            if let last = buffer[..<count].lastIndex(of: UInt8(ascii: "\n")) {
                end = last + 1
                return true
            }
            // A line that is longer than the block.
            let larger = UnsafeMutableRawBufferPointer.allocate(byteCount: buffer.count * 2, alignment: 16)
            larger.copyMemory(from: UnsafeRawBufferPointer(buffer))
            buffer.deallocate()
            buffer = larger
        }
    }

    /// Reads the block's lines in chunks, and returns the chunks with their places in the block.
    func chunks(
        of size: Int,
        _ resources: PackageIndex.Resources,
        _ loop: PackageIndex.Loop
    ) -> [(Range<Int>, RecordChunk)] {
        let bytes = UnsafeBufferPointer(
            start: UnsafeRawPointer(buffer.baseAddress)?.assumingMemoryBound(to: UInt8.self),
            count: end
        )
        let ranges = RecordChunk.ranges(of: bytes, size: size)
        let chunks = Mutex([RecordChunk](repeating: RecordChunk(), count: ranges.count))
        // The block isn't changed before all calls are done.
        nonisolated(unsafe) let block = bytes
        loop(ranges.count) { number in
            let chunk = RecordChunk(UnsafeBufferPointer(rebasing: block[ranges[number]]), resources: resources)
            chunks.withLock { $0[number] = chunk }
        }
        return chunks.withLock { Array(zip(ranges, $0)) }
    }
}
