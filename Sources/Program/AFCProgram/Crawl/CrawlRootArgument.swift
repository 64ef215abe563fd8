import AFCCrawlRules
import AFCDelivery
import AFCFiles
import AFCPackager
import AFCPlatform
import AFCText
import ArgumentParser

extension BucketFolder: CrawlStore {}

/// The folder or bucket of a crawl that several jobs share.
struct CrawlRootArgument: ParsableArguments {
    @Argument(help: "The folder that the jobs share, or s3://BUCKET/KEY.", completion: .directory)
    var root: String

    func validate() throws {
        guard !root.isEmpty else { throw ValidationError("the name of the folder is empty; name a folder") }
        guard !root.contains("://") || root.hasPrefix(BucketAccess.prefix) else {
            throw ValidationError(
                "\(PrintableText.quoted(root)) is a URL; the jobs of a crawl share a folder or a bucket (s3://BUCKET/KEY), "
                    + "which is named first"
            )
        }
    }

    /// Calls a body with the folder of the jobs; for a bucket, with a temporary folder, and with what stores its files.
    ///
    /// - Parameters:
    ///   - isNew: True to create the folder.
    ///   - patience: The time for which a bucket that isn't there is asked again.
    ///   - body: Uses the folder.
    /// - Returns: What the body returns.
    /// - Throws: `PackagingError` and `DeliveryError` if it can't be used, and the body's errors.
    func withFolder<Value>(
        isNew: Bool = false,
        patience: Duration = .zero,
        _ body: (CrawlFolder, StoredCrawl?) async throws -> Value
    ) async throws -> Value {
        guard root.hasPrefix(BucketAccess.prefix) else {
            let path = Path.absolute(root)
            return try await body(isNew ? try CrawlFolder.make(path) : try CrawlFolder(path), nil)
        }
        let bucket: BucketFolder
        do throws(DeliveryError) {
            bucket = try BucketFolder(root, options: .ofProgram(for: root), patience: patience) { name in
                getenv(name).map { String(cString: $0) }
            }
        } catch {
            throw TransferFailure(verb: "use", error: error)
        }
        let temporary: TemporaryFolder
        do throws(FileError) {
            temporary = try TemporaryFolder(for: "afcache-crawl", in: OutputTarget.temporaryFolder)
        } catch {
            throw PackagingError(.inputOutput, subject: OutputTarget.temporaryFolder, message: error.message)
        }
        defer { temporary.remove() }
        let result: Result<Value, any Error>
        do {
            let folder = try CrawlFolder(temporary.path)
            result = .success(try await body(folder, StoredCrawl(bucket, folder: folder)))
        } catch {
            switch error {
            case let error as DeliveryError: result = .failure(TransferFailure(verb: "use", error: error))
            // Of the temporary folder.
            case let error as FileError:
                result = .failure(PackagingError(.inputOutput, subject: error.path, message: error.message))
            default: result = .failure(error)
            }
        }
        await bucket.close()
        return try result.get()
    }

    /// Calls a body with the crawl, which this version of the program must have planned.
    func withCrawl<Value>(
        patience: Duration = .zero,
        _ body: (SharedCrawl, StoredCrawl?) async throws -> Value
    ) async throws -> Value {
        try await withFolder(patience: patience) { folder, stored in
            try await stored?.pullPlan()
            return try await body(try crawl(in: folder), stored)
        }
    }

    private func crawl(in folder: CrawlFolder) throws -> SharedCrawl {
        let crawl: SharedCrawl
        do throws(PackagingError) {
            crawl = try SharedCrawl(folder)
        } catch {
            guard error.code == .nothing else { throw error }
            throw ValidationError(
                "\(PrintableText.quoted(root)) has no plan of a crawl; make one with 'afcache crawl plan'"
            )
        }
        guard crawl.plan.generator == AFCacheCommand.generator else {
            throw ValidationError(
                "the crawl in \(PrintableText.quoted(root)) was planned by \(PrintableText.escaped(crawl.plan.generator)), "
                    + "and this is \(AFCacheCommand.generator); all of its jobs need the same version"
            )
        }
        return crawl
    }
}
