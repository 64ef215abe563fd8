public import AFCCaching
public import AFCText
public import AFCURL
internal import HTTPTypes

extension OfflineCache {
    /// Gets the right to keep received responses, which one process has at a time.
    ///
    /// Without this call the first change gets it. It is given back by ``stopReceiving()`` and when the value goes.
    ///
    /// - Throws: ``CacheError`` with `busy` where another process has it; that process is named.
    public func startReceiving() throws(CacheError) {
        guard access != .readOnly else {
            throw CacheError(.inputOutput, subject: path, message: "the store was opened for reading only")
        }
        try received.open()
    }

    /// Writes down what isn't yet, and gives back the right to keep received responses.
    ///
    /// - Throws: ``CacheError`` where it can't be written.
    public func stopReceiving() throws(CacheError) { try received.close() }

    /// Writes down what isn't yet, as is done by itself every 100 ms; blocks.
    ///
    /// - Throws: ``CacheError`` where it can't be written.
    public func flushReceived() throws(CacheError) { try received.flush() }

    /// Begins to keep a received response; its body is written as it arrives.
    ///
    /// Nobody but those who have the returned value sees it before ``ReceivedBody/finish()``. A response of the same URL
    /// whose Vary and kept request fields are the same is replaced, too, but never by a part (206) or one that is a part,
    /// and no other response by an error (5xx).
    ///
    /// - Parameters:
    ///   - response: Status, fields, times; size and digest are counted. Of the request's fields those that Vary names are
    ///     kept.
    ///   - url: The resource.
    ///   - replacing: Which responses of the URL leave when this one is whole.
    ///   - withoutCookies: Whether Set-Cookie fields are left out.
    /// - Returns: Where the body goes.
    /// - Throws: ``CacheError`` where nothing can be kept.
    public func receive(
        _ response: StoredResponse,
        for url: WebURL,
        replacing: [ReceivedID] = [],
        withoutCookies: Bool = false
    ) throws(CacheError) -> ReceivedBody {
        try startReceiving()
        var response = response
        if withoutCookies { response.fields[.setCookie] = nil }
        return ReceivedBody(
            response,
            for: url.description,
            replacing: replacing.map(\.number),
            limit: try received.room.current().bytes ?? .max,
            in: received
        )
    }

    /// Replaces status, fields, times and invalidation of a received response, for example after a 304 (RFC 9111 §4.3.4).
    ///
    /// The body stays; a response that has left meanwhile stays away.
    ///
    /// - Parameters:
    ///   - id: The response.
    ///   - response: As it is now.
    ///   - withoutCookies: Whether Set-Cookie fields are left out.
    /// - Throws: ``CacheError`` where nothing can be kept.
    public func update(_ id: ReceivedID, _ response: StoredResponse, withoutCookies: Bool = false) throws(CacheError) {
        try startReceiving()
        var response = response
        if withoutCookies { response.fields[.setCookie] = nil }
        try received.update(id, response)
    }

    /// Keeps new fields beside what came in a package, after a 304 (RFC 9111 §4.3.4).
    ///
    /// The body stays the package's. The fields are forgotten when another generation of the package is served.
    ///
    /// - Parameters:
    ///   - url: The resource.
    ///   - response: As it is now.
    ///   - withoutCookies: Whether Set-Cookie fields are left out.
    /// - Throws: ``CacheError`` where nothing can be kept.
    public func freshenPackageEntry(_ url: WebURL, _ response: StoredResponse, withoutCookies: Bool = false)
        throws(CacheError)
    {
        try startReceiving()
        let snapshot = try snapshot()
        var asSpelt = try snapshot.find(url)
        if asSpelt == nil { asSpelt = try snapshot.findEquivalent(url) }
        guard let found = asSpelt else { return }
        var response = response
        if withoutCookies { response.fields[.setCookie] = nil }
        let generation = found.package.generation.folder
        try received.freshen(found.resource.url, FreshenedEntry(generation: generation, response: response))
    }

    /// Makes all responses of a URL, the package's too, count as invalidated (RFC 9111 §4.4).
    ///
    /// - Parameter url: The resource.
    /// - Throws: ``CacheError`` where nothing can be kept.
    public func invalidate(_ url: WebURL) throws(CacheError) {
        try startReceiving()
        try received.invalidate(url.description)
        for candidate in try candidates(for: url) where !candidate.response.isInvalidated {
            if case .received(let id) = candidate.origin {
                // Found by another spelling; a response of this one is invalidated already.
                if id.url != url.description { try received.invalidate(id.url) }
                continue
            }
            var response = candidate.response
            response.isInvalidated = true
            try freshenPackageEntry(url, response)
        }
    }

    /// Removes received responses.
    ///
    /// - Parameter ids: Which.
    /// - Throws: ``CacheError`` where nothing can be changed.
    public func remove(_ ids: [ReceivedID]) throws(CacheError) {
        try startReceiving()
        for (url, ids) in Dictionary(grouping: ids, by: \.url) { try received.remove(ids.map(\.number), of: url) }
    }
}
