public import AFCHTTP

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

extension Timestamp {
    /// The current second, by the system's clock.
    public static var now: Timestamp { Timestamp(Date()) }

    /// Creates the second that contains a date; dates beyond what 64 bits hold become the nearest limit.
    public init(_ date: Date) {
        let seconds = date.timeIntervalSince1970.rounded(.down)
        self.init(secondsSinceEpoch: Int64(exactly: seconds) ?? (seconds < 0 ? .min : .max))
    }
}

extension Date {
    /// Creates the date at which a second begins.
    public init(_ time: Timestamp) { self.init(timeIntervalSince1970: TimeInterval(time.secondsSinceEpoch)) }
}
