import AFCCache
import AFCFiles
import AFCHTTP
import AFCImport
import AFCPackager
import AFCPlatform
import AFCText
import ArgumentParser
import Crypto

/// A command that takes archives by other programs in place of packages.
protocol TakesArchives {
    /// The paths that may lead to archives; others are left as they are.
    var archives: [String] { get }
}

extension ListCommand: TakesArchives {
    var archives: [String] { package.map { [$0] } ?? [] }
}

extension GetCommand: TakesArchives {
    var archives: [String] { package.map { [$0] } ?? [] }
}

extension OpenCommand: TakesArchives {
    var archives: [String] { [target] }
}

extension ServeCommand: TakesArchives {
    var archives: [String] { packages }
}

extension LintCommand: TakesArchives {
    var archives: [String] { files }
}

/// The packages of archives that commands read as they are: made once, and kept in the user's folder for caches.
enum ImportedArchives {
    /// The most bytes of all packages that are kept; the oldest are removed first.
    private static let limit: Int64 = 4 << 30

    /// Returns the program's arguments with packages in place of archives, which are imported unless they were before.
    ///
    /// - Parameter paths: The paths among the arguments that may lead to archives.
    /// - Returns: The arguments without the program's name.
    /// - Throws: An error of the import, or an exit code.
    static func arguments(reading paths: [String]) async throws -> [String] {
        var arguments = Array(CommandLine.arguments.dropFirst())
        for path in Set(paths).sorted() where isArchive(path) {
            let places = arguments.indices.filter { value(of: arguments[$0]) == path }
            guard places.count == paths.count(where: { $0 == path }) else {
                throw ValidationError("\(PrintableText.quoted(path)) has another use, too; name another file for that")
            }
            let package = try await package(of: path)
            for place in places { arguments[place] = arguments[place].dropLast(path.count) + package }
        }
        return arguments
    }

    /// True if an argument leads to an archive, so that it is worth knowing what the argument is for.
    static var mayBeNeeded: Bool { CommandLine.arguments.dropFirst(2).contains { isArchive(value(of: $0)) } }

    /// Returns the value of an option that is written in one word, or the argument itself.
    private static func value(of argument: String) -> String {
        guard argument.hasPrefix("--"), let sign = argument.firstIndex(of: "=") else { return argument }
        return String(argument[argument.index(after: sign)...])
    }

    /// Returns true for an archive; a zip counts only by its name, or as a cache of HTTrack, since packages are zips, too.
    private static func isArchive(_ path: String) -> Bool {
        // Whoever writes into a pipe would fail if it were opened and closed.
        guard !OpenFile.isPipe(path) else { return false }
        let name = path.lowercased()
        guard !Path.isZip(path) || name.hasSuffix(".wacz") || name.hasSuffix(".har.zip") else {
            return ArchiveImport.isHTTrackCache(path)
        }
        return ArchiveImport.recognizes(path)
    }

    private static func package(of path: String) async throws -> String {
        let folder = try folder()
        let name = "\(try digest(of: path))-\(AFCacheCommand.version).zip"
        let target = folder + "/" + name
        if Descriptor.allows(target, R_OK) {
            Console.note(
                "reading \(PrintableText.quoted(path)) as it was imported into \(PrintableText.quoted(target))"
            )
            return target
        }
        Console.note("importing \(PrintableText.quoted(path)) into \(PrintableText.quoted(target))")
        let output = Packaging.Output(
            path: target,
            created: Clock.now,
            generator: "afcache/\(AFCacheCommand.version)"
        )
        let made = try await ArchiveImport.run([path], ImportOptions(), to: output, pinned: nil) { _ in }
        for line in ImportSummary(report: made.report).lines { Console.note(line) }
        guard made.summary != nil else {
            Console.complain("error: \(PrintableText.quoted(path)) has no response that could be imported")
            throw (made.report.isDamaged ? ExitStatus.invalidPackage : .nothingToPack).code
        }
        makeRoom(in: folder, keeping: name)
        return target
    }

    private static func folder() throws -> String {
        guard let caches = MountFolder.caches else {
            throw ValidationError(
                "HOME isn't set, so there is no folder for the user's caches; set it, or XDG_CACHE_HOME"
            )
        }
        let folder = caches + "/imports"
        do throws(FileError) {
            try FolderTree<FileError>.make(folder, mode: 0o700)
        } catch {
            throw CacheError(.inputOutput, subject: folder, message: error.message)
        }
        return folder
    }

    /// Returns the SHA-256 of a file in hexadecimal digits.
    private static func digest(of path: String) throws -> String {
        do throws(FileError) {
            var hash = SHA256()
            let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 256 << 10, alignment: 16)
            defer { buffer.deallocate() }
            // A database may have a log beside it.
            for part in [path, path + "-wal"] where part == path || OpenFile.isRegularFile(part) {
                let file = try OpenFile(reading: part)
                var offset: Int64 = 0
                while true {
                    let count = try file.read(into: buffer, at: offset)
                    guard count > 0 else { break }
                    hash.update(bufferPointer: UnsafeRawBufferPointer(rebasing: buffer[..<count]))
                    offset += Int64(count)
                }
            }
            return Hexadecimal.text(hash.finalize())
        } catch {
            throw CacheError(.inputOutput, subject: path, message: error.message)
        }
    }

    /// Removes the oldest packages until the rest fits.
    private static func makeRoom(in folder: String, keeping name: String) {
        let names = (FolderListing.names(in: folder) ?? []).filter { $0.hasSuffix(".zip") }
        // What another process removed meanwhile needs no room.
        var packages = names.compactMap { name in
            (try? OpenFile.State(path: folder + "/" + name)).map { (name: name, size: $0.size, seconds: $0.seconds) }
        }
        packages.sort { ($0.seconds, $0.name) < ($1.seconds, $1.name) }
        var total = packages.reduce(0) { $0 + $1.size }
        for package in packages where package.name != name && total > limit {
            unlink(folder + "/" + package.name)
            total -= package.size
        }
    }
}
