import AFCCache
import AFCFiles
import AFCPlatform
import AFCText
import AFCZip
import ArgumentParser

/// The files that arguments mean: a file itself, what lies in a folder, and for `-` what standard input brings.
struct LintInput {
    /// A file to lint.
    struct File {
        /// Where it is.
        var path: String
        /// What it is called in reports.
        var name: String
    }

    /// What standard input is called in reports.
    static let standardInput = "<stdin>"

    private(set) var files: [File] = []
    /// Folders in which nothing is to be linted.
    private(set) var empty: [String] = []
    /// What standard input brought, for as long as it is linted.
    private var spool: OpenFile?

    private static let fileLimit = 100_000
    private static let inputLimit = 16 << 30

    /// Looks for the files.
    ///
    /// - Parameter arguments: As they were given.
    /// - Throws: `CacheError` where a folder, or standard input, can't be read.
    init(_ arguments: [String]) throws {
        for argument in arguments {
            if argument == "-" {
                let file = try Self.spooled()
                spool = file
                files.append(File(path: file.heldPath, name: Self.standardInput))
            } else if Self.isFolder(argument) {
                let found = try Self.files(in: argument)
                if found.isEmpty { empty.append(argument) }
                files += found.map { File(path: $0, name: $0) }
            } else {
                files.append(File(path: argument, name: argument))
            }
        }
    }

    // MARK: Folders

    private static func isFolder(_ path: String) -> Bool {
        var status = stat()
        return stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
    }

    /// The packages and manifests below a folder, sorted; what is hidden isn't looked at, and links to folders aren't
    /// followed.
    private static func files(in root: String) throws -> [String] {
        var found: [String] = []
        var folders = [root]
        while let folder = folders.popLast() {
            guard let names = FolderListing.names(in: folder) else {
                throw failure("its files can't be listed", folder)
            }
            for name in names {
                guard !name.hasPrefix(".") else { continue }
                let path = folder.hasSuffix("/") ? folder + name : folder + "/" + name
                var status = stat()
                guard lstat(path, &status) == 0 else { continue }
                if status.st_mode & S_IFMT == S_IFDIR { folders.append(path) }
                let lowered = name.lowercased()
                if lowered.hasSuffix(".zip") || lowered.hasSuffix(".afcache"), !isFolder(path) { found.append(path) }
                guard found.count <= fileLimit, folders.count <= fileLimit else {
                    throw CacheError(
                        .inputOutput,
                        subject: root,
                        message: "the folder has more than \(fileLimit) files to lint; name folders in it"
                    )
                }
            }
        }
        return found.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
    }

    // MARK: Standard input

    /// Keeps standard input in a file, since archives are read from their end; it has no name, so nothing can leave it behind.
    private static func spooled() throws -> OpenFile {
        let subject = "standard input"
        do throws(FileError) {
            let file = try OpenFile(temporaryIn: OutputTarget.temporaryFolder)
            var buffer = [UInt8](repeating: 0, count: 256 << 10)
            var total = 0
            while true {
                guard let count = buffer.withUnsafeMutableBytes({ Descriptor.readNext(STDIN_FILENO, into: $0) }) else {
                    break
                }
                guard count > 0 else {
                    guard total > 0 else { throw FileError(file.path, "it is empty") }
                    return file
                }
                guard total + count <= inputLimit else {
                    throw FileError(file.path, "it has more than \(inputLimit) bytes")
                }
                try buffer.span.bytes.withUnsafeBytes { bytes throws(FileError) in
                    try file.write(UnsafeRawBufferPointer(rebasing: bytes[..<count]), at: Int64(total))
                }
                total += count
            }
        } catch {
            throw CacheError(.inputOutput, subject: subject, message: error.message)
        }
        throw failure("it can't be read", subject)
    }

    private static func failure(_ what: String, _ subject: String) -> CacheError {
        let reason = String(cString: strerror(errno))
        return CacheError(.inputOutput, subject: subject, message: "\(what): \(reason)")
    }
}
