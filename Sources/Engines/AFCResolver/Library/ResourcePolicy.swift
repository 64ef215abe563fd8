/// What a program takes of what is stored: the cases of Foundation's `URLRequest.CachePolicy`, all of them in effect.
public enum ResourcePolicy: String, Sendable, CaseIterable {
    /// What HTTP says (RFC 9111).
    case useProtocolCachePolicy
    /// The origin's answer, whatever is stored here; caches on the way may have it.
    case reloadIgnoringLocalCacheData
    /// The origin's answer, whatever is stored here or on the way.
    case reloadIgnoringLocalAndRemoteCacheData
    /// What is stored, however old; the origin's answer where nothing is.
    case returnCacheDataElseLoad
    /// What is stored, however old; 504 where nothing is, and never a connection.
    case returnCacheDataDontLoad
    /// What is stored where the origin confirms it, also where it is fresh; else the origin's answer.
    case reloadRevalidatingCacheData
}

/// What a program wants besides its ``ResourcePolicy``; AFCache's request options.
public struct ResourceOptions: OptionSet, Sendable {
    /// The options as bits.
    public let rawValue: Int

    /// Creates options.
    ///
    /// - Parameter rawValue: The options as bits.
    public init(rawValue: Int) { self.rawValue = rawValue }

    /// What is stored for the URL counts as invalidated first, for this request and later ones (RFC 9111 §4.4).
    public static let invalidate = ResourceOptions(rawValue: 1 << 0)
    /// What is stored answers at once, however old, and is validated behind.
    public static let returnThenRevalidate = ResourceOptions(rawValue: 1 << 1)
    /// Where the cache is offline, the origin is asked all the same; where it fails, the store answers as it does offline.
    public static let revalidateEvenOffline = ResourceOptions(rawValue: 1 << 2)
    /// What is stored answers, however old, without any validation.
    public static let neverRevalidate = ResourceOptions(rawValue: 1 << 3)
    /// The head alone is asked for: HEAD in place of GET.
    public static let headOnly = ResourceOptions(rawValue: 1 << 4)
}

extension Reuse {
    /// What a policy and its options mean together, for a cache that is offline or not.
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
