internal import AFCFiles
internal import AFCHTTP
package import AFCPackageFile
internal import AFCPackageFormat
internal import AFCText
package import AFCURL
internal import AFCZip
internal import Crypto

/// An export as a ZIM file, for Kiwix and other readers; docs/reference/export.md.
package final class ZIMOutput: ExportOutput {
    package let places: ZIMPlaces
    package var workers: Int { ParallelWork.processors }
    /// The bytes of a body that are kept in memory; others wait in a file.
    private static let memoryLimit = 4 << 20
    /// The most letters of a title.
    private static let titleLength = 200
    private static let homePath = "index.html"

    private let target: OutputTarget
    private let plan: ExportPlan
    private let name: String?
    private let software: String
    private let clusters: ZIMClusters
    /// The bodies that are written, by their digests.
    private var written: [[UInt8]: ZIMClusters.Place] = [:]
    private var entries: [ZIMFile.Entry] = []
    /// The titles of pages that can be found, by the numbers of their resources.
    private var titles: [Int: String] = [:]
    /// The entries of resources, by number.
    private var entryNumbers: [Int: Int] = [:]
    private var counts: [String: Int] = [:]
    /// The digest of everything that is written.
    private var hash = SHA256()

    /// Begins a file, which appears once it is complete.
    ///
    /// - Parameters:
    ///   - path: The file; an older one stays until the new one is complete.
    ///   - plan: The resources.
    ///   - packages: The packages of the plan.
    ///   - software: The program and its version, which the file states.
    /// - Throws: `PackageError` if the path can't be written to.
    package init(_ path: String, _ plan: ExportPlan, of packages: [PackageReader], software: String) throws {
        (self.plan, self.software) = (plan, software)
        name = packages.lazy.compactMap { $0.index.info?.name }.first
        places = ZIMPlaces(plan.items.lazy.map { packages[$0.package].index.resources[$0.resource].url })
        (target, clusters) = try Self.onFile(path) {
            let target = try OutputTarget(path)
            try target.requireWritable()
            return (target, try ZIMClusters(in: target.folder))
        }
    }

    package func write(_ item: ExportedItem, _ body: ExportedBody) throws -> Bool {
        let type = Self.type(of: item)
        let isText = item.type?.isCompressible == true
        let (place, isNew) = try Self.onFile(target.path) {
            try store(body, isCompressed: isText || item.type == nil, orElse: isText ? [0x0A] : [])
        }
        entryNumbers[item.number] = entries.count
        entries.append(
            ZIMFile.Entry(namespace: .content, path: places.paths[item.number], content: .blob(place, type: type))
        )
        counts[type, default: 0] += 1
        return isNew
    }

    package func add(_ page: SearchedPage, of item: ExportedItem) {
        guard let place = entryNumbers[item.number] else { return }
        entries[place].title = String(ZIMText.line(page.title).prefix(Self.titleLength))
        entries[place].isPage = true
        titles[item.number] = entries[place].title
    }

    package func finish(_ sites: [ExportedSite], redirects: [String: WebURL]) throws -> Int {
        let path = target.path
        try Self.onFile(path) {
            try addRedirects(redirects)
            try addMainPage(sites)
            let types = counts.sorted { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }.map {
                (type: $0.key, count: $0.value)
            }
            for (name, value) in ZIMMetadata(sites, name: name, software: software, counts: types).entries {
                let type = name.hasPrefix("Illustration_") ? "image/png" : "text/plain;charset=utf-8"
                let place = try store(value, isCompressed: false)
                entries.append(ZIMFile.Entry(namespace: .metadata, path: name, content: .blob(place, type: type)))
            }
            for entry in entries {
                hash.update(data: Array("\(entry.path)\n\(entry.title)\n".utf8))
                if case .redirect(let path) = entry.content { hash.update(data: Array("> \(path)\n".utf8)) }
            }
            let sink = try OutputSink(target)
            var file = ZIMFile(entries, clusters)
            try file.write(digest: Array(hash.finalize())) { try sink.append($0) }
            try sink.finish()
        }
        return titles.count
    }

    // MARK: Entries

    private func addRedirects(_ redirects: [String: WebURL]) throws {
        var taken = Set(entries.map(\.path))
        for (text, target) in redirects.sorted(by: { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }) {
            guard let url = try? WebURL(text), let number = plan.number(of: target) else { continue }
            let path = ZIMPlaces.path(of: url)
            guard taken.insert(path).inserted else { continue }
            entries.append(
                ZIMFile.Entry(namespace: .content, path: path, content: .redirect(path: places.paths[number]))
            )
        }
    }

    /// Adds the page that a reader shows first: the start page, or a list of several.
    private func addMainPage(_ sites: [ExportedSite]) throws {
        var path = Self.homePath
        if let site = sites.first, sites.count == 1 {
            path = places.paths[site.number]
        } else {
            let page = FolderHome.page(sites, hasSearch: false) { ZIMPlaces.address(of: places.paths[$0.number]) }
            let place = try store(Array(page.utf8), isCompressed: true)
            let title = HomeParts.title(sites)
            entries.append(
                ZIMFile.Entry(namespace: .content, path: path, title: title, content: .blob(place, type: "text/html"))
            )
            counts["text/html", default: 0] += 1
        }
        entries.append(ZIMFile.Entry(namespace: .wellKnown, path: "mainPage", content: .redirect(path: path)))
    }

    private static func type(of item: ExportedItem) -> String {
        guard let type = item.type else { return "application/octet-stream" }
        // Any other XML may have elements of a page, and gets no policy.
        return FileNames.isUnpoliced(type.essence) ? "text/plain" : type.essence
    }

    // MARK: Bodies

    private func store(_ bytes: [UInt8], isCompressed: Bool) throws -> ZIMClusters.Place {
        try store({ take in try bytes.withUnsafeBytes(take) }, isCompressed: isCompressed).place
    }

    /// Stores a body; in place of an empty one, another, since checkers of the format take empty entries for errors.
    private func store(
        _ body: ExportedBody,
        isCompressed: Bool,
        orElse other: [UInt8] = []
    ) throws -> (place: ZIMClusters.Place, isNew: Bool) {
        var bytes: [UInt8] = []
        var file: SpoolFile?
        var digest = SHA256()
        try body { piece in
            digest.update(bufferPointer: piece)
            if file == nil, bytes.count + piece.count <= Self.memoryLimit {
                bytes.append(contentsOf: piece)
                return
            }
            let spool: SpoolFile
            if let file {
                spool = file
            } else {
                spool = try SpoolFile(in: target.folder)
                _ = try bytes.withUnsafeBytes { try spool.append($0) }
                (file, bytes) = (spool, [])
            }
            _ = try spool.append(piece)
        }
        if bytes.isEmpty, file == nil {
            bytes = other
            digest.update(data: other)
        }
        let key = Array(digest.finalize())
        hash.update(data: key)
        if let place = written[key] { return (place, false) }
        let place =
            if let file {
                try clusters.add(file, size: file.size, isCompressed: isCompressed)
            } else {
                try clusters.add(bytes, isCompressed: isCompressed)
            }
        written[key] = place
        return (place, true)
    }

    private static func onFile<Result>(_ path: String, _ work: () throws -> Result) throws -> Result {
        do {
            return try work()
        } catch let error as FileError {
            throw PackageError(ZipError(error), subject: path)
        } catch let error as ZipError {
            throw PackageError(error, subject: path)
        }
    }
}
