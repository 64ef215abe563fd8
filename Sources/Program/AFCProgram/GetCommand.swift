import AFCCache
import AFCCaching
import AFCFiles
import AFCHTTP
import AFCPackageFormat
import AFCServer
import AFCText
import AFCURL
import AFCZip
import ArgumentParser
import HTTPTypes

struct GetCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "get",
        abstract: "Get a stored resource without using the network.",
        discussion: """
            The resource comes from a cache or a package. Its body goes to standard output, or to a file with '-o'. \
            The exit code is 0 if the response is fresh or doesn't say how long it stays fresh, 2 if it has expired, 3 \
            if nothing is stored for the URL, and 4 if the response was refused.

              afcache get http://docs.example/guide/ --cache cache
              afcache get http://docs.example/logo.png --cache cache -o logo.png
              afcache get http://docs.example/ --cache cache -i --at 2027-01-01
              afcache get http://docs.example/ --package docs.zip
            """
    )

    @Argument(help: "The URL of the resource.")
    var url: String

    @OptionGroup var cache: CacheOption

    @Option(
        help: ArgumentHelp("Read from this package instead of a cache.", valueName: "file"),
        completion: .file(extensions: ["zip"])
    )
    var package: String?

    @OptionGroup var result: ResultFileOption

    @Flag(name: [.customShort("i"), .long], help: "Write the status and header fields before the body.")
    var showHeaders = false

    @Flag(help: "Refuse a response that has expired or doesn't say how long it is fresh.")
    var freshOnly = false

    @OptionGroup var answering: AnswerOptions

    @Flag(
        help: """
            Ask as a browser does that opens the page: if nothing is stored for the URL, get the redirect or the page \
            that the package sends instead. The exit code is still 3 if that is its page for missing URLs (status 404).
            """
    )
    var navigate = false

    @OptionGroup var time: TimeOption

    @OptionGroup(title: "Trust") var trust: TrustOptions

    @OptionGroup var verbosity: VerbosityOptions

    func validate() throws {
        guard package == nil || cache.cache == nil else { throw ValidationError("name a cache or a package, not both") }
        guard !navigate || answering.match != .exact else {
            throw ValidationError("'--navigate' needs '--match query' or 'loose'")
        }
        if let package, let output = result.output, Path.isSameFile(package, output) {
            throw ValidationError("the body can't replace the package it comes from; name another file with '-o'")
        }
        guard package == nil else { return }
        guard !trust.isUsed, trust.password.passwordFile == nil else { throw trust.areForPackagesOnly }
    }

    func run() async throws {
        if !url.contains("://"), Path.isZip(url) || Path.isCache(url) {
            let option = Path.isZip(url) ? "--package" : "--cache"
            let kind = Path.isZip(url) ? "package" : "cache"
            let call = PrintableText.quoted("afcache get URL \(option) \(url)")
            throw ValidationError("\(PrintableText.quoted(url)) is a \(kind), not a URL; write \(call)")
        }
        let target = try WebURL.argument(url)
        if let output = result.output { try WholeFile.requireNoPackage(output) }
        let now = try time.time()
        let policy = OfflinePolicy(expired: freshOnly ? .refuse : answering.expired)
        let found = try await find(target, now: now, policy: policy)
        let resolution = found.resolution
        let words = FreshnessWords(url: target, resolution: resolution, now: now)
        if let status = found.absent {
            Console.complain(
                "error: \(PrintableText.quoted(target.description)) is not on the site: its server answered \(status) when "
                    + "the package was made"
            )
            throw ExitStatus.missing.code
        }
        switch resolution.verdict {
        case .missing:
            let near = found.near.map { "did you mean \(PrintableText.quoted($0.description))?" }
            Console.complain(
                "error: \(PrintableText.quoted(target.description)) is not in \(found.place); \(near ?? found.advice)"
            )
            if let page = found.offered {
                let verb = page.fallback == nil ? "is redirected to" : "gets"
                let status = page.fallback == .missing ? " with status 404" : ""
                Console.note(
                    "note: a browser that opens it \(verb) \(PrintableText.quoted(page.url))\(status); use '--navigate' to get that"
                )
            }
            throw ExitStatus.missing.code
        case .expiredRefused, .originForbidsStale:
            let option = freshOnly ? "remove '--fresh-only'" : "remove '--expired refuse'"
            let remedy = resolution.verdict == .expiredRefused ? option : "use '--expired always'"
            Console.complain("error: \(words.sentence); \(remedy) to get it anyway")
            throw ExitStatus.refused.code
        case .methodNotAllowed, .fresh, .stale: break
        }
        if let matched = found.matched, found.isRedirect {
            Console.note("note: a redirect leads to \(PrintableText.quoted(matched)), which is stored")
        } else if let matched = found.matched {
            let reason =
                switch found.fallback {
                case nil: "because the query makes no difference"
                case .application: "because the package sends this page for URLs that it doesn't have"
                case .missing: "because it is the package's page for URLs that it doesn't have"
                }
            Console.note("note: \(PrintableText.quoted(matched)) answers, \(reason)")
        }
        if let variant = found.variant {
            let names = Set(variant.map { "'\($0.name.rawName)'" }).sorted().joined(separator: ", ")
            Console.note("note: this is the response to a request with the fields \(names); there may be others")
        }
        // A packaged body has none: packages contain bodies without coding.
        if let coding = resolution.fields[.contentEncoding], found.body != nil {
            Console.note(
                "note: the body has the content coding \(PrintableText.quoted(coding)) as its origin sent it; "
                    + "nothing is decoded"
            )
        }
        if showHeaders { writeHead(resolution) }
        if let body = found.body {
            try write(body)
        } else if let output = result.output {
            try WholeFile.write([], to: output)
        }
        Console.flush()
        if found.fallback == .missing { throw ExitStatus.missing.code }
        guard words.isExpired else { return Console.detail("note: \(words.sentence)") }
        Console.note("note: \(words.sentence)")
        throw ExitStatus.stale.code
    }

    /// The response to the URL, and the place that was searched.
    private struct Found {
        var resolution: Resolution
        /// The URL of the response, if it isn't the one that was asked for.
        var matched: String?
        /// The status with which the site said that it doesn't have the URL.
        var absent: Int?
        /// The kind of the fallback, if the response is one.
        var fallback: FallbackRules.Kind?
        /// True if the response is a redirect to that URL.
        var isRedirect = false
        /// The page that a navigation would get, if nothing was found.
        var offered: OfferedPage?
        /// The fields of the request that got the response, if the response depends on them.
        var variant: HTTPFields?
        /// Reads the body piece by piece; nil if there is none.
        var body: ((_ take: (UnsafeRawBufferPointer) throws -> Void) throws -> Void)?
        /// The stored URL that was probably meant, if nothing was found.
        var near: WebURL?
        /// The end of a sentence that says where nothing was found.
        var place: String
        /// What lists the stored URLs.
        var advice: String
    }

    private func find(_ target: WebURL, now: Timestamp, policy: OfflinePolicy) async throws -> Found {
        if let package {
            let found = try await trust.unlocking(package) { password in
                let policy = try trust.policy()
                return try PackagedBody(
                    target,
                    in: package,
                    PackagedBody.Choice(matching: answering.match, isNavigation: navigate),
                    password,
                    policy,
                    checksSignature: trust.isUsed
                )
            }
            let resolution = found.resolve(now: now, policy: policy)
            return Found(
                resolution: resolution,
                matched: found.matched?.url,
                absent: found.matched == nil && found.offered == nil ? found.absent : nil,
                fallback: found.fallback,
                isRedirect: found.location != nil,
                offered: found.offered,
                body: resolution.body == .none ? nil : { take in try found.read(take) },
                near: resolution.verdict == .missing ? try found.near(target) : nil,
                place: PrintableText.quoted(package),
                advice: "'afcache ls' lists its resources"
            )
        }
        let cache = try CacheFolder.required(cache.cache)
        let store = try DiskCache(path: cache, access: .readOnly, verifiesBodies: answering.verify)
        let navigation = OfflineRequest(url: target, fields: [.secFetchMode: "navigate"])
        let request = navigate ? navigation : OfflineRequest(url: target)
        var response = try store.respond(to: request, now: now, policy: policy, matching: answering.match)
        var variant: HTTPFields?
        if response.resolution.verdict == .missing, let fields = Self.variant(try store.candidates(for: target)) {
            variant = fields
            let request = OfflineRequest(url: target, fields: fields)
            response = try store.respond(to: request, now: now, policy: policy, matching: answering.match)
        }
        // Of a redirect that isn't stored, only where it leads is of use.
        let meant = response.redirectsToMatch && !navigate ? response.matched : nil
        if meant != nil { response = try store.respond(to: request, now: now, policy: policy, matching: .exact) }
        let offered =
            response.isUnknown && !navigate && meant == nil
            ? try store.respond(to: navigation, now: now, policy: policy, .matching(answering.match)) : nil
        let near =
            response.isUnknown
            ? try meant ?? NearURLs.found(for: target, includesFolders: false) { try store.contains($0) }.first
                ?? MisspeltURL.meant(
                    by: target,
                    among: try store.resources(after: MisspeltURL.folder(of: target), limit: MisspeltURL.limit).map(
                        \.url
                    )
                )
                ?? MisspeltURL.withStoredHost(target, among: try store.origins().lazy.map(\.host)) {
                    try store.contains($0)
                } : nil
        // The body stays open.
        try store.close()
        if let package = response.package { Console.detail("from package \(PrintableText.quoted(package))") }
        return Found(
            resolution: response.resolution,
            matched: response.matched?.description,
            absent: response.isAbsent && offered?.matched == nil ? response.resolution.status.code : nil,
            fallback: response.fallback,
            isRedirect: response.redirectsToMatch,
            offered: offered.flatMap { answer in
                guard let url = answer.matched, answer.fallback != nil || answer.redirectsToMatch else { return nil }
                return OfferedPage(url: url.description, fallback: answer.fallback)
            },
            variant: variant,
            body: response.body.map { body in { take in try Self.read(body, take) } },
            near: near,
            place: PrintableText.quoted(cache),
            advice: "'afcache ls --cache \(cache)' lists its resources"
        )
    }

    /// Returns the request fields of a response that was received for other fields than none; the most recent one without
    /// a content coding, or else the most recent one.
    private static func variant(_ candidates: [StoredCandidate]) -> HTTPFields? {
        let received = candidates.map(\.response).filter { $0.source == .received }
        let chosen = received.first { !$0.fields.contains(.contentEncoding) } ?? received.first
        return chosen?.requestFields.flatMap { $0.isEmpty ? nil : $0 }
    }

    private func writeHead(_ resolution: Resolution) {
        Console.printVerbatim("HTTP/1.1 \(resolution.status)\r")
        for field in resolution.fields {
            Console.printVerbatim("\(field.name): \(PrintableText.escaped(field.value, keeping: "\t"))\r")
        }
        Console.printVerbatim("\r")
    }

    private func write(_ body: (_ take: (UnsafeRawBufferPointer) throws -> Void) throws -> Void) throws {
        let sink = try result.output.map { path in
            try Self.writing(path) { () throws(FileError) in try OutputSink(OutputTarget(path)) }
        }
        try body { chunk in
            if let sink {
                try Self.writing(sink.path) { () throws(FileError) in try sink.append(chunk) }
            } else {
                if Console.resultIsTerminal, Self.isBinary(chunk) {
                    throw ValidationError(
                        "the body is binary and would confuse the terminal; write it to a file with '-o'"
                    )
                }
                Console.write(chunk)
            }
        }
        if let sink { try Self.writing(sink.path) { () throws(FileError) in try sink.finish() } }
    }

    /// Returns true if bytes contain some that no text has and that a terminal may obey.
    private static func isBinary(_ bytes: UnsafeRawBufferPointer) -> Bool {
        bytes.contains { $0 <= 0x08 || (0x0E...0x1A).contains($0) }
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
