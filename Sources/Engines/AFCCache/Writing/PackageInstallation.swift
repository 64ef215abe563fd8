internal import AFCFiles
public import AFCHTTP
public import AFCPackageFile
public import AFCPackageFormat
import AFCPlatform
public import AFCText
public import AFCZip

/// Options for loading a package.
///
/// For an update, nil leaves a value unchanged.
public struct InstallOptions: Sendable {
    /// The name of the package in the cache; nil for the one that the package states.
    public var name: String?
    /// The name if the package states none; nil for the file's name without its extension.
    public var defaultName: String?
    /// Names that the package must not get, since other packages that are loaded at the same time have them.
    public var refusedNames: Set<String> = []
    /// The user's settings for the package.
    public var settings = PackageSettings.Change()
    /// The source of the package, which is stored for later updates from there.
    public var source: String?
    /// Returns the source to store instead of ``source``, for the digest of the package's contents in hexadecimal
    /// digits; nil if the digest isn't needed.
    public var sourceWithDigest: (@Sendable (_ digest: String) -> String)?
    /// The rules for which signers are trusted.
    public var trust = TrustPolicy()
    /// The password that decrypts the package.
    public var password: Password?
    /// The package's file, if it was opened and hashed already; it is loaded whatever the path names meanwhile.
    public var file: HashedFile?
    /// The SHA-256 that the package's file must have, in lower-case hexadecimal digits.
    public var sha256: String?
    /// The digest that the package's contents must have, in lower-case hexadecimal digits; see
    /// docs/reference/signatures.md.
    public var digest: String?
    /// True to load a signed package even if it is older than the one that it replaces.
    public var allowsOlder = false
    /// The members whose data the package's file lacks, because the cache holds their bodies; see
    /// ``DiskCache/heldMembers(of:replacing:)``.
    ///
    /// Each body is hashed again as it is linked; without one of them, the package isn't loaded.
    public var held = MemberSet()
    /// The waiting time for another writer.
    public var patience = WriterPatience()
    /// The number of threads for extraction; nil for one per processor.
    public var workers: Int?

    /// Creates options with the defaults.
    public init() {}
}

/// The result of loading a package.
public struct InstallReport: Sendable, Equatable {
    /// The package after loading.
    public var package: InstalledPackage
    /// True if the package replaced one with the same name.
    public var isUpdate: Bool
    /// True if the replaced package had the same resources; the generation before it then stays the previous one.
    public var isSame: Bool
    /// True if the replaced package was found to be damaged before, and so was loaded again.
    public var isRepair = false
    /// The hosts of the replaced package, at most three, if the package has nothing of any of them.
    public var hostsBefore: [String]
    /// The time when the replaced package was made, if it is newer than the loaded one.
    public var youngerBefore: Timestamp?
    /// The number of bodies that were written.
    public var writtenBodies: Int
    /// The number of bodies that share their files with the previous generation.
    public var sharedBodies: Int
    /// The signers of the package.
    public var signature: SignatureVerdict
    /// The evicted items, in words: names of packages, and numbers of entries.
    public var evicted: [String]
    /// The error because of which received responses still exceed the cache's limits; the next one causes their
    /// eviction.
    public var evictionFailure: CacheError?
}

/// The loading of a package: it extracts, checks and syncs the bodies, then makes them visible by one change of the catalogue.
struct PackageInstallation {
    private let change: CatalogueChange
    private let room: RoomMaker
    /// The packages whose place the installed one may take.
    private let mounts: Mounts
    private let options: InstallOptions
    private let now: Timestamp

    init(
        _ change: CatalogueChange,
        received: ReceivedArea,
        mounts: Mounts,
        options: InstallOptions,
        now: Timestamp
    ) {
        (self.change, self.mounts, self.options, self.now) = (change, mounts, options, now)
        room = RoomMaker(change, received: received, now: now)
    }

