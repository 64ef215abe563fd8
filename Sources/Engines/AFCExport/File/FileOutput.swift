package import AFCDiscovery
internal import AFCFiles
package import AFCHTTP
internal import AFCPackageFile
internal import AFCText
package import AFCURL
internal import Synchronization

/// An export as one HTML file with all bodies in it, and with a script that shows them; docs/reference/export.md.
package final class FileOutput: ExportOutput {
    /// The text with which each export begins, and by which a later one knows that it may replace the file.
    static let mark = "<!doctype html>\n<!-- a site exported by afcache, version 1 -->\n"

    package let places = FilePlaces()
    /// Numbers are given in the order of references.
    package let workers = 1
    private let target: OutputTarget
    private let maxBytes: Int64
    /// The elements of the bodies, until the number of all bytes is known.
    private let spool: SpoolFile
    private var bodies: BlockStream
    /// The rows of the table, by the number in the file.
    private var rows: [Int: String] = [:]
    /// The places of bodies, by their digests.
    private var bodyPlaces: [String: Place] = [:]
    private var search = ExportSearch()
    /// The folder beside the file for video and audio; nil if they are in the file.
    private let media: MediaFolder?

    /// The place of a body in the stream, in bytes.
    private struct Place {
        var offset: Int64
        var size: Int64
    }

    /// Begins a file, which appears once it is complete.
    ///
    /// - Parameters:
    ///   - path: The file, which may not exist or be an older export.
    ///   - maxBytes: The most bytes of the file.
    ///   - hasMediaBeside: True if video and audio go to a folder beside the file, with its name and `.media`.
    /// - Throws: `PackageError` if something else is at the path, or its folder can't be written to.
    package init(_ path: String, maxBytes: Int64, hasMediaBeside: Bool = false) throws {
        let (target, spool) = try Self.onFile(path) {
            let target = try OutputTarget(path)
            try target.requireWritable()
            if target.isReplacing {
                let file = try OpenFile(reading: path)
                let beginning = try file.beginning(Int(min(try file.size(), Int64(Self.mark.utf8.count))))
                guard beginning.isEmpty || beginning == Array(Self.mark.utf8) else {
                    throw FileError(path, "this file is no export, so it isn't replaced; choose another name")
                }
            }
            return (target, try SpoolFile(in: target.folder))
        }
        (self.target, self.spool, self.maxBytes) = (target, spool, maxBytes)
        media = hasMediaBeside ? try MediaFolder(beside: path) : nil
        bodies = try BlockStream("b") { element in
            var element = element
            try Self.onFile(path) { _ = try element.withUTF8 { try spool.append(UnsafeRawBufferPointer($0)) } }
            guard spool.size <= maxBytes else { throw Self.tooLarge(path, maxBytes) }
        }
    }

    package func write(_ item: ExportedItem, _ body: ExportedBody) throws -> Bool {
        if let media, let essence = item.type?.essence, essence.hasPrefix("video/") || essence.hasPrefix("audio/") {
            let (name, size, isNew) = try media.write(item, essence, body)
            note(item, Place(offset: 0, size: size), file: name)
            return isNew
        }
        let known = item.digest.flatMap { bodyPlaces[$0] }
        let place: Place
        if let known {
            place = known
        } else {
            let offset = bodies.size
            try body { try bodies.append($0) }
            place = Place(offset: offset, size: bodies.size - offset)
            if let digest = item.digest { bodyPlaces[digest] = place }
        }
        note(item, place)
        return known == nil
    }

    private func note(_ item: ExportedItem, _ place: Place, file: String? = nil) {
        let flags = (item.isChanged ? 1 : 0) + (item.isShared ? 2 : 0)
        var parts = [
            JSONValue.string(item.url.description).serialized, JSONValue.string(item.type?.essence ?? "").serialized,
            "\(place.offset)", "\(place.size)", JSONValue.string(item.encoding ?? "").serialized, "\(flags)",
            JSONValue.string(item.date?.day ?? "").serialized,
        ]
        if let file { parts.append(JSONValue.string(file).serialized) }
        rows[places.number(of: item.number)] = "[" + parts.joined(separator: ",") + "]"
    }

    package func add(_ page: SearchedPage, of item: ExportedItem) {
        search.add(page, address: item.url.description, site: item.url.host ?? "")
    }

    package func finish(_ sites: [ExportedSite], redirects: [String: WebURL]) throws -> Int {
        try bodies.flush()
        let words = search.count > 1 ? search.files() : []
        var offset = 0
        let members = words.map { file in
            let size = file.text.utf8.count
            defer { offset += size }
            return "\(JSONValue.string(file.name).serialized):[\(offset),\(size)]"
        }
        let list = rows.sorted { $0.key < $1.key }.map(\.value).joined(separator: ",\n")
        let moved = redirects.sorted { $0.key < $1.key }.map {
            "\(JSONValue.string($0.key).serialized):\(JSONValue.string($0.value.description).serialized)"
        }
        let table =
            "{\"rows\":[\n\(list)\n],\n\"redirects\":{\(moved.joined(separator: ",\n"))},\n\"words\":{\(members.joined(separator: ","))}}"
        let path = target.path
        let limit = maxBytes - spool.size
        try Self.onFile(path) {
            let sink = try OutputSink(target)
            var written: Int64 = 0
            func write(_ text: String) throws {
                written += Int64(text.utf8.count)
                guard written <= limit else { throw Self.tooLarge(path, maxBytes) }
                var text = text
                try text.withUTF8 { try sink.append(UnsafeRawBufferPointer($0)) }
            }
            try write(
                FileShell.page(
                    sites,
                    hasSearch: !words.isEmpty,
                    hasMediaBeside: media?.isEmpty == false,
                    tableSize: table.utf8.count
                )
            )
            var stream = try BlockStream("t", write: write)
            try stream.append(table)
            try stream.flush()
            var searched = try BlockStream("s", write: write)
            for file in words { try searched.append(file.text) }
            try searched.flush()
            var position: Int64 = 0
            while position < spool.size {
                let bytes = try spool.bytes(Int(min(spool.size - position, 256 << 10)), at: position)
                try bytes.withUnsafeBytes { try sink.append($0) }
                position += Int64(bytes.count)
            }
            // A file never names media that aren't there.
            try media?.commit()
            try sink.finish()
        }
        return search.count
    }

    private static func tooLarge(_ path: String, _ maxBytes: Int64) -> PackageError {
        PackageError(
            .inputOutput,
            subject: path,
            message:
                "the file would be larger than \(Quantity.bytes(maxBytes)), which browsers open slowly or not at all",
            remedy: .raiseFileLimit
        )
    }

    private static func onFile<Result>(_ path: String, _ body: () throws -> Result) throws -> Result {
        do { return try body() } catch let error as FileError {
            throw PackageError(.inputOutput, subject: path, message: error.message)
        }
    }
}

