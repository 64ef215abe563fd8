internal import AFCFiles
public import AFCHTTP
internal import AFCPackageFile
public import AFCPackageFormat
import AFCPlatform
internal import AFCText
public import AFCZip
internal import GRDB

/// How a package is loaded; what is nil stays as it was when a package of the name is there already.
public struct InstallOptions: Sendable {
    /// Under what name it is kept; nil for the file's name without its suffix.
    public var name: String?
    /// What the user decides of it.
    public var settings = PackageSettings.Change()
    /// Where the package came from, kept for those who ask there again.
    public var source: String?
    /// Whose packages are taken.
    public var trust = TrustPolicy()
    /// What decrypts the package.
    public var password: Password?
    /// The SHA-256 that the package's file must have, in lower-case hexadecimal digits.
    public var sha256: String?
    /// How long to wait for another writer.
    public var patience = WriterPatience()
    /// How many threads extract; nil for one each processor.
    public var workers: Int?

    /// Creates options with the defaults.
    public init() {}
}

/// What loading a package did.
public struct InstallReport: Sendable, Equatable {
    /// The package as it is now.
    public var package: InstalledPackage
    /// True if it replaced one of its name.
    public var isUpdate: Bool
    /// When the package was made that it replaced, where that is younger.
    public var youngerBefore: Timestamp?
    /// How many bodies were written.
    public var writtenBodies: Int
    /// How many are the files of the generation before.
    public var sharedBodies: Int
    /// Who signed the package.
    public var signature: SignatureVerdict
    /// What left to make room, in words: names of packages, and how many entries.
    public var evicted: [String]
}

/// The loading of a package: the bodies aside, checked and synced, then one transaction that makes it visible.
struct PackageInstallation {
    private let change: CatalogueChange
    private let room: RoomMaker
    private let options: InstallOptions
    private let now: Timestamp

    init(_ change: CatalogueChange, received: ReceivedArea, options: InstallOptions, now: Timestamp) {
        (self.change, self.options, self.now) = (change, options, now)
        room = RoomMaker(change, received: received, now: now)
    }

    /// Loads the package of a file; where that fails, the cache is as it was.
    func run(_ packagePath: String) throws(CacheError) -> InstallReport {
        let name = options.name ?? Self.defaultName(of: packagePath)
        try Self.check(name)
        let layout = change.layout
        let package: PackageReader
        do throws(PackageError) {
            package = try PackageReader(path: packagePath, password: options.password)
            if let sha256 = options.sha256 { try package.requireDigest(sha256) }
            try package.requireLoadable()
            try package.requireSigner(options.trust)
        } catch {
            throw CacheError(error)
        }
        let known = try change.packages()
        let replaced = known.first { $0.name == name }
        let contents = GenerationContents(package, now: now)
        let limits = try change.read { try CacheLimits.fetch($0) }
        try limits.requireRoom(
            for: contents.bodyBytes,
            entries: package.index.resources.count,
            besides: known.filter { $0.settings.isPinned && $0.name != name },
            subject: packagePath
        )
        let folder = OwnName.generation()
        let staged = layout.staged(folder)
        var isCommitting = false
        do throws(CacheError) {
            let extracted = try Extraction.run(
                package,
                contents,
                into: staged,
                sharingWith: replaced.map { layout.generation($0.current.folder) },
                workers: options.workers ?? Int(sysconf(Int32(_SC_NPROCESSORS_ONLN)))
            )
            let signature = try verify(package, extracted, options.trust)
            // The same package once more takes the place of what may be damaged, and what was before that stays.
            let isSame = replaced?.current.indexDigest == extracted.indexDigest
            let generation = Generation(
                id: try change.nextGeneration(),
                folder: folder,
                created: contents.date,
                loaded: now,
                generator: package.index.info?.generator,
                seeds: package.index.info?.seeds ?? [],
                resources: package.index.resources.count,
                bodyBytes: contents.bodyBytes,
                sharedBytes: isSame
                    ? min(extracted.sharedBytes, replaced?.current.sharedBytes ?? 0) : extracted.sharedBytes,
                latestExpiry: contents.latestExpiry,
                indexDigest: extracted.indexDigest,
                source: options.source,
                signers: signature.trusted.map(\.key.id)
            )
            let row = CataloguedPackage(
                name: name,
                settings: (replaced?.settings ?? PackageSettings()).applying(options.settings),
                current: generation,
                previous: isSame ? replaced?.previous : replaced?.current
            )
            let staging = try OpenFolder(path: layout.root).folder("staging")
            let record = CatalogueExtract.bytes(row, contents.origins, limits: limits)
            try CatalogueExtract.write(record, to: staged.open(), by: staging)
            try change.note(folder)
            try Folders.sync(layout.staging)
            try change.moveIntoPlace(folder)
            isCommitting = true
            let evicted = try room.commit(limits, keeping: name) { db in
                var row = row
                row.current.id = try row.current.insert(into: db, origins: contents.origins)
                try row.save(to: db)
            }
            return InstallReport(
                package: InstalledPackage(try change.package(name)),
                isUpdate: replaced != nil,
                youngerBefore: replaced?.current.created.flatMap { contents.date < $0 ? $0 : nil },
                writtenBodies: extracted.written,
                sharedBodies: extracted.shared,
                signature: signature,
                evicted: evicted
            )
        } catch {
            // What can't be removed now is removed by the next writer. So is a generation whose transaction failed: after an
            // I/O error only the next look at the catalogue tells whether it was committed.
            try? OpenFolder(path: layout.root).folder("staging").remove(folder)
            if !isCommitting { try? change.removeLeftovers() }
            throw error
        }
    }

    private func verify(_ package: PackageReader, _ extracted: Extraction.Result, _ policy: TrustPolicy)
        throws(CacheError) -> SignatureVerdict
    {
        do throws(PackageError) {
            return try package.verifySignature(bodyDigests: extracted.digests, policy: policy)
        } catch {
            throw CacheError(error)
        }
    }

    private static func defaultName(of path: String) -> String {
        let file = path.split(separator: "/").last.map(String.init) ?? path
        guard let dot = file.lastIndex(of: "."), dot != file.startIndex else { return file }
        return String(file[..<dot])
    }

    /// A name is shown to people and written into lists, so it is one line.
    private static func check(_ name: String) throws(CacheError) {
        let isPlain = name.unicodeScalars.allSatisfy { scalar in
            switch scalar.properties.generalCategory {
            case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate: false
            default: true
            }
        }
        guard !name.isEmpty, name.utf8.count <= 255, isPlain else {
            throw CacheError(
                .badName,
                subject: PrintableText.quoted(name),
                message: "a package's name must have 1 to 255 bytes and no control characters",
                remedy: .namePackage
            )
        }
    }
}

extension PackageReader {
    fileprivate func requireDigest(_ expected: String) throws(PackageError) {
        let found = try fileDigest()
        guard found == expected else {
            throw PackageError(
                .invalidPackage(rule: "package.digest"),
                subject: path,
                message: "the package has the SHA-256 \(found), not \(expected); ask its publisher which is right"
            )
        }
    }
}