    /// Loads a package from a file; if that fails, the cache is unchanged.
    func run(_ packagePath: String) throws(CacheError) -> InstallReport {
        if let name = options.name { try Self.check(name) }
        let layout = change.layout
        let package: PackageReader
        let file: HashedFile?
        do throws(PackageError) {
            file = if let file = options.file { file } else { try hashed(packagePath) }
            package = try PackageReader(
                path: packagePath,
                password: options.password,
                folder: layout.staging,
                keepsDigests: needsDigest,
                file: file?.file
            )
            if let file, let sha256 = options.sha256 { try file.require(sha256, packagePath) }
            try package.requireLoadable()
            try package.requireSigner(options.trust)
        } catch {
            throw CacheError(error)
        }
        let catalogue = change.catalogue
        let known = catalogue.packages
        let stated = try name(of: package, packagePath)
        let replaced = known.first { $0.name == stated }
        // Names that differ only in Unicode's composition are the same.
        let name = replaced?.name ?? stated
        try requireYounger(
            package,
            than: replaced?.current ?? mounts.packages.first { $0.name == name }?.generation
        )
        try requireContents(of: package, replacing: replaced)
        let contents = GenerationContents(package, now: now)
        let limits = catalogue.limits
        try limits.requireRoom(
            for: package.index.bodyBytes,
            entries: package.index.resources.count,
            besides: known.filter { $0.settings.isPinned && $0.name != name },
            subject: packagePath
        )
        let folder = OwnName.generation()
        let staged = layout.staged(folder)
        do throws(CacheError) {
            let extracted = try Extraction.run(
                package,
                contents,
                into: staged,
                sharingWith: replaced.map { layout.generation($0.current.folder) },
                held: held(by: known, after: replaced, for: package),
                keepsDigests: needsDigest,
                workers: options.workers ?? ParallelWork.processors
            )
            let (signature, digest) = try verify(package, extracted)
            if let file { do throws(PackageError) { try file.requireUnchanged() } catch { throw CacheError(error) } }
            // Loading the same package again replaces possibly damaged files, and keeps the previous generation.
            let isSame = replaced?.current.indexDigest == extracted.indexDigest
            let generation = Generation(
                id: catalogue.next,
                folder: folder,
                created: contents.date,
                loaded: now,
                generator: package.index.info?.generator,
                seeds: package.index.info?.seeds ?? [],
                resources: package.index.resources.count,
                bodyBytes: package.index.bodyBytes,
                sharedBytes: isSame
                    ? min(extracted.sharedBytes, replaced?.current.sharedBytes ?? 0) : extracted.sharedBytes,
                latestExpiry: extracted.summary.latestExpiry,
                missing: package.missing,
                indexDigest: extracted.indexDigest,
                source: digest.flatMap { options.sourceWithDigest?($0) } ?? options.source,
                signers: signature.trusted.map(\.key.id),
                origins: extracted.summary.origins
            )
            var row = CataloguedPackage(
                name: name,
                settings: (replaced?.settings ?? PackageSettings()).applying(options.settings),
                current: generation,
                older: (isSame ? replaced?.older : replaced?.generations) ?? []
            )
            row.trim(now: now)
            let staging = try OpenFolder(path: layout.root).folder("staging")
            try CatalogueRecord.write(
                CatalogueRecord.bytes(CatalogueRecord.package(row, for: row.current), in: catalogue),
                to: staged.open(),
                by: staging
            )
            try GenerationRules(package.index).write(to: staged.open(), by: staging)
            try change.note(folder)
            try Folders.sync(layout.staging)
            try change.moveIntoPlace(folder)
            let committed = row
            let (evicted, failure) = try room.commit(limits, keeping: name) { $0[name] = committed }
            // Only a version that is current, or may be again after a rollback, needs its search index.
            if row.older.count > 1 { SearchFile.remove(from: row.older[1].folder, in: layout) }
            return InstallReport(
                package: InstalledPackage(try change.package(name)),
                isUpdate: replaced != nil,
                isSame: isSame,
                hostsBefore: hosts(of: replaced, before: generation),
                youngerBefore: replaced?.current.created.flatMap { contents.date < $0 ? $0 : nil },
                writtenBodies: extracted.written,
                sharedBodies: extracted.shared,
                signature: signature,
                evicted: evicted,
                evictionFailure: failure
            )
        } catch {
            // The next writer removes what can't be removed now. It does so, too, if the old catalogue, which doesn't
            // have the generation, may be back after a power failure.
            try? OpenFolder(path: layout.root).folder("staging").remove(folder)
            if !change.isUncertain { try? change.removeLeftovers() }
            throw error
        }
    }

    /// Returns the name that the package gets.
    private func name(of package: PackageReader, _ path: String) throws(CacheError) -> String {
        let name =
            options.name ?? package.index.info?.name ?? options.defaultName ?? PackageSource.defaultName(of: path)
        try Self.check(name)
        guard !options.refusedNames.contains(name) else {
            throw CacheError(
                .badName,
                subject: path,
                message:
                    "another package that is loaded with it has the same name, \(PrintableText.quoted(name)), so one "
                    + "would replace the other",
                remedy: .namePackage
            )
        }
        return name
    }

