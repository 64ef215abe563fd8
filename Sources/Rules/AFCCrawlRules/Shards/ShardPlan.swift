package import AFCHTTP
internal import AFCText
package import AFCURL
internal import Crypto

/// What all jobs of a crawl in shards have in common: a file that is written once, before the first job.
package struct ShardPlan: Sendable, Equatable {
    /// The version of the file's form.
    package static let version: Int64 = 1
    /// The largest size of the file in bytes.
    package static let byteLimit = 256 << 20
    /// The largest number of start URLs.
    package static let seedLimit = 1_000_000

    /// The program and its version; only the same one works on the crawl, since another one may decide otherwise.
    package var generator: String
    /// The time that packages state for their making.
    package var created: Timestamp
    /// True if this time takes the place of the clock everywhere.
    package var isPinned: Bool
    /// The number of bits that number the shards.
    package var bits: Int
    /// The name of the packages, before a hyphen and the number of the shard.
    package var name: String
    /// The options of packing as arguments, and URLs.
    package var arguments: [String]
    /// The start URLs.
    package var seeds: [WebURL]

    package init(
        generator: String,
        created: Timestamp,
        isPinned: Bool,
        bits: Int,
        name: String,
        arguments: [String],
        seeds: [WebURL]
    ) {
        (self.generator, self.created, self.isPinned, self.bits) = (generator, created, isPinned, bits)
        (self.name, self.arguments, self.seeds) = (name, arguments, seeds)
    }

    /// How many shards there are.
    package var count: Int { 1 << bits }

    /// The numbers of the shards in which the crawl starts.
    package var firstShards: Set<Int> { Set(seeds.map { CrawlShard.number(of: $0, bits: bits) }) }

    /// Returns the name of a shard's package.
    package func packageName(of shard: Int) -> String {
        let digits = String(count).count
        let number = String(shard)
        return "\(name)-\(String(repeating: "0", count: digits - number.count))\(number)"
    }

    /// The file.
    package var bytes: [UInt8] {
        let value = JSONValue.object([
            ("version", .number(String(Self.version))), ("generator", .string(generator)),
            ("created", .string(created.iso8601)), ("pinned", .bool(isPinned)), ("bits", .number(String(bits))),
            ("name", .string(name)), ("arguments", .array(arguments.map { .string($0) })),
            ("seeds", .array(seeds.map { .string($0.description) })),
        ])
        return Array(value.serialized.utf8) + [0x0A]
    }

    /// Returns the digest of a file, which everything else about the crawl states: SHA-256 in hexadecimal digits.
    package static func digest(of bytes: [UInt8]) -> String { Hexadecimal.text(SHA256.hash(data: bytes)) }

    /// Reads a file.
    ///
    /// - Parameter bytes: The file.
    /// - Throws: ``Problem``.
    package init(_ bytes: [UInt8]) throws(Problem) {
        guard bytes.count <= Self.byteLimit, let value = try? JSONValue(parsing: bytes),
            let version = value["version"]?.integer
        else { throw Problem("it is not a crawl's plan, or it is damaged") }
        guard version == Self.version else {
            throw Problem("it is a plan of version \(version), and this program reads only version \(Self.version)")
        }
        guard let generator = value["generator"]?.string,
            let created = value["created"]?.string.flatMap({ Timestamp(iso8601: $0) }),
            case .bool(let isPinned)? = value["pinned"],
            let bits = value["bits"]?.integer, (0...Int64(CrawlShard.bitLimit)).contains(bits),
            let name = value["name"]?.string, Self.isName(name), let arguments = value["arguments"]?.array,
            let texts = value["seeds"]?.array, texts.count <= Self.seedLimit
        else { throw Problem("it is not a crawl's plan, or it is damaged") }
        let seeds = texts.compactMap { text in text.string.flatMap { try? WebURL($0) } }
        guard seeds.count == texts.count, !seeds.isEmpty else { throw Problem("it has a start URL that is none") }
        self.init(
            generator: generator,
            created: created,
            isPinned: isPinned,
            bits: Int(bits),
            name: name,
            arguments: arguments.compactMap(\.string),
            seeds: seeds
        )
    }

    /// Returns true for a name of which file names can be made.
    package static func isName(_ name: String) -> Bool {
        guard (1...80).contains(name.utf8.count), name.first != ".", name.first != "-" else { return false }
        return name.utf8.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."), UInt8(ascii: "_"), UInt8(ascii: "-"):
                true
            default: false
            }
        }
    }

    /// What is wrong with a plan.
    package struct Problem: Error, Equatable, Sendable {
        /// A sentence; lower case, no full stop.
        package var message: String

        init(_ message: String) { self.message = message }
    }
}

