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

    /// Opens the package.
    func open() throws(CacheError) -> (OpenFile, MountFile) {
        if let known = try known() { return known }
        let package: PackageReader
        let identity: FileIdentity
        do throws(PackageError) {
            package = try PackageReader(path: path)
            identity = try Self.identity(package)
            try package.requireLoadable()
            _ = try package.verifySignature(policy: TrustPolicy())
        } catch {
            guard case .locked = error.code else { throw CacheError(error) }
            let message = "an encrypted package can't be served from its file; load it into a cache"
            throw CacheError(.package(error.code), subject: path, message: message)
        }
        let isKept = package.index.resources.count >= options.keptResources
        let record = try write(package, identity, isKept: isKept)
        guard try FileIdentity(package.archive.file) == identity else {
            throw CacheError(
                .inputOutput,
                subject: path,
                message: "the package was changed while it was read; mount it again"
            )
        }
        return (package.archive.file, record)
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
    private func known() throws(CacheError) -> (OpenFile, MountFile)? {
        guard let folder else { return nil }
        let file: OpenFile
        do throws(FileError) {
            file = try OpenFile(reading: path)
        } catch {
            throw CacheError(error)
        }
        let identity = try FileIdentity(file)
        let name = Self.name(identity)
        // A file that can't be read is replaced.
        guard let descriptor = try? folder.file(name),
            let record = try? MountFile(descriptor, path: folder.path + "/" + name), record.identity == identity
        else { return nil }
        return (file, record)
    }

    /// The name of the file for a package, by its place on the disk: a changed package replaces its old file.
    private static func name(_ identity: FileIdentity) -> String {
        let text = identity.numbers.prefix(2).map(String.init).joined(separator: " ")
        return Hexadecimal.text(SHA256.hash(data: Array(text.utf8)).prefix(16)) + suffix
    }

    private func write(
        _ package: PackageReader,
        _ identity: FileIdentity,
        isKept: Bool
    ) throws(CacheError) -> MountFile {
        if isKept, let path = options.indexFolder {
            do throws(CacheError) {
                return try keep(package, identity, in: path)
            } catch {
                // A folder that is full or can't be written to is no reason not to serve.
                options.onNotKept(self.path, error)
            }
        }
        let name = OwnName.temporary()
        let draft = OutputTarget.temporaryFolder + "/afcache-" + name
        defer { unlink(draft) }
        return try write(package, identity, at: draft, isKept: false)
    }

    /// Writes what was read to a file in the folder.
    private func keep(
        _ package: PackageReader,
        _ identity: FileIdentity,
        in path: String
    ) throws(CacheError) -> MountFile {
        try Folders.make(path, mode: 0o700)
        let folder = try OpenFolder(path: path)
        try folder.requireOwn()
        let (name, kept) = (OwnName.temporary(), Self.name(identity))
        let draft = folder.path + "/" + name
        do throws(CacheError) {
            let record = try write(package, identity, at: draft, isKept: true)
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
        at draft: String,
        isKept: Bool
    ) throws(CacheError) -> MountFile {
        try MountFile.write(to: draft, package, identity: identity, now: now)
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
