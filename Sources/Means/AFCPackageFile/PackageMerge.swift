public import AFCHTTP
public import AFCPackageFormat
public import AFCText
public import AFCURL
internal import AFCZip
internal import Crypto
internal import HTTPTypes

/// Several packages as one: of each URL one response, whose body is copied as it is.
///
/// docs/reference/merge.md says what becomes of everything else.
public struct PackageMerge: ResourceSource {
    /// The rule for a URL that several packages have.
    public enum Preference: String, Sendable, CaseIterable {
        /// The response that was modified last; if one of two doesn't say when, or they say the same, that of the later
        /// package.
        case newest
        /// That of the first package.
        case first
        /// That of the last package.
        case last
        /// None: packages with different responses for a URL aren't merged.
        case fail
    }

    /// Something of a package that is left out.
    public struct LeftOut: Equatable, Sendable {
        /// The path of the package.
        public var package: String
        /// What it is, and why it is left out; lower case, no full stop.
        public var reason: String
    }

    /// What is chosen for one URL.
    private struct Choice {
        var package: Int
        var resource: Int
    }

    /// The name that the first package with a name states.
    public let name: String?
    /// The start URLs of all packages, each once.
    public let seeds: [String]
    /// The time of the new package: that of the newest package, nil if none says when it was made.
    public var created: Timestamp?
    /// The user data of all packages.
    public private(set) var userData: [PackageWriter.UserData] = []
    /// The rules for parameters that make no difference, if all packages have the same.
    public private(set) var matchRules: MatchRules?
    /// The pages for URLs that the packages don't have; a package has those of one site only.
    public private(set) var fallback: FallbackRules?
    /// The URLs that the sites don't have; those that another package has after all are still listed.
    public private(set) var absent: AbsentURLs?
    /// The number of URLs that several packages have with different responses.
    public private(set) var conflicts = 0
    /// The first of these URLs, at most ten.
    public private(set) var firstConflicts: [WebURL] = []
    /// The names of user data that several packages have with different contents.
    public private(set) var differingFiles: [String] = []
    /// What is left out besides responses.
    public private(set) var leftOut: [LeftOut] = []

    private let packages: [PackageReader]
    private let preference: Preference
    private var choices: [Choice] = []

    /// Reads packages and decides which response of each URL is taken.
    ///
    /// - Parameters:
    ///   - paths: The packages' paths, in their order.
    ///   - preference: The rule for a URL that several packages have.
    /// - Throws: ``PackageError`` if a package can't be read, is encrypted or couldn't be loaded, or if its user data is
    ///   damaged.
    public init(of paths: [String], preferring preference: Preference) throws(PackageError) {
        self.preference = preference
        var packages: [PackageReader] = []
        for path in paths { packages.append(try Self.open(path)) }
        self.packages = packages
        name = packages.lazy.compactMap { $0.index.info?.name }.first
        var seeds: [String] = []
        for seed in packages.flatMap({ $0.index.info?.seeds ?? [] }) where !seeds.contains(seed) { seeds.append(seed) }
        self.seeds = seeds
        created = packages.compactMap { Self.date(of: $0) }.max()
        chooseFallback()
        choose()
        requireFallbackPages()
        chooseRules()
        chooseAbsent()
        try chooseUserData()
        for package in packages {
            if let signers = try? package.claimedSignatures(), !signers.isEmpty {
                leftOut.append(LeftOut(package: package.path, reason: "its signature, which is of other contents"))
            }
        }
    }

    /// Opens a package that can be loaded, and whose bodies can be copied.
    private static func open(_ path: String) throws(PackageError) -> PackageReader {
        let package: PackageReader
        do throws(PackageError) {
            package = try PackageReader(path: path)
        } catch {
            guard case .locked = error.code else { throw error }
            throw encrypted(path)
        }
        guard !package.archive.members.contains(where: { $0.encryption != nil }) else { throw encrypted(path) }
        try package.requireLoadable()
        return package
    }

    private static func encrypted(_ path: String) -> PackageError {
        PackageError(
            .locked(rule: "zip.encrypted"),
            subject: path,
            message: "the package is encrypted, so its bodies can't be copied; use the package before its encryption"
        )
    }

    /// The time when a package was made; nil if it doesn't say.
    private static func date(of package: PackageReader) -> Timestamp? {
        let unknown = Timestamp(secondsSinceEpoch: .max)
        let date = package.date(orElse: unknown)
        return date == unknown ? nil : date
    }

    /// True if the later package wins where there is no date to compare.
    private var prefersLater: Bool { preference == .newest || preference == .last }

    // MARK: Responses

