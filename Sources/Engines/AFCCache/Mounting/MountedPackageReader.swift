internal import AFCFiles
internal import AFCHTTP
internal import AFCPackageFile
internal import AFCPackageFormat
import AFCPlatform
internal import AFCText
internal import AFCZip
internal import Crypto

/// Reads what a mounted package needs: from the folder for that, or from the package.
struct MountedPackageReader {
    /// The most files in the folder, and the most bytes of all of them.
    private static let countLimit = 64
    private static let byteLimit: Int64 = 1 << 30
    private static let suffix = ".mount"

    private let path: String
    private let options: MountedPackages.Options
    private let now: Timestamp

    init(_ path: String, _ options: MountedPackages.Options, now: Timestamp) {
        (self.path, self.options, self.now) = (path, options, now)
    }

    /// A package's file, its identity when it was opened, and what is known about it.
    typealias Opened = (file: OpenFile, identity: FileIdentity, record: MountFile)

    /// Opens the package.
    ///
    /// - Parameter indexes: Indexes made beforehand; the one of this package is removed, and used.
    /// - Returns: The package.
    /// - Throws: ``CacheError`` if the package can't be read, or can't be loaded.
    func open(_ indexes: inout [PreparedIndex]) throws(CacheError) -> Opened {
        if let prepared = try prepared(&indexes), isTrusted(prepared.record) { return prepared }
        if let known = try known(), isTrusted(known.record) { return known }
        let (package, identity, signers) = try Self.read(path, options.trust)
        let isKept = package.index.resources.count >= options.keptResources
        let record = try write(package, identity, signers, isKept: isKept)
        try Self.requireUnchanged(package, identity)
        return (package.archive.file, identity, record)
    }

    /// Returns true if the signers are trusted; else the package itself says why it is refused.
    private func isTrusted(_ record: MountFile) -> Bool {
        !options.trust.requiresSignature || record.signers.contains { options.trust.trusted.contains($0) }
    }

    /// Reads and checks a package that is not encrypted, and verifies its signatures.
    private static func read(
        _ path: String,
        _ trust: TrustPolicy
    ) throws(CacheError) -> (PackageReader, FileIdentity, signers: [PublicKey]) {
        do throws(PackageError) {
            let package = try PackageReader(path: path)
            let identity = try identity(package)
            try package.requireLoadable()
            let verdict = try package.verifySignature(policy: trust)
            return (package, identity, (verdict.trusted + verdict.unknown).map(\.key))
        } catch {
            guard case .locked = error.code else { throw CacheError(error) }
            let message = "an encrypted package can't be served from its file; load it into a cache"
            throw CacheError(.package(error.code), subject: path, message: message)
        }
    }

    private static func requireUnchanged(_ package: PackageReader, _ identity: FileIdentity) throws(CacheError) {
        guard try FileIdentity(package.archive.file) == identity else {
            throw CacheError(
                .inputOutput,
                subject: package.path,
                message: "the package was changed while it was read; mount it again"
            )
        }
    }

    // MARK: Indexes made beforehand

    /// An index that was made for a package beforehand.
    struct PreparedIndex {
        let file: MountFile

        /// Opens an index.
        ///
        /// - Throws: ``CacheError`` if the file can't be opened, or isn't an index.
        init(_ path: String) throws(CacheError) {
            guard let descriptor = Descriptor.open(path, O_RDONLY) else { throw .system("cannot open", path: path) }
            do throws(CacheError) {
                file = try MountFile(descriptor, path: path)
            } catch {
                throw Self.unusable(path, "this isn't an index of a package, or it is damaged; make it again")
            }
        }

        static func unusable(_ path: String, _ message: String) -> CacheError {
            CacheError(.damaged, subject: path, message: message)
        }
    }

    private func prepared(_ indexes: inout [PreparedIndex]) throws(CacheError) -> Opened? {
        guard !indexes.isEmpty else { return nil }
        let file = try openPackage()
        let identity = try FileIdentity(file)
        let source = MountSource.package(try PackageSeal(file))
        guard let place = indexes.firstIndex(where: { $0.file.source == source }) else { return nil }
        return (file, identity, indexes.remove(at: place).file)
    }

    private func openPackage() throws(CacheError) -> OpenFile {
        try onDisk { () throws(FileError) in try OpenFile(reading: path) }
    }

