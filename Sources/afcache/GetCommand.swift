import ArgumentParser
import HTTPCaching
import HTTPTypes
import OfflineCache
import PackageFormat
import URLStandard
import ZipArchive

struct GetCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "get",
        abstract: "Get a resource from a store, without a network.",
        discussion: """
            The body goes to standard output, or to a file with -o. The exit code is 0 for a fresh response, 2 for one that \
            is no longer fresh, 3 where the store has nothing, and 4 where an expired response was refused.

              afcache get http://docs.example/guide/ --cache store
              afcache get http://docs.example/logo.png --cache store -o logo.png
              afcache get http://docs.example/ --cache store -i --at 2027-01-01
            """
    )

    @Argument(help: "The resource's URL.")
    var url: String

    @Option(help: "The store.", completion: .directory)
    var cache: String

    @Option(name: .shortAndLong, help: "The file that the body is written to.", completion: .file())
    var output: String?

    @Flag(name: .shortAndLong, help: "Write status and fields before the body.")
    var include = false

    @Flag(help: "Refuse a response that is no longer fresh.")
    var freshOnly = false

    @Option(
        help:
            "serve, refuse or always: what becomes of an expired response; 'always' serves it even where its origin forbids that."
    )
    var expired: OfflinePolicy.Expired = .serve

    @Flag(help: "Compare the body with its SHA-256 while it is read, and fail where it is damaged.")
    var verify = false

    @Option(help: "The time to ask as of. (default: now)")
    var at: String?

    func run() async throws {
        let target: WebURL
        do throws(WebURL.ParseError) {
            target = try WebURL(url)
        } catch {
            throw ValidationError("\(PackageProblem.quoted(url)) is not an absolute URL: \(error)")
        }
        let now = try at.map { try Clock.parse($0) } ?? Clock.now
        let store = try OfflineCache(path: cache, access: .readOnly, verifiesBodies: verify)
        let policy = OfflinePolicy(expired: freshOnly ? .refuse : expired)
        let response = try store.respond(to: OfflineRequest(url: target), now: now, policy: policy)
        let resolution = response.resolution
        switch resolution.verdict {
        case .missing:
            Console.complain("error: '\(target)' is not in '\(cache)'; 'afcache ls --cache \(cache)' lists what is")
            throw ExitStatus.missing.code
        case .expiredRefused:
            Console.complain("error: '\(target)' is no longer fresh; leave out '--fresh-only' to get it nevertheless")
            throw ExitStatus.refused.code
        case .originForbidsStale:
            Console.complain(
                "error: '\(target)' is no longer fresh, and its origin forbids to serve it so; '--expired always' overrules that"
            )
            throw ExitStatus.refused.code
        case .methodNotAllowed, .fresh, .stale: break
        }
        if include { writeHead(resolution) }
        if let body = response.body {
            try writeBody(body)
        } else if let output {
            try WholeFile.write([], to: output)
        }
        Console.flush()
        if resolution.verdict == .stale { throw ExitStatus.stale.code }
    }

    private func writeHead(_ resolution: Resolution) {
        Console.print("HTTP/1.1 \(resolution.status)\r")
        for field in resolution.fields { Console.print("\(field.name): \(field.value)\r") }
        Console.print("\r")
    }

    private func writeBody(_ body: StoredBody) throws {
        let sink = try output.map { path in
            try Self.writing(path) { () throws(ZipError) in try OutputSink(try OutputTarget(path)) }
        }
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 256 << 10, alignment: 16)
        defer { buffer.deallocate() }
        var offset: Int64 = 0
        while offset < body.size {
            let count = try body.read(into: buffer, at: offset)
            guard count > 0 else {
                throw CacheError(
                    .damaged,
                    subject: body.path,
                    message: "the body is shorter than the index says; load its package again"
                )
            }
            let chunk = UnsafeRawBufferPointer(rebasing: buffer[..<count])
            if let sink {
                try Self.writing(sink.path) { () throws(ZipError) in try sink.append(chunk) }
            } else {
                Console.write(chunk)
            }
            offset += Int64(count)
        }
        if let sink { try Self.writing(sink.path) { () throws(ZipError) in try sink.finish() } }
    }

    private static func writing<Value>(_ path: String, _ body: () throws(ZipError) -> Value) throws -> Value {
        do throws(ZipError) {
            return try body()
        } catch {
            throw CacheError(.inputOutput, subject: path, message: error.message)
        }
    }
}
