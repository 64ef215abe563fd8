package import AFCCrawlRules
package import AFCFiles
internal import AFCPlatform
internal import AFCText
internal import AFCZip

/// The files that hold the bodies of a crawl.
package struct CrawlFiles: Sendable {
    /// The crawl's own file.
    let spool: SpoolFile
    /// The package to update.
    package let older: OlderPackage?

    /// Returns the data of a body, or nil if the package that holds it can't be read.
    func data(of body: CrawledBody) -> DeflatedBody? {
        switch body.place {
        case .older(let member): older?.data(member: member)
        case .spool(let extents):
            spool.body(
                extents: extents.map { FileExtent(offset: $0.offset, count: $0.count) },
                totals: Deflater.Totals(
                    crc32: body.crc32,
                    uncompressedSize: body.size,
                    compressedSize: body.compressedSize
                ),
                method: body.isDeflated ? .deflated : .stored
            )
        }
    }

    /// Returns true if the outcome's body in the crawl's file, if any, is intact.
    func isSound(_ outcome: FetchOutcome?) -> Bool {
        switch outcome?.content {
        case .resource(_, let body, _), .kept(_, let body, _, _):
            guard case .spool = body.place else { return true }
            do throws(ZipError) {
                return try data(of: body)?.isSound() ?? false
            } catch {
                return false
            }
        case .redirect, .failure, .again, .notModified, .planned, .leftOut, nil: return true
        }
    }
}

extension CrawledBody {
    /// Describes the location of a body.
    init(_ data: DeflatedBody, in place: Place? = nil) {
        self.init(
            place: place ?? .spool(data.extents.map { Extent(offset: $0.offset, count: $0.count) }),
            crc32: data.totals.crc32,
            size: data.totals.uncompressedSize,
            compressedSize: data.totals.compressedSize,
            isDeflated: data.method == .deflated
        )
    }
}