    /// Writes the index of a package to a file that goes with it.
    static func writeIndex(of path: String, to target: String, now: Timestamp) throws(CacheError) {
        let (package, identity, signers) = try read(path, TrustPolicy())
        let seal = try PackageSeal(package.archive.file)
        let output = try onDisk { () throws(FileError) in try OutputTarget(target) }
        let draft = output.draft("index")
        do throws(CacheError) {
            try MountFile.write(to: draft, package, signers, source: .package(seal), now: now)
            try requireUnchanged(package, identity)
            try onDisk { () throws(FileError) in try output.put(draft) }
        } catch {
            unlink(draft)
            throw error
        }
    }

    private static func identity(_ package: PackageReader) throws(PackageError) -> FileIdentity {
        do throws(CacheError) {
            return try FileIdentity(package.archive.file)
        } catch {
            throw PackageError(.inputOutput, subject: package.path, message: error.message)
        }
    }

    /// The folder for what was read, if it exists, and only this user and root can change it.
    private var folder: OpenFolder? {
        guard let path = options.indexFolder, let folder = try? OpenFolder(path: path), folder.isOwn else { return nil }
        return folder
    }

    /// Returns the package if it was read before, and is unchanged.
    private func known() throws(CacheError) -> Opened? {
        guard let folder else { return nil }
        let file = try openPackage()
        let identity = try FileIdentity(file)
        let name = Self.name(identity)
        // A file that can't be read is replaced.
        guard let descriptor = try? folder.file(name),
            let record = try? MountFile(descriptor, path: folder.path + "/" + name), record.source == .file(identity)
        else { return nil }
        return (file, identity, record)
    }

    /// The name of the file for a package, by its place on the disk: a changed package replaces its old file.
    private static func name(_ identity: FileIdentity) -> String {
        let text = identity.numbers.prefix(2).map(String.init).joined(separator: " ")
        return Hexadecimal.text(SHA256.hash(data: Array(text.utf8)).prefix(16)) + suffix
    }

    private func write(
        _ package: PackageReader,
        _ identity: FileIdentity,
        _ signers: [PublicKey],
        isKept: Bool
    ) throws(CacheError) -> MountFile {
        if isKept, let path = options.indexFolder {
            do throws(CacheError) {
                return try keep(package, identity, signers, in: path)
            } catch {
                // A folder that is full or can't be written to is no reason not to serve.
                options.onNotKept(self.path, error)
            }
        }
        let name = OwnName.temporary()
        let draft = OutputTarget.temporaryFolder + "/afcache-" + name
        defer { unlink(draft) }
        return try write(package, identity, signers, at: draft, isKept: false)
    }

    /// Writes what was read to a file in the folder.
    private func keep(
        _ package: PackageReader,
        _ identity: FileIdentity,
        _ signers: [PublicKey],
        in path: String
    ) throws(CacheError) -> MountFile {
        try Folders.make(path, mode: 0o700)
        let folder = try OpenFolder(path: path)
        try folder.requireOwn()
        let (name, kept) = (OwnName.temporary(), Self.name(identity))
        let draft = folder.path + "/" + name
        do throws(CacheError) {
            let record = try write(package, identity, signers, at: draft, isKept: true)
            guard renameat(folder.descriptor, name, folder.descriptor, kept) == 0 else {
                throw .system("cannot rename", path: draft)
            }
            Self.tidy(folder, keeping: kept)
            return record
        } catch {
            unlink(draft)
            throw error
        }
    }

    private func write(
        _ package: PackageReader,
        _ identity: FileIdentity,
        _ signers: [PublicKey],
        at draft: String,
        isKept: Bool
    ) throws(CacheError) -> MountFile {
        try MountFile.write(to: draft, package, signers, source: .file(identity), now: now)
        guard let descriptor = Descriptor.open(draft, O_RDONLY | O_NOFOLLOW) else {
            throw .system("cannot open", path: draft)
        }
        guard !isKept || Descriptor.sync(descriptor) else {
            close(descriptor)
            throw .system("cannot sync", path: draft)
        }
        return try MountFile(descriptor, path: draft)
    }

    /// Removes the oldest files if there are too many.
    private static func tidy(_ folder: OpenFolder, keeping kept: String) {
        let names = ((try? folder.names()) ?? []).filter { $0.hasSuffix(suffix) && $0 != kept }
        var files = names.compactMap { name -> (name: String, time: FileTime, size: Int64)? in
            guard let status = try? folder.status(of: name) else { return nil }
            return (name, FileTime(status), Int64(status.st_size))
        }
        files.sort { $0.time > $1.time }
        var (count, bytes) = (1, (try? folder.status(of: kept)).flatMap { $0.map { Int64($0.st_size) } } ?? 0)
        for file in files {
            count += 1
            bytes += file.size
            if count > countLimit || bytes > byteLimit { try? folder.removeFile(file.name) }
        }
    }
}
