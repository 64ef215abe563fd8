internal import AFCFiles
internal import AFCHTTP
internal import AFCPackageFormat
internal import AFCText
internal import AFCURL
internal import AFCZip
internal import Crypto

/// A package that is being written.
///
/// Manifest entries and records are made as the resources arrive, sorted by URL. The bodies are written after that, in the
/// order of their dates. Calls block.
final class PackageAssembly {
    private let path: String
    private let options: PackageWriter.Options
    private let cancellation: CancellationFlag
    private var naming = MemberNaming()
    private var manifest: ManifestWriter
    private let manifestText: PackageText
    private let recordsText: PackageText
    private var signing: PackageSigning?
    private var owners: BodyOwners
    private var bodies: MemberQueue
    private var summary = PackageWriter.Summary(resources: 0, redirects: 0, bodyBytes: 0, packageBytes: 0)
    private var line: [UInt8] = []
    private var urls = URLDigest()
    /// The origins of the resources, and the absent URLs that are among these after all.
    private var origins: Set<String> = []
    private var lastOrigin = ""
    private var present: Set<WebURL> = []

    init(path: String, options: PackageWriter.Options, cancellation: CancellationFlag) throws(PackageError) {
        self.path = path
        self.options = options
        self.cancellation = cancellation
        let folder = OutputTarget.folder(for: path)
        owners = BodyOwners(folder: folder)
        bodies = MemberQueue(folder: folder)
        manifest = ManifestWriter(dialect: options.dialect, baseURL: options.baseURL)
        let isSigned = !options.signers.isEmpty
        manifestText = PackageText(PackageLayout.manifest, in: folder, level: options.level, isHashed: isSigned)
        recordsText = PackageText(PackageLayout.records, in: folder, level: options.level, isHashed: isSigned)
        if isSigned { signing = try PackageSigning(path: path, options: options) }
    }

    /// Writes the package.
    func write(_ source: some ResourceSource) throws(PackageError) -> PackageWriter.Summary {
        try noteNames(of: source)
        var zipOptions = ZipWriter.Options()
        zipOptions.modified = options.created.secondsSinceEpoch
        zipOptions.level = options.level
        zipOptions.workers = options.workers
        zipOptions.password = options.password
        let output: ZipOutput
        do throws(ZipError) {
            output = try ZipOutput(to: path, options: zipOptions, cancellation: cancellation)
        } catch {
            throw PackageError(error, subject: path)
        }
        defer { output.abandon() }
        try noteResources(of: source)
        try addBodies(to: output)
        let userData = options.userData.sorted { $0.member.utf8.lexicographicallyPrecedes($1.member.utf8) }
        for data in userData {
            let member = NewMember(name: data.member, content: data.body.content, isCompressible: true)
            if case .spooled(let body) = data.body, let sha256 = data.sha256 {
                let size = body.totals.uncompressedSize
                try signing?.add(PackageDigest.Member(name: data.member, size: size, sha256: sha256))
                try put(member, to: output)
            } else {
                try add(member, to: output)
            }
        }
        try addSidecar(to: output)
        do throws(ZipError) {
            summary.packageBytes = try output.finish()
        } catch {
            throw PackageError(error, subject: path)
        }
        return summary
    }

    private func noteNames(of source: some ResourceSource) throws(PackageError) {
        var last: WebURL?
        try source.forEachURL { url throws(PackageError) in
            try checkCancellation()
            if let last, !(last < url) { throw disorder(url, behind: last) }
            last = url
            naming.note(url)
        }
    }

    private func noteResources(of source: some ResourceSource) throws(PackageError) {
        var last: WebURL?
        try manifestLine { _ throws(ManifestWriter.Refusal) in }
        try source.forEach { resource throws(PackageError) in
            try checkCancellation()
            var resource = resource
            // Removes fields that no package may have, even if the source kept them.
            resource.record.keepPackedFields()
            let url = resource.record.url
            if let last, !(last < url) { throw disorder(url, behind: last) }
            last = url
            if options.provenance != nil { urls.add(url) }
            if let absent = options.absent { note(url, in: absent) }
            if options.writesSidecar {
                line.removeAll(keepingCapacity: true)
                resource.record.write(to: &line)
                try recordsText.append(line, path: path)
            }
            guard var entry = resource.entry, let body = resource.body else {
                summary.redirects += 1
                return
            }
            let name = naming.name(for: url)
            let owner = try owner(of: resource.record, name: name.member)
            entry.member = name.isMade ? name.member : nil
            // The owner's name may be the rule's name as well, for example if two URLs differ only in their scheme.
            if let owner { entry.member = owner == MemberRule.name(for: url) ? nil : owner }
            try manifestLine { manifest throws(ManifestWriter.Refusal) in
                try manifest.append(entry, ruleName: owner ?? name.member)
            }
            summary.resources += 1
            summary.bodyBytes += resource.record.size ?? 0
            guard owner == nil else { return }
            let member = NewMember(name: name.member, content: body.content, isCompressible: resource.isCompressible)
            try signing?.add(member, record: resource.record)
            do throws(ZipError) {
                // What changed since an older package is then side by side, before what has no date.
                try bodies.add(member, rank: entry.lastModified?.secondsSinceEpoch ?? .max)
            } catch {
                throw PackageError(error, subject: path)
            }
        }
    }

