import AFCBatch
import AFCCache
import AFCChannel
import AFCDelivery
import AFCDelta
import AFCFiles
import AFCPackageFile
import AFCPackageFormat
import AFCText
import ArgumentParser

/// The work on one site of a batch, in steps that are commands of their own.
struct BatchSite: Sendable {
    let site: BatchFile.Site
    let folders: BatchFolders
    let round: String
    let isForced: Bool

    /// The seconds that a crawl has to end after a signal.
    static let stopSeconds = 18
    /// How many packages of a site stay in a channel's folder.
    private static let keptFiles = 2
    /// The beginning of a log.
    private static let mark = "# afcache batch: "

    /// A step that failed.
    private struct StepFailure: Error {
        var step: String
        var message: String
        var code: Int32
    }

    /// The error about the value of a key of the file.
    struct WrongKey: Error {
        /// The key.
        var key: String
        /// The error.
        var cause: any Error
    }

    /// Checks a site's options, and the places where its package goes, as far as that needs no request.
    ///
    /// - Throws: The error of the command that would use them, or ``WrongKey``.
    static func check(_ site: BatchFile.Site) throws {
        let level = Console.level
        defer { Console.level = level }
        _ = try PackCommand.parse(packArguments(site, output: "x.zip", report: "x.html"))
        if !site.check.isEmpty { _ = try PackCommand.parse(checkArguments(site, output: "x.zip")) }
        func about(_ key: String, _ check: () throws -> Void) throws {
            do { try check() } catch { throw WrongKey(key: key, cause: error) }
        }
        try about("urls") { for url in site.urls { try ScopeArguments.requireSeed(url) } }
        try about("check") { for url in site.check { try ScopeArguments.requireSeed(url) } }
        if let folder = site.publish.folder {
            try about("folder") {
                let path = "\(folder)/\(site.name).zip"
                try OutputTarget(path).requireWritable()
                try ReplacedFile.requirePackage(path)
            }
        }
        if let channel = site.publish.channel {
            let command = try ChannelAddCommand.parse([channel.file, "x.zip", "--name", site.name] + channel.arguments)
            try about("channel") {
                let (file, isSigning) = try command.signable()
                guard isSigning || file.signatures.isEmpty else {
                    throw ValidationError(
                        "the channel \(PrintableText.quoted(channel.file)) is signed, and would lose its signature; name its "
                            + "key with 'sign' beside 'file'"
                    )
                }
            }
        }
        if let registry = site.publish.registry {
            try about("registry") {
                _ = try PushCommand.parse(["x.zip", registry])
                if registry.hasPrefix(RegistryReference.prefix) { _ = try PushCommand.reference(registry) }
            }
        }
    }

    /// Checks that a site's log replaces no other file.
    ///
    /// - Throws: `CacheError`.
    static func requireOwnLog(_ site: BatchFile.Site, _ folders: BatchFolders) throws {
        try ReplacedFile.require(
            folders.log(site.name),
            is: "a log of 'batch'",
            or: "move it away, or choose another '--root'"
        ) { $0.starts(with: mark.utf8) }
    }

    private static func packArguments(_ site: BatchFile.Site, output: String, report: String) -> [String] {
        let isFolder = site.arguments.contains { $0.hasPrefix("--folder=") }
        return site.arguments + ["--name", site.name, "-o", output]
            + (isFolder ? [] : ["--update", "--report", report])
            + ["--"] + site.urls
    }

    /// Does what is left to do in this round.
    ///
    /// - Returns: The record, and whether something was done.
    /// - Throws: `CancellationError`, and `CacheError` if the record can't be written.
    func run() async throws -> (BatchRecord, isNew: Bool) {
        let lock = try await locked()
        defer { lock.release() }
        var record = read()
        if record.round != round {
            (record.round, record.state, record.beginnings, record.failures) = (round, .begun, 0, 0)
        } else if !isForced, record.isDone || record.isSetAside {
            if !record.isDone { record.state = .failed }
            return (record, false)
        }
        let before = record
        record.state = .begun
        record.beginnings += 1
        try write(record)
        let log = ConsoleLog()
        log.append("\(Self.mark)\(site.name), \(round)\n".utf8)
        let started = ContinuousClock.now
        do {
            record = try await Console.$log.withValue(log) { try await worked(on: record, log) }
            (record.exitCode, record.step, record.error) = (0, nil, nil)
        } catch let failure as StepFailure {
            // What a signal stops hasn't failed.
            guard !Task.isCancelled else {
                try write(before)
                throw CancellationError()
            }
            record.state = .failed
            record.failures += 1
            (record.exitCode, record.step, record.error) = (failure.code, failure.step, failure.message)
        }
        record.seconds = started.duration(to: .now) / .seconds(1)
        try WholeFile.write(log.bytes, to: folders.log(site.name))
        try write(record)
        return (record, true)
    }

