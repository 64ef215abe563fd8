import AFCBatch
import AFCCrawlRules
import AFCPackager
import AFCText
import ArgumentParser
import Dispatch

struct CrawlWorkCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "work",
        abstract: "Work on one shard of a crawl in the current round.",
        discussion: """
            If another job has begun the shard and was killed, this one continues. If another one is still at work, the \
            first to end counts. With nothing to do, the exit code is 0.

              afcache crawl work /shared/night --shard 3
              afcache crawl work /shared/night
            """
    )

    @OptionGroup var place: CrawlRootArgument

    @Option(
        help: ArgumentHelp(
            "The shard, such as 3 or 3/64. (default: the number of this job from the job service's variables)",
            valueName: "number"
        )
    )
    var shard: String?

    @OptionGroup(title: "Access") var access: AccessArguments

    @OptionGroup var verbosity: VerbosityOptions

    func validate() throws {
        guard !access.allowPrivate else {
            throw ValidationError("'--allow-private' decides what is fetched; give it to 'afcache crawl plan'")
        }
    }

    func run() async throws {
        // A job outlasts a restart of the service.
        try await place.withCrawl(patience: .seconds(120)) { crawl, stored in
            let shard = try number(crawl.plan)
            try await stored?.pull(shard: shard.number)
            try tell(try await outcome(of: ShardWork(crawl, shard, stored: stored), crawl, shard), shard)
        }
    }

    private func outcome(
        of work: ShardWork,
        _ crawl: SharedCrawl,
        _ shard: CrawlShard
    ) async throws -> ShardWork.Outcome {
        let planned = try PlannedCrawl(crawl.plan)
        let (options, fetching) = try planned.options(access)
        let progress = CrawlProgress()
        do {
            return try await StopSignals.cancelling {
                try await withTaskCancellationHandler {
                    try await progress.whileShown {
                        try await work.run(options, fetching: fetching, output: planned.output(of: shard.number)) {
                            progress.note($0)
                        }
                    }
                } onCancel: {
                    // What doesn't end in time is left as after a crash, from which the next job continues.
                    let end = DispatchTime.now() + .seconds(BatchSite.stopSeconds)
                    DispatchQueue.global().asyncAfter(deadline: end) { systemExit(ExitStatus.again.rawValue) }
                }
            }
        } catch let stopped as Stopped {
            let isByService = stopped.signal == StopSignals.terminate
            Console.note(isByService ? "stopped: another job continues" : "stopped: the same command resumes")
            throw isByService ? ExitStatus.again.code : ExitCode(128 + stopped.signal)
        }
    }

    private func tell(_ outcome: ShardWork.Outcome, _ shard: CrawlShard) throws {
        let name = "shard \(shard.number)/\(shard.count)"
        switch outcome {
        case .nothing(let round):
            Console.print(
                round.isLast ? "\(name): the crawl is finished" : "\(name): nothing to do in round \(round.number)"
            )
        case .late: Console.print("\(name): another job has ended first")
        case .aside(let reason):
            Console.complain(
                "error: \(name) was set aside after \(ShardWork.tryLimit) attempts without progress: \(reason); 'afcache crawl "
                    + "next' says how to try it again"
            )
            throw ExitStatus.incomplete.code
        case .done(let record):
            var parts = [Quantity.count(record.resources, "resource"), Quantity.bytes(record.bytes)]
            if record.failures > 0 { parts.append(Quantity.count(record.failures, "failure")) }
            if record.late > 0 { parts.append("\(Quantity.count(record.late, "URL")) left when the time was over") }
            let handed = record.blocks.reduce(0) { $0 + $1.count }
            if handed > 0 { parts.append("\(Quantity.count(handed, "URL")) for other shards") }
            Console.print("\(name), round \(record.round): \(parts.joined(separator: ", "))")
        }
        Console.flush()
    }

    /// Returns the shard that the option or the job service names.
    private func number(_ plan: ShardPlan) throws -> CrawlShard {
        let variables = ProcessEnvironment.variables
        let part: BatchShard?
        // An array of jobs may be for some of the shards, and then its numbers say nothing by themselves.
        if shard == nil, let stated = try? BatchShard.read(nil, variables: variables), stated.shard.count != plan.count
        {
            throw ValidationError(
                "this is one of \(stated.shard.count) jobs, and the crawl has \(plan.count) shards; name the shard, for "
                    + "example with '--shard \"$\(stated.variable ?? "")\"'"
            )
        }
        guard shard != nil || (try? BatchShard.read(nil, variables: variables)) != nil else {
            throw ValidationError(
                "name a shard with '--shard', from 1 to \(plan.count); 'afcache crawl next' lists those that have work"
            )
        }
        if let shard, let number = Int(shard), !(1...plan.count).contains(number) {
            throw ValidationError(
                "'--shard': the crawl has \(Quantity.count(plan.count, "shard")); write a number from 1 to \(plan.count)"
            )
        }
        do throws(BatchShard.Problem) {
            let text = shard.map { $0.contains("/") ? $0 : "\($0)/\(plan.count)" } ?? "/\(plan.count)"
            // With a count, there is a shard or an error.
            part = try BatchShard.read(text, variables: variables)?.shard
        } catch {
            throw ValidationError("'--shard': \(error.message)")
        }
        guard let part, part.count == plan.count, let shard = CrawlShard(part.index, bits: plan.bits) else {
            throw ValidationError("'--shard': the crawl has \(Quantity.count(plan.count, "shard"))")
        }
        return shard
    }
}
