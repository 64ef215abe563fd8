import AFCCrawlRules
import AFCPackager
import AFCText
import ArgumentParser

struct CrawlStatusCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "status",
        abstract: "Show how far a crawl in shards is.",
        discussion: """
            Each line has a shard, its state in the current round, what its package has, failures, and how many URLs it \
            handed over last.

              afcache crawl status /shared/night
            """
    )

    @OptionGroup var place: CrawlRootArgument

    @OptionGroup var format: JSONOption

    @OptionGroup var verbosity: VerbosityOptions

    private struct Row {
        var shard: Int
        var state: String
        var attempts: Int
        var record: ShardRecord?

        var handedOver: Int { (record?.blocks ?? []).reduce(0) { $0 + $1.count } }
    }

    func run() async throws {
        let (round, rows) = try await place.withCrawl { crawl, stored in
            try await stored?.pull(isWhole: true)
            return try Self.rows(crawl)
        }
        if format.json { Console.print(json(round, rows).serialized) } else { tell(round, rows) }
        Console.flush()
    }

    private static func rows(_ crawl: SharedCrawl) throws -> (CrawlRound, [Row]) {
        let round = try crawl.position().now
        let rows = try (1...crawl.plan.count).map { shard in
            let attempts = crawl.attempts(round.number, shard)
            let state =
                !round.shards.contains(shard)
                ? "idle"
                : round.done[shard] != nil
                    ? "done" : round.aside[shard] != nil ? "aside" : attempts > 0 ? "begun" : "waiting"
            let record = try round.done[shard] ?? crawl.lastRecord(of: shard, upTo: round.number)
            return Row(shard: shard, state: state, attempts: state == "begun" ? attempts : 0, record: record)
        }
        return (round, rows)
    }

    private func tell(_ round: CrawlRound, _ rows: [Row]) {
        Console.print(
            round.isLast
                ? "finished after \(Quantity.count(round.number - 1, "round"))"
                : "round \(round.number): \(round.done.count) of \(Quantity.count(round.shards.count, "shard")) done"
        )
        let titles = ["shard", "state", "resources", "size", "failures", "late", "handed over"]
        var lines = [titles]
        for row in rows {
            let record = row.record
            let state = row.attempts > 1 ? "\(row.state) (\(row.attempts))" : row.state
            lines.append([
                String(row.shard), state, String(record?.resources ?? 0), Quantity.bytes(record?.bytes ?? 0),
                String(record?.failures ?? 0), String(record?.late ?? 0), String(row.handedOver),
            ])
        }
        let widths = titles.indices.map { column in lines.map { $0[column].count }.max() ?? 0 }
        for line in lines {
            let cells = zip(line.dropLast(), widths).map { Quantity.padded($0, $1) } + line.suffix(1)
            Console.print(cells.joined(separator: "  "))
        }
        for (shard, reason) in round.aside.sorted(by: { $0.key < $1.key }) {
            Console.complain("error: shard \(shard) was set aside: \(reason)")
        }
    }

    private func json(_ round: CrawlRound, _ rows: [Row]) -> JSONValue {
        func number(_ value: some BinaryInteger) -> JSONValue { .number(String(value)) }
        let shards = rows.map { row in
            JSONValue.object([
                ("shard", number(row.shard)), ("state", .string(row.state)), ("attempts", number(row.attempts)),
                ("resources", number(row.record?.resources ?? 0)), ("bytes", number(row.record?.bytes ?? 0)),
                ("failures", number(row.record?.failures ?? 0)), ("late", number(row.record?.late ?? 0)),
                ("handedOver", number(row.handedOver)),
            ])
        }
        return .object([
            ("round", number(round.number)), ("finished", .bool(round.isLast)), ("shards", .array(shards)),
        ])
    }
}
