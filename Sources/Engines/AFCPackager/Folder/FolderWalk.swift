internal import AFCCrawlRules
internal import AFCCrawler
internal import AFCFiles
internal import AFCPlatform
internal import AFCText

/// A list of the files below a folder, sorted by the bytes of their paths.
///
/// Symbolic links are followed only on request, and only to regular files and folders within certain folders.
struct FolderWalk {
    /// A file with its state when it was listed.
    struct File: Sendable, Equatable {
        /// The path below the folder, its parts separated by slashes.
        var path: String
        var state: OpenFile.State
    }

    private(set) var files: [File] = []
    private(set) var skipped: [FolderReport.Skip] = []
    private let root: String
    private let includesHidden: Bool
    /// The folders within which links are followed, without links themselves; nil if none is followed.
    private var allowed: [String]?

    /// A folder to list.
    private struct Folder {
        /// The path below the root, which ends in a slash unless it is empty.
        var path: String
        /// The folders on the way to it, itself included, without links.
        var places: [String]
    }

    /// The number of files and folders in a listing: as many as a package holds.
    ///
    /// Links that lead to one folder from several others could otherwise multiply it without end.
    static let limit = 2_000_000

    init(
        root: String,
        includesHidden: Bool,
        links: FolderOptions.Links = .none,
        limit: Int = FolderWalk.limit
    ) throws(PackagingError) {
        self.root = root
        self.includesHidden = includesHidden
        if case .within(let others) = links {
            allowed = []
            for folder in [root] + others { allowed?.append(try Self.place(of: folder)) }
        }
        try walk(upTo: limit)
        files.sort { $0.path.utf8.lexicographicallyPrecedes($1.path.utf8) }
        skipped.sort { $0.path.utf8.lexicographicallyPrecedes($1.path.utf8) }
    }

    private mutating func walk(upTo limit: Int) throws(PackagingError) {
        var folders = [Folder(path: "", places: [])]
        if allowed != nil { folders[0].places = [try Self.place(of: root)] }
        var count = 0
        while let parent = folders.popLast() {
            let folder = parent.path
            for name in try names(in: folder) {
                count += 1
                guard allowed == nil || count <= limit else {
                    throw PackagingError(
                        .badOption,
                        subject: root,
                        message: "with the symbolic links that are followed, the folder has more than \(limit) files"
                    )
                }
                guard let name = String(validating: name, as: UTF8.self) else {
                    let path = folder + String(decoding: name, as: UTF8.self)
                    skipped.append(FolderReport.Skip(path: path, reason: .notUTF8))
                    continue
                }
                let path = folder + name
                if name.hasPrefix("."), !includesHidden {
                    skipped.append(FolderReport.Skip(path: path, reason: .hidden))
                    continue
                }
                switch try Self.kind(of: root + "/" + path) {
                case .folder:
                    let places = parent.places.last.map { parent.places + [$0 + "/" + name] } ?? []
                    folders.append(Folder(path: path + "/", places: places))
                case .file(let state): files.append(File(path: path, state: state))
                case .link: follow(path, from: parent, &folders)
                case .special: skipped.append(FolderReport.Skip(path: path, reason: .special))
                }
            }
        }
    }

    /// Adds what a symbolic link leads to.
    private mutating func follow(_ path: String, from parent: Folder, _ folders: inout [Folder]) {
        guard let allowed else {
            skipped.append(FolderReport.Skip(path: path, reason: .symbolicLink))
            return
        }
        var skip = FolderReport.Skip(path: path, reason: .linkBroken)
        do throws(FileError) {
            let place = try OpenFile.resolvedPath(of: root + "/" + path)
            skip.target = place
            guard allowed.contains(where: { Self.contains($0, place) }) else {
                skip.reason = .linkOutside
                return skipped.append(skip)
            }
            switch try OpenFile.targetKind(of: place) {
            case .file(let state): return files.append(File(path: path, state: state))
            case .folder where !parent.places.contains(where: { Self.contains(place, $0) }):
                return folders.append(Folder(path: path + "/", places: parent.places + [place]))
            case .folder: skip.reason = .linkLoop
            case .special, .link: skip.reason = .special
            }
        } catch {
            // Nothing is there, or the links lead in a circle.
        }
        skipped.append(skip)
    }

    /// Returns true if a path is a folder or below it; neither has links.
    private static func contains(_ folder: String, _ path: String) -> Bool {
        path == folder || path.hasPrefix(folder.hasSuffix("/") ? folder : folder + "/")
    }

    private static func place(of folder: String) throws(PackagingError) -> String {
        do throws(FileError) {
            return try OpenFile.resolvedPath(of: folder)
        } catch {
            throw PackagingError(unreadable: error)
        }
    }

    /// Returns the kind of what a path leads to, after all symbolic links.
    static func targetKind(of path: String) throws(PackagingError) -> OpenFile.Kind {
        do throws(FileError) {
            return try OpenFile.targetKind(of: path)
        } catch {
            throw PackagingError(unreadable: error)
        }
    }

    /// Returns the kind of the file at a path, without following symbolic links.
    static func kind(of path: String) throws(PackagingError) -> OpenFile.Kind {
        do throws(FileError) {
            return try OpenFile.kind(of: path)
        } catch {
            throw PackagingError(unreadable: error)
        }
    }

    private func names(in folder: String) throws(PackagingError) -> [[UInt8]] {
        let path = folder.isEmpty ? root : root + "/" + folder
        guard let stream = opendir(path) else { throw PackagingError(unreadable: .system("cannot list", path)) }
        defer { closedir(stream) }
        var names: [[UInt8]] = []
        errno = 0
        while let entry = readdir(stream) {
            let name = withUnsafeBytes(of: &entry.pointee.d_name) { bytes in Array(bytes.prefix { $0 != 0 }) }
            if name != Array(".".utf8), name != Array("..".utf8) { names.append(name) }
            errno = 0
        }
        guard errno == 0 else { throw PackagingError(unreadable: .system("cannot list", path)) }
        return names
    }
}
