internal import AFCCoding
internal import AFCCrawlRules
internal import AFCFiles
package import AFCHTTP
package import AFCPackageFile
internal import AFCPackageFormat
package import AFCPackager
internal import AFCText
internal import AFCURL
internal import AFCZip

/// The making of a package from the archives of other programs; see docs/reference/archives.md.
package enum ArchiveImport {
    /// The result of an import.
    package struct Result: Sendable {
        /// The package; nil if there was nothing to import, or if the settings forbid a package of what there was.
        package var summary: PackageWriter.Summary?
        /// What was read and left out.
        package var report: ImportReport
    }

    /// Reads archives, and writes the package.
    ///
    /// - Parameters:
    ///   - paths: The files and folders; `-` is standard input. Of a folder, all files with names of archives.
    ///   - options: The settings.
    ///   - output: The settings for writing; without a pinned time, the package is as old as its latest response.
    ///   - pinned: The time of packing that the user demands, or nil.
    ///   - onNote: Takes each remark at once; what it throws ends the import.
    /// - Returns: The result.
    /// - Throws: ``ImportError``, `PackagingError`, `PackageError`, `CancellationError`. An existing file at the path is
    ///   then unchanged, and no other file remains.
    @concurrent
    package static func run(
        _ paths: [String],
        _ options: ImportOptions,
        to output: Packaging.Output,
        pinned: Timestamp?,
        onNote: @escaping @Sendable (ImportNote) throws -> Void
    ) async throws -> Result {
        let target = try output.target(replacing: nil)
        let cancellation = CancellationFlag()
        var output = output
        let prepared = try await withTaskCancellationHandler {
            try await OffPool.run { [output] in
                try prepare(paths, options, target, output.level, cancellation, onNote)
            }
        } onCancel: {
            cancellation.cancel()
        }
        let isForbidden = options.isStrict && !prepared.report.isClean
        guard prepared.count > 0, !isForbidden else { return Result(summary: nil, report: prepared.report) }
        // Only now is known of which site the package is.
        let seeds = prepared.description?.seeds.compactMap { try? WebURL($0) } ?? prepared.pages
        if !seeds.isEmpty { _ = try output.target(replacing: seeds) }
        guard !prepared.report.isDamaged || !output.wouldShrink(to: prepared.count) else {
            throw PackagingError(
                .badOption,
                subject: output.path,
                message: "the package there has more than could be read of what is damaged; choose another file",
                remedy: .overwrite
            )
        }
        output.created = pinned ?? prepared.created ?? output.created
        if output.name == nil { output.name = prepared.name.flatMap { PackageName.isValidInside($0) ? $0 : nil } }
        var resources = ImportedResources(store: prepared.store, maxAge: options.maxAge)
        resources.usesStated = prepared.description != nil
        let summary: PackageWriter.Summary
        if let description = prepared.description {
            summary = try await Packaging.pack(resources, as: description, to: output)
        } else {
            summary = try await Packaging.pack(resources, seeds: prepared.pages, to: output)
        }
        return Result(summary: summary, report: prepared.report)
    }

    /// Returns true if a file is an archive that can be imported, by its first bytes, or for a zip by its members.
    package static func recognizes(_ path: String) -> Bool {
        do {
            let file = try OpenFile(reading: path)
            let size = min(try file.size(), Int64(ArchiveReader.beginningSize))
            let beginning = try file.beginning(Int(size))
            if let text = PlainCopy.changedBeginning(beginning) { return recognizes(changed: text) }
            switch ArchiveReader.format(of: beginning) {
            case .warc: return true
            case .arc, .zim, .httrack, .wget, .mhtml: return true
            case .webarchive: return beginning.firstRange(of: "WebMainResource".utf8) != nil
            case .urlcache: return try URLCacheIntake.recognizes(file)
            case .har: return hasLog(beginning)
            case .wacz:
                if try HTTrackIntake.recognizes(file) { return true }
                let zip = try ZipReader(path: path, file: file)
                return zip.member(named: PackageLayout.manifest) == nil
                    && zip.members.contains { ![nil, .saved].contains(ArchiveReader.Kind($0.name)) }
            case nil: return false
            }
        } catch {
            // What can't be read is no archive.
            return false
        }
    }

    /// Returns true if the first bytes of what was compressed or encoded are those of an archive.
    private static func recognizes(changed text: [UInt8]) -> Bool {
        switch ArchiveReader.format(of: text) {
        case .warc, .arc, .mhtml: true
        case .har: hasLog(text)
        default: false
        }
    }

    /// Returns true if JSON begins as a HAR does.
    private static func hasLog(_ text: [UInt8]) -> Bool { text.firstRange(of: #""log""#.utf8) != nil }

    /// Returns true if a file is a zip that was compressed once more.
    package static func isCompressedZip(_ path: String) -> Bool {
        guard let file = try? OpenFile(reading: path), let size = try? file.size(),
            let beginning = try? file.beginning(Int(min(size, Int64(ArchiveReader.beginningSize))))
        else { return false }
        return PlainCopy.decompressedBeginning(beginning)?.starts(with: [0x50, 0x4B]) ?? false
    }

    /// Returns true if a zip is a cache of HTTrack, which no package is.
    package static func isHTTrackCache(_ path: String) -> Bool {
        do throws(FileError) {
            return try HTTrackIntake.recognizes(try OpenFile(reading: path))
        } catch {
            return false
        }
    }

    /// The most resources of a package that can be read, which also has members of its own.
    private static let resourceLimit = ReadLimits().members - 100

    private struct Prepared: Sendable {
        var store: CaptureStore
        var report: ImportReport
        var count: Int
        var created: Timestamp?
        var pages: [WebURL]
        var description: Packaging.Description?
        var name: String?
    }

    private static func prepare(
        _ paths: [String],
        _ options: ImportOptions,
        _ target: OutputTarget,
        _ level: Int32,
        _ cancellation: CancellationFlag,
        _ onNote: @escaping @Sendable (ImportNote) throws -> Void
    ) throws -> Prepared {
        let store = try CaptureStore(folder: target.folder, level: level)
        let intake = Intake(
            options,
            store: store,
            folder: target.folder,
            cancellation: cancellation,
            onNote: onNote
        )
        let reader = ArchiveReader(intake: intake, format: options.format, folder: target.folder)
        do {
            for path in paths {
                if path == "-" {
                    try reader.read(nil)
                } else if let mirror = try ArchiveFolder.mirror(at: path, options) {
                    for site in mirror.sites { try MirrorIntake(intake: intake).read(site) }
                } else {
                    for file in try ArchiveFolder.files(at: path) {
                        if file == path {
                            try reader.read(file)
                        } else {
                            try reader.readPart(file) { try reader.read(file) }
                        }
                    }
                }
            }
            try intake.finish()
            let count = try CaptureSelection(intake).choose()
            guard count <= resourceLimit else {
                throw ImportError(
                    .tooLarge,
                    subject: paths.first ?? "",
                    message: "there are \(count) responses, and a package can't have more than \(resourceLimit)"
                )
            }
            let resources = ImportedResources(store: store, maxAge: options.maxAge)
            let pages = try intake.pages.filter { try resources.contains($0) }
            let isAlone = intake.report.archives == 1
            let description = isAlone ? try intake.sidecar?.description(of: resources) : nil
            return Prepared(
                store: store,
                report: intake.report,
                count: count,
                created: try description.flatMap { _ in intake.sidecar?.info.created } ?? resources.latest(),
                pages: pages,
                description: description,
                name: isAlone ? intake.packageName : nil
            )
        } catch let error as ImportError where error.code == .cancelled {
            throw CancellationError()
        }
    }
}

/// The archives in a folder.
enum ArchiveFolder {
    /// The most files of a folder and its folders.
    private static let limit = 2_000_000
    /// Why a folder is no mirror.
    private static let unnamed =
        "neither it nor all folders in it have the name of a host, and no base URL is stated"

    /// Returns the mirror by wget in a folder; nil for a file, and for a folder with archives.
    static func mirror(at path: String, _ options: ImportOptions) throws(ImportError) -> MirrorFolder? {
        guard options.format == nil || options.format == .wget, OpenFile.isFolder(path) else { return nil }
        let archives = options.format == nil ? try archives(in: path) : []
        let mirror = !archives.isEmpty ? nil : MirrorFolder(path, base: options.baseURL)
        guard mirror != nil || options.format == nil else {
            throw ImportError(
                .malformed,
                subject: path,
                message: "the folder is no mirror: \(unnamed)",
                remedy: .stateBaseURL
            )
        }
        return mirror
    }

    /// Returns the archives in a folder and the folders in it, sorted by their names; a file alone is itself.
    static func files(at path: String) throws(ImportError) -> [String] {
        guard OpenFile.isFolder(path) else { return [path] }
        let found = try archives(in: path)
        guard !found.isEmpty else {
            throw ImportError(
                .malformed,
                subject: path,
                message: "the folder has no WARC or another archive in it, and is no mirror: \(unnamed)",
                remedy: .stateBaseURL
            )
        }
        return found
    }

    private static func archives(in path: String) throws(ImportError) -> [String] {
        var found: [[String]] = []
        var folders = [path.hasSuffix("/") ? String(path.dropLast()) : path]
        var seen = 0
        while let folder = folders.popLast() {
            guard let names = FolderListing.names(in: folder) else {
                throw ImportError(.inputOutput, subject: folder, message: "cannot list the folder")
            }
            if let caches = caches(ofMirror: folder) {
                found.append(caches)
                continue
            }
            for name in names where !name.hasPrefix(".") {
                seen += 1
                guard seen <= limit else {
                    throw ImportError(.tooLarge, subject: path, message: "the folder has more than \(limit) files")
                }
                let file = "\(folder)/\(name)"
                if OpenFile.isFolder(file, followingLinks: false) {
                    folders.append(file)
                } else if ArchiveReader.Kind(name) != nil {
                    found.append([file])
                }
            }
        }
        return found.sorted { $0[0].utf8.lexicographicallyPrecedes($1[0].utf8) }.flatMap { $0 }
    }

    /// Returns HTTrack's caches of a mirror, the older one first; nil if the folder isn't a mirror.
    ///
    /// The older cache counts while HTTrack hasn't finished the new one.
    private static func caches(ofMirror folder: String) -> [String]? {
        let isCache = folder.split(separator: "/").last == ArchiveReader.cacheFolder
        let place = isCache ? folder : "\(folder)/\(ArchiveReader.cacheFolder)"
        let (old, new) = ("\(place)/old.zip", "\(place)/new.zip")
        let (hasOld, hasNew) = (OpenFile.isRegularFile(old), OpenFile.isRegularFile(new))
        guard hasOld || hasNew else { return nil }
        let isUnfinished = OpenFile.isRegularFile("\(place)/../hts-in_progress.lock") || !hasNew
        return (hasOld && isUnfinished ? [old] : []) + (hasNew ? [new] : [])
    }
}
