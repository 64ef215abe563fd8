internal import AFCCaching
internal import AFCFiles
internal import AFCHTTP
public import AFCText
internal import AFCURL
internal import AFCZip

/// What clearing removed.
public struct ClearReport: Sendable, Equatable {
    /// How many received responses.
    public var responses: Int
}

extension OfflineCache {
    /// Removes received responses, and what validations brought for packages' entries; packages stay as they were loaded.
    ///
    /// This may be done while another process receives.
    ///
    /// - Parameter host: Whose; nil for all.
    /// - Returns: What was removed.
    /// - Throws: ``CacheError`` where nothing can be changed.
    public func clearReceived(host: String? = nil) async throws(CacheError) -> ClearReport {
        try await OffPool.run { () throws(CacheError) in
            guard self.access != .readOnly else {
                throw CacheError(.inputOutput, subject: self.path, message: "the store was opened for reading only")
            }
            DiskReserve.releaseWhereScarce(self.layout)
            defer { DiskReserve.make(self.layout) }
            guard let host else { return ClearReport(responses: try self.received.clearAll()) }
            return ClearReport(responses: try self.received.clear { (try? WebURL($0))?.host == host })
        }
    }

    /// Removes received responses that the limits leave no room for.
    ///
    /// - Returns: What left, in words; nothing where that is left to the next change of the area.
    func makeRoomForPackages(now: Timestamp) -> [String] {
        // The packages are committed: what is too much now leaves with the next received response, too.
        guard let left = try? received.makeRoom(now: now), !left.isEmpty else { return [] }
        return ["\(left.count) received \(left.count == 1 ? "response" : "responses")"]
    }
}
