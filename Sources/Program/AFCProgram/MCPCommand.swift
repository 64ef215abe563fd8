import AFCCache
import AFCCaching
import AFCFiles
import AFCModelContext
import AFCSearch
import AFCText
import ArgumentParser

struct MCPCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "mcp",
        abstract: "Give packaged sites to AI agents, over the Model Context Protocol.",
        discussion: """
            An agent's program starts this command, and speaks with it over standard input and output. Its tools list the \
            sites and their versions, search them, get pages as Markdown, list pages, and list what changed between two \
            versions. Everything comes from packages, without a network; responses that were received from origins are \
            never shown. Pages whose origins disallow the use by AI are withheld. The end of the input ends the command. 'afcache serve --mcp' does the same over HTTP.

              afcache mcp docs.zip
              afcache mcp docs-1.zip docs-2.zip
              afcache mcp --cache cache
            """
    )

    @Argument(
        help: ArgumentHelp("Packages to read instead of a cache.", valueName: "package"),
        completion: .file(extensions: ["zip"])
    )
    var packages: [String] = []

    @OptionGroup var cache: CacheOption

    @OptionGroup var answering: AnswerOptions

    @OptionGroup var usage: UsageOptions

    @OptionGroup var verbosity: VerbosityOptions

    func validate() throws {
        guard packages.isEmpty || cache.cache == nil else {
            throw ValidationError(
                "'--cache' can't be combined with packages; load them into the cache, or remove '--cache'"
            )
        }
    }

    func run() async throws {
        let store: any SearchedPackages
        var keeping: DiskCache?
        if packages.isEmpty {
            let path = try cache.path()
            let cache = try DiskCache(path: path, access: .readOnly, verifiesBodies: answering.verify)
            (store, keeping) = (cache, cache)
        } else {
            var options = MountedPackages.Options()
            options.indexFolder = MountFolder.named(nil)
            options.verifiesBodies = answering.verify
            store = try MountedPackages(packages, options: options, now: Clock.now)
        }
        let library = SearchLibrary(store)
        let streams = StandardStreams(ContextServer(store, library, answering, usage))
        let cache = keeping
        do {
            try await StopSignals.cancelling {
                try await library.keeping(cache) {
                    await streams.run()
                    try Task.checkCancellation()
                }
            }
        } catch is Stopped {
            // A signal ends the command as the end of its input does.
        }
        try cache?.close()
    }
}

extension ContextServer {
    /// Creates a server over packages.
    init(
        _ store: any SearchedPackages,
        _ library: SearchLibrary,
        _ answering: AnswerOptions,
        _ usage: UsageOptions
    ) {
        self.init(
            PackagedSites(
                store: store,
                library: library,
                policy: OfflinePolicy(expired: answering.expired),
                matching: answering.match,
                obedience: usage.obedience,
                now: { Clock.now }
            ),
            version: AFCacheCommand.version
        )
    }
}
