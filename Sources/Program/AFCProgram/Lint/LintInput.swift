import AFCCache
import AFCFiles
import AFCPlatform
import AFCText
import AFCZip
import ArgumentParser

/// The files that the arguments stand for: files, the files in folders, and standard input for `-`.
struct LintInput {
    /// A file to lint.
    struct File {
        /// The path of the file.
        var path: String
        /// The file's name in reports.
        var name: String
    }

    /// The name of standard input in reports.
    static let standardInput = "<stdin>"

    private(set) var files: [File] = []
    /// Folders without files to lint.
    private(set) var empty: [String] = []
    /// The content of standard input while it is linted.
    private var spool: OpenFile?

    private static let fileLimit = 100_000
    private static let inputLimit: Int64 = 16 << 30

    /// Looks for the files.
    ///
    /// - Parameter arguments: The arguments of the command line.
    /// - Throws: `CacheError` if a folder or standard input can't be read.
    init(_ arguments: [String]) throws {
        for argument in arguments {
            if argument == "-" {
                let file = try Self.spooled()
                spool = file
                files.append(File(path: file.heldPath, name: Self.standardInput))
            } else if Path.isFolder(argument) {
                let found = try Self.files(in: argument)
                if found.isEmpty { empty.append(argument) }
                files += found.map { File(path: $0, name: $0) }
            } else {
                files.append(File(path: argument, name: argument))
            }
        }
    }

    // MARK: Folders

    /// Returns the packages and manifests below a folder, sorted; hidden files are skipped, and links to folders aren't
    /// followed.
    private static func files(in root: String) throws -> [String] {
        var found: [String] = []
        var folders = [root]
        while let folder = folders.popLast() {
            guard let names = FolderListing.names(in: folder) else {
                throw failure("cannot list its files", folder)
            }
            for name in names {
                guard !name.hasPrefix(".") else { continue }
                let path = folder.hasSuffix("/") ? folder + name : folder + "/" + name
                var status = stat()
                guard lstat(path, &status) == 0 else { continue }
                if status.st_mode & S_IFMT == S_IFDIR { folders.append(path) }
                let lowered = name.lowercased()
                if lowered.hasSuffix(".zip") || lowered.hasSuffix(".afcache"), !Path.isFolder(path) {
                    found.append(path)
                }
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

    /// Copies standard input to a file, since archives are read from their end; without a name, it can't be left behind.
    private static func spooled() throws -> OpenFile {
        do throws(FileError) {
            let file = try OpenFile.copy(ofPipe: nil, in: OutputTarget.temporaryFolder, upTo: inputLimit) { false }
            guard try file.size() > 0 else { throw FileError(file.path, "it is empty") }
            return file
        } catch {
            throw CacheError(.inputOutput, subject: "standard input", message: error.reason)
        }
    }

    private static func failure(_ what: String, _ subject: String) -> CacheError {
        let reason = String(cString: strerror(errno))
        return CacheError(.inputOutput, subject: subject, message: "\(what): \(reason)")
    }
}
