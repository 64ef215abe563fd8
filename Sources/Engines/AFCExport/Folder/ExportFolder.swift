internal import AFCFiles
internal import AFCHTTP
internal import AFCPackageFile
internal import AFCPlatform
internal import AFCText
internal import Synchronization

/// The folder of an export, which gets its name once it is complete, and replaces only an older export.
final class ExportFolder: Sendable {
    /// The file that marks an export, and lists its files.
    static let mark = FolderOutput.ownFolder + "/export.json"
    private static let markLimit = 256 << 20

    private let path: String
    /// The path of an older export for the moment in which the new one takes its place.
    private let old: String
    private let isReplacing: Bool
    private let temporary: TemporaryFolder
    /// The new folder, within the temporary one, which only this user can enter.
    private let new: String
    private let state = Mutex(State())

    /// What was made.
    private struct State {
        var folders: Set<String> = []
        var files: [String] = []
    }

    /// Begins a folder.
    ///
    /// - Throws: `PackageError` if something else is at the path, or its folder can't hold another one.
    init(_ path: String) throws {
        var path = path
        while path.count > 1, path.hasSuffix("/") { path.removeLast() }
        self.path = path
        old = "\(Durable.folder(of: path))/.\(Durable.name(of: path)).export-old"
        try Self.restore(path, from: old)
        isReplacing = try Self.isReplaceable(path)
        temporary = try Self.onFile(path) { () throws(FileError) in
            try TemporaryFolder(for: "\(Durable.name(of: path)).export", in: Durable.folder(of: path))
        }
        let new = temporary.path + "/new"
        self.new = new
        try Self.onFile(path) { () throws(FileError) in try FolderTree<FileError>.make(new, mode: 0o777) }
    }

    deinit { temporary.remove() }

    /// Writes a file.
    ///
    /// - Parameters:
    ///   - name: Its relative path.
    ///   - modified: The time that it gets; nil for the current time.
    ///   - body: Writes the contents by calling its argument with each piece.
    /// - Returns: Its size in bytes.
    /// - Throws: `PackageError` if it can't be written, and any error that `body` throws.
    @discardableResult
    func write(_ name: String, modified: Timestamp?, _ body: ExportedBody) throws -> Int64 {
        try makeFolders(of: name)
        let shown = path + "/" + name
        let file = try Self.onFile(shown) { () throws(FileError) in try OpenFile(creating: new + "/" + name)
        }
        var position: Int64 = 0
        try body { piece in
            try Self.onFile(shown) { () throws(FileError) in try file.write(piece, at: position) }
            position += Int64(piece.count)
        }
        state.withLock { $0.files.append(name) }
        guard let seconds = modified?.secondsSinceEpoch else { return position }
        let time = timespec(tv_sec: time_t(seconds), tv_nsec: 0)
        // Some file systems can't store the time; the file is complete without it.
        _ = [time, time].withUnsafeBufferPointer { futimens(file.descriptor, $0.baseAddress) }
        return position
    }

    /// Writes a text.
    func write(_ name: String, _ text: String) throws {
        var text = text
        try write(name, modified: nil) { take in try text.withUTF8 { try take(UnsafeRawBufferPointer($0)) } }
    }

    /// Reads a file that was written.
    ///
    /// - Parameters:
    ///   - name: Its relative path.
    ///   - body: Takes each piece.
    /// - Throws: `PackageError` if it can't be read, and any error that `body` throws.
    func read(_ name: String, _ body: (UnsafeRawBufferPointer) throws -> Void) throws {
        let shown = path + "/" + name
        let file = try Self.onFile(shown) { () throws(FileError) in try OpenFile(reading: new + "/" + name) }
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 16, alignment: 16)
        defer { buffer.deallocate() }
        var position: Int64 = 0
        while true {
            let count = try Self.onFile(shown) { () throws(FileError) in try file.read(into: buffer, at: position) }
            guard count > 0 else { return }
            try body(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
            position += Int64(count)
        }
    }

    /// Gives the folder its name.
    func commit() throws {
        let names = state.withLock { $0.files.sorted() }.map { JSONValue.string($0).serialized }
        try write(Self.mark, "{\"export\":1,\"files\":[\n\(names.joined(separator: ",\n"))\n]}\n")
        do throws(FileError) {
            try FolderTree<FileError>.sync(new)
            if isReplacing { try Durable.rename(path, to: old) }
            do throws(FileError) {
                try Durable.rename(new, to: path)
            } catch {
                if isReplacing { try? Durable.rename(old, to: path) }
                throw error
            }
            if isReplacing { try FolderTree<FileError>.remove(old) }
        } catch {
            throw Self.failure(error, path)
        }
    }

    private func makeFolders(of name: String) throws {
        var end = name.startIndex
        while let slash = name[end...].firstIndex(of: "/") {
            let folder = String(name[..<slash])
            end = name.index(after: slash)
            // No other thread may go on before the folder is there.
            try state.withLock { state in
                guard !state.folders.contains(folder) else { return }
                try Self.onFile(path + "/" + folder) { () throws(FileError) in
                    try FolderTree<FileError>.make(new + "/" + folder, mode: 0o777)
                }
                state.folders.insert(folder)
            }
        }
    }

    /// Gives an older export its name again if a process was killed while it replaced it, or removes it if it was replaced.
    private static func restore(_ path: String, from old: String) throws {
        var status = stat()
        guard lstat(old, &status) == 0, try isReplaceable(old) else { return }
        try onFile(path) { () throws(FileError) in
            if lstat(path, &status) == 0 {
                try FolderTree<FileError>.remove(old)
            } else {
                try Durable.rename(old, to: path)
            }
        }
    }

    /// Returns true if an older export is at the path, and false if nothing or an empty folder is.
    private static func isReplaceable(_ path: String) throws -> Bool {
        var status = stat()
        guard lstat(path, &status) == 0 else { return false }
        func refusal(_ reason: String) -> PackageError {
            PackageError(.inputOutput, subject: path, message: reason + "; choose a new or empty folder")
        }
        guard status.st_mode & S_IFMT == S_IFDIR else { throw refusal("this is not a folder") }
        let found = try onFile(path) { () throws(FileError) in try names(below: Folder(path: path), "") }
        if found.isEmpty { return true }
        guard found.contains(mark), let text = try? OpenFile(reading: path + "/" + mark).contents(upTo: markLimit),
            let json = try? JSONValue(parsing: text), let listed = json["files"]?.array
        else { throw refusal("this folder is no export, so it isn't replaced") }
        let own = Set(listed.compactMap(\.string)).union([mark])
        guard let other = found.first(where: { !own.contains($0) }) else { return true }
        throw refusal(
            "the file \(PrintableText.quoted(other)) in this folder isn't from an export, so it isn't replaced"
        )
    }

    private static func names(below folder: Folder<FileError>, _ prefix: String) throws(FileError) -> [String] {
        var found: [String] = []
        for name in try folder.names() {
            if folder.kind(of: name) == .folder {
                found += try names(below: folder.folder(name), prefix + name + "/")
            } else {
                found.append(prefix + name)
            }
        }
        return found
    }

    private static func onFile<Result>(_ path: String, _ body: () throws(FileError) -> Result) throws -> Result {
        do throws(FileError) { return try body() } catch { throw failure(error, path) }
    }

    private static func failure(_ error: FileError, _ path: String) -> PackageError {
        PackageError(.inputOutput, subject: path, message: error.message)
    }
}
