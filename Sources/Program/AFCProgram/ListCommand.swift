import AFCCache
import AFCCaching
import AFCFiles
import AFCHTTP
import AFCPackageFile
import AFCPackageFormat
import AFCProvisioning
import AFCText
import AFCURL
import AFCZip
import ArgumentParser
import HTTPTypes

struct ListCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "ls",
        abstract: "List the resources in a package or a cache, with their freshness.",
        discussion: """
            Each line has freshness, size, media type and URL. Freshness is 'fresh' with the time left, 'stale' with the \
            time since it expired, or '-' if the response doesn't say how long it is fresh. With '--json', each line is an object with url, \
            status, size, type, lastModified, expires, fresh, package, sha256 (of a package's body) and digest (of the \
            package's contents).

              afcache ls docs.zip
              afcache ls
              afcache ls --cache cache --json
              afcache ls --cache cache --include '*/guide/*' --type 'text/*' --freshness stale
            """
    )

    @Argument(help: "The package to list.", completion: .file(extensions: ["zip"]))
    var package: String?

    @OptionGroup var cache: CacheOption

    @OptionGroup var time: TimeOption

    @Flag(
        help: """
            List the responses that were received from origins, in place of the packages' resources. A URL may occur \
            several times, with responses to different requests.
            """
    )
    var received = false

    @OptionGroup(title: "Selection") var filter: ListFilter

    @OptionGroup var format: JSONLinesOption

    @OptionGroup(title: "Trust") var trust: TrustOptions

    @OptionGroup var verbosity: VerbosityOptions

    func validate() throws {
        guard package == nil || cache.cache == nil else { throw ValidationError("name a package or a cache, not both") }
        if let package {
            guard !received else { throw ValidationError("'--received' lists a cache; remove the package") }
            guard (try? OpenFile.kind(of: package)) == .folder else { return }
            let name = PrintableText.quoted(package)
            throw ValidationError("\(name) is a folder, not a package; if it is a cache, name it with '--cache'")
        }
        guard !trust.isUsed, trust.password.passwordFile == nil else { throw trust.areForPackagesOnly }
    }

    func run() async throws {
        let now = try time.time()
        let filter = try filter.compiled()
        var (shown, all) = (0, 0)
        var hasOthers = false
        func show(_ resource: ListedResource) {
            // The site's page for missing URLs is stored at a URL that the site doesn't have.
            guard received || !FallbackRules.isInvented(resource.url) else { return }
            all += 1
            guard filter.admits(resource, at: now) else { return }
            shown += 1
            Console.print(format.json ? resource.json(at: now).serialized : resource.line(at: now))
        }
        if let package {
            let reader = try await trust.opened(package)
            // A package with a damaged member is listed as well; it has no digest, since it doesn't load.
            let digest = format.json ? try? reader.statedDigest().hexadecimal : nil
            for resource in reader.index.resources {
                var listed = ListedResource(resource, in: reader)
                listed.digest = digest
                show(listed)
            }
        } else {
            let store = try DiskCache(path: CacheFolder.required(cache.cache), access: .readOnly)
            if received {
                for url in try store.receivedURLs(limit: .max).sorted(by: { $0.description < $1.description }) {
                    for candidate in try store.candidates(for: url) {
                        if let resource = ListedResource(candidate, of: url, at: now) { show(resource) }
                    }
                }
            } else if try !store.receivedURLs(limit: 1).isEmpty {
                hasOthers = true
                Console.note("note: responses received from origins aren't listed; '--received' lists them")
            }
            let digests = Dictionary(
                try store.packages().compactMap { package in package.origin?.digest.map { (package.name, $0) } }
            ) { one, _ in one }
            var last: WebURL?
            while !received {
                let page = try store.resources(after: last, limit: 1000)
                for resource in page {
                    var listed = ListedResource(resource)
                    listed.digest = digests[resource.package]
                    show(listed)
                }
                guard page.count == 1000 else { break }
                last = page.last?.url
            }
        }
        Console.flush()
        if shown == 0, self.filter.isUsed {
            ListFilter.noteNothing(of: all)
        } else if all == 0, !hasOthers {
            Console.note("note: \(package == nil ? "the cache" : "the package") has no resources to list")
        }
        Console.detail("\(shown) of \(Quantity.count(all, "resource"))")
    }
}

/// A resource as a line of the list.
struct ListedResource {
    var url: WebURL
    var status: Int
    var size: Int64
    var mediaType: String?
    var lastModified: Timestamp?
    var expires: Timestamp?
    var package: String?
    /// The SHA-256 of the body as its record states it; nil without a record or a body.
    var sha256: String?
    /// The digest of the package's contents: as its records state them, or as the cache remembers it.
    var digest: String?

    init(url: WebURL, status: Int, size: Int64, mediaType: String?) {
        (self.url, self.status, self.size, self.mediaType) = (url, status, size, mediaType)
    }

    init(_ resource: PackageIndex.Resource, in reader: PackageReader) {
        url = resource.url
        status = resource.record?.status ?? 200
        size = resource.member.map { reader.archive.members[$0].uncompressedSize } ?? 0
        mediaType = resource.entry?.mediaType
        lastModified = resource.entry?.lastModified
        expires = resource.entry?.expires ?? resource.record?.expiry
        sha256 = resource.member == nil ? nil : resource.record?.sha256
    }

    init(_ resource: ResourceSummary) {
        url = resource.url
        status = resource.status
        size = resource.size
        mediaType = resource.mediaType
        lastModified = resource.lastModified
        expires = resource.expires
        package = resource.package
    }

    /// Creates the line of a received response; nil for a package's entry.
    init?(_ candidate: StoredCandidate, of url: WebURL, at now: Timestamp) {
        let response = candidate.response
        guard response.source == .received else { return nil }
        self.init(url: url, status: response.status, size: response.size, mediaType: nil)
        mediaType = response.fields[.contentType]
        lastModified = response.fields[.lastModified].flatMap { HTTPDate.parse($0, now: now) }
        let freshness = Freshness(of: response, at: now, sharing: .shared)
        expires = freshness.lifetime.map { _ in now + freshness.ttl }
    }

    func line(at now: Timestamp) -> String {
        let type = status == 200 ? (mediaType ?? "-") : "(\(status))"
        return "\(Quantity.padded(freshness(at: now), 12)) \(Quantity.padded(Quantity.bytes(size), 8, left: true))  "
            + "\(Quantity.padded(PrintableText.escaped(type), 26))  \(url)"
    }

    private func freshness(at now: Timestamp) -> String {
        guard let expires else { return "-" }
        let seconds = expires - now
        return seconds > 0 ? "fresh \(Self.duration(seconds))" : "stale \(Self.duration(-seconds))"
    }

    static func duration(_ seconds: Int64) -> String {
        switch seconds {
        case ..<60: "\(seconds)s"
        case ..<3600: "\(seconds / 60)m"
        case ..<86400: "\(seconds / 3600)h"
        default: "\(seconds / 86400)d"
        }
    }

    func json(at now: Timestamp) -> JSONValue {
        func text(_ value: String?) -> JSONValue { value.map { .string($0) } ?? .null }
        let isFresh = expires.map { $0 > now } ?? false
        return .object([
            ("url", .string(url.description)), ("status", .number(String(status))), ("size", .number(String(size))),
            ("type", text(mediaType)), ("lastModified", text(lastModified?.iso8601)),
            ("expires", text(expires?.iso8601)), ("fresh", .bool(isFresh)), ("package", text(package)),
            ("sha256", text(sha256)), ("digest", text(digest)),
        ])
    }
}
