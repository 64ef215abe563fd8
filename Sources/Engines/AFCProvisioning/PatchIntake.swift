internal import AFCCache
internal import AFCDelivery
internal import AFCDelta
internal import AFCFiles
internal import AFCPackageFile
internal import AFCPlatform
internal import AFCText

/// The way from a patch to the package that it leads to, with the bodies that a cache holds.
struct PatchIntake {
    let store: DiskCache
    /// The patch as the user named it.
    let shown: String

    /// Makes the new package next to downloads, calls a body with its path, and removes it.
    ///
    /// Bodies that the cache holds are left out of the file, since loading links them. If one of them can't be linked,
    /// the body is called again with the whole package.
    ///
    /// - Parameters:
    ///   - path: The patch's file.
    ///   - file: The patch's file, if it is open already.
    ///   - name: The name of the package that is replaced.
    ///   - sha256: The SHA-256 that the patch's file must have, or nil.
    ///   - body: Receives the path of the new package, and the members whose bodies are left out.
    /// - Returns: The body's result.
    /// - Throws: ``PatchError`` about the patch by the name that the user gave, and any error of the body.
    func withPackage<Value>(
        of path: String,
        _ file: HashedFile?,
        replacing name: String,
        sha256: String?,
        _ body: (_ path: String, _ lacking: MemberSet) async throws -> Value
    ) async throws -> Value {
        try FolderTree<FileError>.make(store.downloadFolder)
        let folder = try TemporaryFolder(for: AbandonedDownloads.patchUse, in: store.downloadFolder)
        defer { folder.remove() }
        let target = folder.path + "/package.zip"
        do {
            let (file, lacking) = try await OffPool.run { () throws in
                let file = try file ?? sha256.map { _ throws(PackageError) in try HashedFile(path: path) }
                if let file, let sha256 { try require(sha256, of: file, path) }
                return (file, try make(target, of: path, file, replacing: name))
            }
            do {
                return try await body(target, lacking)
            } catch let error as CacheError where error.code == .bodyMissing && !lacking.isEmpty {
                // What is damaged or gone since is reported by making all of the package.
                try await OffPool.run { () throws in _ = try rebuild(target, of: path, file, leavesOutKept: false) }
                return try await body(target, MemberSet())
            }
        } catch var error as PatchError {
            if error.subject == path { error.subject = shown }
            throw error
        } catch var error as PackageError {
            if error.subject == path { error.subject = shown }
            throw error
        } catch var error as CacheError {
            if error.subject == target { error.subject = shown }
            throw error
        }
    }

    private func require(_ sha256: String, of file: HashedFile, _ path: String) throws(PackageError) {
        guard file.sha256 == sha256 else {
            throw PackageError(
                .invalidPackage(rule: "package.digest"),
                subject: path,
                message: "the patch has the SHA-256 \(file.sha256), not \(sha256); ask its publisher which is right"
            )
        }
    }

    /// Makes the new package without the bodies that the cache holds, or with all bodies if it doesn't find them by the
    /// package's records.
    private func make(
        _ target: String,
        of path: String,
        _ file: HashedFile?,
        replacing name: String
    ) throws -> MemberSet {
        let lacking = try rebuild(target, of: path, file, leavesOutKept: true)
        guard !lacking.isEmpty else { return lacking }
        let package = try PackageReader(path: target, folder: store.downloadFolder)
        let held = try store.heldMembers(of: package, replacing: name)
        if lacking.isSubset(of: held) { return lacking }
        return try rebuild(target, of: path, file, leavesOutKept: false)
    }

    private func rebuild(
        _ target: String,
        of path: String,
        _ file: HashedFile?,
        leavesOutKept: Bool
    ) throws -> MemberSet {
        let patch = try PatchReader(path: path, file: file?.file)
        let bodies = CacheBodies(look: try store.bodies(Set(patch.needs.map(\.number))))
        return try patch.rebuild(
            to: target,
            from: bodies,
            leavesOutKept: leavesOutKept,
            workers: ParallelWork.processors
        ).lacking
    }
}

/// The bodies of a cache, for a patch.
private struct CacheBodies: BodySource {
    let look: BodyLookUp

    func body(_ id: BodyID) -> HeldBody? { look.file(id.number).map { .file($0) } }
}
