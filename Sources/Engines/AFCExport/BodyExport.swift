internal import AFCDiscovery
internal import AFCHTTP
internal import AFCPackageFile
internal import AFCPackageFormat
internal import AFCURL
internal import AFCZip
internal import HTTPTypes

/// Prepares single bodies of an export; several threads do so at once.
struct BodyExport<Places: ExportPlaces>: Sendable {
    let plan: ExportPlan
    let packages: [PackageReader]
    let scripts: PageScripts.Choice
    let places: Places
    /// What addresses became, in a folder.
    private let memory = AddressMemory()

    /// Reads a body, replaces its references if it may have some, and writes it if its place does.
    ///
    /// - Parameter number: The number of the resource.
    /// - Returns: The body; nil if the resource has none.
    /// - Throws: `PackageError` if it is damaged or can't be written.
    func body(_ number: Int) throws -> PreparedBody? {
        let package = packages[plan.items[number].package]
        let resource = package.index.resources[plan.items[number].resource]
        guard places.holds(number), let index = resource.member else { return nil }
        let size = package.archive.members[index].uncompressedSize
        var body = PreparedBody(item: item(number, resource), size: size)
        body.identity = resource.record?.sha256 ?? resource.url.description
        if plan.items[number].isPage, try convert(resource, of: package, &body) {
            // It has no references to replace.
        } else if let type = body.item.type, ExportedPage.mayChange(type) {
            if size <= ExportedPage.limit {
                guard let page = try page(number, resource, of: package, type, &body) else { return nil }
                body.item.encoding = page.encoding
                body.item.isChanged = page.isChanged
                if page.isChanged { body.item.digest = page.digest }
                let isSearched = (resource.record?.status ?? 200) == 200
                if isSearched, let text = page.text, !text.isNoindex, !text.text.isEmpty || !text.title.isEmpty {
                    body.searched = SearchedPage(text)
                }
                body.page = page
            } else {
                body.isUnchanged = true
            }
        }
        // A page gets a policy, and so has another digest.
        if body.page == nil, body.item.type?.isPage == true { body.item.digest = nil }
        body.isWritten = try places.write(body.item, bytes(of: body))
        if body.isWritten != nil {
            body.page?.discardBytes()
            body.converted = nil
        }
        return body
    }

    /// Converts a page; returns false if it stays one.
    private func convert(
        _ resource: PackageIndex.Resource,
        of package: PackageReader,
        _ body: inout PreparedBody
    ) throws -> Bool {
        guard places.converts else { return false }
        let bytes = try package.beginning(of: resource, limit: Int(ExportedPage.limit))
        let references = References(plan)
        guard let converted = places.converted(body.item, bytes, number: { references.number(of: $0) }) else {
            return false
        }
        (body.converted, body.size) = (converted, Int64(converted.count))
        return true
    }

    /// Writes a body that its place hasn't written.
    func write(_ body: PreparedBody, to write: (ExportedItem, ExportedBody) throws -> Bool) throws -> Bool {
        try write(body.item, bytes(of: body))
    }

    private func item(_ number: Int, _ resource: PackageIndex.Resource) -> ExportedItem {
        var item = ExportedItem(number: number, url: resource.url, type: plan.type(of: resource))
        item.modified = resource.entry?.lastModified
        item.date = item.modified ?? resource.record?.fetched
        item.encoding = item.type?.parameter("charset")
        item.isShared = resource.record?.fields[.accessControlAllowOrigin] == "*"
        item.digest = resource.record?.sha256
        return item
    }

    /// Returns a body with its references replaced; nil if it has no place.
    private func page(
        _ number: Int,
        _ resource: PackageIndex.Resource,
        of package: PackageReader,
        _ type: MediaType,
        _ body: inout PreparedBody
    ) throws -> ExportedPage? {
        guard let shown = places.shown(number, resource.url) else { return nil }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(Int(body.size))
        try package.readBody(of: resource) { bytes += $0 }
        let references = References(plan)
        let page = ExportedPage(
            bytes,
            type,
            url: resource.url,
            shown: shown,
            place: places.kind,
            scripts,
            memory: memory
        ) {
            places.fenced($0, type, $1)
        } map: { url in
            references.number(of: url).flatMap { places.address(of: $0, isPage: plan.items[$0].isPage) }
        }
        body.found = references.found
        return page
    }

