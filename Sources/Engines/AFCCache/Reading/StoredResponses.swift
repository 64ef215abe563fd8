internal import AFCCaching
internal import AFCFiles
internal import AFCHTTP
internal import AFCPackageFormat
internal import AFCText
internal import AFCURL
internal import HTTPTypes

/// Finds and opens the stored responses of a cache, packaged and received, and updates them by the answers of origins.
struct StoredResponses {
    private let layout: CacheLayout
    private let reader: CatalogueReader
    /// The received responses; nil for mounted packages, which have none.
    private let received: ReceivedArea?
    private let verifiesBodies: Bool

    init(_ layout: CacheLayout, _ reader: CatalogueReader, _ received: ReceivedArea?, verifiesBodies: Bool) {
        (self.layout, self.reader, self.received) = (layout, reader, received)
        self.verifiesBodies = verifiesBodies
    }

    // MARK: Finding

    /// Returns the responses for a URL, the most recent first; if there are none, those of an equivalent spelling.
    func candidates(for url: WebURL) throws(CacheError) -> [StoredCandidate] {
        try candidates(for: ResourceKey(url))
    }

    private func candidates(for key: ResourceKey) throws(CacheError) -> [StoredCandidate] {
        let exact = try candidates(spelt: key)
        guard exact.isEmpty else { return exact }
        if let normal = EquivalentSpelling.normal(key.text).flatMap(ResourceKey.init(stored:)) {
            let found = try candidates(spelt: normal)
            if !found.isEmpty { return found }
        }
        guard let found = try reader.snapshot().findEquivalent(key) else { return [] }
        return try candidates(spelt: found.key)
    }

    /// Returns the stored responses for the URL's own spelling.
    private func candidates(spelt key: ResourceKey) throws(CacheError) -> [StoredCandidate] {
        let found = Self.candidates(key, packaged: try find(key), received: try receivedEntry(for: key))
        let equivalent = try equivalents(of: key)
        return equivalent.isEmpty ? found : (found + equivalent).sorted { $0.isBefore($1) }
    }

    /// Returns the received responses for other URLs that also answer a URL by their No-Vary-Search.
    private func equivalents(of key: ResourceKey) throws(CacheError) -> [StoredCandidate] {
        guard let received, received.hasVariances else { return [] }
        return try received.equivalents(of: key.normal).map { StoredCandidate($0.variant, $0.key) }
    }

    /// Returns what was received for a URL in any equivalent spelling, and what freshens packages' entries for this one.
    private func receivedEntry(for key: ResourceKey) throws(CacheError) -> ReceivedEntry {
        guard let received else { return ReceivedEntry() }
        let (entry, normal) = (try received.entry(for: key), key.normal)
        guard normal != key else { return entry }
        return ReceivedEntry(variants: try received.entry(for: normal).variants, freshened: entry.freshened)
    }

    private static func candidates(
        _ key: ResourceKey,
        packaged found: Snapshot.Found?,
        received entry: ReceivedEntry
    ) -> [StoredCandidate] {
        guard !entry.variants.isEmpty else {
            return found.map { [StoredCandidate($0, freshened: entry.freshened)] } ?? []
        }
        let normal = key.normal
        var candidates = entry.variants.map { StoredCandidate($0, normal) }
        if let found {
            let packaged = StoredCandidate(found, freshened: entry.freshened)
            let date = packaged.date
            candidates.insert(packaged, at: candidates.firstIndex { $0.date < date } ?? candidates.endIndex)
        }
        return candidates
    }

    /// Finds a package's response for a resource.
    private func find(_ key: ResourceKey) throws(CacheError) -> Snapshot.Found? {
        do throws(CacheError) {
            return try reader.snapshot().find(key)
        } catch {
            // A generation that was replaced twice since the snapshot was taken is gone.
            reader.forget()
            return try reader.snapshot().find(key)
        }
    }

    /// Finds the packaged response that a request means although its query or its slash differs, or else the fallback of
    /// a package.
    func match(for request: OfflineRequest, by matching: QueryMatching) throws(CacheError) -> MatchedCandidate? {
        guard matching != .exact else { return nil }
        do throws(CacheError) {
            return try match(for: request, by: matching, in: try reader.snapshot())
        } catch {
            // A generation that was replaced twice since the snapshot was taken is gone.
            reader.forget()
            return try match(for: request, by: matching, in: try reader.snapshot())
        }
    }