    /// The options that make sense for a few URLs that only say whether a site has changed.
    private static func checkArguments(_ site: BatchFile.Site, output: String) -> [String] {
        let others = [
            "list", "sitemaps", "render", "try", "add-missing", "max-removed", "fail-on", "scope", "depth",
            "match-rules",
        ]
        let kept = site.arguments.filter { argument in
            !others.contains { argument == "--" + $0 || argument.hasPrefix("--\($0)=") }
        }
        return kept + [
            "--scope=page", "--depth=0", "--fail-on=seed", "--ignore-robots", "--name", site.name, "-o", output,
        ]
            + ["--update", "--"] + site.check
    }

    private var isFolder: Bool { Self.isFolder(site) }

    private static func isFolder(_ site: BatchFile.Site) -> Bool {
        site.arguments.contains { $0.hasPrefix("--folder=") }
    }

    // MARK: The record

    /// Waits until no other process works on the site.
    private func locked() async throws -> FileLock {
        let path = folders.lock(site.name)
        let lock: FileLock
        do throws(FileError) {
            lock = try FileLock(file: path)
        } catch {
            throw CacheError(.inputOutput, subject: path, message: error.message)
        }
        var hasSaid = false
        while true {
            switch lock.take(waiting: false) {
            case .held: return lock
            case .busy:
                if !hasSaid {
                    Console.note("waiting for another process that works on \(PrintableText.quoted(site.name))")
                }
                hasSaid = true
                try await Task.sleep(for: .milliseconds(200))
            case .failed: throw CacheError(.inputOutput, subject: path, message: lock.failure().message)
            }
        }
    }

    private func read() -> BatchRecord {
        let path = folders.record(site.name)
        // A record that can't be read is begun again; publishing the same package again changes nothing.
        let bytes = try? SmallFile.read(path, limit: BatchRecord.byteLimit)
        return bytes.flatMap { BatchRecord($0, name: site.name) } ?? BatchRecord(name: site.name)
    }

    private func write(_ record: BatchRecord) throws {
        try WholeFile.write(Array(record.json.serialized.utf8) + [UInt8(ascii: "\n")], to: folders.record(site.name))
    }

    // MARK: Steps

    private func worked(on old: BatchRecord, _ log: ConsoleLog) async throws -> BatchRecord {
        var record = old
        let package = folders.package(site.name)
        if try await isUnchanged(record, log) {
            record.state = .unchanged
            return record
        }
        let output = isFolder ? folders.draft(site.name) : package
        let arguments = Self.packArguments(site, output: output, report: folders.report(site.name))
        try await run(PackCommand.self, arguments, "pack", log)
        if isFolder {
            let isComparable = record.arguments == arguments
            try await step("pack", log) {
                try await OffPool.run { () throws in
                    if isComparable, try Self.hasSameContents(output, as: package) {
                        try FolderTree<FileError>.remove(output)
                    } else {
                        try Durable.rename(output, to: package)
                    }
                }
            }
        }
        record.arguments = arguments
        let facts = try await step("pack", log) {
            try await OffPool.run { () throws in
                let reader = try PackageReader(path: package)
                let resources = reader.index.resources.count { $0.member != nil }
                return (try reader.statedDigest().hexadecimal, resources, try OpenFile(reading: package).size())
            }
        }
        let places = places.filter { record.published[$0] != facts.0 }
        // A package that isn't published anywhere is checked, too, when it is new.
        if !places.isEmpty || facts.0 != old.digest, site.lint != "never" {
            try await run(LintCommand.self, [package, "--fail-on", site.lint], "lint", log)
        }
        for place in places {
            try await publish(package, facts.0, to: place, &record, log)
            record.published[place] = facts.0
            // What is published isn't published again after a crash.
            try write(record)
        }
        record.published = record.published.filter { self.places.contains($0.key) }
        if !site.check.isEmpty {
            try await step("check", log) {
                try Durable.rename(folders.checkDraft(site.name), to: folders.check(site.name))
            }
        }
        // Only now is the site done: what was written before is what a crash leaves.
        record.state = facts.0 == old.digest ? .unchanged : .packed
        (record.digest, record.resources, record.size) = (facts.0, facts.1, facts.2)
        return record
    }

    /// Returns whether the URLs that say so have what they had when the package was made, and nothing is left to publish.
    ///
    /// What they have now stays as a draft, until the site is done.
    ///
    /// - Throws: ``StepFailure`` if they can't be fetched.
    private func isUnchanged(_ record: BatchRecord, _ log: ConsoleLog) async throws -> Bool {
        guard !site.check.isEmpty else { return false }
        let (draft, kept) = (folders.checkDraft(site.name), folders.check(site.name))
        try await step("check", log) {
            try await OffPool.run { () throws in
                try FolderTree<FileError>.remove(draft)
                // With the older bodies, the requests are conditional.
                if OpenFile.isRegularFile(kept) { try Self.write(kept, to: draft) }
            }
        }
        try await run(PackCommand.self, Self.checkArguments(site, output: draft), "check", log)
        let isSame = try await step("check", log) {
            try await OffPool.run { () throws in try Self.hasSameContents(draft, as: kept) }
        }
        let (package, report) = (folders.package(site.name), folders.report(site.name))
        return isSame && OpenFile.isRegularFile(package)
            && record.arguments == Self.packArguments(site, output: package, report: report)
            && record.digest != nil && places.allSatisfy { record.published[$0] == record.digest }
    }

