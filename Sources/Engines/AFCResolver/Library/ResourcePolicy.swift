/// A program's use of stored responses: the cases of Foundation's `URLRequest.CachePolicy`, all of them implemented.
public enum ResourcePolicy: String, Sendable, CaseIterable {
    /// Stored responses as HTTP allows them (RFC 9111).
    case useProtocolCachePolicy
    /// The origin's answer, whatever is stored here; caches on the way may give it.
    case reloadIgnoringLocalCacheData
    /// The origin's answer, whatever is stored here or on the way.
    case reloadIgnoringLocalAndRemoteCacheData
    /// The stored response, however old; the origin's answer if none is stored.
    case returnCacheDataElseLoad
    /// The stored response, however old; 504 if none is stored, and never a connection.
    case returnCacheDataDontLoad
    /// The stored response if the origin confirms it, even if it is fresh; else the origin's answer.
    case reloadRevalidatingCacheData
}

/// Options of a request in addition to its ``ResourcePolicy``; AFCache's request options.
public struct ResourceOptions: OptionSet, Sendable {
    /// The options as bits.
    public let rawValue: Int

    /// Creates options.
    ///
    /// - Parameter rawValue: The options as bits.
    public init(rawValue: Int) { self.rawValue = rawValue }

    /// Invalidates the responses stored for the URL first, for this request and later ones (RFC 9111 §4.4).
    public static let invalidate = ResourceOptions(rawValue: 1 << 0)
    /// Answers with the stored response at once, however old, and revalidates it in the background.
    public static let returnThenRevalidate = ResourceOptions(rawValue: 1 << 1)
    /// Contacts the origin even if the cache is offline; if that fails, the cache answers as it does offline.
    public static let revalidateEvenOffline = ResourceOptions(rawValue: 1 << 2)
    /// Answers with the stored response, however old, and never revalidates it.
    public static let neverRevalidate = ResourceOptions(rawValue: 1 << 3)
    /// Requests the head alone: HEAD instead of GET.
    public static let headOnly = ResourceOptions(rawValue: 1 << 4)
}

extension Reuse {
    /// Combines a policy with its options, for a cache that is offline or not.
    init(_ policy: ResourcePolicy, _ options: ResourceOptions, isOffline: Bool) {
        switch policy {
        case .useProtocolCachePolicy: choice = .standard
        case .reloadIgnoringLocalCacheData, .reloadIgnoringLocalAndRemoteCacheData: choice = .none
        case .returnCacheDataElseLoad: choice = .anyAge
        case .returnCacheDataDontLoad: choice = .anyAgeOrNone
        case .reloadRevalidatingCacheData: choice = .validated
        }
        guard choice != .anyAgeOrNone else { return }
        overridesOffline = isOffline && options.contains(.revalidateEvenOffline)
        if choice == .standard, !options.isDisjoint(with: [.neverRevalidate, .returnThenRevalidate]) {
            choice = .anyAge
        } else if overridesOffline, choice != .none, !options.contains(.neverRevalidate) {
            choice = .validated
        }
        validatesBehind =
            choice == .anyAge && options.contains(.returnThenRevalidate) && !options.contains(.neverRevalidate)
    }
}
