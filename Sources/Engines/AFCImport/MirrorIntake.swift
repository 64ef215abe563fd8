internal import AFCArchive
internal import AFCCrawlRules
internal import AFCCrawler
internal import AFCFiles
internal import AFCHTTP
internal import AFCText
internal import AFCURL
internal import HTTPTypes

/// A folder with a mirror by wget: folders with the names of hosts, or the folder of one host.
struct MirrorFolder: Sendable {
    /// The folder of a host.
    struct Site: Sendable {
        var folder: String
        /// The URL of the folder, with a slash at the end.
        var base: WebURL
    }

    /// The sites, sorted by folder.
    let sites: [Site]

    /// The most bytes of a home page that are searched for the site's scheme.
    private static let schemeBytes = 256 << 10
    /// The most files and folders among which a page is searched.
    private static let searchLimit = 10_000

    /// Recognizes a mirror; nil if some folder in it isn't that of a host.
    ///
    /// - Parameters:
    ///   - path: The folder.
    ///   - base: The URL that the folder stands for, or one on a host whose folder is in it; nil if the user names none.
    init?(_ path: String, base: WebURL?) {
        let names = (FolderListing.names(in: path) ?? []).filter { !$0.hasPrefix(".") }.sorted()
        let folders = names.filter { OpenFile.isFolder("\(path)/\($0)", followingLinks: false) }
        let hosts = folders.filter { Self.host($0) != nil }
        if let base, !hosts.contains(where: { Self.host($0) == base.authority }) {
            sites = [Site(folder: path, base: base)]
            return
        }
        func site(_ name: String, in folder: String, _ scheme: String?) -> Site? {
            guard let host = Self.host(name) else { return nil }
            let place = "\(folder)/\(name)"
            let scheme = scheme ?? Self.scheme(of: host, in: place)
            return (try? WebURL("\(scheme)://\(host)/")).map { Site(folder: place, base: $0) }
        }
        if !folders.isEmpty, hosts.count == folders.count {
            sites = hosts.compactMap { site($0, in: path, base?.scheme) }
        } else if !folders.isEmpty, folders.allSatisfy({ ["http", "https"].contains($0) }) {
            // wget can put a folder for each scheme around those of the hosts.
            sites = folders.flatMap { scheme in
                let names = (FolderListing.names(in: "\(path)/\(scheme)") ?? []).sorted()
                return names.compactMap { site($0, in: "\(path)/\(scheme)", scheme) }
            }
        } else {
            let whole = (try? OpenFile.resolvedPath(of: path)) ?? path
            let name = whole.split(separator: "/").last.map(String.init) ?? ""
            guard let host = Self.host(name), Self.hasPage(whole) else { return nil }
            let scheme = base?.scheme ?? Self.scheme(of: host, in: path)
            sites = (try? WebURL("\(scheme)://\(host)/")).map { [Site(folder: path, base: $0)] } ?? []
        }
        guard !sites.isEmpty else { return nil }
    }

    /// Returns true if a page is among the first files of a folder and of those in it; a part of a site has no home page.
    private static func hasPage(_ path: String) -> Bool {
        var folders = [path][...]
        var seen = 0
        while let folder = folders.popFirst(), seen < searchLimit {
            let names = (FolderListing.names(in: folder) ?? []).filter { !$0.hasPrefix(".") }.prefix(searchLimit - seen)
            if names.contains(where: { MediaType(suffixOf: $0)?.essence == "text/html" }) { return true }
            seen += names.count
            folders += names.map { "\(folder)/\($0)" }.filter { OpenFile.isFolder($0, followingLinks: false) }
        }
        return false
    }

    /// Returns the host and port for which a folder stands; nil if its name isn't a host's.
    private static func host(_ name: String) -> String? {
        // Where ':' can't be in names, wget writes '+'.
        let text = name.replacing("+", with: ":")
        guard text.contains(".") || text.hasPrefix("localhost"), !text.hasPrefix("."),
            let url = try? WebURL("http://\(text)/"), url.authority == text.lowercased()
        else { return nil }
        return url.authority
    }

    /// Returns `https` if the site's home page refers to it so, or else `http`.
    private static func scheme(of host: String, in folder: String) -> String {
        for name in ["index.html.orig", "index.html"] {
            guard let file = try? OpenFile(reading: "\(folder)/\(name)"), let size = try? file.size(),
                let bytes = try? file.beginning(Int(min(size, Int64(schemeBytes))))
            else { continue }
            return bytes.firstRange(of: "https://\(host)".utf8) == nil ? "http" : "https"
        }
        return "http"
    }
}

/// Takes the files of a mirror.
struct MirrorIntake {
    /// The most files of a mirror: a package can't have more.
    private static let fileLimit = 2_000_000
    /// The deepest folder.
    private static let depthLimit = 100

    let intake: Intake

