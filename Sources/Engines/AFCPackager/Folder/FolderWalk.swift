internal import AFCCrawlRules
internal import AFCCrawler
internal import AFCFiles
internal import AFCPlatform
internal import AFCText

/// A list of the files below a folder, sorted by the bytes of their paths; symbolic links are never followed.
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

    init(root: String, includesHidden: Bool) throws(PackagingError) {
        self.root = root
        self.includesHidden = includesHidden
        try walk("")
        files.sort { $0.path.utf8.lexicographicallyPrecedes($1.path.utf8) }
        skipped.sort { $0.path.utf8.lexicographicallyPrecedes($1.path.utf8) }
    }

    private mutating func walk(_ top: String) throws(PackagingError) {
        var folders = [top]
        while let folder = folders.popLast() {
            for name in try names(in: folder) {
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
                case .folder: folders.append(path + "/")
                case .file(let state): files.append(File(path: path, state: state))
                case .link: skipped.append(FolderReport.Skip(path: path, reason: .symbolicLink))
                case .special: skipped.append(FolderReport.Skip(path: path, reason: .special))
                }
            }
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