/// How a shard's work in a round ended: the file whose creation ends it.
package struct ShardRecord: Sendable, Equatable {
    /// The largest size of the file in bytes.
    package static let byteLimit = 1 << 20

    /// A block of URLs for another shard.
    package struct Block: Sendable, Equatable {
        /// The number of the shard that gets it.
        package var shard: Int
        /// How many URLs it has.
        package var count: Int
        /// The SHA-256 of the file in hexadecimal digits.
        package var digest: String

        package init(shard: Int, count: Int, digest: String) {
            (self.shard, self.count, self.digest) = (shard, count, digest)
        }
    }

    /// The digest of the plan.
    package var plan: String
    package var round: Int
    /// The number of the shard, from 1.
    package var shard: Int
    /// The number of the attempt that was the first to end, in whose folder everything is.
    package var attempt: Int
    /// The resources and redirects of the shard's package; zero if there is none.
    package var resources = 0
    /// The size of the package in bytes.
    package var bytes: Int64 = 0
    package var failures = 0
    /// The number of URLs that were left when the time was over.
    package var late = 0
    package var blocks: [Block] = []

    package init(plan: String, round: Int, shard: Int, attempt: Int) {
        (self.plan, self.round, self.shard, self.attempt) = (plan, round, shard, attempt)
    }

    /// The file.
    package var fileBytes: [UInt8] {
        func number(_ value: some BinaryInteger) -> JSONValue { .number(String(value)) }
        let blocks = blocks.map { JSONValue.array([number($0.shard), number($0.count), .string($0.digest)]) }
        let value = JSONValue.object([
            ("plan", .string(plan)), ("round", number(round)), ("shard", number(shard)), ("attempt", number(attempt)),
            ("resources", number(resources)), ("bytes", number(bytes)), ("failures", number(failures)),
            ("late", number(late)), ("blocks", .array(blocks)),
        ])
        return Array(value.serialized.utf8) + [0x0A]
    }

    /// Reads a file; nil if it isn't one of this shard and round.
    ///
    /// - Parameters:
    ///   - bytes: The file.
    ///   - round: The round.
    ///   - shard: The shard.
    package init?(_ bytes: [UInt8], round: Int, shard: CrawlShard) {
        guard bytes.count <= Self.byteLimit, let value = try? JSONValue(parsing: bytes),
            value["round"]?.integer == Int64(round), value["shard"]?.integer == Int64(shard.number),
            let plan = value["plan"]?.string, let blocks = value["blocks"]?.array, blocks.count < shard.count
        else { return nil }
        func number(_ key: String) -> Int? { value[key]?.integer.flatMap { $0 >= 0 ? Int(exactly: $0) : nil } }
        guard let attempt = number("attempt"), let resources = number("resources"), let bytes = number("bytes"),
            let failures = number("failures"), let late = number("late")
        else { return nil }
        self.init(plan: plan, round: round, shard: shard.number, attempt: attempt)
        (self.resources, self.bytes, self.failures, self.late) = (resources, Int64(bytes), failures, late)
        var targets: Set<Int> = [shard.number]
        for block in blocks {
            guard let parts = block.array, parts.count == 3, let target = parts[0].integer,
                let count = parts[1].integer, let digest = parts[2].string, (1...Int64(shard.count)).contains(target),
                (1...Int64(HandoverBlock.countLimit)).contains(count), Hexadecimal.bytes(digest)?.count == 32,
                targets.insert(Int(target)).inserted
            else { return nil }
            self.blocks.append(Block(shard: Int(target), count: Int(count), digest: digest))
        }
    }
}

/// How far a crawl in shards is: the round, the shards that have work in it, and those that are done.
package struct CrawlRound: Sendable, Equatable {
    /// The number, from 1.
    package var number: Int
    /// The shards that have work in the round.
    package var shards: Set<Int>
    /// The records of those that are done, by number.
    package var done: [Int: ShardRecord] = [:]
    /// Why shards were set aside, by number.
    package var aside: [Int: String] = [:]

    package init(_ number: Int, shards: Set<Int>) { (self.number, self.shards) = (number, shards) }

    /// The shards whose work is left, without those that were set aside, in order.
    package var waiting: [Int] { shards.filter { done[$0] == nil && aside[$0] == nil }.sorted() }

    /// True if all shards are done.
    package var isDone: Bool { shards.allSatisfy { done[$0] != nil } }

    /// True if the crawl is finished.
    package var isLast: Bool { shards.isEmpty }

    /// The round that follows once this one is done: the shards to which URLs were handed over have work.
    package var next: CrawlRound {
        CrawlRound(number + 1, shards: done.values.reduce(into: []) { $0.formUnion($1.blocks.map(\.shard)) })
    }
}
