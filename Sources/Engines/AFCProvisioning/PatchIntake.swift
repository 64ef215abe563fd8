internal import AFCCache
internal import AFCDelta
internal import AFCFiles
internal import AFCPackageFile
internal import AFCPlatform
internal import AFCText

/// The way from a patch to the package that it leads to, with the bodies that a cache holds.
struct PatchIntake {
    let store: OfflineCache
    /// The patch as the user named it.
    let shown: String

    /// Makes the new package next to downloads, calls a body with its path, and removes it.
    ///
    /// - Parameters:
    ///   - path: The patch's file.
    ///   - sha256: The SHA-256 that the patch's file must have, or nil.
    ///   - body: Receives the path of the new package.
    /// - Returns: The body's result.
    /// - Throws: ``PatchError`` about the patch by the name that the user gave, and any error of the body.
    func withPackage<Value>(
        of path: String,
        sha256: String?,
        _ body: (String) async throws -> Value
    ) async throws -> Value {
        try FolderTree<FileError>.make(store.downloadFolder)
        let folder = try TemporaryFolder(for: "patch", in: store.downloadFolder)
        defer { folder.remove() }
        let target = folder.path + "/package.zip"
        let store = store
        do {
            try await OffPool.run { () throws in
                if let sha256 {
                    let found = try PackageReader.fileDigest(path: path)
                    guard found == sha256 else {
                        throw PackageError(
                            .invalidPackage(rule: "package.digest"),
                            subject: path,
                            message:
                                "the patch has the SHA-256 \(found), not \(sha256); ask its publisher which is right"
                        )
                    }
                }
                let patch = try PatchReader(path: path)
                let bodies = CacheBodies(look: try store.bodies(Set(patch.needs.map(\.number))))
                _ = try patch.rebuild(
                    to: target,
                    from: bodies,
                    workers: Int(sysconf(Int32(_SC_NPROCESSORS_ONLN)))
                )
            }
            return try await body(target)
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
}

/// The bodies of a cache, for a patch.
private struct CacheBodies: BodySource {
    let look: BodyLookUp

    func body(_ id: BodyID) -> HeldBody? { look.file(id.number).map { .file($0) } }
}