    private func note(_ url: WebURL, in absent: AbsentURLs) {
        let origin = url.origin
        if origin != lastOrigin {
            origins.insert(origin)
            lastOrigin = origin
        }
        if absent.status(of: url.description) != nil { present.insert(url) }
    }

    private func addBodies(to output: ZipOutput) throws(PackageError) {
        do throws(ZipError) {
            try bodies.drain { member throws(ZipError) in
                try cancellation.check()
                try output.add(member)
            }
        } catch {
            throw PackageError(error, subject: path)
        }
    }

    /// Returns the member that already holds the same bytes, or nil.
    private func owner(of record: ResourceRecord, name: String) throws(PackageError) -> String? {
        guard options.dialect.namesMembers, let sha256 = record.sha256, let size = record.size else { return nil }
        do throws(ZipError) {
            return try owners.owner(digest: sha256, size: size, name: name)
        } catch {
            throw PackageError(error, subject: path)
        }
    }

    private var provenance: CrawlProvenance? {
        var provenance = options.provenance
        provenance?.resources = urls.text
        return provenance
    }

    private func addSidecar(to output: ZipOutput) throws(PackageError) {
        if options.writesSidecar {
            var info = PackageInfo(
                name: options.name,
                generator: options.generator,
                created: options.created,
                seeds: options.seeds,
                resources: Int64(summary.resources),
                redirects: Int64(summary.redirects),
                bodyBytes: summary.bodyBytes
            )
            if options.provenance == nil { info.missing = options.missing.map { Int64($0) } }
            try add(NewMember(name: PackageLayout.info, content: .bytes(info.bytes), isCompressible: true), to: output)
            if let bytes = provenance?.bytes, bytes.count <= PackageLayout.crawlByteLimit {
                try add(NewMember(name: PackageLayout.crawl, content: .bytes(bytes), isCompressible: true), to: output)
            }
            if let bytes = options.matchRules?.bytes {
                try add(NewMember(name: PackageLayout.match, content: .bytes(bytes), isCompressible: true), to: output)
            }
            if let bytes = options.fallback?.bytes {
                let member = NewMember(name: PackageLayout.fallback, content: .bytes(bytes), isCompressible: true)
                try add(member, to: output)
            }
            let absent = options.absent?.filter { origins.contains($0.origin) && !present.contains($0) }
            if let absent, !absent.isEmpty {
                try add(
                    NewMember(name: PackageLayout.absent, content: .bytes(absent.bytes), isCompressible: true),
                    to: output
                )
            }
            try add(recordsText, to: output)
        }
        // The signature also covers the manifest, which is written after it.
        let text = try manifestText.member(path: path)
        if let digest = manifestText.digest { try signing?.add(digest) }
        if let signature = try signing?.member() { try put(signature, to: output) }
        try put(text, to: output)
    }

    private func add(_ text: PackageText, to output: ZipOutput) throws(PackageError) {
        let member = try text.member(path: path)
        if let digest = text.digest { try signing?.add(digest) }
        try put(member, to: output)
    }

    private func add(_ member: NewMember, to output: ZipOutput) throws(PackageError) {
        try signing?.add(member, record: nil)
        try put(member, to: output)
    }

    private func put(_ member: NewMember, to output: ZipOutput) throws(PackageError) {
        do throws(ZipError) {
            try output.add(member)
        } catch {
            throw PackageError(error, subject: path)
        }
    }

    private func manifestLine(
        _ write: (inout ManifestWriter) throws(ManifestWriter.Refusal) -> Void
    ) throws(PackageError) {
        do throws(ManifestWriter.Refusal) {
            try write(&manifest)
        } catch {
            throw PackageError(error, subject: path)
        }
        line.removeAll(keepingCapacity: true)
        manifest.move(to: &line)
        try manifestText.append(line, path: path)
        if options.keepsManifest { summary.manifest.append(contentsOf: line) }
    }

    private func checkCancellation() throws(PackageError) {
        do throws(ZipError) {
            try cancellation.check()
        } catch {
            throw PackageError(error, subject: path)
        }
    }

    private func disorder(_ url: WebURL, behind last: WebURL) -> PackageError {
        let problem = url == last ? "occurs twice" : "comes after '\(last)', but sorts before it"
        return PackageError(.unwritable, subject: path, message: "the resource '\(url)' \(problem)")
    }
}

extension PackageWriter.Body {
    fileprivate var content: NewMember.Content {
        switch self {
        case .bytes(let bytes): .bytes(bytes)
        case .file(let path): .file(path)
        case .spooled(let body): .deflated(body)
        }
    }
}

/// The SHA-256 of URLs, each followed by a line feed, which identifies the set of resources in a package.
struct URLDigest {
    private var hash = SHA256()

    mutating func add(_ url: WebURL) {
        var text = url.description
        text.append("\n")
        text.withUTF8 { hash.update(bufferPointer: UnsafeRawBufferPointer($0)) }
    }

    /// The digest in hexadecimal digits.
    var text: String { Hexadecimal.text(hash.finalize()) }
}
