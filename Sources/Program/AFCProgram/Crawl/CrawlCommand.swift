import AFCCrawlRules
import AFCPackager
import AFCText
import ArgumentParser

struct CrawlCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "crawl",
        abstract: "Crawl many sites as several jobs that share a folder or bucket.",
        discussion: """
            Use it for a crawl that is too large for one machine or one night. The crawl is divided into shards by the \
            hosts' domains, and a job works on one of them. A service such as Slurm, Kubernetes or GNU parallel starts \
            the jobs, and may start them again or twice. What one shard finds for another is fetched in the next round. \
            share/doc/afcache/reference/crawl.md describes it.

              afcache crawl plan /shared/night https://a.example/ https://b.example/ --scope any --depth 3
              afcache crawl next /shared/night | parallel afcache crawl work /shared/night --shard {}
              afcache crawl publish /shared/night -o packages
            """,
        subcommands: [
            CrawlPlanCommand.self, CrawlWorkCommand.self, CrawlNextCommand.self, CrawlStatusCommand.self,
            CrawlPublishCommand.self,
        ]
    )
}

struct CrawlNextCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "next",
        abstract: "Print the shards that have work, one per line.",
        discussion: """
            Nothing is printed once the crawl is finished. If shards were set aside after three attempts without \
            progress, the exit code is 5, and no further round begins.

              afcache crawl next /shared/night | parallel afcache crawl work /shared/night --shard {}
            """
    )

    @OptionGroup var place: CrawlRootArgument

    @OptionGroup var verbosity: VerbosityOptions

    func run() async throws {
        try await place.withCrawl { crawl, stored in
            try await stored?.pull()
            let round = try crawl.position().now
            for shard in round.waiting { Console.print(String(shard)) }
            Console.flush()
            try round.requireNoneAside(place.root)
        }
    }
}

extension CrawlRound {
    /// Reports the shards that were set aside.
    ///
    /// - Throws: The exit code, if there are any.
    func requireNoneAside(_ root: String) throws {
        guard !aside.isEmpty else { return }
        for (shard, reason) in aside.sorted(by: { $0.key < $1.key }) {
            let file = PrintableText.quoted("\(root)/round-\(number)/shard-\(shard)/aside.txt")
            Console.complain(
                "error: shard \(shard) was set aside after \(ShardWork.tryLimit) attempts without progress: \(reason); "
                    + "remove \(file) to try it again"
            )
        }
        throw ExitStatus.incomplete.code
    }
}
