internal import AFCHTTP

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

extension Timestamp {
    init(_ date: Date) { self.init(secondsSinceEpoch: Int64(date.timeIntervalSince1970)) }

    var date: Date { Date(timeIntervalSince1970: Double(secondsSinceEpoch)) }
}
