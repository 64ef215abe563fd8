internal import AFCHTTP
internal import AFCPackageFormat
internal import AFCText
internal import AFCURL
internal import AFCZip
internal import Crypto
internal import HTTPTypes

/// Reads an old package: intact resources go into ``found``, which also lists everything that is left out.
struct SalvageWork {
    private(set) var found = PackageSalvage()
    private let path: String
    /// The latest time of an edit; nil if bodies must be as recorded.
    private let edited: Timestamp?
    private let archive: SalvagedArchive
    private let names: SalvagedNames
    /// The bodies read so far, by member; nil for damaged ones.
    private var bodies: [Int: Body?] = [:]
    private var used: Set<Int> = []

    private struct Body {
        var sha256: String
        var body: DeflatedBody
        var size: Int64
    }

    init(path: String, edited: Timestamp?, limits: ReadLimits) throws(PackageError) {
        (self.path, self.edited) = (path, edited)
        do throws(ZipError) {
            archive = try SalvagedArchive(path: path, limits: limits)
        } catch {
            throw PackageError(error, subject: path)
        }
        names = SalvagedNames(archive.members)
    }

    mutating func run(_ dialect: ManifestDialect, _ isCancelled: () -> Bool) throws(PackageError) {
        if archive.members.contains(where: { $0.member.encryption != nil }) {
            throw PackageError(
                .locked(rule: "zip.encrypted"),
                subject: path,
                message: "the package is encrypted; decrypt it first"
            )
        }
        if archive.lacksDirectory {
            found.notes.append("the archive's directory is missing or damaged; its members were found by scanning")
        }
        if !names.prefix.isEmpty {
            found.notes.append("the package is in the folder \(PrintableText.quoted(names.prefix)) of the archive")
        }
        if !names.repaired.isEmpty {
            let count = names.repaired.count
            let first = PrintableText.quoted(names.repaired[0])
            found.notes.append(
                count == 1
                    ? "a member's name was repaired: \(first)"
                    : "\(count) members' names were repaired, such as \(first)"
            )
        }
        for member in archive.leftOut { leaveOut(.member, member.name, member.reason) }
        for (name, reason) in names.refused { leaveOut(.member, name, reason) }
        let manifest = try readManifest()
        try readInfo()
        var records = readRecords()
        try readEntries(manifest, &records, isCancelled)
        addRedirects(records)
        if !dialect.namesMembers { leaveOutMadeNames(dialect) }
        leaveOutOthers()
    }

    private mutating func leaveOut(_ kind: PackageSalvage.LeftOut.Kind, _ subject: String, _ reason: String) {
        found.leftOut.append(PackageSalvage.LeftOut(kind: kind, subject: subject, reason: reason))
    }

    // MARK: The manifest

    private mutating func readManifest() throws(PackageError) -> SalvagedManifest {
        guard names.index(of: PackageLayout.patch) == nil else {
            let hasManifest = names.index(of: PackageLayout.manifest) != nil
            let problem = PackageProblem(.isPatch(hasManifest: hasManifest), at: .package)
            throw PackageError(.invalidPackage(rule: problem.rule), subject: path, message: problem.sentence)
        }
        guard let bytes = read(PackageLayout.manifest, limit: PackageLayout.metadataByteLimit) else {
            let reason =
                found.leftOut.last.map { $0.subject.hasSuffix(PackageLayout.manifest) ? ": it \($0.reason)" : "" } ?? ""
            throw PackageError(
                .invalidPackage(rule: ProblemRule.manifestMissing.id),
                subject: path,
                message: "no readable manifest\(reason); without it the members' URLs are unknown"
            )
        }
        let manifest = SalvagedManifest(bytes)
        found.notes += manifest.notes
        for (line, reason) in manifest.leftOut { leaveOut(.line, "line \(line)", reason) }
        found.baseURL = manifest.baseURL.flatMap { try? WebURL($0) }
        return manifest
    }

    private mutating func readEntries(
        _ manifest: SalvagedManifest,
        _ records: inout [WebURL: ResourceRecord],
        _ isCancelled: () -> Bool
    ) throws(PackageError) {
        let fetched = found.created
        for item in manifest.entries {
            guard !isCancelled() else { throw PackageError(.cancelled, subject: path, message: "cancelled") }
            let url = item.entry.url
            guard let index = item.names.lazy.compactMap({ [names] in names.index(of: $0) }).first else {
                let name = PrintableText.quoted(item.names.first ?? "")
                leaveOut(.resource, url.description, "its body \(name) is not in the package")
                continue
            }
            used.insert(index)
            guard let body = body(of: index, for: url) else { continue }
            var record = records.removeValue(forKey: url) ?? Self.record(of: item.entry, fetched: fetched)
            var entry = item.entry
            if let difference = Self.difference(of: record, from: body) {
                guard let edited else {
                    leaveOut(.resource, url.description, difference)
                    continue
                }
                found.edited.append(url)
                Self.noteEdit(of: &record, &entry, at: archive.members[index].member.modified, until: edited)
            }
            (record.size, record.sha256) = (body.size, body.sha256)
            entry.member = nil
            found.resources.append(
                PackageWriter.Resource(record: record, entry: entry, body: .spooled(body.body), isCompressible: false)
            )
        }
        found.resources.sort { $0.record.url < $1.record.url }
        found.edited.sort()
    }

