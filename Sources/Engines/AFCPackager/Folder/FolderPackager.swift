public import AFCCrawlRules
internal import AFCCrawler
internal import AFCFiles
internal import AFCHTTP
public import AFCPackageFile
public import AFCPackageFormat
public import AFCText
internal import AFCURL
internal import AFCZip
internal import Crypto
internal import HTTPTypes

/// A packager that makes the files of a folder the resources of a package, as AFCache's packagers did.
public enum FolderPackager {
    /// The resources to pack, and the files that were skipped.
    public struct Result: Sendable {
        /// A resource for each file, in the order of the paths.
        public var resources: [PackageWriter.Resource]
        /// The user data to include.
        public var userData: [PackageWriter.UserData]
        /// The pages for navigations to URLs that the package doesn't have; nil for none.
        public var fallback: FallbackRules?
        /// The report on the folder's files.
        public var report: FolderReport
        let files: [(path: String, state: OpenFile.State)]
        let followsLinks: Bool

        /// Checks that no file has changed since it was listed.
        ///
        /// The bodies are read again while the package is written, so this is called afterwards.
        ///
        /// - Throws: `PackagingError` that names the first changed file.
        public func requireUnchanged() throws(PackagingError) {
            for file in files {
                let kind = try followsLinks ? FolderWalk.targetKind(of: file.path) : FolderWalk.kind(of: file.path)
                guard kind == .file(file.state) else {
                    throw FolderPackager.change(of: file.path)
                }
            }
        }
    }

    /// Lists the folder and reads each of its files once, several at a time.
    ///
    /// - Throws: `PackagingError`, or `CancellationError`.
    @concurrent
    public static func resources(of options: FolderOptions) async throws -> Result {
        let root = trimmed(options.folder)
        let walk = try FolderWalk(root: root, includesHidden: options.includesHidden, links: options.links)
        var report = FolderReport()
        report.skipped = walk.skipped
        let output = options.output.flatMap { pathBelow(root, of: $0) }
        let chosen = walk.files.filter { file in
            let reason = file.path == output ? .output : reason(toSkip: file, root: root, options: options)
            guard let reason else { return true }
            report.skipped.append(FolderReport.Skip(path: file.path, reason: reason))
            return false
        }
        report.skipped.sort { $0.path.utf8.lexicographicallyPrecedes($1.path.utf8) }
        guard !chosen.isEmpty else {
            throw PackagingError(.nothing, subject: options.folder, message: "the folder has no files to pack")
        }
        let urls = try urls(of: chosen, options: options)
        let digests = try await digests(of: chosen, root: root)
        var resources: [PackageWriter.Resource] = []
        resources.reserveCapacity(chosen.count)
        let streams = Set(chosen.filter { $0.path.hasSuffix(".m3u8") }.map { folder(of: $0.path) })
        for (index, file) in chosen.enumerated() {
            let type =
                options.recordsMediaTypes
                ? type(of: file.path, streams: streams) ?? mirroredType(of: file.path, in: root) : nil
            if options.recordsMediaTypes, type == nil { report.withoutMediaType.append(file.path) }
            if digests[index].isPrivateKey { report.privateKeys.append(file.path) }
            report.bytes += file.state.size
            resources.append(
                resource(
                    file,
                    url: urls[index],
                    type: type,
                    digest: digests[index].sha256,
                    root: root,
                    options: options
                )
            )
        }
        let fallback = try FolderFallback(of: chosen, urls: urls, options: options).rules
        let further = try FolderURLs(of: chosen, urls: urls, options: options)
        for (url, index) in further.copies {
            var resource = resources[index]
            resource.record.url = url
            resource.entry?.url = url
            resources.append(resource)
        }
        for (url, target) in further.redirects {
            let fields: HTTPFields = [.location: target.requestTarget]
            let record = ResourceRecord(url: url, status: 301, fields: fields, fetched: options.now)
            resources.append(PackageWriter.Resource(record: record, entry: nil, body: nil, isCompressible: false))
        }
        report.files = chosen.count
        let (userData, carried) = try userData(options)
        let files = chosen.map { (root + "/" + $0.path, $0.state) } + carried
        return Result(
            resources: resources,
            userData: userData,
            fallback: fallback,
            report: report,
            files: files,
            followsLinks: options.links != .none
        )
    }

    // MARK: One file

    private static func folder(of path: String) -> Substring {
        path.lastIndex(of: "/").map { path[...$0] } ?? ""
    }

    /// Returns the media type that a file's suffix stands for.
    ///
    /// A `.ts` file is a transport stream if there is a playlist in its folder or above, else TypeScript.
    private static func type(of path: String, streams: Set<Substring>) -> MediaType? {
        guard path.hasSuffix(".ts"), !streams.isEmpty else { return MediaType(suffixOf: path) }
        var folder = folder(of: path)
        while !streams.contains(folder) {
            guard !folder.isEmpty else { return MediaType(suffixOf: path) }
            folder = self.folder(of: String(folder.dropLast()))
        }
        return MediaType("video/mp2t")
    }

