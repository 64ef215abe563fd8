import ArgumentParser
import OfflineCache
import PackageFormat
import ZipArchive

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

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
    private var spool: Int32?

    private static let fileLimit = 100_000
    private static let inputLimit = 16 << 30

    /// Looks for the files.
    ///
    /// - Parameter arguments: As they were given.
    /// - Throws: `CacheError` where a folder, or standard input, can't be read.
    init(_ arguments: [String]) throws {
        for argument in arguments {
            if argument == "-" {
                let descriptor = try Self.spooled()
                spool = descriptor
                files.append(File(path: "/dev/fd/\(descriptor)", name: Self.standardInput))
            } else if Self.isFolder(argument) {
                let found = try Self.files(in: argument)
                if found.isEmpty { empty.append(argument) }
                files += found.map { File(path: $0, name: $0) }
            } else {
                files.append(File(path: argument, name: argument))
            }
        }
    }

    /// Removes what was kept of standard input.
    func remove() { if let spool { close(spool) } }

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
            guard let stream = opendir(folder) else { throw failure("its files can't be listed", folder) }
            defer { closedir(stream) }
            while let entry = readdir(stream) {
                let name = withUnsafePointer(to: &entry.pointee.d_name) { pointer in
                    pointer.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
                }
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
    ///
    /// - Returns: The file's descriptor.
    private static func spooled() throws -> Int32 {
        let folder = OutputTarget.temporaryFolder
        var template = Array("\(folder)/afcache-lint-XXXXXX".utf8CString)
        let descriptor = mkstemp(&template)
        guard descriptor >= 0 else { throw failure("no temporary file can be made in it", folder) }
        _ = template.withUnsafeBufferPointer { $0.baseAddress.map(unlink) }
        do {
            try copy(to: descriptor)
            return descriptor
        } catch {
            close(descriptor)
            throw error
        }
    }

    private static func copy(to descriptor: Int32) throws {
        var buffer = [UInt8](repeating: 0, count: 256 << 10)
        var total = 0
        while true {
            let count = buffer.withUnsafeMutableBytes { systemRead(STDIN_FILENO, $0.baseAddress, $0.count) }
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { throw failure("it can't be read", "standard input") }
            guard count > 0 else {
                guard total > 0 else {
                    throw CacheError(.inputOutput, subject: "standard input", message: "it is empty")
                }
                return
            }
            total += count
            guard total <= inputLimit else {
                throw CacheError(
                    .inputOutput,
                    subject: "standard input",
                    message: "it has more than \(inputLimit) bytes"
                )
            }
            var rest = buffer[..<count]
            while !rest.isEmpty {
                let written = rest.withUnsafeBytes { systemWrite(descriptor, $0.baseAddress, $0.count) }
                if written < 0, errno == EINTR { continue }
                guard written > 0 else { throw failure("it can't be kept in a temporary file", "standard input") }
                rest = rest.dropFirst(written)
            }
        }
    }

    private static func failure(_ what: String, _ subject: String) -> CacheError {
        let reason = String(cString: strerror(errno))
        return CacheError(.inputOutput, subject: subject, message: "\(what): \(reason)")
    }
}
