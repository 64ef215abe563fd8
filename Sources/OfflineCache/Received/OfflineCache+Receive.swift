public import HTTPCaching
public import URLStandard

extension OfflineCache {
    /// Gets the right to keep received responses, which one process has at a time.
    ///
    /// Without this call the first change gets it. It is given back by ``stopReceiving()`` and when the value goes.
    ///
    /// - Throws: ``CacheError`` with `busy` where another process has it; that process is named.
    public func startReceiving() throws(CacheError) {}

    /// Writes down what isn't yet, and gives back the right to keep received responses.
    ///
    /// - Throws: ``CacheError`` where it can't be written.
    public func stopReceiving() throws(CacheError) {}

    /// Writes down what isn't yet, as is done by itself every 100 ms; blocks.
    ///
    /// - Throws: ``CacheError`` where it can't be written.
    public func flushReceived() throws(CacheError) {}

    /// Begins to keep a received response; its body is written as it arrives.
    ///
    /// Nobody but those who have the returned value sees it before ``ReceivedBody/finish()``. A response of the same URL
    /// whose Vary and kept request fields are the same is replaced, too.
    ///
    /// - Parameters:
    ///   - response: Status, fields, times; size and digest are counted. Of the request's fields those that Vary names are
    ///     kept.
    ///   - url: The resource.
    ///   - replacing: Which responses leave when this one is whole.
    ///   - withoutCookies: Whether Set-Cookie fields are left out.
    /// - Returns: Where the body goes.
    /// - Throws: ``CacheError`` where nothing can be kept.
    public func receive(
        _ response: StoredResponse,
        for url: WebURL,
        replacing: [ReceivedID] = [],
        withoutCookies: Bool = false
    ) throws(CacheError) -> ReceivedBody {
        throw CacheError(.inputOutput, subject: path, message: "not built yet")
    }

    /// Replaces status, fields, times and invalidation of a received response, for example after a 304 (RFC 9111 §4.3.4).
    ///
    /// The body stays; a response that has left meanwhile stays away.
    ///
    /// - Parameters:
    ///   - id: The response.
    ///   - response: As it is now.
    /// - Throws: ``CacheError`` where nothing can be kept.
    public func update(_ id: ReceivedID, _ response: StoredResponse) throws(CacheError) {}

    /// Keeps new fields beside what came in a package, after a 304 (RFC 9111 §4.3.4).
    ///
    /// The body stays the package's. The fields are forgotten when another generation of the package is served.
    ///
    /// - Parameters:
    ///   - url: The resource.
    ///   - response: As it is now.
    /// - Throws: ``CacheError`` where nothing can be kept.
    public func freshenPackageEntry(_ url: WebURL, _ response: StoredResponse) throws(CacheError) {}

    /// Makes all responses of a URL, the package's too, count as invalidated (RFC 9111 §4.4).
    ///
    /// - Parameter url: The resource.
    /// - Throws: ``CacheError`` where nothing can be kept.
    public func invalidate(_ url: WebURL) throws(CacheError) {}

    /// Removes received responses.
    ///
    /// - Parameter ids: Which.
    /// - Throws: ``CacheError`` where nothing can be changed.
    public func remove(_ ids: [ReceivedID]) throws(CacheError) {}
}
