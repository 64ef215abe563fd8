internal import Foundation
internal import Synchronization

#if canImport(FoundationNetworking)
internal import FoundationNetworking
#endif

/// The settings of one URL session that is answered from a cache.
struct SessionSettings: Sendable {
    var options: LoadOptions
    var policy: URLRequest.CachePolicy
    /// Fields that the session adds to each request, unless the request has them.
    var fields: [String: String]
    /// The session's cookies; nil if it has none.
    var cookies: HTTPCookieStorage?
    var sendsCookies: Bool
}

/// The classes of ``CacheURLProtocol`` by which sessions find their caches.
///
/// Foundation creates a protocol from its class alone, so each configured session gets a class of its own: a generic
/// class whose argument is a number.
enum ProtocolSlots {
    struct Slot: Sendable {
        weak var cache: AFCache?
        let id: ObjectIdentifier
        let settings: SessionSettings
    }

    private struct State {
        var slots: [ObjectIdentifier: Slot] = [:]
        var last = 0
    }

    private static let state = Mutex(State())

    /// Returns a new class whose requests a cache answers.
    static func makeClass(for cache: AFCache, _ settings: SessionSettings) -> AnyClass {
        let number = state.withLock { state in
            state.last += 1
            return state.last
        }
        let type: AnyClass = numbered(End.self, number)
        let slot = Slot(cache: cache, id: ObjectIdentifier(cache), settings: settings)
        state.withLock { $0.slots[ObjectIdentifier(type)] = slot }
        return type
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
