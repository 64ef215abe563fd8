internal import AFCCaching
internal import Synchronization

extension ReceivedArea {
    /// Adds a response whose body is whole.
    func put(
        _ response: StoredResponse,
        digest: [UInt8],
        body: ReceivedVariant.Body,
        file: BodyFile?,
        for url: String,
        replacing: [Int64]
    ) throws(CacheError) -> ReceivedVariant {
        var variant = ReceivedVariant(id: 0, response: response, digest: digest, body: body)
        let hash = Self.hash(url)
        try change(url) { entry, state in
            variant = variant.numbered(state.nextID)
            state.nextID += 1
            let leaving = entry.add(variant, replacing: replacing)
            return [.put(ReceivedRow(url: url, hash: hash, variant: variant), file: file, leaving: leaving)]
        }
        return variant
    }

    /// Replaces the head of a response, where it is still there.
    func update(_ id: ReceivedID, _ response: StoredResponse) throws(CacheError) {
        let hash = Self.hash(id.url)
        try change(id.url) { entry, _ in
            guard let known = entry.variant(id.number) else { return [] }
            let variant = known.with(response)
            entry.replace(variant)
            return [.update(ReceivedRow(url: id.url, hash: hash, variant: variant))]
        }
    }

    /// Keeps new fields for a package's entry.
    func freshen(_ url: String, _ freshened: FreshenedEntry) throws(CacheError) {
        let hash = Self.hash(url)
        try change(url) { entry, _ in
            entry.freshened = freshened
            return [.freshen(freshened, url: url, hash: hash)]
        }
    }

    /// Makes all variants count as invalidated.
    func invalidate(_ url: String) throws(CacheError) {
        let hash = Self.hash(url)
        try change(url) { entry, _ in
            entry.variants.filter { !$0.response.isInvalidated }.map { known in
                var response = known.response
                response.isInvalidated = true
                let variant = known.with(response)
                entry.replace(variant)
                return .update(ReceivedRow(url: url, hash: hash, variant: variant))
            }
        }
    }

    /// Removes responses of one URL.
    func remove(_ ids: [Int64], of url: String) throws(CacheError) {
        try change(url) { entry, _ in
            let leaving = ids.filter { entry.variant($0) != nil }
            entry.remove(Set(leaving))
            return leaving.map { .remove($0, url: url) }
        }
    }

    /// Forgets a response whose body is gone or isn't what it should be.
    func drop(_ id: Int64, of url: String) {
        guard state.withLock({ $0.keeper != nil }) else {
            return state.withLock { $0.memory.remove(id, of: url) }
        }
        // Where it can't be removed it is found damaged again.
        try? remove([id], of: url)
    }
}
