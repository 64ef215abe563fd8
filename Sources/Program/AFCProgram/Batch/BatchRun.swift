import AFCBatch
import AFCCache
import AFCFiles
import AFCHTTP
import AFCText
import AFCURL
import Dispatch

/// The work on the sites of a batch, several at a time.
struct BatchRun: Sendable {
    let sites: [BatchFile.Site]
    let folders: BatchFolders
    let round: String
    /// The file that names the round until its end; nil if the user or the job service named it.
    private let roundFile: String?
    /// True if sites are worked on also if they were done.
    let isForced: Bool
    let jobs: Int
    let isJSON: Bool
    let junit: String?

    /// Creates the folders, and finds the round.
    ///
    /// - Throws: `CacheError` if a folder or file can't be used.
    init(
        sites: [BatchFile.Site],
        root: String,
        round: String?,
        part: String,
        isForced: Bool,
        jobs: Int,
        isJSON: Bool,
        junit: String?
    ) throws {
        (self.sites, self.isForced, self.jobs, self.isJSON, self.junit) = (sites, isForced, jobs, isJSON, junit)
        folders = BatchFolders(root: root)
        do throws(FileError) {
            try FolderTree<FileError>.make(folders.records)
        } catch {
            throw CacheError(.inputOutput, subject: root, message: error.message)
        }
        try ReplacedFile.require(junit, .junit)
        for site in sites { try BatchSite.requireOwnLog(site, folders) }
        if let round {
            (self.round, roundFile) = (round, nil)
            return
        }
        let fresh = "\(Clock.now.iso8601)-\(String(UInt32.random(in: .min ... .max), radix: 16))"
        if isForced {
            (self.round, roundFile) = (fresh, nil)
            return
        }
        let path = folders.records + "/\(part).round"
        roundFile = path
        if let bytes = try? SmallFile.read(path, limit: 200), let name = String(validating: bytes, as: UTF8.self),
            Self.isName(name)
        {
            self.round = name
        } else {
            self.round = fresh
            try WholeFile.write(Array(fresh.utf8), to: path)
        }
    }

    /// Returns whether a text can name a round.
    static func isName(_ text: String) -> Bool {
        (1...100).contains(text.utf8.count)
            && text.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F && $0 != UInt8(ascii: "/") }
    }

    /// Returns the round's name that a job service implies: that of the job of which this process is a part, also when it
    /// runs again.
    static func jobName(_ variables: [String: String]) -> String? {
        func named(_ variable: String, _ service: String) -> String? {
            // A part of an array of AWS Batch has the array's name, a colon and its number.
            variables[variable].map { service + ($0.split(separator: ":").first ?? "") }.flatMap {
                isName($0) ? $0 : nil
            }
        }
        return named("SLURM_ARRAY_JOB_ID", "slurm-") ?? named("AWS_BATCH_JOB_ID", "aws-")
            ?? named("CI_PIPELINE_ID", "gitlab-") ?? named("GITHUB_RUN_ID", "github-")
    }

    /// Works on all sites.
    ///
    /// - Returns: What is known about each site, in their order.
    /// - Throws: `CancellationError`, and `CacheError` if the results can't be written.
    func run() async throws -> [BatchRecord] {
        try await withTaskCancellationHandler {
            try await work()
        } onCancel: {
            // A crawl that doesn't end is left as after a crash, from which the next attempt continues.
            let end = DispatchTime.now() + .seconds(BatchSite.stopSeconds)
            DispatchQueue.global().asyncAfter(deadline: end) { systemExit(ExitStatus.again.rawValue) }
        }
    }

    private func work() async throws -> [BatchRecord] {
        var waiting = Array(sites.indices)
        var busy: Set<String> = []
        var records: [Int: BatchRecord] = [:]
        let hosts = sites.map(Self.host)
        try await withThrowingTaskGroup(of: (Int, BatchRecord, Bool).self) { group in
            var running = 0
            while running > 0 || !waiting.isEmpty {
                while running < jobs,
                    let place = waiting.firstIndex(where: { hosts[$0].map { !busy.contains($0) } ?? true })
                {
                    let index = waiting.remove(at: place)
                    if let host = hosts[index] { busy.insert(host) }
                    let work = BatchSite(site: sites[index], folders: folders, round: round, isForced: isForced)
                    running += 1
                    group.addTask {
                        let (record, isNew) = try await work.run()
                        return (index, record, isNew)
                    }
                }
                guard let (index, record, isNew) = try await group.next() else { break }
                running -= 1
                if let host = hosts[index] { busy.remove(host) }
                records[index] = record
                tell(record, isNew)
            }
        }
        return sites.indices.compactMap { records[$0] }
    }

    /// Returns the host of a site's first URL; nil for a folder.
    private static func host(_ site: BatchFile.Site) -> String? {
        site.urls.first.flatMap { try? WebURL($0) }?.host
    }

    private func tell(_ record: BatchRecord, _ isNew: Bool) {
        defer { Console.flush() }
        guard !isJSON else { return Console.print(record.json.serialized) }
        guard isNew || !record.isDone else {
            return Console.detail("\(PrintableText.quoted(record.name)) is done in this round")
        }
        let name = PrintableText.quoted(record.name)
        var line = "\(Quantity.padded(record.state.rawValue, 9)) \(name)"
        if record.isDone {
            if let size = record.size, let resources = record.resources {
                line += ": \(Quantity.count(resources, "resource")), \(Quantity.bytes(size))"
            }
            Console.print(line)
        } else {
            Console.print(line)
            let aside = record.isSetAside && !isNew ? "set aside after \(record.beginnings) attempts; " : ""
            Console.complain(
                "error: \(name): \(aside)\(record.step.map { $0 + ": " } ?? "")\(record.error ?? "it ended without a result")"
            )
        }
    }

    /// Ends the round, if it has no name of its own.
    func end() {
        // Another process may have begun another round meanwhile.
        guard let roundFile, (try? SmallFile.read(roundFile, limit: 200)) == Array(round.utf8) else { return }
        // If it can't be removed, the next command finds everything done, and ends the round.
        try? FolderTree<FileError>.remove(roundFile)
    }
}

/// Where the files of a batch are.
struct BatchFolders: Sendable {
    let root: String
    var records: String { root + "/.batch" }

    func package(_ name: String) -> String { "\(root)/\(name).zip" }
    func draft(_ name: String) -> String { "\(records)/\(name).zip" }
    func check(_ name: String) -> String { "\(records)/\(name).check" }
    func checkDraft(_ name: String) -> String { "\(records)/\(name).check.new" }
    func report(_ name: String) -> String { "\(root)/\(name).html" }
    func log(_ name: String) -> String { "\(root)/\(name).log" }
    func record(_ name: String) -> String { "\(records)/\(name).json" }
    func lock(_ name: String) -> String { "\(records)/\(name).lock" }
}
