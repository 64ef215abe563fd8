import AFCCache
import AFCChannel
import AFCCrawlRules
import AFCFiles
import AFCPackageFile
import AFCPackageFormat
import AFCPackager
import AFCPlatform
import AFCText
import AFCURL
import ArgumentParser

struct CrawlPublishCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "publish",
        abstract: "Copy the packages of a crawl in shards into a folder, or add them to a channel.",
        discussion: """
            Each shard has one package. In a folder, crawl.json lists the hosts that each has. Packages that haven't \
            changed since the last time stay as they are. If the crawl isn't finished, what there is is published, and \
            the exit code is 5.

              afcache crawl publish /shared/night -o packages
              afcache crawl publish /shared/night --channel www/night.channel --sign team
            """
    )

    @OptionGroup var place: CrawlRootArgument

    @Option(
        name: [.customShort("o", allowingJoined: true), .long],
        help: ArgumentHelp("The folder for the packages; it is created.", valueName: "dir"),
        completion: .directory
    )
    var output: String?

    @Option(
        help: ArgumentHelp("The channel that lists the packages, which are put beside it.", valueName: "file"),
        completion: .file()
    )
    var channel: String?

    @OptionGroup var signing: SigningOption

    @OptionGroup var verbosity: VerbosityOptions

    func validate() throws {
        guard (output == nil) != (channel == nil) else {
            throw ValidationError("name a folder with '-o', or a channel with '--channel'")
        }
        guard output != "" else { throw ValidationError("'--output' is empty; name a folder") }
        guard channel == nil || !signing.sign.isEmpty else {
            throw ValidationError("a channel must be signed; name its key with '--sign'")
        }
        guard output == nil || signing.sign.isEmpty else {
            throw ValidationError("'--sign' is for a channel; name one with '--channel', or remove '--sign'")
        }
    }

    /// A package and what it has.
    private struct Published {
        var shard: Int
        var file: String
        var name: String
        var digest: String
        var record: ShardRecord
        var hosts: [String]
        var isNew: Bool
    }

    func run() async throws {
        try await place.withCrawl { crawl, stored in
            try await stored?.pull(isWhole: true)
            try await publish(crawl, stored)
        }
    }

    private func publish(_ crawl: SharedCrawl, _ stored: StoredCrawl?) async throws {
        let round = try crawl.position().now
        let folder = output ?? channel.map(Durable.folder(of:)) ?? "."
        let records = try (1...crawl.plan.count)
            .compactMap { shard in try crawl.lastRecord(of: shard, upTo: round.number) }
            .filter { $0.bytes > 0 }
        guard !records.isEmpty else {
            Console.complain("error: no shard has a package yet; run 'afcache crawl work' first")
            throw ExitStatus.nothingToPack.code
        }
        do throws(FileError) {
            if output != nil { try FolderTree<FileError>.make(folder) }
        } catch {
            throw CacheError(.inputOutput, subject: folder, message: error.message)
        }
        // What is put beside a channel that can't be signed would only lie there.
        if let channel { _ = try addition(to: channel, of: "x.zip", named: "x").signable() }
        let listPath = "\(folder)/\(PublishedCrawl.listName)"
        if channel == nil {
            let remedy = "choose another folder"
            try ReplacedFile.require(listPath, is: "a list that 'afcache crawl publish' made", or: remedy) {
                $0.starts(with: "{\"version\":1,\"plan\":".utf8)
            }
        }
        var published: [Published] = []
        for record in records {
            let path = try await stored?.pullPackage(record) ?? crawl.packagePath(record)
            // A bucket's package is here for the moment in which it is copied.
            defer { if stored != nil { unlink(path) } }
            published.append(try await OffPool.run { try publish(path, record, crawl.plan, into: folder) })
        }
        if let channel {
            for package in published { try await list(package, in: channel) }
        } else {
            try WholeFile.write(Self.list(published, crawl), to: listPath)
        }
        let new = published.count(where: \.isNew)
        let changed = new == published.count ? "" : ", \(new) changed"
        let resources = published.reduce(0) { $0 + $1.record.resources }
        Console.print(
            "published in \(PrintableText.quoted(folder)): \(Quantity.count(published.count, "package"))\(changed), "
                + Quantity.count(resources, "resource")
        )
        Console.flush()
        try round.requireNoneAside(place.root)
        guard round.isLast else {
            Console.complain(
                "warning: the crawl isn't finished: \(Quantity.count(round.waiting.count, "shard")) of round \(round.number) "
                    + "\(round.waiting.count == 1 ? "has" : "have") work; publish again at the end"
            )
            throw ExitStatus.incomplete.code
        }
    }

    /// Copies a package, unless the folder has it.
    private func publish(
        _ path: String,
        _ record: ShardRecord,
        _ plan: ShardPlan,
        into folder: String
    ) throws -> Published {
        let reader = try PackageReader(path: path)
        let digest = try reader.statedDigest().hexadecimal
        let name = plan.packageName(of: record.shard)
        // A channel's releases stay until devices have the next one.
        let file = channel == nil ? "\(name).zip" : "\(name)-\(digest.prefix(16)).zip"
        let target = "\(folder)/\(file)"
        // What can't be read is replaced.
        let old = OpenFile.isRegularFile(target) ? try? PackageReader(path: target).statedDigest().hexadecimal : nil
        if old != digest {
            try ReplacedFile.requirePackage(target)
            let source = try OpenFile(reading: path)
            let sink = try OutputSink(try OutputTarget(target))
            try sink.append(contentsOf: source)
            try sink.finish()
        }
        return Published(
            shard: record.shard,
            file: file,
            name: name,
            digest: digest,
            record: record,
            hosts: Set(reader.index.resources.compactMap { $0.url.host }).sorted(),
            isNew: old != digest
        )
    }

    /// Returns the list of packages, as JSON.
    private static func list(_ published: [Published], _ crawl: SharedCrawl) -> [UInt8] {
        let packages = published.map { package in
            JSONValue.object([
                ("file", .string(package.file)), ("shard", .number(String(package.shard))),
                ("digest", .string(package.digest)), ("resources", .number(String(package.record.resources))),
                ("bytes", .number(String(package.record.bytes))),
                ("hosts", .array(package.hosts.map { .string($0) })),
            ])
        }
        let value = JSONValue.object([
            ("version", .number("1")), ("plan", .string(crawl.digest)), ("shards", .number(String(crawl.plan.count))),
            ("packages", .array(packages)),
        ])
        return Array(value.serialized.utf8) + [UInt8(ascii: "\n")]
    }

    /// Adds a package to a channel, unless it is the latest release there.
    private func list(_ package: Published, in channel: String) async throws {
        let listed = try ChannelFile(try SmallFile.read(channel, limit: ChannelFile.byteLimit), subject: channel)
        guard
            listed.channel.packages.first(where: { $0.name == package.name })?.releases.first?.digest != package.digest
        else { return }
        try await addition(to: channel, of: package.file, named: package.name).run()
    }

    private func addition(to channel: String, of file: String, named name: String) throws -> ChannelAddCommand {
        // Parsing sets the level of a command that runs alone.
        let level = Console.level
        defer { Console.level = level }
        return try ChannelAddCommand.parse(
            [channel, "\(Durable.folder(of: channel))/\(file)", "--name", name] + signing.sign.map { "--sign=" + $0 }
        )
    }
}