    private func match(
        for request: OfflineRequest,
        by matching: QueryMatching,
        in snapshot: Snapshot
    ) throws(CacheError) -> MatchedCandidate? {
        if let search = PathSearch(request, by: matching), let match = try search.find(in: snapshot),
            let candidate = try candidate(match.found, because: match.reason)
        {
            return candidate
        }
        var match = try SlashSearch(request, by: matching)?.find(in: snapshot)
        if match == nil { match = try DoubledSlash(request, by: matching)?.find(in: snapshot) }
        if let match, var candidate = try candidate(match.found, because: .slash) {
            candidate.location = match.location
            return candidate
        }
        if let search = FallbackSearch(request, by: matching), let match = try search.find(in: snapshot),
            let candidate = try candidate(match.found, because: match.kind.reason)
        {
            return candidate
        }
        guard let found = try AbsentSearch(request, by: matching)?.find(in: snapshot) else { return nil }
        return MatchedCandidate(
            candidate: StoredCandidate(found, freshened: nil),
            url: request.url,
            reason: .absent
        )
    }

    /// Returns the URLs that the sites of all packages don't have.
    func absentURLs() throws(CacheError) -> AbsentURLs {
        var entries: [AbsentURLs.Entry] = []
        for package in try reader.snapshot().packages {
            if let absent = try package.files.absent() { entries += absent.entries }
        }
        return AbsentURLs(entries)
    }

    private func candidate(
        _ found: Snapshot.Found,
        because reason: MatchReason
    ) throws(CacheError) -> MatchedCandidate? {
        guard let url = try? WebURL(found.key.text) else { return nil }
        var candidate = StoredCandidate(found, freshened: try receivedEntry(for: found.key).freshened)
        // What was meant for one reader isn't given to others, not even if the package has it.
        guard !CacheControl(candidate.response.fields).isPrivate else { return nil }
        if reason == .missing { candidate.response.status = 404 }
        return MatchedCandidate(candidate: candidate, url: url, reason: reason)
    }

    /// Records that a response was used.
    func markUsed(_ candidate: StoredCandidate, at now: Timestamp) {
        switch candidate.place {
        case .generation(let package, let resource):
            guard package.files.mounted == nil, resource.number != IndexedResource.noNumber else { return }
            package.files.recency.touch(resource.number, at: now)
        // A response that only memory has has no row.
        case .received(let variant, _): if variant.id > 0 { received?.markUsed(variant.id, at: now) }
        }
    }

    // MARK: Answering

    /// Answers a request; see ``OfflineAnswering``.
    func respond(
        to request: OfflineRequest,
        now: Timestamp,
        policy: OfflinePolicy,
        _ lookUp: LookUp
    ) throws(CacheError) -> CacheAnswer? {
        switch lookUp {
        case .url:
            try respond(to: request, now: now, policy: policy) { () throws(CacheError) in
                try candidates(for: request.url)
            }
        case .urlAtOnce: respondAtOnce(to: request, now: now, policy: policy)
        case .matching(let matching): try respond(to: request, now: now, policy: policy, matching: matching)
        }
    }

    /// Answers a request from what is in memory; nil if the answer takes a wait for a disk, or is an error.
    private func respondAtOnce(to request: OfflineRequest, now: Timestamp, policy: OfflinePolicy) -> CacheAnswer? {
        let key = ResourceKey(request.url)
        guard !verifiesBodies, let snapshot = reader.snapshotAtOnce(), snapshot.isInMemory(key.host),
            let entry = received == nil ? ReceivedEntry() : receivedEntryAtOnce(for: key)
        else { return nil }
        let found: Snapshot.Found?
        do throws(CacheError) {
            found = try snapshot.find(key)
        } catch {
            return nil
        }
        guard found != nil || !snapshot.mayHaveEquivalent(key) else { return nil }
        if let received, received.hasVariances, received.mayHaveEquivalents(of: key.normal) { return nil }
        var candidates = Self.candidates(key, packaged: found, received: entry)
        guard Self.offerCodings(&candidates, for: request, atOnce: true) else { return nil }
        let (resolution, stored) = Self.decide(request, candidates, now: now, policy: policy)
        guard let stored else { return CacheAnswer(resolution: resolution, isUnknown: candidates.isEmpty) }
        let chosen = candidates[stored]
        // To note the use of a received response may take a wait for those who read the database.
        guard chosen.package != nil else { return nil }
        var answer = CacheAnswer(resolution: resolution, package: chosen.package)
        if resolution.status == .ok, let found {
            let (isKnown, rule) = found.package.files.matchRuleAtOnce(for: request.url.path)
            guard isKnown else { return nil }
            answer.variance = rule?.variance
        }
        if resolution.body != .none {
            guard let body = openBodyAtOnce(of: chosen) else { return nil }
            answer.body = body
        }
        markUsed(chosen, at: now)
        return answer
    }