    /// Returns whether a package has the same contents as an older one but for their dates; false if there is no older one.
    private static func hasSameContents(_ new: String, as old: String) throws -> Bool {
        // One that isn't a package any more is replaced.
        guard OpenFile.isRegularFile(old), let old = try? PackageReader(path: old) else { return false }
        var isSame = true
        var comparison = PackageComparison(old, try PackageReader(path: new))
        try comparison.run(where: { _ in true }) { difference in
            let isDated = difference.aspects.allSatisfy { $0 == .lastModified || $0 == .expires }
            if difference.old == nil || difference.new == nil || !isDated { isSame = false }
        }
        return isSame
    }

    /// The names of the places where the package goes.
    private var places: [String] {
        let publish = site.publish
        return [
            publish.folder.map { "folder:" + $0 }, publish.channel.map { "channel:" + $0.file },
            publish.registry.map { "registry:" + $0 },
        ].compactMap { $0 }
    }

    private func publish(
        _ package: String,
        _ digest: String,
        to place: String,
        _ record: inout BatchRecord,
        _ log: ConsoleLog
    ) async throws {
        if let folder = site.publish.folder, place == "folder:" + folder {
            try await copy(package, to: "\(folder)/\(site.name).zip", log)
        } else if let registry = site.publish.registry, place == "registry:" + registry {
            try await run(PushCommand.self, [package, registry], "publish", log)
        } else if let channel = site.publish.channel {
            let folder = Durable.folder(of: channel.file)
            let name = "\(site.name)-\(digest.prefix(16)).zip"
            try await copy(package, to: "\(folder)/\(name)", log)
            record.files.removeAll { $0 == name }
            record.files.append(name)
            // The file is known before the channel lists it, so that it is removed some day whatever happens.
            try write(record)
            let arguments = [channel.file, "\(folder)/\(name)", "--name", site.name] + channel.arguments
            // A crash after the channel was written leaves nothing to do.
            let isListed = try await step("publish", log) {
                let listed = try ChannelFile(
                    try SmallFile.read(channel.file, limit: ChannelFile.byteLimit),
                    subject: channel.file
                )
                let package = listed.channel.packages.first { $0.name == site.name }
                return package?.releases.first?.digest == digest
            }
            if !isListed { try await run(ChannelAddCommand.self, arguments, "publish", log) }
            let old = record.files.dropLast(Self.keptFiles)
            for name in old {
                // A file that can't be removed harms nobody.
                try? FolderTree<FileError>.remove("\(folder)/\(name)")
            }
            record.files.removeFirst(old.count)
        }
    }

    /// Copies a package, which appears at its place as a whole.
    private func copy(_ package: String, to path: String, _ log: ConsoleLog) async throws {
        try await step("publish", log) {
            try await OffPool.run { () throws in try Self.write(package, to: path) }
        }
    }

    private static func write(_ package: String, to path: String) throws {
        try ReplacedFile.requirePackage(path)
        let source = try OpenFile(reading: package)
        let sink = try OutputSink(try OutputTarget(path))
        try sink.append(contentsOf: source)
        try sink.finish()
    }

    /// Runs a command within this process; what it prints goes to the log.
    private func run(
        _ type: any AsyncParsableCommand.Type,
        _ arguments: [String],
        _ name: String,
        _ log: ConsoleLog
    ) async throws {
        let command = type == ChannelAddCommand.self ? ["channel", "add"] : [type.configuration.commandName ?? name]
        let words = command + arguments
        log.append("$ afcache \(words.joined(separator: " "))\n".utf8)
        let level = Console.level
        try await step(name, log, words) {
            var command = try type.parse(arguments)
            // Parsing sets the level of a command that runs alone.
            Console.level = level
            try await command.run()
        }
    }

    private func step<Value>(
        _ name: String,
        _ log: ConsoleLog,
        _ words: [String]? = nil,
        _ body: () async throws -> Value
    ) async throws -> Value {
        do {
            return try await body()
        } catch {
            let (message, code) = Failure.outcome(of: error, arguments: words ?? [name])
            if let message { log.append("error: \(message)\n".utf8) }
            var reason = message ?? log.last("error: ") ?? self.reason(code, of: name, log)
            if code == ExitStatus.nothingToPack.rawValue, let failed = log.last("failed: ") {
                reason += "; \(failed); \(PrintableText.quoted(folders.log(site.name))) has what was printed"
            }
            throw StepFailure(step: name, message: reason, code: code)
        }
    }

    /// Returns what an exit code means for which a command printed no error.
    private func reason(_ code: Int32, of step: String, _ log: ConsoleLog) -> String {
        switch (step, code) {
        case ("pack", ExitStatus.incomplete.rawValue):
            (log.last("failed: ") ?? "something failed")
                + "; \(PrintableText.quoted(folders.report(site.name))) lists all that failed"
        case ("lint", _):
            "findings as severe as '\(site.lint)'; \(PrintableText.quoted(folders.log(site.name))) lists them"
        default: "exit code \(code); \(PrintableText.quoted(folders.log(site.name))) has what was printed"
        }
    }
}
