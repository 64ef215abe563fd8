package import AFCDiscovery
internal import AFCFiles
package import AFCHTTP
package import AFCPackageFile
internal import AFCPackageFormat
internal import AFCSearch
internal import AFCText
package import AFCURL
internal import AFCZip
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
        /// The number of pages of which a part was left out, since they are too large.
        package var truncated = 0
        /// The pages that are left out, since their origins disallow the use by AI.
        package var withheld = MarkdownPlaces.Withheld()
        /// The number of bodies that were too large for their references to be replaced.
        package var unchanged = 0
    }

    /// The resources.
    package let plan: ExportPlan
    private let packages: [PackageReader]
    private let scripts: PageScripts.Choice
    private let now: Timestamp
    /// Where each package is from.
    private let provenance: [ProvenanceFacts]
    private var report = Report()
    /// The bodies that the search has.
    private var seen: Set<String> = []
    /// The resources that are written, by number.
    private var isWritten: [Bool]
    /// The size of the bodies that are in memory at a time, unless one is larger, in bytes.
    private static let windowSize: Int64 = 8 << 20

    /// Creates an export.
    ///
    /// - Parameters:
    ///   - packages: The packages; of several with a URL, the first counts.
    ///   - scripts: What becomes of the scripts of pages.
    ///   - now: The current time.
    /// - Throws: `PackageError` if a package is damaged, or not what was signed.
    package init(_ packages: [PackageReader], scripts: PageScripts.Choice, now: Timestamp) throws {
        (self.packages, self.scripts, self.now) = (packages, scripts, now)
        provenance = try packages.map { package throws(PackageError) in
            let verdict = try package.verifySignature(policy: TrustPolicy())
            return ProvenanceFacts(
                created: package.date(orElse: now),
                signers: verdict.unknown.map(\.key.id),
                latestExpiry: package.index.latestExpiry,
                missing: package.missing
            )
        }
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
            sites = [site(page, number, &budget)]
        }
        var first = output.places.kind == .file ? sites.prefix(1).map(\.number) : []
        var next = 0
        while next < first.count {
            try write([first[next]], to: output) { first += $0 }
            next += 1
        }
        if page == nil { try write(Array(plan.items.indices), to: output) { _ in } }
        report.searched = try output.finish(sites, redirects: plan.redirects)
        return report
    }

    /// Writes resources unless they are written; `found` gets the numbers of those to which one refers.
    private mutating func write(_ numbers: [Int], to output: some ExportOutput, found: ([Int]) -> Void) throws {
        let new = numbers.filter { !isWritten[$0] }
        for number in new { isWritten[number] = true }
        let (plan, packages) = (plan, packages)
        let export = BodyExport(plan: plan, packages: packages, scripts: scripts, places: output.places)
        try ParallelWork.forEach(new, workers: output.workers, limit: Self.windowSize) { number in
            let item = plan.items[number]
            let package = packages[item.package]
            let member = package.index.resources.member(at: item.resource)
            return min(member.map { package.archive.members[$0].uncompressedSize } ?? 0, ExportedPage.limit)
        } _: { number in
            try export.body(number)
        } take: { body in
            try Task.checkCancellation()
            guard let body else { return }
            note(body, isNew: try body.isWritten ?? export.write(body, to: output.write), to: output)
            found(body.found)
        }
    }

    private mutating func note(_ body: PreparedBody, isNew: Bool, to output: some ExportOutput) {
        if isNew {
            report.files += 1
            report.bytes += body.size
        }
        if body.isUnchanged { report.unchanged += 1 }
        guard let page = body.page else { return }
        switch page.scripts {
        case .none, .kept: break
        case .uncertain:
            report.uncertain = ((report.uncertain?.count ?? 0) + 1, report.uncertain?.first ?? body.item.url)
        case .dropped(let maker): report.withoutScripts[maker, default: 0] += 1
        case .needed(let maker): report.empty[maker, default: (0, body.item.url)].count += 1
        }
        guard let searched = body.searched, seen.insert(body.identity).inserted else { return }
        output.add(searched, of: body.item)
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
                sites.append(site(start, number, &budget))
            }
        }
        return sites
    }

    private func site(_ start: WebURL, _ number: Int, _ budget: inout Int) -> ExportedSite {
        let package = packages[plan.items[number].package]
        var provenance = provenance[plan.items[number].package]
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
        provenance.usage = site.usage
        return ExportedSite(
            title: site.title,
            number: number,
            url: start,
            icon: site.icon,
            language: site.language,
            made: made,
            // The same input gives the same bytes, on whichever day.
            provenance: provenance.words(now: nil)
        )
    }
}
