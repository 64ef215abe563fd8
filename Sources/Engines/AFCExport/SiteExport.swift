package import AFCDiscovery
package import AFCHTTP
package import AFCPackageFile
internal import AFCPackageFormat
internal import AFCSearch
internal import AFCText
package import AFCURL
internal import AFCZip
internal import Crypto
internal import HTTPTypes

/// Writes packages in a form that a browser opens without any server; docs/reference/export.md.
package struct SiteExport {
    /// What became of an export.
    package struct Report: Sendable {
        /// The number of resources with a body.
        package var files = 0
        /// The size of the bodies, in bytes.
        package var bytes: Int64 = 0
        /// The number of pages that the search finds.
        package var searched = 0
        /// The number of pages whose scripts were left out, by the name of what made them.
        package var withoutScripts: [String: Int] = [:]
        /// The pages that show nothing without a server, by the name of what made them: their number, and the first.
        package var empty: [String: (count: Int, first: WebURL)] = [:]
        /// The pages that show nothing without scripts, which run and may need a server: their number, and the first.
        package var uncertain: (count: Int, first: WebURL)?
        /// The number of bodies that were too large for their references to be replaced.
        package var unchanged = 0
    }

    /// The resources.
    package let plan: ExportPlan
    private let packages: [PackageReader]
    private let scripts: PageScripts.Choice
    private let now: Timestamp
    private var report = Report()
    /// The bodies that the search has.
    private var seen: Set<String> = []
    /// The resources that are written, by number.
    private var isWritten: [Bool]

    /// Creates an export.
    ///
    /// - Parameters:
    ///   - packages: The packages; of several with a URL, the first counts.
    ///   - scripts: What becomes of the scripts of pages.
    ///   - now: The current time.
    /// - Throws: `PackageError` if a package is damaged.
    package init(_ packages: [PackageReader], scripts: PageScripts.Choice, now: Timestamp) throws {
        (self.packages, self.scripts, self.now) = (packages, scripts, now)
        plan = try ExportPlan(packages)
        isWritten = Array(repeating: false, count: plan.items.count)
    }

    /// Writes all resources, the first start page and what it loads before the others; blocks.
    ///
    /// - Parameters:
    ///   - output: Where they go; it is complete afterwards.
    ///   - page: The only page to write, with what it loads; nil for all.
    /// - Returns: What became of the packages.
    /// - Throws: `PackageError` if a body is damaged or can't be written, or no package has the page; `CancellationError`.
    ///   Nothing is left behind then.
    package mutating func write(to output: some ExportOutput, page: WebURL? = nil) throws -> Report {
        var sites = sites()
        if let page {
            guard let number = plan.number(of: page) else {
                throw PackageError(.inputOutput, subject: page.description, message: "no package has this page")
            }
            var budget = StoredSite.iconBudget
            sites = [site(page, number, packages[plan.items[number].package], &budget)]
        }
        var first = output.place == .file ? sites.prefix(1).map(\.number) : []
        var next = 0
        while next < first.count {
            first += try write(first[next], to: output)
            next += 1
        }
        if page == nil {
            for number in plan.items.indices { _ = try write(number, to: output) }
        }
        report.searched = try output.finish(sites, redirects: plan.redirects)
        return report
    }

    /// Writes a resource unless it is written, and returns the numbers of those to which it refers.
    private mutating func write(_ number: Int, to output: some ExportOutput) throws -> [Int] {
        guard !isWritten[number] else { return [] }
        isWritten[number] = true
        try Task.checkCancellation()
        let package = packages[plan.items[number].package]
        let resource = package.index.resources[plan.items[number].resource]
        guard let index = resource.member else { return [] }
        let size = package.archive.members[index].uncompressedSize
        let type = plan.type(of: resource)
        var item = ExportedItem(number: number, url: resource.url, type: type)
        item.modified = resource.entry?.lastModified
        item.date = item.modified ?? resource.record?.fetched
        item.encoding = type?.parameter("charset")
        item.isShared = resource.record?.fields[.accessControlAllowOrigin] == "*"
        item.digest = resource.record?.sha256
        guard let type, ExportedPage.mayChange(type), size <= ExportedPage.limit else {
            if size > ExportedPage.limit, type.map(ExportedPage.mayChange) == true { report.unchanged += 1 }
            // The page gets a policy, and so has another digest.
            if type?.essence == "text/html" { item.digest = nil }
            let fate: PageScripts.Fate = scripts == .drop ? .dropped("") : .kept
            let isNew = try output.write(item) { take in
                guard let type, type.essence == "text/html" else { return try package.readBody(of: resource, take) }
                try Self.readLarge(resource, of: package, take) { output.fenced($0, type, fate) }
            }
            count(size, isNew: isNew)
            return []
        }
        var body: [UInt8] = []
        body.reserveCapacity(Int(size))
        try package.readBody(of: resource) { body += $0 }
        guard let shown = output.shown(number, resource.url) else { return [] }
        let references = References(plan, packages)
        let page = ExportedPage(body, type, url: resource.url, shown: shown, place: output.place, scripts) {
            output.fenced($0, type, $1)
        } map: { url in
            references.number(of: url).flatMap { output.address(of: $0, references.type(of: $0)) }
        }
        item.encoding = page.encoding
        item.isChanged = page.isChanged
        if page.isChanged { item.digest = Hexadecimal.text(SHA256.hash(data: page.bytes)) }
        count(size, isNew: try output.write(item) { take in try page.bytes.withUnsafeBytes(take) })
        note(page, resource, item, to: output)
        return references.found
    }

    /// Reads a page whose references aren't replaced; it gets a policy nevertheless.
    private static func readLarge(
        _ resource: PackageIndex.Resource,
        of package: PackageReader,
        _ take: (UnsafeRawBufferPointer) throws -> Void,
        fence: ([UInt8]) -> [UInt8]?
    ) throws {
        var beginning: [UInt8]? = []
        func flush(_ bytes: [UInt8]) throws { try (fence(bytes) ?? bytes).withUnsafeBytes(take) }
        try package.readBody(of: resource) { piece in
            guard let first = beginning else { return try take(piece) }
            let bytes = first + piece
            beginning = bytes.count < 1 << 16 ? bytes : nil
            if beginning == nil { try flush(bytes) }
        }
        if let beginning { try flush(beginning) }
    }

    private mutating func count(_ size: Int64, isNew: Bool) {
        guard isNew else { return }
        report.files += 1
        report.bytes += size
    }

    private mutating func note(
        _ page: ExportedPage,
        _ resource: PackageIndex.Resource,
        _ item: ExportedItem,
        to output: some ExportOutput
    ) {
        guard let text = page.text else { return }
        switch page.scripts {
        case .none, .kept: break
        case .uncertain:
            report.uncertain = ((report.uncertain?.count ?? 0) + 1, report.uncertain?.first ?? resource.url)
        case .dropped(let maker): report.withoutScripts[maker, default: 0] += 1
        case .needed(let maker): report.empty[maker, default: (0, resource.url)].count += 1
        }
        guard !text.isNoindex, (resource.record?.status ?? 200) == 200, !text.text.isEmpty || !text.title.isEmpty,
            seen.insert(resource.record?.sha256 ?? resource.url.description).inserted
        else { return }
        output.add(text, of: item)
    }

    /// Returns the sites: what the crawls began with, else the page at the root of each host.
    private func sites() -> [ExportedSite] {
        var sites: [ExportedSite] = []
        var budget = StoredSite.iconBudget
        for package in packages {
            let seeds = (package.index.info?.seeds ?? []).compactMap { try? WebURL($0) }.filter {
                plan.number(of: $0) != nil
            }
            let roots = package.index.resources.lazy.filter { $0.url.path == "/" && $0.url.query == nil }.map(\.url)
            let pages = package.index.resources.lazy.filter { plan.type(of: $0)?.essence == "text/html" }.map(\.url)
            let starts = !seeds.isEmpty ? seeds : roots.isEmpty ? Array(pages.prefix(1)) : Array(roots)
            for start in starts {
                guard let number = plan.number(of: start), !sites.contains(where: { $0.number == number }) else {
                    continue
                }
                sites.append(site(start, number, package, &budget))
            }
        }
        return sites
    }

    private func site(_ start: WebURL, _ number: Int, _ package: PackageReader, _ budget: inout Int) -> ExportedSite {
        let made = package.date(orElse: now)
        let site = StoredSite(start, package: package.path, date: made, budget: &budget) { url in
            guard let resource = package.index.resource(for: url), let index = resource.member else { return nil }
            var fields = PackageIndex.responseFields(of: resource, packageDate: made)
            if let type = plan.type(of: resource) { fields[.contentType] = type.description }
            return StoredSite.Response(
                status: 200,
                fields: fields,
                size: package.archive.members[index].uncompressedSize
            ) { limit in try? package.beginning(of: resource, limit: limit) }
        }
        return ExportedSite(
            title: site.title,
            number: number,
            url: start,
            icon: site.icon,
            language: site.language,
            made: made
        )
    }
}

/// Finds what the references of one body mean, and remembers it.
private final class References {
    private let plan: ExportPlan
    private let packages: [PackageReader]
    private var known: [String: Int?] = [:]
    /// The numbers that were found, in order.
    private(set) var found: [Int] = []

    init(_ plan: ExportPlan, _ packages: [PackageReader]) { (self.plan, self.packages) = (plan, packages) }

    func number(of url: WebURL) -> Int? {
        let text = url.description
        if let number = known[text] { return number }
        let number = plan.number(of: url)
        known[text] = .some(number)
        if let number { found.append(number) }
        return number
    }

    func type(of number: Int) -> MediaType? {
        let item = plan.items[number]
        return plan.type(of: packages[item.package].index.resources[item.resource])
    }
}
