package import AFCDiscovery
package import AFCHTTP
package import AFCPackageFile
internal import AFCPackageFormat
internal import AFCSearch
internal import AFCText
package import AFCURL
internal import AFCZip
internal import HTTPTypes

/// Writes packages as a folder that a browser opens without any server; docs/export.md.
package struct FolderExport {
    /// What became of an export.
    package struct Report: Sendable {
        /// The number of files, without those of the export itself.
        package var files = 0
        /// The size of these files, in bytes.
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

    private let packages: [PackageReader]
    private let scripts: PageScripts.Choice
    private let now: Timestamp
    private let plan: ExportPlan
    private var report = Report()
    private var search = ExportSearch()
    /// The bodies that the search has.
    private var seen: Set<String> = []

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
    }

    /// Writes the folder, which appears once it is complete; blocks.
    ///
    /// - Parameter path: The folder, which may not exist, be empty, or be an older export.
    /// - Returns: What became of the packages.
    /// - Throws: `PackageError`, or `CancellationError`; nothing is left behind then.
    package mutating func write(to path: String) throws -> Report {
        let folder = try ExportFolder(path)
        var written: Set<String> = []
        for package in packages {
            for resource in package.index.resources {
                guard let name = plan.path(of: resource), resource.member != nil, written.insert(name).inserted else {
                    continue
                }
                try Task.checkCancellation()
                try write(resource, of: package, as: name, to: folder)
            }
        }
        let sites = sites()
        report.searched = search.count
        try folder.write("index.html", ExportHome.page(sites, hasSearch: search.count > 0))
        if search.count > 0 {
            try folder.write(ExportPlan.ownFolder + "/search.js", ExportHome.script)
            for file in search.files() { try folder.write(ExportPlan.ownFolder + "/" + file.name, file.text) }
        }
        try folder.commit()
        return report
    }

    private mutating func write(
        _ resource: PackageIndex.Resource,
        of package: PackageReader,
        as name: String,
        to folder: ExportFolder
    ) throws {
        guard let index = resource.member else { return }
        let size = package.archive.members[index].uncompressedSize
        let modified = resource.entry?.lastModified
        report.files += 1
        report.bytes += size
        guard let type = plan.type(of: resource), ExportedPage.mayChange(type), size <= ExportedPage.limit else {
            if size > ExportedPage.limit, plan.type(of: resource).map(ExportedPage.mayChange) == true {
                report.unchanged += 1
            }
            return try folder.write(name, modified: modified) { try package.readBody(of: resource, $0) }
        }
        var body: [UInt8] = []
        body.reserveCapacity(Int(size))
        try package.readBody(of: resource) { body += $0 }
        let plan = plan
        var known: [String: WebURL?] = [:]
        let page = ExportedPage(body, type, url: resource.url, path: name, scripts) { url in
            let text = url.description
            if let found = known[text] { return found }
            let found = plan.path(to: url).flatMap { ExportPlan.url(of: $0) }
            known[text] = .some(found)
            return found
        }
        try folder.write(name, modified: modified) { take in try page.bytes.withUnsafeBytes(take) }
        note(page, resource, name)
    }

    private mutating func note(_ page: ExportedPage, _ resource: PackageIndex.Resource, _ name: String) {
        guard let text = page.text else { return }
        switch page.scripts {
        case .none, .kept: break
        case .uncertain:
            report.uncertain = ((report.uncertain?.count ?? 0) + 1, report.uncertain?.first ?? resource.url)
        case .dropped(let maker): report.withoutScripts[maker, default: 0] += 1
        case .needed(let maker): report.empty[maker, default: (0, resource.url)].count += 1
        }
        guard !text.isNoindex, (resource.record?.status ?? 200) == 200, !text.text.isEmpty || !text.title.isEmpty,
            seen.insert(resource.record?.sha256 ?? name).inserted
        else { return }
        search.add(text, path: name, site: resource.url.host ?? "")
    }

    /// Returns the sites: what the crawls began with, else the page at the root of each host.
    private func sites() -> [ExportHome.Site] {
        var sites: [ExportHome.Site] = []
        var budget = StoredSite.iconBudget
        for package in packages {
            let seeds = (package.index.info?.seeds ?? []).compactMap { try? WebURL($0) }.filter {
                plan.path(to: $0) != nil
            }
            let roots = package.index.resources.lazy.filter { $0.url.path == "/" && $0.url.query == nil }.map(\.url)
            let pages = package.index.resources.lazy.filter { plan.type(of: $0)?.essence == "text/html" }.map(\.url)
            let starts = !seeds.isEmpty ? seeds : roots.isEmpty ? Array(pages.prefix(1)) : Array(roots)
            let made = package.date(orElse: now)
            for start in starts {
                guard let path = plan.path(to: start), !sites.contains(where: { $0.path == path }) else { continue }
                let site = StoredSite(start, package: package.path, date: made, budget: &budget) { url in
                    guard let resource = package.index.resource(for: url), let index = resource.member else {
                        return nil
                    }
                    var fields = PackageIndex.responseFields(of: resource, packageDate: made)
                    if let type = plan.type(of: resource) { fields[.contentType] = type.description }
                    return StoredSite.Response(
                        status: 200,
                        fields: fields,
                        size: package.archive.members[index].uncompressedSize
                    ) { limit in try? package.beginning(of: resource, limit: limit) }
                }
                sites.append(
                    ExportHome.Site(
                        title: site.title.isEmpty ? start.host ?? path : site.title,
                        path: path,
                        address: start.description,
                        icon: site.icon,
                        language: site.language,
                        made: made
                    )
                )
            }
        }
        return sites
    }
}
