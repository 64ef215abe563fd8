internal import Foundation
internal import Synchronization

#if canImport(FoundationNetworking)
internal import FoundationNetworking
#endif

/// The settings of one URL session that is answered from a cache.
struct SessionSettings: Sendable, Equatable {
    var options: AFCache.LoadOptions
    var policy: URLRequest.CachePolicy
    /// Fields that the session adds to each request, unless the request has them.
    var fields: [String: String]
    /// The session's cookies; nil if it has none.
    ///
    /// The session owns them, and those of an ephemeral session go with it.
    weak var cookies: HTTPCookieStorage?
    var sendsCookies: Bool
    /// The longest time without a byte, in seconds.
    var requestTimeout: TimeInterval
    /// The longest time to the end of a response, in seconds.
    var resourceTimeout: TimeInterval

    static func == (one: SessionSettings, other: SessionSettings) -> Bool {
        one.options == other.options && one.policy == other.policy && one.fields == other.fields
            && one.cookies === other.cookies && one.sendsCookies == other.sendsCookies
            && one.requestTimeout == other.requestTimeout && one.resourceTimeout == other.resourceTimeout
    }
}

/// The classes of ``CacheURLProtocol`` by which sessions find their caches.
///
/// Foundation creates a protocol from its class alone, so each kind of session gets a class of its own: a generic class
/// whose argument is a number. A class never goes, so equal settings of one cache share it; those of sessions with
/// cookies of their own are forgotten when these are gone.
enum ProtocolSlots {
    struct Slot: Sendable {
        weak var cache: AFCache?
        let id: ObjectIdentifier
        let number: Int
        let settings: SessionSettings
        /// True if the session was configured with cookies.
        let hasCookies: Bool

        /// True if a session may still use the class.
        var isInUse: Bool { cache != nil && (!hasCookies || settings.cookies != nil) }
    }

    private struct State {
        var slots: [ObjectIdentifier: Slot] = [:]
        var last = 0
    }

    private static let state = Mutex(State())

    /// The number of classes whose sessions may be in use.
    static var count: Int { state.withLock { $0.slots.count } }

    /// Returns a class whose requests a cache answers: the one that sessions with the same settings have, or a new one.
    static func makeClass(for cache: AFCache, _ settings: SessionSettings) -> AnyClass {
        let number = state.withLock { state in
            state.slots = state.slots.filter(\.value.isInUse)
            let id = ObjectIdentifier(cache)
            if let known = state.slots.values.first(where: { $0.id == id && $0.settings == settings }) {
                return known.number
            }
            state.last += 1
            let hasCookies = settings.cookies != nil
            state.slots[ObjectIdentifier(numbered(End.self, state.last))] =
                Slot(cache: cache, id: id, number: state.last, settings: settings, hasCookies: hasCookies)
            return state.last
        }
        return numbered(End.self, number)
    }

    /// Returns the slot of a class; nil if its cache is gone.
    static func slot(of type: AnyClass) -> Slot? { state.withLock { $0.slots[ObjectIdentifier(type)] } }

    /// Forgets the classes of a cache that ends.
    static func remove(_ cache: ObjectIdentifier) {
        state.withLock { state in state.slots = state.slots.filter { $0.value.id != cache } }
    }

    /// A number as a type: its binary digits.
    private enum End {}
    private enum Zero<Rest> {}
    private enum One<Rest> {}

    private static func numbered<Digits>(_ digits: Digits.Type, _ number: Int) -> AnyClass {
        if number == 0 { return NumberedProtocol<Digits>.self }
        return number % 2 == 0 ? numbered(Zero<Digits>.self, number / 2) : numbered(One<Digits>.self, number / 2)
    }
}

/// The protocol of one configured session.
private final class NumberedProtocol<Number>: CacheURLProtocol {}