    /// Returns the type of a file whose name has a query, as mirrors of sites have it: by the suffix before the query, or by the
    /// file's beginning; nil if it can't be told.
    private static func mirroredType(of path: String, in root: String) -> MediaType? {
        guard let query = path.lastIndex(of: "?"), !path[query...].contains("/") else { return nil }
        if let type = MediaType(suffixOf: String(path[..<query])) { return type }
        guard let file = try? OpenFile(reading: root + "/" + path), let size = try? file.size(), size > 0,
            let beginning = try? file.beginning(Int(min(size, Int64(MediaType.decidingBytes))))
        else { return nil }
        let type = MediaType(ofUnstated: beginning)
        return type.essence == "application/octet-stream" ? nil : type
    }

    /// Returns the path of an existing file below a folder, or nil if it is elsewhere.
    private static func pathBelow(_ root: String, of file: String) -> String? {
        guard let folder = try? OpenFile.resolvedPath(of: root), let file = try? OpenFile.resolvedPath(of: file) else {
            return nil
        }
        let start = folder.hasSuffix("/") ? folder : folder + "/"
        return file.hasPrefix(start) ? String(file.dropFirst(start.count)) : nil
    }

    private static func reason(
        toSkip file: FolderWalk.File,
        root: String,
        options: FolderOptions
    ) -> FolderReport.Reason? {
        if let limit = options.maxFileSize, file.state.size > limit { return .tooLarge }
        let full = root + "/" + file.path
        return options.exclude.contains { $0.matches(file.path) || $0.matches(full) } ? .excluded : nil
    }

    private static func resource(
        _ file: FolderWalk.File,
        url: WebURL,
        type: MediaType?,
        digest: String,
        root: String,
        options: FolderOptions
    ) -> PackageWriter.Resource {
        let time = options.usesFileTime ? Timestamp(secondsSinceEpoch: file.state.seconds) : options.now
        let lastModified = time + options.lastModifiedOffset
        let expires = options.maxAge.map { lastModified + $0 }
        var fields = HTTPFields()
        if let type { fields[.contentType] = type.description }
        fields[.lastModified] = HTTPDate.format(lastModified)
        if let expires { fields[.expires] = HTTPDate.format(expires) }
        let record = ResourceRecord(
            url: url,
            fields: fields,
            fetched: options.now,
            size: file.state.size,
            sha256: digest
        )
        let entry = ManifestEntry(url: url, lastModified: lastModified, expires: expires, mediaType: type?.description)
        return PackageWriter.Resource(
            record: record,
            entry: entry,
            body: .file(path: root + "/" + file.path),
            isCompressible: MediaType.isCompressible(type, path: file.path)
        )
    }

    // MARK: URLs

    /// Returns the URL of a file: the base URL followed by the parts of its path, each percent-encoded.
    static func url(ofPath path: String, below base: WebURL) throws(PackagingError) -> WebURL {
        var text = base.description
        while text.hasSuffix("/") { text.removeLast() }
        for part in path.utf8.split(separator: UInt8(ascii: "/")) {
            text += "/" + PercentEncodeSet.pathPart.encode(part)
        }
        return try url(text, of: path, below: base)
    }

    private static func url(_ text: String, of path: String, below base: WebURL) throws(PackagingError) -> WebURL {
        do throws(WebURL.ParseError) {
            return try WebURL(text)
        } catch {
            throw PackagingError(.badOption, subject: path, message: "cannot make a URL below '\(base)': \(error)")
        }
    }

    private static func urls(of files: [FolderWalk.File], options: FolderOptions) throws(PackagingError) -> [WebURL] {
        let base = options.baseURL
        guard !["ftp", "ws", "wss", "file"].contains(base.scheme) else {
            throw PackagingError(
                .badOption,
                subject: base.description,
                message: "not a valid base URL; packages hold answers of http and https, or of a scheme of your app"
            )
        }
        guard base.query == nil, !base.hasOpaquePath, base.host != nil, !base.hasCredentials else {
            throw PackagingError(
                .badOption,
                subject: base.description,
                message: "not a valid base URL; it must have a host, but no query or credentials"
            )
        }
        let paths = Set(files.map(\.path))
        if let unknown = options.urls.keys.filter({ !paths.contains($0) }).min() {
            throw PackagingError(.badOption, subject: unknown, message: "the URL map names a file that is not packed")
        }
        var owners: [WebURL: String] = [:]
        var urls: [WebURL] = []
        for file in files {
            let mapped = options.urls[file.path]
            let url = if let mapped { mapped } else { try url(ofPath: file.path, below: base) }
            if let owner = owners.updateValue(file.path, forKey: url) {
                throw PackagingError(
                    .badOption,
                    subject: file.path,
                    message: "it has the same URL '\(url)' as '\(owner)'"
                )
            }
            urls.append(url)
        }
        return urls
    }

