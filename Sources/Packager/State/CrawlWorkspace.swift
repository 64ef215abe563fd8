internal import ZipArchive

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
        let target = try Self.target(output)
        var older: OlderPackage?
        if let path = crawl.updates { older = try OlderPackage(path: path) }
        // What goes to a pipe has no place beside it in which an interrupted crawl could wait.
        if crawl.isDryRun || target.isStream {
            // SQLite keeps a database without a name in a file that goes away by itself.
            state = try CrawlState(path: "", fingerprint: "")
            paths = []
        } else {
            let path = output.path + ".crawl"
            if crawl.restarts { CrawlState.remove(path) }
            state = try CrawlState(path: path, fingerprint: crawl.fingerprint(output, updating: older))
            paths = [path, output.path + ".bodies"]
        }
        let length = try state.fact("spool").flatMap { Int64($0) } ?? 0
        do throws(ZipError) {
            let spool =
                if let path = paths.last { try SpoolFile(path: path, keeping: length) } else {
                    try SpoolFile(in: target.folder)
                }
            files = CrawlFiles(spool: spool, older: older)
        } catch {
            let remedy = length > 0 ? "; begin anew with '--restart'" : ""
            throw PackagingError(.inputOutput, subject: output.path, message: error.message + remedy)
        }
    }

    private static func target(_ output: Packaging.Output) throws(PackagingError) -> OutputTarget {
        do throws(ZipError) {
            let target = try OutputTarget(output.path)
            try target.requireWritable()
            return target
        } catch {
            throw PackagingError(.inputOutput, subject: output.path, message: error.message)
        }
    }

    /// Removes it all, once the package is written or there is none to write.
    func remove() {
        guard let first = paths.first, let last = paths.last else { return }
        state.close()
        CrawlState.remove(first)
        unlink(last)
    }
}
