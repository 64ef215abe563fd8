internal import AFCCaching
public import AFCHTTP
public import AFCText
public import AFCURL

extension OfflineCache {
    /// The stored responses for a URL, the most recent first (RFC 9111 §4).
    ///
    /// That is the package's entry, with what later validations brought, and every received variant. They are sorted by
    /// Date, or by when they were received where that is earlier; priority and pinning of packages don't count here.
    /// Where there are none, those of an equivalent spelling are taken (RFC 3986 §6.2.2): `%7euser` for `~user`, `%C3` for
    /// `%c3`.
    ///
    /// - Parameter url: The resource.
    /// - Returns: The responses; none where there are none.
    /// - Throws: ``CacheError`` where the store can't be read.
    public func candidates(for url: WebURL) throws(CacheError) -> [StoredCandidate] {
        let exact = try candidates(spelt: url)
        guard exact.isEmpty else { return exact }
        if let normal = EquivalentSpelling.normal(url.description), let url = try? WebURL(normal) {
            let found = try candidates(spelt: url)
            if !found.isEmpty { return found }
        }
        guard let found = try snapshot().findEquivalent(url), let stored = try? WebURL(found.resource.url) else {
            return []
        }
        return try candidates(spelt: stored)
    }

    /// The stored responses for a URL as it is spelt.
    private func candidates(spelt url: WebURL) throws(CacheError) -> [StoredCandidate] {
        let found = try find(url)
        let text = url.description
        let entry = try received.entry(for: text)
        guard !entry.variants.isEmpty else {
            return found.map { [StoredCandidate($0, freshened: entry.freshened)] } ?? []
        }
        var candidates = entry.variants.map { StoredCandidate($0, url: text) }
        if let found {
            let packaged = StoredCandidate(found, freshened: entry.freshened)
            let date = packaged.date
            candidates.insert(packaged, at: candidates.firstIndex { $0.date < date } ?? candidates.endIndex)
        }
        return candidates
    }

    /// What a package has for a URL.
    func find(_ url: WebURL) throws(CacheError) -> Snapshot.Found? {
        do throws(CacheError) {
            return try snapshot().find(url)
        } catch {
            // A generation that was replaced twice since the picture was taken is gone.
            reader.forget()
            return try snapshot().find(url)
        }
    }

    /// Opens the body of a candidate; blocks.
    ///
    /// - Parameter candidate: What ``candidates(for:)`` or ``ReceivedBody/finish()`` gave.
    /// - Returns: The body, whole for as long as it is held; it is empty where the response has none. Where bodies are
    ///   verified, all of it was read and compared.
    /// - Throws: ``CacheError`` where the body is gone or isn't what was stored; ask for the candidates again.
    public func body(of candidate: StoredCandidate) throws(CacheError) -> StoredBody {
        if let body = try openBody(of: candidate) {
            try body.requireSound()
            return body
        }
        throw Self.missing(candidate.bodyPath(in: layout), package: candidate.package)
    }

    /// Remembers that a response was used, for displacement; costs no write.
    ///
    /// - Parameters:
    ///   - candidate: The response.
    ///   - now: The present time.
    public func markUsed(_ candidate: StoredCandidate, at now: Timestamp) {
        switch candidate.place {
        case .generation(let package, let resource): package.files.recency.touch(resource.number, at: now)
        case .received(let variant, _): received.markUsed(variant.id, at: now)
        }
    }

    /// Opens a body, or gives nil where it is gone or, for a received one, isn't as large as it was.
    ///
    /// - Throws: ``CacheError`` with `damaged` where a package's body has another size than its entry says.
    func openBody(of candidate: StoredCandidate) throws(CacheError) -> StoredBody? {
        let path = candidate.bodyPath(in: layout)
        let size = candidate.response.size
        switch candidate.place {
        case .received(let variant, let url):
            if case .bytes(let bytes) = variant.body { return StoredBody(bytes: bytes, path: path) }
            guard case .file(let number) = variant.body,
                let descriptor = try layout.received.openBody(number)
            else {
                received.drop(variant.id, of: url)
                return nil
            }
            let body = StoredBody(
                descriptor: descriptor,
                size: size,
                path: path,
                digest: verifiesBodies ? variant.digest : nil,
                remedy: "repairing the cache removes it, and its origin has it"
            )
            guard body.sizeOnDisk == size else {
                received.drop(variant.id, of: url)
                return nil
            }
            return body
        case .generation(let package, let resource):
            guard let member = resource.member else { return StoredBody(bytes: [], path: path) }
            guard let descriptor = try package.files.openBody(member) else { return nil }
            let body = StoredBody(
                descriptor: descriptor,
                size: size,
                path: path,
                digest: verifiesBodies && !resource.digest.isEmpty ? resource.digest : nil,
                remedy: Self.remedy
            )
            let found = body.sizeOnDisk
            guard found == size else {
                throw CacheError(
                    .damaged,
                    subject: path,
                    message: "the body has \(found) bytes instead of \(size); \(Self.remedy)"
                )
            }
            return body
        }
    }

    /// What helps where a package's body is missing or damaged.
    private static let remedy = "load its package again, or repair the cache with the package"

    static func missing(_ path: String, package: String?) -> CacheError {
        CacheError(
            .damaged,
            subject: path,
            message: package == nil
                ? "the body left or is damaged; ask its origin again"
                : "the body is missing; \(remedy)"
        )
    }
}

extension StoredCandidate {
    fileprivate func bodyPath(in layout: CacheLayout) -> String {
        switch place {
        case .generation(let package, let resource): package.files.layout.body(resource.member ?? "")
        case .received(let variant, _):
            if case .file(let number) = variant.body {
                layout.received.body(number)
            } else {
                layout.received.database
            }
        }
    }
}