    /// Returns how a body differs from what its record says, as a clause; nil if it doesn't.
    private static func difference(of record: ResourceRecord, from body: Body) -> String? {
        if let size = record.size, size != body.size {
            return "its body has \(body.size) bytes, but its record says \(size)"
        }
        guard let sha256 = record.sha256, sha256 != body.sha256 else { return nil }
        return "its body has a different SHA-256 than its record"
    }

    /// Removes what the server said about the bytes of a body that has been edited since, and gives it the time of the edit, so
    /// that nobody who has the old body is told that it hasn't changed (RFC 9110 §8.8).
    ///
    /// - Parameters:
    ///   - record: The record.
    ///   - entry: The entry.
    ///   - time: When the member was last modified, in seconds since 1970. Zip rounds to two seconds, and knows no zone.
    ///   - now: The latest time to state.
    private static func noteEdit(
        of record: inout ResourceRecord,
        _ entry: inout ManifestEntry,
        at time: Int64?,
        until now: Timestamp
    ) {
        for name in ["ETag", "Content-Length", "Content-Digest", "Repr-Digest", "Digest", "Content-MD5"] {
            if let name = HTTPField.Name(name) { record.fields[name] = nil }
        }
        guard let time = time.map({ min(Timestamp(secondsSinceEpoch: $0), now) }),
            entry.lastModified.map({ $0 < time }) ?? true
        else {
            return
        }
        entry.lastModified = time
        record.fields[.lastModified] = HTTPDate.format(time)
    }

    /// Returns the manifest's information about a resource as response fields.
    private static func record(of entry: ManifestEntry, fetched: Timestamp?) -> ResourceRecord {
        var fields = HTTPFields()
        if let type = entry.mediaType { fields[.contentType] = type }
        if let date = entry.lastModified { fields[.lastModified] = HTTPDate.format(date) }
        if let date = entry.expires { fields[.expires] = HTTPDate.format(date) }
        return ResourceRecord(url: entry.url, fields: fields, fetched: fetched)
    }

    // MARK: Bodies

    /// Reads a body once to verify that it is intact.
    private mutating func body(of index: Int, for url: WebURL) -> Body? {
        if let known = bodies[index] {
            if known == nil { leaveOut(.resource, url.description, "its body is damaged") }
            return known
        }
        let member = archive.members[index].member
        var hash = SHA256()
        do throws(ZipError) {
            try archive.forEachChunk(of: member) { chunk throws(ZipError) in
                hash.update(bufferPointer: chunk)
            }
            let body = Body(
                sha256: Hexadecimal.text(hash.finalize()),
                body: try archive.deflatedBody(of: member),
                size: member.uncompressedSize
            )
            bodies[index] = .some(body)
            return body
        } catch {
            bodies[index] = .some(nil)
            leaveOut(.resource, url.description, "its body is damaged: \(error.message)")
            return nil
        }
    }

    /// Returns a small member's bytes; nil if it is missing or damaged.
    private mutating func read(_ name: String, limit: Int) -> [UInt8]? {
        guard let index = names.index(of: name) else { return nil }
        used.insert(index)
        do throws(ZipError) {
            return try archive.read(archive.members[index].member, maxBytes: limit)
        } catch {
            leaveOut(.member, name, "is damaged: \(error.message)")
            return nil
        }
    }

    // MARK: The sidecar

    private mutating func readInfo() throws(PackageError) {
        let manifest = names.index(of: PackageLayout.manifest)
        found.created = manifest.flatMap { archive.members[$0].member.modified }.map {
            Timestamp(secondsSinceEpoch: $0)
        }
        guard let bytes = read(PackageLayout.info, limit: PackageLayout.metadataByteLimit) else { return }
        do throws(PackageInfo.Malformation) {
            let info = try PackageInfo(bytes)
            found.created = info.created ?? found.created
            found.name = info.name
            found.seeds = info.seeds
        } catch {
            // What this program doesn't know would be lost.
            if case .newerVersion(let version) = error {
                let problem = PackageProblem(.newerFormat(version: version), at: .member(PackageLayout.info))
                throw PackageError(
                    .invalidPackage(rule: problem.rule),
                    subject: path,
                    message: problem.sentence
                )
            }
            leaveOut(.member, PackageLayout.info, "is not in the form that this program writes")
        }
    }

