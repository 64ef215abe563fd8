package import HTTPTypes

extension HTTPFields {
    /// Lowers Max-Forwards by one if the method demands it: TRACE and OPTIONS (RFC 9110 §7.6.2).
    ///
    /// A malformed field is passed on unchanged.
    ///
    /// - Parameter method: The method of the request.
    /// - Returns: False if it was 0, so that the request must not be forwarded.
    package mutating func countForwarding(_ method: HTTPRequest.Method) -> Bool {
        guard method == .trace || method == .options else { return true }
        let lines = self[values: .maxForwards]
        guard !lines.isEmpty else { return true }
        // deltaSeconds reads the same digits, and turns numbers that are too large into the largest one.
        let counts = lines.compactMap { FieldText.deltaSeconds(FieldText.trimmed($0[...])) }
        guard counts.count == lines.count, let least = counts.min() else { return true }
        guard least > 0 else { return false }
        self[.maxForwards] = String(least - 1)
        return true
    }
}