    /// Walks over the resources of all packages, which are sorted, and notes one for each URL.
    private mutating func choose() {
        var rests = packages.map { $0.index.resources.makeIterator() }
        var heads: [PackageIndex.Resource?] = []
        for number in rests.indices { heads.append(rests[number].next()) }
        var places = packages.map { _ in 0 }
        while let url = heads.lazy.compactMap({ $0?.url }).min() {
            var best: (package: Int, place: Int, resource: PackageIndex.Resource)?
            var isConflict = false
            for number in packages.indices {
                guard let resource = heads[number], resource.url == url else { continue }
                let place = places[number]
                heads[number] = rests[number].next()
                places[number] += 1
                // The page for missing URLs is no resource of the site, and useless without the fallback that names it.
                if FallbackRules.isInvented(url), fallback?.missing != url { continue }
                if let best, !isSame(best.resource, packages[best.package], resource, packages[number]) {
                    isConflict = true
                }
                if best.map({ isBetter(resource, than: $0.resource) }) ?? true { best = (number, place, resource) }
            }
            guard let best else { continue }
            choices.append(Choice(package: best.package, resource: best.place))
            // Sites send different pages for missing URLs, which nobody asked for.
            guard isConflict, !FallbackRules.isInvented(url) else { continue }
            conflicts += 1
            if firstConflicts.count < 10 { firstConflicts.append(url) }
        }
    }

    /// Returns true if a later package's response is taken in place of an earlier one's.
    private func isBetter(_ later: PackageIndex.Resource, than earlier: PackageIndex.Resource) -> Bool {
        switch preference {
        case .first, .fail: return false
        case .last: return true
        case .newest:
            guard let old = Self.modified(earlier), let new = Self.modified(later) else { return true }
            return old <= new
        }
    }

    private static func modified(_ resource: PackageIndex.Resource) -> Timestamp? {
        resource.entry?.lastModified ?? resource.record?.fields[.lastModified].flatMap { HTTPDate.parse($0) }
    }

    /// Returns true if two responses have the same status and body, or lead to the same place.
    private func isSame(
        _ one: PackageIndex.Resource,
        _ package: PackageReader,
        _ other: PackageIndex.Resource,
        _ otherPackage: PackageReader
    ) -> Bool {
        guard one.record?.status ?? 200 == other.record?.status ?? 200 else { return false }
        guard let member = one.member, let otherMember = other.member else {
            return one.member == nil && other.member == nil
                && one.record?.fields[.location] == other.record?.fields[.location]
        }
        if let digest = one.record?.sha256, let otherDigest = other.record?.sha256 { return digest == otherDigest }
        let (left, right) = (package.archive.members[member], otherPackage.archive.members[otherMember])
        return left.uncompressedSize == right.uncompressedSize && left.crc32 == right.crc32
    }

    // MARK: Everything else

    /// Chooses the fallbacks of one package by the preference.
    private mutating func chooseFallback() {
        let having = packages.indices.filter { packages[$0].index.fallback != nil }
        let chosen = prefersLater ? having.last : having.first
        guard let chosen else { return }
        fallback = packages[chosen].index.fallback
        for other in having where packages[other].index.fallback != fallback {
            leftOut.append(
                LeftOut(
                    package: packages[other].path,
                    reason: "its pages for missing URLs, since a package has those of one package only"
                )
            )
        }
    }

    /// Leaves the fallbacks out if a page that they name is now another package's redirect or error.
    private mutating func requireFallbackPages() {
        guard let rules = fallback else { return }
        let pages = [rules.application, rules.missing].compactMap(\.self)
        let areSound = pages.allSatisfy { page in
            chosen(page).map { $0.entry != nil && $0.record?.status ?? 200 == 200 } ?? false
        }
        guard !areSound else { return }
        fallback = nil
        for package in packages where package.index.fallback == rules {
            leftOut.append(
                LeftOut(
                    package: package.path,
                    reason: "its pages for missing URLs, since another package replaces them"
                )
            )
        }
    }

    private func chosen(_ url: WebURL) -> PackageIndex.Resource? {
        var (low, high) = (0, choices.count)
        while low < high {
            let middle = (low + high) / 2
            let found = resource(at: middle)
            if found.url == url { return found }
            if found.url < url { low = middle + 1 } else { high = middle }
        }
        return nil
    }

    private func resource(at place: Int) -> PackageIndex.Resource {
        packages[choices[place].package].index.resources[choices[place].resource]
    }

    private mutating func chooseRules() {
        let all = packages.map { $0.index.matchRules?.bytes ?? [] }
        guard Set(all).count > 1 else {
            matchRules = packages.first?.index.matchRules
            return
        }
        for package in packages where package.index.matchRules != nil {
            leftOut.append(
                LeftOut(
                    package: package.path,
                    reason: "its rules for parameters, which would apply to the other packages' pages, too"
                )
            )
        }
    }