    /// Returns hosts of a package that is replaced by one of other hosts.
    private func hosts(of replaced: CataloguedPackage?, before generation: Generation) -> [String] {
        guard let replaced else { return [] }
        let hosts = Set(generation.origins.map(\.host))
        let before = Set(replaced.current.origins.map(\.host))
        return before.isDisjoint(with: hosts) ? Array(before.sorted().prefix(3)) : []
    }

    /// Finds the bodies that the package's file lacks, first in the generation that it replaces.
    private func held(
        by packages: [CataloguedPackage],
        after replaced: CataloguedPackage?,
        for package: PackageReader
    ) -> HeldBodies? {
        guard !options.held.isEmpty else { return nil }
        let layouts = Self.generations(of: packages, first: replaced).map { change.layout.generation($0.folder) }
        return HeldBodies(options.held, of: package, in: layouts, replacing: replaced?.current.folder)
    }

    /// Returns the generations of packages, those of one of them first.
    static func generations(of packages: [CataloguedPackage], first: CataloguedPackage?) -> [Generation] {
        (first?.generations ?? []) + packages.filter { $0.name != first?.name }.flatMap(\.generations)
    }

    /// Refuses a signed package that is older than the one that it would replace.
    ///
    /// Whoever can replace a package by another that the same key signed could otherwise bring back an old one. The
    /// signature itself is verified later; until then nothing is visible.
    private func requireYounger(_ package: PackageReader, than replaced: Generation?) throws(CacheError) {
        guard !options.allowsOlder, let installed = replaced?.created, let created = package.index.info?.created,
            created < installed
        else { return }
        do throws(PackageError) {
            guard try !package.claimedSignatures().isEmpty else { return }
        } catch {
            throw CacheError(error)
        }
        throw CacheError(
            .olderPackage,
            subject: package.path,
            message: "the signed package was created \(created.iso8601), before the one that it would replace "
                + "(\(installed.iso8601)); somebody may have brought back an old version",
            remedy: .allowOlder
        )
    }

    /// Refuses a package without resources in place of one that has some: whoever made it had probably nothing to put in.
    private func requireContents(of package: PackageReader, replacing replaced: CataloguedPackage?) throws(CacheError) {
        guard package.index.resources.isEmpty, let replaced, replaced.current.resources > 0 else { return }
        throw CacheError(
            .package(.invalidPackage(rule: "manifest.empty")),
            subject: package.path,
            message:
                "the package has no resources, and would replace \(PrintableText.quoted(replaced.name)), which has "
                + "\(replaced.current.resources)",
            remedy: .removePackage(replaced.name)
        )
    }

    /// Opens and hashes the package's file if its digest must be compared.
    private func hashed(_ path: String) throws(PackageError) -> HashedFile? {
        options.sha256 == nil ? nil : try HashedFile(path: path)
    }

    private var needsDigest: Bool { options.digest != nil || options.sourceWithDigest != nil }

    /// Verifies the contents, and returns their digest if it is needed.
    private func verify(
        _ package: PackageReader,
        _ extracted: Extraction.Result
    ) throws(CacheError) -> (SignatureVerdict, digest: String?) {
        do throws(PackageError) {
            let digest = needsDigest ? try package.contentDigest { extracted.digests[$0] }.hexadecimal : nil
            if let expected = options.digest, digest != expected {
                throw PackageError(
                    .invalidPackage(rule: "package.digest"),
                    subject: package.path,
                    message: "the package's contents have the digest \(digest ?? ""), not \(expected); "
                        + "ask its publisher which is right"
                )
            }
            return (try package.verifySignature(policy: options.trust) { extracted.digests[$0] }, digest)
        } catch {
            throw CacheError(error)
        }
    }

    /// Checks that a name is a single line, since names are displayed and written into lists.
    static func check(_ name: String) throws(CacheError) {
        guard PackageName.isValid(name) else {
            throw CacheError(
                .badName,
                subject: PrintableText.quoted(name),
                message: "a package's name must have 1 to 255 bytes and no control characters",
                remedy: .namePackage
            )
        }
    }
}

extension HashedFile {
    fileprivate func require(_ expected: String, _ path: String) throws(PackageError) {
        guard sha256 == expected else {
            throw PackageError(
                .invalidPackage(rule: "package.digest"),
                subject: path,
                message: "the package has the SHA-256 \(sha256), not \(expected); ask its publisher which is right"
            )
        }
    }
}
