import AFCCache
import AFCCaching
import AFCFiles
import AFCHTTP
import AFCText
import AFCURL
import AFCZip
import ArgumentParser
import HTTPTypes

struct GetCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "get",
        abstract: "Get a resource from a cache or a package, without a network.",
        discussion: """
            The body goes to standard output, or to a file with -o. The exit code is 0 if the response is fresh or \
            doesn't say for how long it is, 2 if it has expired, 3 if there is no response, 4 if it was refused.

              afcache get http://docs.example/guide/ --cache cache
              afcache get http://docs.example/logo.png --cache cache -o logo.png
              afcache get http://docs.example/ --cache cache -i --at 2027-01-01
              afcache get http://docs.example/ --package docs.zip
            """
    )

    @Argument(help: "The resource's URL.")
    var url: String

    @Option(
        help: ArgumentHelp("The cache. (default: \(CacheFolder.variable))", valueName: "dir"),
        completion: .directory
    )
    var cache: String?

    @Option(
        help: ArgumentHelp("A package, instead of a cache.", valueName: "file"),
        completion: .file(extensions: ["zip"])
    )
    var package: String?

    @Option(name: .shortAndLong, help: "The file that the body is written to.", completion: .file())
    var output: String?

    @Flag(name: .shortAndLong, help: "Write status and fields before the body.")
    var include = false

    @Flag(help: "Refuse a response that isn't known to be fresh.")
    var freshOnly = false

    @Option(
        help: """
            serve, refuse or always: what becomes of a response that isn't fresh; 'always' serves it even where its \
            origin forbids that.
            """
    )
    var expired: OfflinePolicy.Expired = .serve

    @Flag(help: "Compare the body with its SHA-256 while it is read, and fail where it is damaged.")
    var verify = false

    @Option(help: "The time to ask as of. (default: now)")
    var at: String?

    @OptionGroup(title: "Trust") var trust: TrustOptions

    @OptionGroup var verbosity: VerbosityOptions

    func validate() throws {
        guard package == nil || cache == nil else { throw ValidationError("name a cache or a package, not both") }
        guard output != "" else { throw ValidationError("'--output' is empty; name a file") }
        guard package == nil else { return }
        _ = try CacheFolder.named(cache)
        guard !trust.isUsed, trust.passwordFile == nil else { throw trust.areForPackagesOnly }
    }

    func run() async throws {
        let target = try WebURL.argument(url)
        let now = try at.map { try Clock.parse($0) } ?? Clock.now
        let policy = OfflinePolicy(expired: freshOnly ? .refuse : expired)
        let found = try await find(target, now: now, policy: policy)
        let resolution = found.resolution
        let words = FreshnessWords(url: target, resolution: resolution, now: now)
        switch resolution.verdict {
        case .missing:
            Console.complain("error: \(PrintableText.quoted(target.description)) is not in \(found.place)")
            throw ExitStatus.missing.code
        case .expiredRefused, .originForbidsStale:
            let option = freshOnly ? "leave out '--fresh-only'" : "leave out '--expired refuse'"
            let remedy = resolution.verdict == .expiredRefused ? option : "use '--expired always'"
            Console.complain("error: \(words.sentence); \(remedy) to get it anyway")
            throw ExitStatus.refused.code
        case .methodNotAllowed, .fresh, .stale: break
        }
        if include { writeHead(resolution) }
        if let body = found.body {
            try write(body)
        } else if let output {
            try WholeFile.write([], to: output)
        }
        Console.flush()
        guard words.isExpired else { return Console.detail("note: \(words.sentence)") }
        Console.note("note: \(words.sentence)")
        throw ExitStatus.stale.code
    }

    /// The response to the URL, and the place where it was looked for.
    private struct Found {
        var resolution: Resolution
        /// Brings the body piece by piece; nil where there is none.
        var body: ((_ take: (UnsafeRawBufferPointer) throws -> Void) throws -> Void)?
        /// The end of a sentence that says what isn't there.
        var place: String
    }

    private func find(_ target: WebURL, now: Timestamp, policy: OfflinePolicy) async throws -> Found {
        if let package {
            let found = try await trust.unlocking(package) { password in
                try PackagedBody(target, in: package, password: password, policy: try trust.policy(), trust.isUsed)
            }
            let resolution = found.resolve(now: now, policy: policy)
            let name = PrintableText.quoted(package)
            return Found(
                resolution: resolution,
                body: resolution.body == .none ? nil : { take in try found.read(take) },
                place: "\(name); 'afcache ls' lists its resources"
            )
        }
        let cache = try CacheFolder.required(cache)
        let store = try OfflineCache(path: cache, access: .readOnly, verifiesBodies: verify)
        let response = try store.respond(to: OfflineRequest(url: target), now: now, policy: policy)
        // The body stays open.
        try store.close()
        if let package = response.package { Console.detail("from package \(PrintableText.quoted(package))") }
        let name = PrintableText.quoted(cache)
        return Found(
            resolution: response.resolution,
            body: response.body.map { body in { take in try Self.read(body, take) } },
            place: "\(name); 'afcache ls --cache \(cache)' lists its resources"
        )
    }

    private func writeHead(_ resolution: Resolution) {
        Console.printVerbatim("HTTP/1.1 \(resolution.status)\r")
        for field in resolution.fields {
            Console.printVerbatim("\(field.name): \(PrintableText.escaped(field.value, keeping: "\t"))\r")
        }
        Console.printVerbatim("\r")
    }

    private func write(_ body: (_ take: (UnsafeRawBufferPointer) throws -> Void) throws -> Void) throws {
        let sink = try output.map { path in
            try Self.writing(path) { () throws(FileError) in try OutputSink(OutputTarget(path)) }
        }
        try body { chunk in
            if let sink {
                try Self.writing(sink.path) { () throws(FileError) in try sink.append(chunk) }
            } else {
                Console.write(chunk)
            }
        }
        if let sink { try Self.writing(sink.path) { () throws(FileError) in try sink.finish() } }
    }

    private static func writing<Value>(_ path: String, _ body: () throws(FileError) -> Value) throws -> Value {
        do throws(FileError) {
            return try body()
        } catch {
            throw CacheError(.inputOutput, subject: path, message: error.message)
        }
    }

    private static func read(_ body: StoredBody, _ take: (UnsafeRawBufferPointer) throws -> Void) throws {
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 256 << 10, alignment: 16)
        defer { buffer.deallocate() }
        var offset: Int64 = 0
        while offset < body.size {
            let count = try body.read(into: buffer, at: offset)
            guard count > 0 else {
                throw CacheError(
                    .damaged,
                    subject: body.path,
                    message: "the body is truncated; load its package again"
                )
            }
            try take(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
            offset += Int64(count)
        }
    }
}
