package import AFCCrawlRules
package import AFCFiles
internal import AFCPlatform
internal import AFCText
internal import AFCZip

/// Where the bodies of a crawl lie.
package struct CrawlFiles: Sendable {
    /// The crawl's own file.
    let spool: SpoolFile
    /// The package that is updated.
    let older: OlderPackage?

    /// The data of a body, or nil where the package that it lies in can't give it.
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

    /// Tells whether the body of an outcome still is as it was put into the crawl's file, if it has one there.
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
    /// Describes where a body was put.
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

/// What a crawl keeps beside its package until that is written: its state, and the bodies.
package struct CrawlWorkspace: Sendable {
    package let state: CrawlState
    package let files: CrawlFiles
    /// The files that go when the package is there.
    private let paths: [String]

    /// Opens what an interrupted crawl has left, or makes it.
    ///
    /// - Parameters:
    ///   - target: Where the package goes, or nil: nowhere.
    ///   - path: The package's path.
    ///   - crawl: The crawl; an interrupted one that would bring something else is refused.
    ///   - generator: The program and its version.
    ///   - level: Deflate's level, 1 to 9.
    /// - Throws: ``PackagingError``.
    package init(
        beside target: OutputTarget?,
        path: String,
        _ crawl: CrawlOptions,
        generator: String,
        level: Int32
    ) throws(PackagingError) {
        var older: OlderPackage?
        if let path = crawl.updates { older = try OlderPackage(path: path) }
        if let target, !target.isStream {
            paths = [path + ".crawl", path + ".bodies"]
            try Self.prepare(paths[0], paths[1], restarts: crawl.restarts)
            state = try CrawlState(
                path: paths[0],
                fingerprint: crawl.fingerprint(generator: generator, level: level, updating: older)
            )
        } else {
            // What goes to a pipe has no place beside it in which an interrupted crawl could wait. SQLite keeps a database
            // without a name in a file that goes away by itself.
            paths = []
            state = try CrawlState(path: "", fingerprint: "")
        }
        let length = try state.fact("spool").flatMap { Int64($0) } ?? 0
        if let bodies = paths.last { _ = try PrivateFile.prepare(bodies) }
        do throws(FileError) {
            let spool =
                if let bodies = paths.last {
                    try SpoolFile(path: bodies, keeping: length)
                } else {
                    try SpoolFile(in: target?.folder ?? OutputTarget.temporaryFolder)
                }
            if spool.size == 0 {
                _ = try Self.mark.span.bytes.withUnsafeBytes { mark throws(FileError) in try spool.append(mark) }
            }
            files = CrawlFiles(spool: spool, older: older)
        } catch {
            let remedy: Remedy? = length > 0 ? .restart : nil
            throw PackagingError(.inputOutput, subject: path, message: error.message, remedy: remedy)
        }
    }

    /// The first bytes of the file of bodies, by which one is recognized that has no state beside it any more.
    private static let mark = Array("afcache bodies\n\0".utf8)

    /// Makes sure that both files are this user's own and of a crawl, or aren't there; forgets them where that is asked
    /// for.
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

    /// Removes it all, once the package is written or there is none to write.
    package func remove() {
        guard let first = paths.first, let last = paths.last else { return }
        state.close()
        CrawlState.remove(first)
        unlink(last)
    }
}