    /// Returns what ``receivedEntry(for:)`` does if that takes no wait for a disk.
    private func receivedEntryAtOnce(for key: ResourceKey) -> ReceivedEntry? {
        guard let received, let entry = received.entryAtOnce(for: key) else { return nil }
        let normal = key.normal
        guard normal != key else { return entry }
        return received.entryAtOnce(for: normal).map {
            ReceivedEntry(variants: $0.variants, freshened: entry.freshened)
        }
    }

    /// Chooses the content coding of the candidates in mounted packages, as the request asks for (RFC 9110 §12.5.3).
    ///
    /// - Parameters:
    ///   - candidates: The candidates.
    ///   - request: The request.
    ///   - atOnce: True if the call may not wait for a disk.
    /// - Returns: False if the call would wait; the candidates are then unchanged.
    private static func offerCodings(
        _ candidates: inout [StoredCandidate],
        for request: OfflineRequest,
        atOnce: Bool
    ) -> Bool {
        for index in candidates.indices {
            guard case .generation(let package, let resource) = candidates[index].place,
                let mounted = package.files.mounted
            else { continue }
            switch mounted.gzipSize(of: resource, atOnce: atOnce) {
            case .unknown where atOnce: return false
            case .unknown, .unavailable: continue
            case .bytes(let size):
                // Ranges are those of the body without a coding.
                let isGzip = request.fields[.range] == nil && AcceptedCodings(request.fields).prefersGzip
                candidates[index].response.coding = isGzip ? .gzip : .identity
                if isGzip { candidates[index].response.size = size }
            }
        }
        return true
    }

    private static func decide(
        _ request: OfflineRequest,
        _ candidates: [StoredCandidate],
        now: Timestamp,
        policy: OfflinePolicy
    ) -> (resolution: Resolution, stored: Int?) {
        let decision = OfflineDecision.decide(
            CacheRequest(method: request.method, fields: request.fields),
            stored: candidates.map(\.response),
            now: now,
            policy: policy
        )
        return (decision.resolution, decision.stored)
    }

    /// Answers a request from the packaged response whose query or slash differs, or from a fallback; nil if there is
    /// none.
    private func respond(
        to request: OfflineRequest,
        now: Timestamp,
        policy: OfflinePolicy,
        matching: QueryMatching
    ) throws(CacheError) -> CacheAnswer? {
        guard var match = try match(for: request, by: matching) else { return nil }
        var isFirst = true
        var asked = request
        // A redirect has no body that would be opened.
        if match.location != nil { asked.method = .head }
        var answer = try respond(to: asked, now: now, policy: policy) { () throws(CacheError) in
            // If its body is gone, its package was just replaced.
            if !isFirst {
                guard let again = try self.match(for: request, by: matching) else { return [] }
                match = again
            }
            isFirst = false
            return [match.candidate]
        }
        guard !answer.isUnknown else { return nil }
        if match.reason != .absent { answer.matched = match.url }
        answer.fallback = match.reason.fallbackKind
        answer.redirectsToMatch = match.location != nil
        answer.isAbsent = match.reason == .absent
        answer.resolution = match.marked(answer.resolution)
        return answer
    }

