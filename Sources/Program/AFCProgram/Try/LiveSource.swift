import AFCBrowser
import AFCCrawlRules
import AFCCrawler
import AFCTrial
import AFCURL
import HTTPTypes

/// A live site as the source of answers: only its own origin is asked.
struct LiveSource: TrialSource {
    private let site: WebURL
    private let start: WebURL?
    private let fetcher: HTTPFetcher

    /// - Parameters:
    ///   - site: A URL of the site's origin.
    ///   - fetcher: The connections.
    ///   - start: The start page in the package, whose origin the live one stands for.
    init(_ site: WebURL, _ fetcher: HTTPFetcher, start: WebURL?) {
        (self.site, self.fetcher, self.start) = (site, fetcher, start)
    }

    /// The settings of the connections: the user named the host, so it may have any address.
    static func options(for site: WebURL) -> HTTPFetcher.Options {
        var options = HTTPFetcher.Options()
        options.namedHosts = [site.host ?? ""]
        options.now = Clock.now
        return options
    }

    /// The URL of a page of the package at the live site; nil if it is of another origin.
    func page(_ url: WebURL) -> WebURL? {
        guard url.origin == start?.origin else { return nil }
        return try? WebURL(site.origin + url.requestTarget)
    }

    func answer(_ request: PageRequest) async -> (RenderAnswer, PageObservation.Fate) {
        guard request.url.origin == site.origin else { return (.unknown, .elsewhere) }
        guard request.method == "GET" else { return (.refused, .needsServer) }
        var body = Body()
        do {
            var fields = HTTPFields()
            fields[.accept] = request.isNavigation ? "text/html,application/xhtml+xml,*/*;q=0.8" : "*/*"
            fields[.userAgent] = "afcache/\(AFCacheCommand.version)"
            try await fetcher.fetch(FetchRequest(url: request.url, fields: fields), into: &body)
        } catch {
            // What can't be fetched is as missing as what isn't there.
            return (.refused, .missing)
        }
        guard let head = body.head, !body.isTooLarge else { return (.refused, .tooLarge) }
        let dropped: Set<HTTPField.Name> = [.contentLength, .contentEncoding, .transferEncoding, .connection]
        let fields = head.fields.filter { !dropped.contains($0.name) }.map { ($0.name.rawName, $0.value) }
        let type = head.fields[.contentType]?.prefix { $0 != ";" }.lowercased() ?? ""
        return (
            .response(status: head.status, fields: fields, body: body.bytes),
            .found(status: head.status, mediaType: type, isMarkup: body.bytes.first == UInt8(ascii: "<"))
        )
    }

    /// A response in memory.
    private struct Body: ResponseReceiver {
        private static let limit = 16 << 20

        private(set) var head: FetchHead?
        private(set) var bytes: [UInt8] = []
        private(set) var isTooLarge = false

        mutating func begin(_ head: FetchHead) -> Bool {
            self.head = head
            return true
        }

        mutating func append(_ bytes: UnsafeRawBufferPointer) -> Bool {
            self.bytes += bytes
            isTooLarge = self.bytes.count > Self.limit
            return !isTooLarge
        }
    }
}
