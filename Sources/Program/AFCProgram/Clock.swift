import AFCHTTP
import AFCPlatform
import ArgumentParser

/// The clock, which only the program itself reads.
enum Clock {
    /// The current time.
    static var now: Timestamp { Timestamp(secondsSinceEpoch: Int64(time(nil))) }

    /// Returns the time in SOURCE_DATE_EPOCH, or nil if it isn't set.
    ///
    /// - Throws: A usage error if it isn't a number of seconds.
    static func pinned() throws -> Timestamp? {
        guard let value = getenv("SOURCE_DATE_EPOCH") else { return nil }
        let text = String(cString: value)
        guard let seconds = Int64(text), seconds >= 0, seconds < 253_402_300_800 else {
            throw ValidationError("SOURCE_DATE_EPOCH is '\(text)'; it must be a number of seconds since 1970")
        }
        return Timestamp(secondsSinceEpoch: seconds)
    }

    /// Returns the time that a user wrote: RFC 3339, an HTTP date, or seconds since 1970.
    static func parse(_ text: String) throws -> Timestamp {
        if let time = LenientDate.parse(text)?.timestamp { return time }
        throw ValidationError("'\(text)' is not a date; write it as 2026-11-21 or 2026-11-21T10:00:00Z")
    }
}
