import AFCCache
import AFCDelta
import AFCDiscovery
import AFCHTTP
import AFCLinter
import AFCPackageFile
import AFCPackageFormat
import AFCText
import AFCURL
import ArgumentParser
import HTTPTypes

struct DiffCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "diff",
        abstract: "Say what differs between two packages.",
        discussion: """
            Each line begins with '+' for a URL that only the new package has, '-' for one that only the old package has, \
            and '~' for one that differs, with what does: its body, status, type, times, or header fields. When a \
            response was fetched makes no difference. The exit code is 1 if anything differs. With '--json', each line is \
            an object with url, change, what, fields, oldSize, newSize, oldSha256 and newSha256.

              afcache diff docs-1.zip docs-2.zip
              afcache diff docs-1.zip docs-2.zip --text --include '*/guide/*'
              afcache diff --stat docs-1.zip docs-2.zip
              afcache diff docs@2026-10-01 docs --cache cache
            """
    )

    @Argument(help: "The old package; with '--cache', NAME or NAME@TIME.", completion: .file(extensions: ["zip"]))
    var old: String

    @Argument(help: "The new package, or its name.", completion: .file(extensions: ["zip"]))
    var new: String

    @Option(
        help: ArgumentHelp("Compare packages in this cache, as they are or were at a time.", valueName: "dir"),
        completion: .directory
    )
    var cache: String?

    @Flag(help: "Print only how many resources differ.")
    var stat = false

    @Flag(help: "Add the lines that differ in texts: of pages, what a reader sees. (each up to 1 MiB)")
    var text = false

    @OptionGroup(title: "Selection") var urls: IncludeOption

    @OptionGroup(title: "Trust") var trust: TrustOptions

    @OptionGroup var format: JSONLinesOption

    @OptionGroup var verbosity: VerbosityOptions

    func validate() throws {
        guard !(stat && text) else { throw ValidationError("'--stat' and '--text' exclude each other; remove one") }
    }

    func run() async throws {
        let urls = try urls.compiled()
        let readers = [try await opened(old), try await opened(new)]
        let (stat, text, isJSON) = (stat, text, format.json)
        let counts = try await StopSignals.cancelling {
            var (added, removed, changed) = (0, 0, 0)
            var comparison = PackageComparison(readers[0], readers[1])
            try comparison.run(where: urls.admits) { difference in
                if difference.old == nil {
                    added += 1
                } else if difference.new == nil {
                    removed += 1
                } else {
                    changed += 1
                }
                guard !stat else { return }
                Console.print(isJSON ? difference.json.serialized : difference.line)
                if text, !isJSON { try ChangedText(difference, readers).print() }
            }
            return (added: added, removed: removed, changed: changed, equal: comparison.equal)
        }
        if !self.urls.include.isEmpty, counts == (added: 0, removed: 0, changed: 0, equal: 0) {
            throw self.urls.nothing(in: "either package")
        }
        if isJSON, stat {
            let members = [
                ("added", counts.added), ("removed", counts.removed), ("changed", counts.changed),
                ("equal", counts.equal),
            ]
            Console.print(JSONValue.object(members.map { ($0.0, .number(String($0.1))) }).serialized)
        } else if !isJSON {
            Console.print(
                "\(counts.added) added, \(counts.removed) removed, \(counts.changed) changed, \(counts.equal) equal"
            )
        }
        Console.flush()
        guard counts.added + counts.removed + counts.changed == 0 else { throw ExitStatus.findings.code }
    }

    private func opened(_ text: String) async throws -> any ComparedPackage {
        guard let cache = try CacheFolder.named(cache), self.cache != nil else { return try await trust.opened(text) }
        do {
            return try CachedVersion(text, in: DiskCache(path: cache, access: .readOnly))
        } catch let error as CacheError where error.code == .noPackage && Path.isZip(text) {
            throw ValidationError(
                "with '--cache', packages are named as 'afcache cache ls' lists them; to compare files, remove '--cache'"
            )
        }
    }
}

extension PackageComparison.Difference {
    private var change: String { old == nil ? "added" : new == nil ? "removed" : "changed" }

