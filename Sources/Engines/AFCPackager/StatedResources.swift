internal import AFCCaching
internal import AFCCrawlRules
internal import AFCFiles
internal import AFCHTTP
internal import AFCPackageFile
internal import AFCPackageFormat
internal import AFCText
internal import AFCURL
internal import AFCZip
internal import HTTPTypes

/// The resources of a recording, an archive or a folder, with what robots.txt and pages among them say about their use.
///
/// A crawl notes this when it fetches a resource. What a record says already is kept.
struct StatedResources<Source: ResourceSource>: ResourceSource {
    private let source: Source
    /// The rules of each origin whose robots.txt is one of the resources.
    private let rules: [String: RobotsRules]

    /// The most bytes of a page's head that are read.
    private static var headLimit: Int { 64 << 10 }
    /// The most origins whose rules are kept.
    private static var originLimit: Int { 10_000 }

    /// Reads each robots.txt.
    ///
    /// - Parameters:
    ///   - source: The resources.
    ///   - productToken: The name by which robots.txt and pages may address this program.
    /// - Throws: Any error of the source, and ``PackageError`` if a body can't be read.
    init(_ source: Source, productToken: String = CrawlOptions.defaultProductToken) throws(PackageError) {
        self.source = source
        var rules: [String: RobotsRules] = [:]
        var isNamed = false
        try source.forEachURL { url throws(PackageError) in isNamed = isNamed || Self.isRobots(url) }
        if isNamed {
            try source.forEach { resource throws(PackageError) in
                let record = resource.record
                guard Self.isRobots(record.url), record.status == 200, rules.count < Self.originLimit,
                    let bytes = try Self.beginning(of: resource, RobotsRules.byteLimit)
                else { return }
                let own = RobotsRules(parsing: bytes, productToken: productToken)
                if own.statesUsage { rules[record.url.origin] = own }
            }
        }
        self.rules = rules
    }

    func forEachURL(_ body: (WebURL) throws(PackageError) -> Void) throws(PackageError) {
        try source.forEachURL(body)
    }

    func forEach(_ body: (PackageWriter.Resource) throws(PackageError) -> Void) throws(PackageError) {
        try source.forEach { resource throws(PackageError) in
            var resource = resource
            try state(&resource)
            try body(resource)
        }
    }

    /// Adds what is said about the use of a resource; a redirect has none.
    private func state(_ resource: inout PackageWriter.Resource) throws(PackageError) {
        let record = resource.record
        guard resource.entry != nil else { return }
        if record.robotsUsage.isEmpty, let rules = rules[record.url.origin] {
            resource.record.robotsUsage = rules.usage(of: record.url)
        }
        guard record.pageUsage.isEmpty, let type = record.fields.value(of: .contentType).flatMap({ MediaType($0) }),
            PageReferences.isPage(type), let head = try Self.beginning(of: resource, Self.headLimit)
        else { return }
        resource.record.pageUsage = PageReferences.usage(of: head, type)
    }

    private static func isRobots(_ url: WebURL) -> Bool { url.path == "/robots.txt" && url.query == nil }

    private static func beginning(
        of resource: PackageWriter.Resource,
        _ limit: Int
    ) throws(PackageError) -> [UInt8]? {
        switch resource.body {
        case .bytes(let bytes): return Array(bytes.prefix(limit))
        case .file(let path):
            do throws(FileError) {
                let file = try OpenFile(reading: path)
                return try file.beginning(Int(min(try file.size(), Int64(limit))))
            } catch {
                throw PackageError(.inputOutput, subject: path, message: error.message)
            }
        case .spooled(let data):
            do throws(ZipError) {
                return try data.beginning(limit)
            } catch {
                throw PackageError(.inputOutput, subject: resource.record.url.description, message: error.message)
            }
        case nil: return nil
        }
    }
}
