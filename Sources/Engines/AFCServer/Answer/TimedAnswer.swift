internal import AFCCaching
internal import AFCHTTP
internal import HTTPTypes
internal import NIOCore

extension ServerAnswer {
    /// Returns the answer with the metrics of a request (Server Timing §3): if the cache had the answer, the time until the
    /// origin's head came, and the time until now, in milliseconds.
    ///
    /// It can't be repeated, since another request takes another time.
    ///
    /// - Parameter began: The time at which the request was read.
    /// - Returns: The answer.
    func timed(since began: NIODeadline) -> ServerAnswer {
        var metrics: [String] = []
        if let cacheStatus { metrics.append("cache;desc=\(cacheStatus.isHit ? "hit" : "miss")") }
        if let originTime { metrics.append("origin;dur=\(Self.milliseconds(originTime / .microseconds(1)))") }
        let total = (NIODeadline.now() - began).nanoseconds / 1000
        metrics.append("total;dur=\(Self.milliseconds(Double(total)))")
        var answer = self
        answer.fields.append(HTTPField(name: .serverTiming, value: metrics.joined(separator: ", ")))
        answer.repetition = nil
        return answer
    }

    /// Writes microseconds as milliseconds with three decimals.
    private static func milliseconds(_ microseconds: Double) -> String {
        let count = Int64(microseconds)
        let rest = String(count % 1000)
        return "\(count / 1000)." + String(repeating: "0", count: 3 - rest.count) + rest
    }
}