    private mutating func readRecords() -> [WebURL: ResourceRecord] {
        guard let bytes = read(PackageLayout.records, limit: PackageLayout.metadataByteLimit) else { return [:] }
        var records: [WebURL: ResourceRecord] = [:]
        var number = 0
        for line in bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false) {
            number += 1
            guard !line.isEmpty else { continue }
            do throws(ResourceRecord.Malformation) {
                guard line.count <= PackageLayout.lineByteLimit else {
                    throw .notJSON(offset: PackageLayout.lineByteLimit)
                }
                let record = try Array(line).withUnsafeBufferPointer { line throws(ResourceRecord.Malformation) in
                    try ResourceRecord(line: line)
                }
                if records[record.url] == nil {
                    records[record.url] = record
                } else {
                    leaveOut(.record, "record \(number)", "'\(record.url)' already has a record")
                }
            } catch {
                leaveOut(.record, "record \(number)", "is not in the form that this program writes")
            }
        }
        return records
    }

    private mutating func addRedirects(_ records: [WebURL: ResourceRecord]) {
        let known = Set(found.resources.map(\.record.url))
        for record in records.values.sorted(by: { $0.url < $1.url }) {
            if record.isRedirect, !known.contains(record.url) {
                var record = record
                (record.size, record.sha256) = (nil, nil)
                found.resources.append(
                    PackageWriter.Resource(record: record, entry: nil, body: nil, isCompressible: false)
                )
            } else if !record.isRedirect, edited == nil {
                leaveOut(.record, record.url.description, "its record has no entry in the manifest")
            }
        }
        found.resources.sort { $0.record.url < $1.record.url }
    }

    // MARK: The rest

    private mutating func leaveOutMadeNames(_ dialect: ManifestDialect) {
        let names = MemberNaming.names(forSorted: found.resources.filter { $0.entry != nil }.map(\.record.url))
        var made: Set<WebURL> = []
        for (resource, name) in zip(found.resources.filter { $0.entry != nil }, names) where name.isMade {
            made.insert(resource.record.url)
            let reason = "the dialect '\(dialect.rawValue)' has no field for the name of its body's member"
            leaveOut(.resource, resource.record.url.description, reason)
        }
        found.resources.removeAll { made.contains($0.record.url) }
    }

    private mutating func leaveOutOthers() {
        for (name, index) in names.members(below: PackageLayout.userDataFolder) where used.insert(index).inserted {
            let member = archive.members[index].member
            var hash = SHA256()
            do throws(ZipError) {
                try archive.forEachChunk(of: member) { chunk throws(ZipError) in hash.update(bufferPointer: chunk) }
                let sha256 = Hexadecimal.text(hash.finalize())
                let body = try archive.deflatedBody(of: member)
                found.userData.append(PackageWriter.UserData(member: name, body: body, sha256: sha256))
            } catch {
                leaveOut(.member, name, "is damaged: \(error.message)")
            }
        }
        if let index = names.index(of: PackageLayout.signature), used.insert(index).inserted {
            if edited != nil {
                found.notes.append("the signature was removed, since it is only valid for the package before the edits")
            } else {
                leaveOut(.signature, PackageLayout.signature, "the signature is only valid for the old package")
            }
        }
        // It describes the crawl that made the old package, not this one.
        if let index = names.index(of: PackageLayout.crawl) { used.insert(index) }
        takeMatchRules()
        takeFallback()
        takeAbsent()
        for (index, name) in names.names.enumerated() {
            guard let name, !used.contains(index) else { continue }
            let isOutside = !name.hasPrefix(names.prefix)
            let shown = isOutside ? name : String(name.dropFirst(names.prefix.count))
            if shown.hasPrefix(PackageLayout.sidecarFolder) || shown.hasPrefix("__MACOSX/") { continue }
            leaveOut(.member, shown, isOutside ? "is outside the package's folder" : "no entry names it")
        }
    }

    private mutating func takeMatchRules() {
        guard let bytes = read(PackageLayout.match, limit: PackageLayout.matchByteLimit) else { return }
        do throws(MatchRules.Malformation) {
            found.matchRules = try MatchRules(bytes)
        } catch {
            leaveOut(.member, PackageLayout.match, error.reason)
        }
    }

    private mutating func takeAbsent() {
        guard let bytes = read(PackageLayout.absent, limit: PackageLayout.absentByteLimit) else { return }
        do throws(AbsentURLs.Malformation) {
            found.absent = try AbsentURLs(bytes)
        } catch {
            leaveOut(.member, PackageLayout.absent, error.reason)
        }
    }

    private mutating func takeFallback() {
        guard let bytes = read(PackageLayout.fallback, limit: PackageLayout.fallbackByteLimit) else { return }
        do throws(FallbackRules.Malformation) {
            let rules = try FallbackRules(bytes)
            let kept = Set(found.resources.filter { $0.entry != nil && $0.record.status == 200 }.map(\.record.url))
            guard rules.pages.allSatisfy({ kept.contains($0.url) }) else {
                return leaveOut(.member, PackageLayout.fallback, "a page that it names is not in the new package")
            }
            found.fallback = rules
        } catch {
            leaveOut(.member, PackageLayout.fallback, error.reason)
        }
    }
}