/// The addresses that stand for bodies in an exported file.
package final class FilePlaces: ExportPlaces {
    package let kind = ReferenceRewriter.Place.file
    /// The numbers of resources in the file, by their number in the plan: in the order of their first reference.
    private let numbers = Mutex<[Int: Int]>([:])

    package func shown(_ number: Int, _ url: WebURL) -> WebURL? {
        _ = self.number(of: number)
        return url
    }

    /// Returns the address that stands for a body, which the script of the page replaces; a page within a page has none, since
    /// it gets a frame of its own.
    package func address(of number: Int, isPage: Bool) -> WebURL? {
        isPage ? nil : try? WebURL("http://\(self.number(of: number)).afcache.invalid/")
    }

    package func fenced(_ body: [UInt8], _ type: MediaType, _ scripts: PageScripts.Fate) -> [UInt8]? {
        // The policy of the file admits scripts.
        switch scripts {
        case .none, .kept, .uncertain: return nil
        case .dropped, .needed:
            let element = "<meta http-equiv=\"Content-Security-Policy\" content=\"script-src 'none'\">"
            return PageFence(element: element).html(body)
        }
    }

    package func write(_ item: ExportedItem, _ body: ExportedBody) throws -> Bool? { nil }

    /// Returns the number of a resource in the file.
    fileprivate func number(of number: Int) -> Int {
        numbers.withLock { numbers in
            if let known = numbers[number] { return known }
            numbers[number] = numbers.count
            return numbers.count - 1
        }
    }
}
