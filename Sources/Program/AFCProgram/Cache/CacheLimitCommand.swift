import AFCCache
import AFCDelivery
internal import AFCHTTP
import AFCText
import ArgumentParser

struct CacheLimitCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "limit",
        abstract: "Set size limits for a cache and evict until it fits.",
        discussion: """
            A full cache evicts received responses first, then previous versions of packages, then expired entries, then \
            the least recently used ones. A package is evicted as a whole unless it was loaded with '--separable', and \
            never while it is pinned. Limits that you don't mention are unchanged; 'none' removes a limit.

              afcache cache limit --bytes 2G --entries 100000 --cache cache
              afcache cache limit --bytes none --cache cache
            """
    )

    @Option(
        help: ArgumentHelp(
            """
            The most bytes of all bodies together, for example 500M or 1.5G, or 'none'.
            """,
            valueName: "size"
        ),
        transform: LimitArgument.bytes
    )
    var bytes: LimitArgument?

    @Option(
        help: ArgumentHelp(
            "The most entries, including received responses, for example 100k, or 'none'.",
            valueName: "count"
        ),
        transform: LimitArgument.count
    )
    var entries: LimitArgument?

    @OptionGroup var cache: ChangedCache

    func validate() throws {
        guard bytes != nil || entries != nil else {
            throw ValidationError("name a limit, as in '--bytes 10G' or '--entries 100000'")
        }
    }

    func run() async throws {
        let (store, patience) = try cache.open()
        var limits = try store.limits()
        if let bytes { limits.bytes = bytes.number }
        if let entries { limits.entries = entries.number.map { Int($0) } }
        let left = try await store.setLimits(limits, now: Clock.now, patience: patience)
        let words = [
            limits.bytes.map { "\(Quantity.bytes($0)) of bodies" } ?? "any number of bytes",
            limits.entries.map { Quantity.count($0, "entry") } ?? "any number of entries",
        ]
        Console.print("the cache may hold \(words.joined(separator: " and "))")
        for one in left { Console.print("evicted \(one)") }
    }
}

/// A number with a unit, or none.
struct LimitArgument {
    /// The number, or nil for no limit.
    var number: Int64?

    /// Parses a limit of bytes.
    static func bytes(_ text: String) throws -> LimitArgument {
        let limit = try limit(text, ByteSize.argument)
        // A number of gigabytes without its unit, for example.
        guard limit.number.map({ $0 >= 1024 }) ?? true else {
            let shown = PrintableText.escaped(text)
            throw ValidationError(
                "'\(shown)' is less than any cache needs, and would evict everything; write a unit, as in 2G"
            )
        }
        return limit
    }

    /// Parses a limit of things that are counted.
    static func count(_ text: String) throws -> LimitArgument {
        try limit(text, ByteSize.countArgument)
    }

    /// Parses a limit; 0, by which people of other programs mean no limit, would evict everything.
    private static func limit(_ text: String, _ parse: (String) throws -> Int64) throws -> LimitArgument {
        guard text != "none" else { return LimitArgument(number: nil) }
        let number = try parse(text)
        guard number > 0 else {
            throw ValidationError(
                "'0' would evict everything; 'none' removes a limit, and 'afcache cache remove NAME' removes a package"
            )
        }
        return LimitArgument(number: number)
    }
}

struct CacheCollectCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "gc",
        abstract: "Remove files that a cache no longer needs.",
        discussion: """
            This removes files left behind by killed processes, the bodies of evicted entries, received responses that \
            have expired or were invalidated, partial downloads that weren't resumed for a week, and free space in the \
            database of received responses.

              afcache cache gc --cache cache
            """
    )

    @OptionGroup var cache: CacheOption

    @Flag(
        help: """
            Also remove the previous versions of packages, except where 'afcache cache keep' was used. After that, 'afcache \
            cache rollback' can't return to them.
            """
    )
    var previous = false

    @OptionGroup var waiting: WaitOptions

    @OptionGroup var verbosity: VerbosityOptions

    func run() async throws {
        let cache = try self.cache.path()
        let store = try DiskCache(path: cache, access: .existing)
        let week: Int64 = 7 * 86_400
        let parts = AbandonedDownloads.remove(from: store.downloadFolder, unchangedSince: Clock.now - week)
        let report = try await store.collectGarbage(
            includingPrevious: previous,
            now: Clock.now,
            patience: waiting.patience(for: cache)
        )
        let freed = max(0, report.bytesBefore - report.bytesAfter) + parts.bytes
        Console.print("freed \(Quantity.bytes(freed)); the cache takes \(Quantity.bytes(report.bytesAfter))")
    }
}
