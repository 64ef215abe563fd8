import AFCCache
import AFCFiles
import AFCPackageFormat
import AFCText
import AFCZip
import ArgumentParser

/// A small file that is read as a whole.
enum SmallFile {
    /// Returns the file's bytes.
    ///
    /// - Throws: `CacheError` if it can't be read or is larger than allowed.
    static func read(_ path: String, limit: Int) throws -> [UInt8] { try readWithMode(path, limit: limit).bytes }

    /// Returns the file's bytes, and its permissions.
    ///
    /// - Throws: `CacheError` if it can't be read or is larger than allowed.
    static func readWithMode(_ path: String, limit: Int) throws -> (bytes: [UInt8], mode: UInt32) {
        do throws(FileError) {
            let file = try OpenFile(reading: path)
            return (try file.contents(upTo: limit), UInt32(try file.state().mode))
        } catch {
            throw CacheError(.inputOutput, subject: path, message: error.message)
        }
    }
}

/// A text file that a user wrote.
enum TextFile {
    /// Returns the text of a file.
    ///
    /// - Throws: A usage error that names the line if it isn't UTF-8, and `CacheError` if it can't be read.
    static func read(_ path: String, limit: Int) throws -> String {
        let bytes = try SmallFile.read(path, limit: limit)
        try requireUTF8(bytes, name: path)
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Throws a usage error that names the first line that isn't UTF-8, as of a file in Latin-1 or UTF-16.
    static func requireUTF8(_ bytes: [UInt8], name: String) throws {
        guard String(validating: bytes, as: UTF8.self) == nil || bytes.contains(0) else { return }
        guard !bytes.starts(with: [0x50, 0x4B, 0x03, 0x04]) else {
            throw ValidationError("\(PrintableText.quoted(name)) is a zip, and here the name of a text file is needed")
        }
        var line = 1
        for text in bytes.split(separator: 0x0A, omittingEmptySubsequences: false) {
            if String(validating: text, as: UTF8.self) == nil || text.contains(0) { break }
            line += 1
        }
        throw ValidationError(
            "\(PrintableText.escaped(name)):\(line): the file is not UTF-8; convert it, for example with 'iconv -f latin1 -t utf-8'"
        )
    }
}

/// A result that is written as a whole: readers see the old bytes or the new bytes.
enum WholeFile {
    /// Writes to a temporary file and renames it once it is on the disk; pipes and devices are written to directly.
    ///
    /// - Throws: `CacheError`; an existing file is then unchanged.
    static func write(_ bytes: [UInt8], to path: String) throws {
        try requireNoPackage(path)
        do throws(FileError) {
            let sink = try OutputSink(OutputTarget(path))
            try bytes.span.bytes.withUnsafeBytes { bytes throws(FileError) in try sink.append(bytes) }
            try sink.finish()
        } catch {
            throw CacheError(.inputOutput, subject: path, message: error.message)
        }
    }

    /// Checks that the file can be written, before hours are spent on its content.
    ///
    /// - Throws: `CacheError`.
    static func requireWritable(_ path: String) throws {
        try requireNoPackage(path)
        do throws(FileError) {
            try OutputTarget(path).requireWritable()
        } catch {
            throw CacheError(.inputOutput, subject: path, message: error.message)
        }
    }

    /// Checks that no package would be lost: the path of a report is easily taken for that of its subject.
    ///
    /// - Throws: `CacheError` if a zip is there.
    static func requireNoPackage(_ path: String) throws(CacheError) {
        guard (try? OutputTarget(path))?.isReplacing == true, Path.isZip(path) else { return }
        throw CacheError(
            .inputOutput,
            subject: path,
            message: "the file is a package or another zip, which would be lost; name another file"
        )
    }
}

/// A file at the path of a result, which is replaced only if it is an older result of the same kind.
enum ReplacedFile {
    /// Checks that no file but an older package would be lost.
    ///
    /// - Throws: `CacheError` if the path has another file, or one that can't be read.
    static func requirePackage(_ path: String) throws(CacheError) {
        try requireOwn(path, "a package", "move it away, or choose another folder") { file throws(FileError) in
            try file.listsMember(named: PackageLayout.manifest)
        }
    }

    /// Checks that no file of another kind would be lost.
    ///
    /// - Parameters:
    ///   - path: The path of the result.
    ///   - kind: The kind of result in words, such as `a report`.
    ///   - remedy: What to do otherwise.
    ///   - isOwn: Returns true if the first 1,024 bytes are of such a file. Empty files may always be replaced.
    /// - Throws: `CacheError` if the path has a file of another kind, or one that can't be read.
    static func require(
        _ path: String,
        is kind: String,
        or remedy: String = "choose another path, or replace the file with '--overwrite'",
        isOwn: ([UInt8]) -> Bool
    ) throws(CacheError) {
        try requireOwn(path, kind, remedy) { file throws(FileError) in
            isOwn(try file.beginning(Int(min(try file.size(), 1024))))
        }
    }

    /// A kind of result that a file beside a command's main result has.
    enum Report {
        /// JUnit's XML.
        case junit
        /// A page of this program.
        case html
        /// A list of URLs, one per line.
        case urls

        fileprivate var noun: String {
            switch self {
            case .junit: "a report in JUnit's XML"
            case .html: "a report"
            case .urls: "a list of URLs"
            }
        }

        fileprivate func isBeginning(_ bytes: [UInt8]) -> Bool {
            let text = String(decoding: bytes, as: UTF8.self)
            switch self {
            case .junit: return text.contains("<testsuite")
            case .html: return text.contains(#"<meta name="generator" content="afcache">"#)
            case .urls: return text.split(separator: "\n").allSatisfy { $0.hasPrefix("http") || $0.hasPrefix("#") }
            }
        }
    }

    /// Checks that a report can be written, and that no file of another kind would be lost.
    ///
    /// - Throws: `CacheError`.
    static func require(_ path: String?, _ report: Report) throws {
        guard let path else { return }
        try WholeFile.requireWritable(path)
        try require(path, is: report.noun, or: "name another file", isOwn: report.isBeginning)
    }

    private static func requireOwn(
        _ path: String,
        _ kind: String,
        _ remedy: String,
        _ isOwn: (OpenFile) throws(FileError) -> Bool
    ) throws(CacheError) {
        do throws(FileError) {
            guard try OutputTarget(path).isReplacing else { return }
            let file = try OpenFile(reading: path)
            if try file.size() == 0 { return }
            if try isOwn(file) { return }
        } catch {
            throw CacheError(.inputOutput, subject: path, message: error.message)
        }
        throw CacheError(
            .inputOutput,
            subject: path,
            message: "the file exists and is not \(kind); \(remedy)"
        )
    }
}