    private mutating func chooseAbsent() {
        let ordered = prefersLater ? packages.reversed() : packages
        let all = AbsentURLs(ordered.flatMap { package in package.index.absent.map { Array($0.entries) } ?? [] })
        absent = all.isEmpty ? nil : all
    }

    private mutating func chooseUserData() throws(PackageError) {
        var chosen: [String: (package: Int, member: Int)] = [:]
        for (number, package) in packages.enumerated() {
            for member in package.index.userData {
                let name = package.archive.members[member].name
                if let other = chosen[name] {
                    let old = packages[other.package].archive.members[other.member]
                    let new = package.archive.members[member]
                    if old.crc32 == new.crc32, old.uncompressedSize == new.uncompressedSize { continue }
                    if !differingFiles.contains(name) { differingFiles.append(name) }
                    if !prefersLater { continue }
                }
                chosen[name] = (number, member)
            }
        }
        for (name, place) in chosen.sorted(by: { $0.key < $1.key }) {
            let package = packages[place.package]
            let sha256 = try Self.digest(of: place.member, in: package)
            do throws(ZipError) {
                let body = try package.archive.deflatedBody(of: package.archive.members[place.member])
                userData.append(PackageWriter.UserData(member: name, body: body, sha256: sha256))
            } catch {
                throw PackageError(error, subject: package.path)
            }
        }
    }

    /// Puts what the packages state as a whole into the options for writing the new one.
    package func describe(_ options: inout PackageWriter.Options) {
        options.name = name
        options.seeds = seeds
        options.userData = userData
        options.matchRules = matchRules
        options.fallback = fallback
        options.absent = absent
    }

    // MARK: The source of a new package

    /// Calls a body with the URL of each resource that has an entry; see ``ResourceSource``.
    public func forEachURL(_ body: (WebURL) throws(PackageError) -> Void) throws(PackageError) {
        for place in choices.indices {
            let resource = resource(at: place)
            if resource.member != nil { try body(resource.url) }
        }
    }

    /// Calls a body with each resource; see ``ResourceSource``.
    ///
    /// Each body is read once, to verify that it is intact.
    public func forEach(_ body: (PackageWriter.Resource) throws(PackageError) -> Void) throws(PackageError) {
        for choice in choices { try body(try resource(choice)) }
    }

    private func resource(_ choice: Choice) throws(PackageError) -> PackageWriter.Resource {
        let package = packages[choice.package]
        let found = package.index.resources[choice.resource]
        var record = found.record ?? Self.record(of: found, in: package)
        // The new package has one date, which would be that of each response without one.
        if record.fields[.date] == nil, let date = Self.date(of: package), date != created {
            record.fields[.date] = HTTPDate.format(date)
        }
        guard let member = found.member, var entry = found.entry else {
            return PackageWriter.Resource(record: record, entry: nil, body: nil, isCompressible: false)
        }
        let digest = try Self.digest(of: member, in: package)
        guard record.sha256 == nil || record.sha256 == digest else {
            throw PackageError(
                .invalidPackage(rule: ProblemRule.sidecarDigest.id),
                subject: package.path,
                message:
                    "the body of \(PrintableText.quoted(found.url.description)) isn't the one of its record; rebuild the "
                    + "package"
            )
        }
        entry.member = nil
        record.sha256 = digest
        record.size = package.archive.members[member].uncompressedSize
        do throws(ZipError) {
            let data = try package.archive.deflatedBody(of: package.archive.members[member])
            return PackageWriter.Resource(record: record, entry: entry, body: .spooled(data), isCompressible: false)
        } catch {
            throw PackageError(error, subject: package.path)
        }
    }

    /// Returns what a manifest says about a resource as a record.
    private static func record(of resource: PackageIndex.Resource, in package: PackageReader) -> ResourceRecord {
        var fields = HTTPFields()
        if let type = resource.entry?.mediaType { fields[.contentType] = type }
        if let date = resource.entry?.lastModified { fields[.lastModified] = HTTPDate.format(date) }
        if let date = resource.entry?.expires { fields[.expires] = HTTPDate.format(date) }
        return ResourceRecord(url: resource.url, fields: fields, fetched: Self.date(of: package))
    }

    private static func digest(of member: Int, in package: PackageReader) throws(PackageError) -> String {
        var hash = SHA256()
        do throws(ZipError) {
            try package.archive.forEachChunk(of: package.archive.members[member]) { chunk throws(ZipError) in
                hash.update(bufferPointer: chunk)
            }
        } catch {
            throw PackageError(error, subject: package.path)
        }
        return Hexadecimal.text(hash.finalize())
    }
}
