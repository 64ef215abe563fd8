import AFCCache
import AFCFiles
import AFCHTTP
import AFCPackageFile
import AFCPackageFormat
import AFCPlatform
import AFCText
import AFCURL
import AFCZip
import Crypto

/// A folder of a package's bodies, which gets its name once it is complete.
///
/// The names are those of members, which the archive's reader has checked: below the folder, portable, each once, none
/// both a file and a folder. The files are written to a new folder beside it, which nothing else writes to.
struct UnpackedFolder {
    /// A body that was written, for one of its resources.
    struct File {
        var url: WebURL
        var path: String
        var size: Int64

        var json: JSONValue {
            .object([
                ("url", .string(url.description)), ("file", .string(path)), ("size", .number(String(size))),
            ])
        }
    }

    private let path: String
    private let aside: String

    /// Checks that the folder can be created.
    ///
    /// - Throws: `CacheError` if something other than an empty folder exists at the path.
    init(_ path: String) throws {
        var path = path
        while path.count > 1, path.hasSuffix("/") { path.removeLast() }
        self.path = path
        var generator = SystemRandomNumberGenerator()
        aside = path + ".\(String(UInt64.random(in: .min ... .max, using: &generator), radix: 16)).new"
        var status = stat()
        guard lstat(path, &status) == 0 else {
            guard errno == ENOENT else { throw Self.failure("cannot use the folder", path) }
            return
        }
        guard status.st_mode & S_IFMT == S_IFDIR, try Self.isEmpty(path) else {
            throw CacheError(
                .inputOutput,
                subject: path,
                message: "this is not an empty folder; choose a new or empty one with '--output'"
            )
        }
    }

    /// Writes each body once, and gives the folder its name.
    ///
    /// - Parameters:
    ///   - resources: Resources that have a body.
    ///   - reader: Their package.
    /// - Returns: A file for each of the resources.
    /// - Throws: `CacheError` or `PackageError`; nothing is left behind then.
    func write(_ resources: [PackageIndex.Resource], of reader: PackageReader) throws -> [File] {
        guard mkdir(aside, 0o777) == 0 else { throw Self.failure("cannot create the folder", path) }
        var made = Made()
        do {
            for resource in resources {
                try Task.checkCancellation()
                guard let index = resource.member else { continue }
                let member = reader.archive.members[index]
                if made.files.insert(member.name).inserted {
                    try makeFolders(of: member.name, &made)
                    try write(member, resource, reader)
                }
            }
            // This replaces an empty folder, and nothing else.
            guard rename(aside, path) == 0 else { throw Self.failure("cannot create the folder", path) }
        } catch {
            remove(made)
            throw error
        }
        return resources.compactMap { resource in
            guard let index = resource.member else { return nil }
            let member = reader.archive.members[index]
            return File(url: resource.url, path: path + "/" + member.name, size: member.uncompressedSize)
        }
    }

    private struct Made {
        var files: Set<String> = []
        var folders: Set<String> = []
    }

    private func makeFolders(of name: String, _ made: inout Made) throws {
        var end = name.startIndex
        while let slash = name[end...].firstIndex(of: "/") {
            let folder = String(name[..<slash])
            end = name.index(after: slash)
            guard made.folders.insert(folder).inserted else { continue }
            guard mkdir(aside + "/" + folder, 0o777) == 0 else {
                throw Self.failure("cannot create the folder", path + "/" + folder)
            }
        }
    }

    private func write(_ member: ZipMember, _ resource: PackageIndex.Resource, _ reader: PackageReader) throws {
        let shown = path + "/" + member.name
        let flags = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC
        let descriptor = open(aside + "/" + member.name, flags, 0o666)
        guard descriptor >= 0 else { throw Self.failure("cannot create the file", shown) }
        defer { close(descriptor) }
        try reader.readBody(of: resource) { chunk in
            guard Descriptor.append(chunk, to: descriptor) else { throw Self.failure("cannot write the file", shown) }
        }
        guard let modified = resource.entry?.lastModified?.secondsSinceEpoch else { return }
        let time = timespec(tv_sec: time_t(modified), tv_nsec: 0)
        // Some file systems can't store the time; the body is complete without it.
        _ = [time, time].withUnsafeBufferPointer { futimens(descriptor, $0.baseAddress) }
    }

    /// Removes what was made, and nothing else.
    private func remove(_ made: Made) {
        for file in made.files { unlink(aside + "/" + file) }
        for folder in made.folders.sorted(by: { $0.utf8.count > $1.utf8.count }) { rmdir(aside + "/" + folder) }
        rmdir(aside)
    }

    private static func isEmpty(_ path: String) throws -> Bool {
        guard let names = FolderListing.names(in: path) else { throw failure("cannot read the folder", path) }
        return names.isEmpty
    }

    private static func failure(_ what: String, _ path: String) -> CacheError {
        CacheError(.inputOutput, subject: path, message: "\(what): \(String(cString: strerror(errno)))")
    }
}