    private func bytes(of body: PreparedBody) -> ExportedBody {
        if let page = body.page { return { take in try page.bytes.withUnsafeBytes(take) } }
        if let converted = body.converted { return { take in try converted.withUnsafeBytes(take) } }
        let item = plan.items[body.item.number]
        let package = packages[item.package]
        let resource = package.index.resources[item.resource]
        guard let type = body.item.type, body.isUnchanged, type.isPage || places.kind == .folder else {
            return { take in try package.readBody(of: resource, take) }
        }
        let fate: PageScripts.Fate = scripts == .drop ? .dropped("") : .kept
        guard type.essence == "text/html" else {
            // Nothing in it could be made safe without reading it as a whole.
            let notice = Array("This document is too large to be exported.".utf8)
            return { take in
                try (places.fenced(notice, type, fate) ?? (type.isPage ? notice : [])).withUnsafeBytes(take)
            }
        }
        return { take in try readLarge(resource, of: package, type, fate, take) }
    }

    /// Reads a page whose references aren't replaced; it gets a policy nevertheless.
    private func readLarge(
        _ resource: PackageIndex.Resource,
        of package: PackageReader,
        _ type: MediaType,
        _ fate: PageScripts.Fate,
        _ take: (UnsafeRawBufferPointer) throws -> Void
    ) throws {
        var scripts = places.kind == .folder && fate != .kept ? ScriptFence() : nil
        var beginning: [UInt8]? = []
        func flush(_ bytes: [UInt8], isFirst: Bool) throws {
            try (isFirst ? places.fenced(bytes, type, fate) ?? bytes : bytes).withUnsafeBytes(take)
        }
        func add(_ bytes: [UInt8], isLast: Bool) throws {
            guard let first = beginning else { return try flush(bytes, isFirst: false) }
            beginning = first + bytes
            guard isLast || first.count + bytes.count >= 1 << 16 else { return }
            try flush(first + bytes, isFirst: true)
            beginning = nil
        }
        try package.readBody(of: resource) { piece in
            guard scripts != nil || beginning != nil else { return try take(piece) }
            try add(scripts?.take(piece, isLast: false) ?? Array(piece), isLast: false)
        }
        try add(scripts?.take([], isLast: true) ?? [], isLast: true)
    }
}

/// A body of an export as it was prepared.
struct PreparedBody: Sendable {
    /// What it belongs to.
    var item: ExportedItem
    /// Its size in the package, in bytes.
    var size: Int64
    /// What tells it from other bodies for the search.
    var identity = ""
    /// The body with its references replaced; nil if it has none, or is too large.
    var page: ExportedPage?
    /// What a page became; nil for one that stays a page, and for others.
    var converted: [UInt8]?
    /// What the search needs of it; nil for what isn't searched.
    var searched: SearchedPage?
    /// True if it is too large for its references to be replaced.
    var isUnchanged = false
    /// The numbers of the resources to which it refers, in order.
    var found: [Int] = []
    /// What writing it returned; nil if it isn't written.
    var isWritten: Bool?

    init(item: ExportedItem, size: Int64) { (self.item, self.size) = (item, size) }
}

/// Finds what the references of one body mean, and remembers it.
private final class References {
    private let plan: ExportPlan
    private var known: [String: Int?] = [:]
    /// The numbers that were found, in order.
    private(set) var found: [Int] = []

    init(_ plan: ExportPlan) { self.plan = plan }

    func number(of url: WebURL) -> Int? {
        let text = url.description
        if let number = known[text] { return number }
        let number = plan.number(of: url)
        known[text] = .some(number)
        if let number { found.append(number) }
        return number
    }
}