    /// Answers a request from the responses that a closure finds.
    private func respond(
        to request: OfflineRequest,
        now: Timestamp,
        policy: OfflinePolicy,
        _ lookUp: () throws(CacheError) -> [StoredCandidate]
    ) throws(CacheError) -> CacheAnswer {
        // A response may be replaced before its body is opened; the next look-up then finds the current one.
        var missed: Set<StoredCandidate.Origin> = []
        var missedGeneration: Int64?
        while true {
            var candidates = try lookUp()
            let isUnknown = candidates.isEmpty
            if !missed.isEmpty { candidates.removeAll { missed.contains($0.origin) } }
            _ = Self.offerCodings(&candidates, for: request, atOnce: false)
            let (resolution, stored) = Self.decide(request, candidates, now: now, policy: policy)
            guard let index = stored else { return CacheAnswer(resolution: resolution, isUnknown: isUnknown) }
            let chosen = candidates[index]
            markUsed(chosen, at: now)
            var answer = CacheAnswer(resolution: resolution, package: chosen.package)
            if resolution.status == .ok, case .generation(let package, _) = chosen.place {
                // Rules that can't be read count as none.
                answer.variance = try? package.files.matchRules()?.rule(for: request.url.path)?.variance
            }
            guard resolution.body != .none else { return answer }
            if let body = try openBody(of: chosen) {
                // A part can't be compared with the digest of the whole, and a small body is compared before its head
                // is sent.
                if resolution.body != .whole || body.size <= Self.smallBody { try body.requireSound() }
                answer.body = body
                return answer
            }
            if case .generation(let package, _) = chosen.place, missedGeneration != package.generation.id {
                missedGeneration = package.generation.id
            } else if chosen.package != nil {
                answer.body = try body(of: chosen)
                return answer
            } else {
                missed.insert(chosen.origin)
            }
            reader.forget()
        }
    }

    /// The maximum size of a body that is compared as a whole before its response begins, in bytes.
    private static let smallBody: Int64 = 1 << 20

    // MARK: Bodies

    /// Opens a body, and compares it as a whole if bodies are verified.
    func body(of candidate: StoredCandidate) throws(CacheError) -> StoredBody {
        if let body = try openBody(of: candidate) {
            try body.requireSound()
            return body
        }
        throw Self.missing(candidate.bodyPath(in: layout), package: candidate.package)
    }