/// The files that a crawl keeps beside its package until that is written: its state and the bodies.
package struct CrawlWorkspace: Sendable {
    package let state: CrawlState
    package let files: CrawlFiles
    /// The files to remove once the package is written.
    private let paths: [String]

    /// Opens the files of an interrupted crawl, or creates them.
    ///
    /// - Parameters:
    ///   - target: The destination of the package, or nil if none is written.
    ///   - path: The package's path.
    ///   - crawl: The crawl; an interrupted one with different results is refused.
    ///   - generator: The program and its version.
    ///   - level: Deflate's level, 1 to 9.
    /// - Throws: ``PackagingError`` if the files can't be used.
    package init(
        beside target: OutputTarget?,
        path: String,
        _ crawl: CrawlOptions,
        generator: String,
        level: Int32
    ) throws(PackagingError) {
        var older: OlderPackage?
        if let path = crawl.updates {
            let package = try OlderPackage(path: path)
            try package.requireSite(of: crawl.seeds)
            older = package
        }
        try self.init(
            beside: target,
            path: path,
            fingerprint: crawl.fingerprint(generator: generator, level: level, updating: older),
            restarts: crawl.restarts,
            updating: older
        )
    }

    /// Opens the files of interrupted work, or creates them.
    ///
    /// - Parameters:
    ///   - target: The destination of the package, or nil if none is written.
    ///   - path: The package's path.
    ///   - fingerprint: The settings that determine the result; interrupted work with others is refused.
    ///   - restarts: True to discard interrupted work.
    ///   - older: The package to update.
    /// - Throws: ``PackagingError`` if the files can't be used.
    init(
        beside target: OutputTarget?,
        path: String,
        fingerprint: String,
        restarts: Bool,
        updating older: OlderPackage? = nil
    ) throws(PackagingError) {
        if let target, !target.isStream {
            paths = [path + ".crawl", path + ".bodies"]
            try Self.prepare(paths[0], paths[1], restarts: restarts)
            state = try CrawlState(path: paths[0], fingerprint: fingerprint)
        } else {
            // A pipe has no folder beside it for the files of an interrupted crawl. SQLite deletes a database without a
            // name by itself.
            paths = []
            state = try CrawlState(path: "", fingerprint: "")
        }
        let length = try state.fact("spool").flatMap { Int64($0) } ?? 0
        if let bodies = paths.last { _ = try PrivateFile.prepare(bodies) }
        let folder = target?.folder ?? OutputTarget.temporaryFolder
        files = CrawlFiles(
            spool: try Self.spool(paths.last, in: folder, keeping: length, subject: path),
            older: older
        )
    }

    /// Opens the files of a shard's attempt, or creates them; ``remove()`` leaves them.
    ///
    /// - Parameters:
    ///   - path: The path, to which `.crawl` and `.bodies` are added.
    ///   - fingerprint: The settings that determine the result; a state with others is refused.
    ///   - mode: The mode of the files.
    /// - Throws: ``PackagingError`` if the files can't be used.
    package init(attempt path: String, fingerprint: String, mode: UInt32) throws(PackagingError) {
        let (crawl, bodies) = (path + ".crawl", path + ".bodies")
        try Self.prepare(crawl, bodies, restarts: false)
        state = try CrawlState(path: crawl, fingerprint: fingerprint)
        paths = []
        let length = try state.fact("spool").flatMap { Int64($0) } ?? 0
        _ = try PrivateFile.prepare(bodies)
        files = CrawlFiles(
            spool: try Self.spool(bodies, in: "", keeping: length, subject: bodies),
            older: nil
        )
        // Another user's next round reads them. If the mode can't be changed, that is reported then.
        for path in [crawl, bodies] { _ = chmod(path, mode_t(mode & 0o644)) }
    }

    /// The size of the bodies so far.
    package var bodyBytes: Int64 { files.spool.size }

    /// The answers that the files have.
    ///
    /// - Throws: ``PackagingError`` if the state can't be read.
    package func answerCount() throws(PackagingError) -> Int { try state.answerCount() }

    /// Returns the URLs that belong to other shards and weren't handed over in an earlier round, sorted.
    ///
    /// - Throws: ``PackagingError`` if the state can't be read.
    package func handedOver() throws(PackagingError) -> [HandedURL] { try state.handedOver() }

    /// Writes the state into a new file, so that it and the bodies so far survive a failure of the machine.
    ///
    /// - Throws: ``PackagingError`` if they can't be written.
    package func copyState(to path: String) throws(PackagingError) {
        try state.copy(to: path)
        do throws(FileError) {
            try files.spool.file.sync()
            try Durable.sync(path: path)
        } catch {
            throw PackagingError(.inputOutput, subject: path, message: error.message)
        }
    }

    /// Opens the file for bodies; without a path, one in the folder that has no name.
    private static func spool(
        _ path: String?,
        in folder: String,
        keeping length: Int64,
        subject: String
    ) throws(PackagingError) -> SpoolFile {
        do throws(FileError) {
            let spool = if let path { try SpoolFile(path: path, keeping: length) } else { try SpoolFile(in: folder) }
            if spool.size == 0 {
                _ = try mark.span.bytes.withUnsafeBytes { mark throws(FileError) in try spool.append(mark) }
            }
            return spool
        } catch {
            let remedy: Remedy? = length > 0 ? .restart : nil
            throw PackagingError(.inputOutput, subject: subject, message: error.message, remedy: remedy)
        }
    }

    /// Creates files that have no name and share the bodies of others.
    ///
    /// - Parameter files: The files that hold the bodies.
    /// - Throws: ``PackagingError`` if the state can't be created.
    init(sharing files: CrawlFiles) throws(PackagingError) {
        self.files = files
        paths = []
        state = try CrawlState(path: "", fingerprint: "")
    }

    /// The first bytes of the body file, which identify it if its state is missing.
    private static let mark = Array("afcache bodies\n\0".utf8)

    /// Checks that each file belongs to this user and to a crawl, or doesn't exist.
    ///
    /// If the crawl starts over, the files are removed.
    private static func prepare(_ state: String, _ bodies: String, restarts: Bool) throws(PackagingError) {
        let hasState = try CrawlState.requireOwn(state)
        if try PrivateFile.requireOwn(bodies), !hasState {
            let beginning = try PrivateFile.beginning(of: bodies, mark.count)
            guard beginning.isEmpty || beginning == mark else {
                throw PackagingError(
                    .inputOutput,
                    subject: bodies,
                    message:
                        "this path is needed for the crawl's bodies, but another file exists there; move it, or choose "
                        + "another output"
                )
            }
        }
        guard restarts, hasState else { return }
        CrawlState.remove(state)
        unlink(bodies)
    }

    /// Closes the state of a crawl that was interrupted or failed; the files remain.
    package func close() { state.close() }

    /// Removes the files, once the package is written or there is none to write.
    package func remove() {
        guard let first = paths.first, let last = paths.last else { return }
        state.close()
        CrawlState.remove(first)
        unlink(last)
    }
}