    fileprivate var line: String {
        switch (old, new) {
        case (let old?, let new?):
            let words = aspects.map { aspect in
                switch aspect {
                case .body where old.size != new.size:
                    "body \(Quantity.bytes(old.size)) to \(Quantity.bytes(new.size))"
                case .body: "body"
                case .status: "status \(old.status) to \(new.status)"
                case .type: "Content-Type"
                case .fields: fields.map { PrintableText.escaped($0) }.joined(separator: ", ")
                case .lastModified: "Last-Modified"
                case .expires: "Expires"
                }
            }
            return "~ \(words.joined(separator: ", "))  \(url)"
        case (let old?, nil): return "- \(Quantity.bytes(old.size))  \(url)"
        case (nil, let new?): return "+ \(Quantity.bytes(new.size))  \(url)"
        case (nil, nil): return "  \(url)"
        }
    }

    fileprivate var json: JSONValue {
        func number(_ version: PackageComparison.Version?) -> JSONValue {
            version.map { .number(String($0.size)) } ?? .null
        }
        func digest(_ version: PackageComparison.Version?) -> JSONValue {
            version?.sha256.map { .string($0) } ?? .null
        }
        return .object([
            ("url", .string(url.description)), ("change", .string(change)),
            ("what", .array(aspects.map { .string($0.rawValue) })), ("fields", .array(fields.map { .string($0) })),
            ("oldSize", number(old)), ("newSize", number(new)), ("oldSha256", digest(old)), ("newSha256", digest(new)),
        ])
    }
}

/// A package in a cache, as it is or was at a time.
private struct CachedVersion: ComparedPackage {
    private let generation: CurrentGeneration

    /// Opens a version.
    ///
    /// - Parameters:
    ///   - text: The name of a package, also with `@` and a moment.
    ///   - store: The cache.
    /// - Throws: `CacheError` if there is no such package.
    init(_ text: String, in store: DiskCache) throws {
        let mark = text.lastIndex(of: "@")
        let isName = try store.packages().contains { $0.name == text }
        let moment = isName ? nil : mark.flatMap { Moment(text[text.index(after: $0)...]) }
        guard isName || mark == nil || moment != nil else {
            throw ValidationError(
                "\(PrintableText.quoted(text)): what follows '@' must be a time such as 2026, 2026-10 or 2026-10-01T12:00:00Z"
            )
        }
        let name = moment == nil ? text : String(text[..<(mark ?? text.endIndex)])
        generation = try store.generation(of: name, at: moment?.time)
    }

    var resourceCount: Int { generation.resources }

    func version(_ number: Int) throws -> PackageComparison.Version? {
        guard let found = try generation.resource(number), let url = try? WebURL(found.url) else { return nil }
        return PackageComparison.Version(
            number: number,
            url: url,
            status: found.status,
            size: found.size,
            hasBody: found.hasBody,
            sha256: found.digest.isEmpty ? nil : Hexadecimal.text(found.digest),
            mediaType: found.fields[.contentType],
            fields: found.fields,
            lastModified: found.lastModified,
            expires: found.expires
        )
    }

    func sha256(of version: PackageComparison.Version) throws -> String { try generation.sha256(of: version.number) }

    func beginning(of version: PackageComparison.Version, limit: Int) throws -> [UInt8] {
        try generation.resource(version.number).flatMap { try generation.body(of: $0, limit: limit) } ?? []
    }
}

/// The lines that differ in a text.
private struct ChangedText {
    private static let limit: Int64 = 1 << 20
    private let difference: PackageComparison.Difference
    private let readers: [any ComparedPackage]

    init(_ difference: PackageComparison.Difference, _ readers: [any ComparedPackage]) {
        (self.difference, self.readers) = (difference, readers)
    }

    /// Prints the lines; nothing for a body that isn't a text, or is large.
    ///
    /// - Throws: `PackageError` if a body is damaged.
    func print() throws {
        guard difference.aspects.contains(.body), let old = try text(difference.old, readers[0]),
            let new = try text(difference.new, readers[1])
        else { return }
        UnifiedDiff(old, new, label: difference.url.description).forEachLine { kind, line in
            guard kind != .file else { return }
            Console.print("  " + PrintableText.escaped(String(decoding: line, as: UTF8.self)))
        }
    }

    private func text(_ version: PackageComparison.Version?, _ reader: any ComparedPackage) throws -> [UInt8]? {
        guard let version, version.size <= Self.limit, version.hasBody, let name = version.mediaType,
            let type = MediaType(name), ComparedText.isText(type.essence)
        else { return nil }
        let body = try reader.beginning(of: version, limit: Int(Self.limit))
        return ComparedText.of(body, essence: type.essence, charset: type.parameter("charset"))
    }
}