    /// Opens a body; nil if it is gone or, for a received one, has another size.
    ///
    /// - Throws: ``CacheError`` with `damaged` if a package's body has another size than its entry says.
    private func openBody(of candidate: StoredCandidate) throws(CacheError) -> StoredBody? {
        let path = candidate.bodyPath(in: layout)
        let size = candidate.response.size
        switch candidate.place {
        case .received(let variant, let key):
            if case .bytes(let bytes) = variant.body { return StoredBody(bytes: bytes, path: path) }
            guard case .file(let number) = variant.body,
                let descriptor = try layout.received.openBody(number)
            else {
                received?.drop(variant.id, of: key)
                return nil
            }
            let body = StoredBody(
                descriptor: descriptor,
                size: size,
                path: path,
                digest: verifiesBodies ? variant.digest : nil,
                remedy: "repair the cache to remove it, and fetch it from its origin again"
            )
            guard body.sizeOnDisk == size else {
                received?.drop(variant.id, of: key)
                return nil
            }
            return body
        case .generation(let package, let resource):
            guard let member = resource.member else {
                guard size == 0 else {
                    throw CacheError(.damaged, subject: path, message: "the body has no place; \(Self.remedy)")
                }
                return StoredBody(bytes: [], path: path)
            }
            if let mounted = package.files.mounted {
                return try mounted.body(
                    of: resource,
                    coding: candidate.response.coding,
                    path: path,
                    isCompared: verifiesBodies
                )
            }
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

    /// Opens a body that isn't verified if that takes no wait for a disk; nil if it would wait, or the body isn't as
    /// stored.
    private func openBodyAtOnce(of candidate: StoredCandidate) -> StoredBody? {
        guard case .generation(let package, let resource) = candidate.place else { return nil }
        let path = candidate.bodyPath(in: layout)
        guard let member = resource.member else {
            return resource.size == 0 ? StoredBody(bytes: [], path: path) : nil
        }
        if let mounted = package.files.mounted {
            return mounted.bodyAtOnce(of: resource, coding: candidate.response.coding, path: path)
        }
        guard let descriptor = package.files.openBodyAtOnce(member) else { return nil }
        let size = candidate.response.size
        let body = StoredBody(
            descriptor: descriptor,
            size: size,
            path: path,
            place: BodyPlace(package.files, member, size: size),
            remedy: Self.remedy
        )
        return body.sizeOnDisk == size ? body : nil
    }

    /// The remedy for a missing or damaged body of a package.
    private static let remedy = "load its package again, or repair the cache with the package"

    private static func missing(_ path: String, package: String?) -> CacheError {
        CacheError(
            .damaged,
            subject: path,
            message: package == nil
                ? "the body was removed or is damaged; fetch it from its origin again"
                : "the body is missing; \(remedy)"
        )
    }

    // MARK: Changes

    /// The area for received responses.
    ///
    /// - Throws: ``CacheError`` for mounted packages, to which nothing can be added.
    private func receiving() throws(CacheError) -> ReceivedArea {
        guard let received else {
            throw CacheError(.inputOutput, subject: layout.root, message: "a mounted package is only read")
        }
        return received
    }

    /// Begins to store a response.
    func receive(_ response: StoredResponse, for url: WebURL, replacing: [ReceivedID]) throws(CacheError)
        -> ReceivedBody
    {
        let received = try receiving()
        try received.open()
        return ReceivedBody(
            response,
            for: ResourceKey(url).normal,
            replacing: replacing.map(\.number),
            limit: try received.room.current().bytes ?? .max,
            in: received
        )
    }

    /// Stores new fields for a package's entry.
    func freshenPackageEntry(_ url: WebURL, _ response: StoredResponse) throws(CacheError) {
        let received = try receiving()
        try received.open()
        let snapshot = try reader.snapshot()
        let key = ResourceKey(url)
        var asSpelt = try snapshot.find(key)
        if asSpelt == nil { asSpelt = try snapshot.findEquivalent(key) }
        guard let found = asSpelt else { return }
        let entry = FreshenedEntry(generation: found.package.generation.folder, response: response)
        try received.freshen(found.key, entry)
    }

    /// Invalidates all responses that answer a URL, and the received ones that share a group with them.
    ///
    /// Further groups of those aren't followed (RFC 9875 §2.2.1).
    ///
    /// - Parameter url: The URL.
    /// - Returns: The other URLs of which a response was invalidated.
    /// - Throws: ``CacheError`` if nothing can be stored.
    func invalidateAll(_ url: WebURL) throws(CacheError) -> [WebURL] {
        let (received, key) = (try receiving(), ResourceKey(url).normal)
        guard received.hasRelations else {
            try invalidate(url)
            return []
        }
        var groups = Set(try received.entry(for: key).variants.flatMap(\.groups))
        var others: [WebURL] = []
        for (variant, other) in try received.equivalents(of: key) {
            groups.formUnion(variant.groups)
            try received.invalidate(other) { $0.id == variant.id }
            if let url = try? WebURL(other.text) { others.append(url) }
        }
        try invalidate(url)
        return others + (try invalidate(groups: groups, of: url.origin)).filter { $0 != url }
    }

    /// Invalidates the received responses of an origin that are in one of some groups.
    func invalidate(groups: Set<String>, of origin: String) throws(CacheError) -> [WebURL] {
        let received = try receiving()
        guard received.hasRelations else { return [] }
        return try received.invalidate(groups: groups, of: origin).compactMap { try? WebURL($0.text) }
    }

    /// Invalidates all responses of a URL.
    func invalidate(_ url: WebURL) throws(CacheError) {
        let key = ResourceKey(url)
        try receiving().invalidate(key.normal)
        for candidate in try candidates(for: key) where !candidate.response.isInvalidated {
            guard candidate.package != nil else { continue }
            var response = candidate.response
            response.isInvalidated = true
            try freshenPackageEntry(url, response)
        }
    }
}

extension StoredCandidate {
    fileprivate func bodyPath(in layout: CacheLayout) -> String {
        switch place {
        case .generation(let package, let resource):
            package.files.mounted?.name(of: resource.member ?? "") ?? package.files.layout.body(resource.member ?? "")
        case .received(let variant, _):
            if case .file(let number) = variant.body {
                layout.received.body(number)
            } else {
                layout.received.database
            }
        }
    }
}