    /// Returns the URL of a folder: the base URL, its path, and a slash.
    static func url(ofFolder path: String, below base: WebURL) throws(PackagingError) -> WebURL {
        var text = try url(ofPath: path, below: base).description
        if !text.hasSuffix("/") { text += "/" }
        return try url(text, of: path, below: base)
    }

    // MARK: Reading

    /// What reading a file has told.
    private struct ReadFile {
        /// The SHA-256 of its bytes as 64 hexadecimal digits.
        var sha256 = ""
        var isPrivateKey = false
    }

    private static func digests(of files: [FolderWalk.File], root: String) async throws -> [ReadFile] {
        var digests = [ReadFile](repeating: ReadFile(), count: files.count)
        try await withThrowingTaskGroup(of: (Int, [ReadFile]).self) { group in
            var next = 0
            func start() {
                let run = run(of: files, from: next)
                next = run.upperBound
                group.addTask {
                    try await OffPool.run { () throws(PackagingError) in
                        var found: [ReadFile] = []
                        for file in files[run] {
                            var one = ReadFile()
                            one.sha256 = try digest(of: root + "/" + file.path, as: file.state) { beginning in
                                one.isPrivateKey = PrivateKeyFile.isBeginning(beginning)
                            }
                            found.append(one)
                        }
                        return (run.lowerBound, found)
                    }
                }
            }
            for _ in 0..<8 where next < files.count { start() }
            while let (index, found) = try await group.next() {
                digests.replaceSubrange(index..<index + found.count, with: found)
                if next < files.count { start() }
            }
        }
        return digests
    }

    /// Returns the files that one thread reads together, from an index: few or small, so that each costs little.
    private static func run(of files: [FolderWalk.File], from index: Int) -> Range<Int> {
        var size: Int64 = 0
        let rest = files[index...].prefix(64)
        let end = rest.firstIndex { file in
            size += file.state.size
            return size > 4 << 20
        }
        return index..<max(index + 1, end ?? rest.endIndex)
    }

    /// Reads a whole file and returns the SHA-256 of its bytes as 64 hexadecimal digits.
    ///
    /// - Throws: ``PackagingError`` if it can't be read, or has changed since it was listed.
    static func digest(
        of path: String,
        as state: OpenFile.State,
        onBeginning: (UnsafeRawBufferPointer) -> Void = { _ in }
    ) throws(PackagingError) -> String {
        do throws(FileError) {
            let file = try OpenFile(reading: path)
            var hash = SHA256()
            var offset: Int64 = 0
            let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 256 << 10, alignment: 16)
            defer { buffer.deallocate() }
            while offset < state.size {
                let wanted = Int(min(Int64(buffer.count), state.size - offset))
                let count = try file.read(into: UnsafeMutableRawBufferPointer(rebasing: buffer[..<wanted]), at: offset)
                if count == 0 { break }
                if offset == 0 { onBeginning(UnsafeRawBufferPointer(rebasing: buffer[..<count])) }
                hash.update(bufferPointer: UnsafeRawBufferPointer(rebasing: buffer[..<count]))
                offset += Int64(count)
            }
            if try file.state() == state, offset == state.size { return Hexadecimal.text(hash.finalize()) }
        } catch {
            throw PackagingError(unreadable: error)
        }
        throw change(of: path)
    }

    private static func change(of path: String) -> PackagingError {
        PackagingError(
            .changed,
            subject: path,
            message: "the file changed while it was packed; pack again when no program writes to it"
        )
    }

    private static func userData(
        _ options: FolderOptions
    ) throws(PackagingError) -> ([PackageWriter.UserData], [(path: String, state: OpenFile.State)]) {
        guard let data = options.userData else { return ([], []) }
        var folder = PackageLayout.userDataFolder
        if let key = data.key {
            guard isPart(key) else {
                throw PackagingError(
                    .badOption,
                    subject: key,
                    message: "not a user data key; a key is the name of one folder"
                )
            }
            folder += key + "/"
        }
        let root = trimmed(data.folder)
        let walk = try FolderWalk(root: root, includesHidden: options.includesHidden)
        var userData: [PackageWriter.UserData] = []
        for file in walk.files {
            guard file.path.split(separator: "/").allSatisfy({ isPart($0) }) else {
                throw PackagingError(
                    .badOption,
                    subject: file.path,
                    message: "some systems don't allow this file name; rename the file"
                )
            }
            userData.append(PackageWriter.UserData(member: folder + file.path, path: root + "/" + file.path))
        }
        return (userData, walk.files.map { (root + "/" + $0.path, $0.state) })
    }

    private static func isPart(_ name: some StringProtocol) -> Bool {
        !name.isEmpty && name != "." && name != ".."
            && name.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7F && $0 != UInt8(ascii: "/") && $0 != UInt8(ascii: "\\") }
    }

    private static func trimmed(_ folder: String) -> String {
        var folder = folder
        while folder.utf8.count > 1, folder.hasSuffix("/") { folder.removeLast() }
        return folder
    }
}
