internal import AFCFiles

/// Finds the files beside an archive that hold bodies.
protocol BesideFiles {
    /// Gives the bytes of a file; returns false if there is none by this name.
    func read(_ name: String, _ body: (UnsafeRawBufferPointer) throws -> Void) throws -> Bool
}

/// The files in a folder and in the folders in it.
struct FolderFiles: BesideFiles {
    /// The folder, with a slash at the end; nil for none.
    private let folder: String?

    /// Takes the files beside one.
    ///
    /// - Parameter file: The path of the file; nil if it isn't in a folder.
    init(beside file: String?) {
        folder = file.map { file in file.lastIndex(of: "/").map { String(file[...$0]) } ?? "./" }
    }

    /// Takes the files in a folder.
    init(in folder: String) { self.folder = folder.hasSuffix("/") ? folder : folder + "/" }

    func read(_ name: String, _ body: (UnsafeRawBufferPointer) throws -> Void) throws -> Bool {
        guard let source = open(name) else { return false }
        try source.forEachPiece(as: source.path, body)
        return true
    }

    /// Opens a file by its name; nil if there is none in the folder.
    private func open(_ name: String) -> OpenFile? {
        guard let folder, PathName.isInside(name) else { return nil }
        do throws(FileError) {
            // Links could lead to any file of the user.
            let (place, root) = (try OpenFile.resolvedPath(of: folder + name), try OpenFile.resolvedPath(of: folder))
            guard place.hasPrefix(root.hasSuffix("/") ? root : root + "/") else { return nil }
            return try OpenFile(reading: place)
        } catch {
            return nil
        }
    }
}

/// Names of files beside an archive.
enum PathName {
    /// Returns true if a name can't lead out of the folder.
    static func isInside(_ name: String) -> Bool {
        !name.isEmpty && !name.utf8.contains(0)
            && name.split(separator: "/", omittingEmptySubsequences: false).allSatisfy {
                !["", ".", ".."].contains($0)
            }
    }
}
