internal import AFCCache
internal import AFCHTTP
internal import AFCResolver
public import Foundation
internal import Synchronization

#if canImport(FoundationNetworking)
public import FoundationNetworking
#endif

/// A `URLCache` whose responses an ``AFCache/AFCache`` stores.
///
/// It finds a response by its whole URL, and returns only what may be used without asking the origin, by the request's
/// cache policy. `URLCache` of Linux ignores scheme and query of the URL, all dates and the policy.
public final class BackedURLCache: URLCache, @unchecked Sendable {
    // `URLCache` states its own Sendable unchecked, so the compiler requires the same of a subclass. The only state here
    // is the cache, which is Sendable.
    private let cache: AFCache

    /// Creates a URL cache.
    ///
    /// - Parameter cache: The cache that stores the responses.
    public init(_ cache: AFCache) {
        self.cache = cache
        super.init(memoryCapacity: 0, diskCapacity: 0, diskPath: nil)
    }

    /// The most bytes of responses in memory.
    public override var memoryCapacity: Int {
        get { cache.memoryCapacity }
        set { cache.memoryCapacity = newValue }
    }

    /// The most bytes of bodies on disk.
    ///
    /// A new value counts at once, and what doesn't fit is evicted shortly afterwards, at the latest by
    /// ``AFCache/AFCache/close()``. A value below what pinned packages need is reported, and the one before it counts again.
    public override var diskCapacity: Int {
        get { cache.diskCapacity }
        set { cache.startSettingDiskCapacity(newValue) }
    }

    /// The approximate number of bytes that responses take in memory.
    public override var currentMemoryUsage: Int { cache.currentMemoryUsage }

    /// The number of bytes that bodies take on disk; 0 if the cache can't be read.
    public override var currentDiskUsage: Int { cache.diskUsageNow() }

    /// Returns the response to a request, if one is stored that may be used without asking the origin.
    public override func cachedResponse(for request: URLRequest) -> CachedURLResponse? {
        do {
            guard let loaded = try cache.cachedResponse(for: request) else { return nil }
            return CachedURLResponse(
                response: loaded.response,
                data: loaded.data,
                userInfo: loaded.userInfo.isEmpty ? nil : loaded.userInfo,
                storagePolicy: .allowed
            )
        } catch {
            cache.report("read what is stored for '\(request.url?.absoluteString ?? "")'", error)
            return nil
        }
    }

    /// Stores a response by its storage policy, if its fields allow that.
    public override func storeCachedResponse(_ response: CachedURLResponse, for request: URLRequest) {
        guard let head = response.response as? HTTPURLResponse else { return }
        var options = AFCache.LoadOptions(storagePolicy: response.storagePolicy)
        for (key, value) in response.userInfo ?? [:] { options.userInfo["\(key)"] = "\(value)" }
        do {
            try cache.store(head, response.data, for: request, options: options)
        } catch {
            cache.report("store '\(request.url?.absoluteString ?? "")'", error)
        }
    }

    /// Removes what is stored for the URL of a request.
    public override func removeCachedResponse(for request: URLRequest) {
        guard let url = request.url else { return }
        do {
            try cache.removeCachedResponse(for: url)
        } catch {
            cache.report("remove '\(url.absoluteString)'", error)
        }
    }

    /// Removes all responses that were received from origins; packages stay.
    public override func removeAllCachedResponses() {
        do {
            try cache.removeAllNow()
        } catch {
            cache.report("remove all responses", error)
        }
    }

    /// Removes the responses that were received since a date.
    public override func removeCachedResponses(since date: Date) {
        do {
            try cache.removeNow(since: date)
        } catch {
            cache.report("remove responses", error)
        }
    }

    /// Gives the response to the request of a task.
    public override func getCachedResponse(
        for dataTask: URLSessionDataTask,
        completionHandler: @escaping @Sendable (CachedURLResponse?) -> Void
    ) {
        completionHandler(dataTask.currentRequest.flatMap { cachedResponse(for: $0) })
    }

    /// Stores the response to the request of a task.
    public override func storeCachedResponse(_ response: CachedURLResponse, for dataTask: URLSessionDataTask) {
        if let request = dataTask.currentRequest { storeCachedResponse(response, for: request) }
    }

    /// Removes what is stored for the URL of a task.
    public override func removeCachedResponse(for dataTask: URLSessionDataTask) {
        if let request = dataTask.currentRequest { removeCachedResponse(for: request) }
    }
}

extension AFCache {
    /// This cache as a `URLCache`, for code that expects one; `URLCache.shared` may be set to it.
    public var urlCache: URLCache { BackedURLCache(self) }

    /// Reports a failure that no caller notices.
    func report(_ what: String, _ error: any Error) { configuration.onTrouble("cannot \(what): \(error)") }

    /// Removes all responses that were received from origins; blocks.
    fileprivate func removeAllNow() throws {
        memoryOnly.removeAll()
        defer { forgetMemory() }
        _ = try store.clearReceivedNow()
    }

    /// Removes the responses that were received since a date; those that only memory has are all removed; blocks.
    fileprivate func removeNow(since date: Date) throws {
        memoryOnly.removeAll()
        defer { forgetMemory() }
        _ = try store.clearReceivedNow(since: Timestamp(date))
    }

    /// The number of bytes on disk; blocks.
    fileprivate func diskUsageNow() -> Int {
        do {
            return Int(clamping: try store.bodyBytes())
        } catch {
            report("measure the cache", error)
            return 0
        }
    }
}
