import AFCCrawlRules
import AFCCrawler
import AFCPackageFormat
import AFCPackager
import AFCText
import AFCURL
import ArgumentParser

struct CrawlPlanCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "plan",
        abstract: "Write down what a crawl in shards fetches, before its first job.",
        discussion: """
            After the folder follow URLs and options as for 'afcache pack': those for the scope, queries, politeness and \
            the package, and '--max-time' for each round of a shard. Options for access, such as '--credentials', are \
            options of 'afcache crawl work', since the folder must not contain them. The plan is never changed.

              afcache crawl plan /shared/night --shards 64 --list urls.txt --scope any --depth 3 --delay 1s
            """
    )

    @OptionGroup var place: CrawlRootArgument

    @Argument(parsing: .allUnrecognized, help: "URLs where the crawl starts, and options of 'afcache pack'.")
    var pack: [String] = []

    @Option(help: "The number of shards: a power of two, at most 1024.")
    var shards = 16

    @OptionGroup var verbosity: VerbosityOptions

    /// The options of packing that a plan may have; all decide the same in each shard.
    private static let permitted: Set<String> = [
        "list", "sitemaps", "scope", "depth", "include", "exclude", "foreign-requisites", "no-foreign-requisites",
        "no-recipes", "preview-images", "media", "query", "traps", "max-time", "max-redirects", "max-body-bytes",
        "ignore-robots",
        "nofollow", "noindex", "connections", "total-connections", "delay", "limit-rate", "retries", "timeout",
        "user-agent", "allow-private", "max-age", "level", "name",
    ]
    private static let ofWork: Set<String> = [
        "header", "credentials", "netrc", "cookies", "proxy", "cacert", "insecure",
    ]

    func validate() throws {
        guard shards > 0, shards.nonzeroBitCount == 1, shards <= 1 << CrawlShard.bitLimit else {
            throw ValidationError(
                "'--shards' must be a power of two from 1 to \(1 << CrawlShard.bitLimit), for example 64"
            )
        }
        for argument in pack.prefix(while: { $0 != "--" }) where argument.hasPrefix("-") && argument != "-" {
            let option = String(argument.prefix { $0 != "=" })
            let name = String(option.drop { $0 == "-" })
            let shown = PrintableText.quoted(option)
            if Self.ofWork.contains(name) {
                throw ValidationError("\(shown) would be written into the plan; give it to 'afcache crawl work'")
            }
            if ["max-pages", "max-bytes"].contains(name) {
                throw ValidationError(
                    "\(shown) can't be kept by shards that don't know of each other; use '--depth' or '--max-time'"
                )
            }
            guard Self.permitted.contains(name) else {
                throw ValidationError(
                    "\(shown) is not an option of crawls in shards; remove it, or see 'afcache crawl plan --help'"
                )
            }
        }
    }

    func run() async throws {
        let arguments = pack
        guard arguments.contains(where: { !$0.hasPrefix("-") || $0.hasPrefix("--list") }) else {
            throw ValidationError("name a URL where the crawl starts, or a list of them with '--list'")
        }
        let command: PackCommand
        do {
            command = try PlannedCrawl.parse(arguments)
        } catch {
            let (message, _) = Failure.outcome(of: error, arguments: ["pack"] + arguments)
            throw ValidationError(message ?? "its options are wrong")
        }
        let pinned = try Clock.pinned()
        let seeds = try command.scope.seeds(named: command.urls)
        guard let first = seeds.first else { throw ValidationError("there is no URL to start from; name one") }
        guard seeds.count <= ShardPlan.seedLimit else {
            throw ValidationError("a crawl starts from at most \(ShardPlan.seedLimit) URLs; divide the list")
        }
        for seed in seeds where !seed.isHTTP || seed.hasCredentials {
            throw ValidationError(
                "\(PrintableText.quoted(seed.removingCredentials.description)) must be an http or https URL without "
                    + "credentials"
            )
        }
        let name = command.naming.name ?? PackageName.suggested(for: [first]) ?? "crawl"
        guard ShardPlan.isName(name) else {
            throw ValidationError(
                "\(PrintableText.quoted(name)) can't be the name of files; give another one with '--name'"
            )
        }
        let plan = ShardPlan(
            generator: AFCacheCommand.generator,
            created: pinned ?? Clock.now,
            isPinned: pinned != nil,
            bits: shards.trailingZeroBitCount,
            name: name,
            arguments: arguments,
            seeds: seeds
        )
        let (crawl, isNew) = try await place.withFolder(isNew: true) { folder, stored in
            let isNew = try await stored?.plan(plan)
            try await stored?.pullPlan()
            let (crawl, isFirst) = try SharedCrawl.make(plan, in: folder)
            return (crawl, isNew ?? isFirst)
        }
        let count =
            "\(Quantity.count(seeds.count, "start URL")) in \(crawl.plan.firstShards.count) of "
            + Quantity.count(shards, "shard")
        Console.print((isNew ? "planned: " : "planned before: ") + count)
        Console.flush()
    }
}

/// The crawl that a plan describes.
struct PlannedCrawl {
    private let command: PackCommand
    private let plan: ShardPlan

    /// Parses the options of packing.
    static func parse(_ arguments: [String]) throws -> PackCommand {
        // Parsing sets the level, which is that of the command that runs.
        let level = Console.level
        defer { Console.level = level }
        return try PackCommand.parse(["--output=shard.zip"] + arguments)
    }

    init(_ plan: ShardPlan) throws {
        self.plan = plan
        // The URLs that count are those that the plan lists.
        command = try Self.parse(plan.arguments)
    }

    /// Returns the options of the crawl, and those for fetching.
    ///
    /// - Parameter access: The options for access, which aren't in the plan.
    /// - Returns: The options of all shards.
    /// - Throws: A usage error, or one for a file that can't be read.
    func options(_ access: AccessArguments) throws -> (CrawlOptions, HTTPFetcher.Options) {
        var access = access
        access.allowPrivate = command.access.allowPrivate
        let planned = command.crawl
        let crawl = CrawlArguments(
            scope: planned.scope,
            queries: planned.queries,
            limits: planned.limits,
            politeness: planned.politeness,
            access: access,
            rendering: planned.rendering,
            browser: planned.browser,
            update: planned.update,
            restart: planned.restart,
            report: planned.report
        )
        let options = try crawl.options(
            seeds: plan.seeds,
            output: "",
            making: command.making,
            sizes: command.sizes,
            pinned: plan.isPinned ? plan.created : nil
        )
        return (options, try crawl.fetching())
    }

    /// Returns the settings of a shard's package.
    func output(of shard: Int) -> Packaging.Output {
        var output = Packaging.Output(path: "", created: plan.created, generator: plan.generator)
        output.name = plan.packageName(of: shard)
        output.level = Int32(command.sizes.level)
        return output
    }
}
