import AFCCache
import AFCCrawlRules
import AFCFiles
import AFCText
import ArgumentParser

/// Options for resuming a crawl and for updating a package.
struct UpdateArguments: ParsableArguments {
    @Flag(
        help: """
            Update the package that '-o' names: ask the site what has changed, and copy the rest. The report lists what \
            was added, changed and removed. If there is no package yet, everything is packed.
            """
    )
    var update = false

    @Option(
        help: ArgumentHelp(
            "Update as with '--update', but from this older package of the same site.",
            valueName: "package"
        ),
        completion: .file(extensions: ["zip"])
    )
    var updateFrom: String?

    @Flag(
        help: ArgumentHelp(
            """
            When updating, write the package even if nothing has changed, so that its dates are current.
            """,
            visibility: .hidden
        )
    )
    var rewrite = false

    @Option(
        help: ArgumentHelp(
            """
            When updating, write no package if more resources of the older one would be removed than this number or \
            percentage, for example 20%. (default: no limit)
            """,
            valueName: "count"
        ),
        transform: { text in
            if let limit = RemovalLimit(text) { return limit }
            throw ValidationError("'--max-removed' must be a number such as 100, or a percentage such as 20%")
        }
    )
    var maxRemoved: RemovalLimit?

    @Option(
        help: ArgumentHelp(
            """
            Also fetch the URLs in this list, as 'afcache serve --missing' writes it, after all others, if they are in \
            scope. One that fails is no failure of the crawl. '-' reads standard input.
            """,
            valueName: "file"
        ),
        completion: .file()
    )
    var addMissing: String?

    /// Sets the options of a crawl.
    ///
    /// - Parameters:
    ///   - options: The options to change.
    ///   - output: The path of the package that the crawl writes.
    /// - Throws: `ValidationError` or `CacheError` if the older package or the list of URLs can't be used.
    func apply(to options: inout CrawlOptions, output: String) throws {
        options.updates = update ? try Self.older(at: output) : updateFrom
        options.rewrites = rewrite
        options.removalLimit = maxRemoved
        if let addMissing { options.added = try MissingList.read(addMissing) }
    }

    func validate() throws {
        guard !update || updateFrom == nil else {
            throw ValidationError(
                "'--update' updates the package that '-o' names, and '--update-from' another one; use one of them"
            )
        }
        guard maxRemoved == nil || update || updateFrom != nil else {
            throw ValidationError("'--max-removed' needs '--update'")
        }
    }

    /// Returns the path of the package to update, or nil if the crawl makes the first one.
    ///
    /// An empty file is none, since `mktemp` creates one.
    private static func older(at output: String) throws -> String? {
        let target: OutputTarget
        do throws(FileError) {
            target = try OutputTarget(output)
        } catch {
            throw CacheError(.inputOutput, subject: output, message: error.message)
        }
        guard !target.isStream else {
            throw ValidationError(
                "'--update' needs a package that it can read; name a file with '-o', or the older package with "
                    + "'--update-from'"
            )
        }
        guard target.isReplacing else { return nil }
        // What can't be read is reported when it is opened.
        return (try? OpenFile(reading: output).size()) == 0 ? nil : output
    }
}
