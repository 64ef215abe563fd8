internal import AFCFiles
internal import AFCZip

#if canImport(Glibc)
internal import Glibc
#elseif canImport(Musl)
internal import Musl
#elseif canImport(Darwin)
internal import Darwin
#endif

/// What a crawl keeps beside its package until that is written: its state, and the bodies.
struct CrawlWorkspace: Sendable {
    let state: CrawlState
    let files: CrawlFiles
    /// The files that go when the package is there.
    private let paths: [String]

    /// Opens what an interrupted crawl has left, or makes it.
    ///
    /// - Parameters:
    ///   - output: The package to be.
    ///   - crawl: The crawl; an interrupted one that would bring something else is refused.
    /// - Returns: The state and the files.
    /// - Throws: ``PackagingError``.
    static func open(for output: Packaging.Output, _ crawl: CrawlOptions) async throws(PackagingError) -> CrawlWorkspace
    {
        try await OffPool.run { () throws(PackagingError) in try CrawlWorkspace(output, crawl) }
    }

    private init(_ output: Packaging.Output, _ crawl: CrawlOptions) throws(PackagingError) {
        let target = crawl.isDryRun ? nil : try output.target()
        var older: OlderPackage?
        if let path = crawl.updates { older = try OlderPackage(path: path) }
        if let target, !target.isStream {
            paths = [output.path + ".crawl", output.path + ".bodies"]
            try Self.prepare(paths[0], paths[1], restarts: crawl.restarts)
            state = try CrawlState(path: paths[0], fingerprint: crawl.fingerprint(output, updating: older))
        } else {
            // What goes to a pipe has no place beside it in which an interrupted crawl could wait. SQLite keeps a database
            // without a name in a file that goes away by itself.
            paths = []
            state = try CrawlState(path: "", fingerprint: "")
        }
        let length = try state.fact("spool").flatMap { Int64($0) } ?? 0
        if let bodies = paths.last { _ = try PrivateFile.prepare(bodies) }
        do throws(ZipError) {
            let spool =
                if let bodies = paths.last {
                    try onFile { () throws(FileError) in try SpoolFile(path: bodies, keeping: length) }
                } else {
                    try onFile { () throws(FileError) in
                        try SpoolFile(in: target?.folder ?? OutputTarget.temporaryFolder)
                    }
                }
            if spool.size == 0 {
                _ = try Self.mark.span.bytes.withUnsafeBytes { mark throws(ZipError) in
                    try onFile { () throws(FileError) in try spool.append(mark) }
                }
            }
            files = CrawlFiles(spool: spool, older: older)
        } catch {
            let remedy = length > 0 ? "; start over with '--restart'" : ""
            throw PackagingError(.inputOutput, subject: output.path, message: error.message + remedy)
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
                        "this path is needed for the crawl's bodies, but another file is there; move it, or choose "
                        + "another output"
                )
            }
        }
        guard restarts, hasState else { return }
        CrawlState.remove(state)
        unlink(bodies)
    }

    /// Removes it all, once the package is written or there is none to write.
    func remove() {
        guard let first = paths.first, let last = paths.last else { return }
        state.close()
        CrawlState.remove(first)
        unlink(last)
    }
}