    /// Reads all files of a site.
    ///
    /// - Throws: ``ImportError``, or an error of what takes the remarks.
    func read(_ site: MirrorFolder.Site) throws {
        let paths = try files(in: site.folder)
        let names = MirrorNames(Set(paths))
        let targets = paths.map { names.target(of: $0) }
        var taken = Set(targets.compactMap { $0?.path })
        var pages: [String: WebURL] = [:]
        let file = intake.beginFile(site.folder)
        for (index, (path, target)) in zip(paths, targets).enumerated() {
            try intake.checkCancellation()
            guard let target else {
                intake.count(other: "changed page")
                continue
            }
            let place = NotePlace(file: file, offset: nil, number: index + 1)
            let aliases = target.aliases.filter { taken.insert($0).inserted }
            try take(path, of: site, target, aliases, place, &pages)
        }
    }

    private func take(
        _ path: String,
        of site: MirrorFolder.Site,
        _ target: MirrorNames.Target,
        _ aliases: [String],
        _ place: NotePlace,
        _ pages: inout [String: WebURL]
    ) throws {
        guard let url = try intake.url(site.base.description + target.path, at: place) else { return }
        let file: OpenFile
        let date: ArchiveDate
        do throws(FileError) {
            file = try OpenFile(reading: "\(site.folder)/\(path)")
            date = ArchiveDate(time: Timestamp(secondsSinceEpoch: try file.state().seconds))
        } catch {
            throw ImportError(error, subject: "\(site.folder)/\(path)")
        }
        if let omission = intake.omission(url, date) {
            return try intake.note(omission, at: place, url: url.description)
        }
        do {
            try fill(from: file)
            var head = FetchHead(status: 200)
            head.fields[.contentType] = try type(target).map { $0.description }
            head.fields[.lastModified] = HTTPDate.format(date.time)
            let result = try intake.bodies.unstated(intake.buffer, head, url)
            head.coding = result.coding
            var notes = result.notes
            if head.fields[.contentType]?.hasPrefix("text/html") == true, result.body.size > 0 {
                if let other = pages[result.body.sha256] {
                    notes.append((.same, other.description))
                } else {
                    pages[result.body.sha256] = url
                }
                if intake.pages.isEmpty { intake.pages.append(url) }
            }
            let others = aliases.compactMap { try? WebURL(site.base.description + $0) }
            for (index, address) in ([url] + others).enumerated() {
                let record = intake.record(address, head, date, body: result.body)
                let remarks = index == 0 ? notes : []
                try intake.add(Capture(record: record, date: date, body: result.body, notes: remarks, place: place))
            }
        } catch let refusal as BodyIntake.Refusal {
            try intake.note(refusal.kind, at: place, url: url.description, detail: refusal.detail)
        }
    }

    /// Returns the type of the body in the buffer, by the file's name or by its beginning; nil if neither says anything.
    private func type(_ target: MirrorNames.Target) throws -> MediaType? {
        // The suffix of a page may be that of the program that made it.
        if let type = target.type, !type.essence.contains("php") { return type }
        let beginning = try intake.buffer.beginning(MediaType.decidingBytes)
        guard !beginning.isEmpty else { return nil }
        let found = MediaType(ofUnstated: beginning)
        return found.essence == "application/octet-stream" ? nil : found
    }

    private func fill(from file: OpenFile) throws {
        intake.buffer.clear()
        try file.forEachPiece(as: file.path) { piece in
            try intake.buffer.append(piece)
            guard !intake.buffer.isTooLarge else { throw BodyIntake.Refusal(kind: .tooLarge) }
        }
    }

    /// Returns the paths of all files below a folder, sorted; links and hidden files aren't followed.
    private func files(in root: String) throws -> [String] {
        var found: [String] = []
        var folders: [(path: String, depth: Int)] = [("", 0)]
        while let folder = folders.popLast() {
            guard let names = FolderListing.names(in: "\(root)/\(folder.path)") else {
                throw ImportError(.inputOutput, subject: "\(root)/\(folder.path)", message: "cannot list the folder")
            }
            for name in names where !name.hasPrefix(".") || name == ".well-known" {
                let path = folder.path + name
                if OpenFile.isFolder("\(root)/\(path)", followingLinks: false) {
                    guard folder.depth < Self.depthLimit else {
                        throw ImportError(.tooLarge, subject: path, message: "the folders are nested too deeply")
                    }
                    folders.append((path + "/", folder.depth + 1))
                } else if OpenFile.isRegularFile("\(root)/\(path)") {
                    found.append(path)
                }
                guard found.count <= Self.fileLimit, folders.count <= Self.fileLimit else {
                    throw ImportError(
                        .tooLarge,
                        subject: name,
                        message: "the folder has more than \(Self.fileLimit) files, and a package can't have so many"
                    )
                }
            }
        }
        return found.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
    }
}
