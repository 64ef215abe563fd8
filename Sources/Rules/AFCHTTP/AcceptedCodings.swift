public import HTTPTypes

/// The content codings that a client accepts in a response (RFC 9110 §12.5.3).
public struct AcceptedCodings: Equatable, Sendable {
    /// The weights of the codings that the client names, in thousandths.
    private var weights: [String: Int] = [:]
    /// True if the request has the field at all.
    private let isStated: Bool

    /// Reads the field Accept-Encoding.
    ///
    /// An element whose weight is malformed counts as not accepted. If a coding occurs twice, its first weight counts.
    ///
    /// - Parameter request: The fields of the request.
    public init(_ request: HTTPFields) {
        let lines = request[values: .acceptEncoding]
        isStated = !lines.isEmpty
        for element in lines.flatMap({ FieldText.list($0) }) {
            let parts = element.split(separator: ";", omittingEmptySubsequences: false).map(FieldText.trimmed)
            guard let name = parts.first, FieldText.isToken(name), parts.count <= 2 else { continue }
            // RFC 9110 §8.4.1.3: x-gzip is the same coding.
            let coding = name.lowercased() == "x-gzip" ? "gzip" : name.lowercased()
            guard weights[coding] == nil else { continue }
            weights[coding] = parts.count == 1 ? 1000 : FieldText.weight(parts[1]) ?? 0
        }
    }

    /// True if the client accepts gzip, and prefers nothing to it that needs no coding.
    ///
    /// A client that sends no Accept-Encoding accepts every coding, but often understands none, so it doesn't count.
    public var prefersGzip: Bool {
        guard isStated, let gzip = weights["gzip"] ?? weights["*"], gzip > 0 else { return false }
        // A body without a coding that isn't mentioned is acceptable, but less than what is.
        return gzip >= weights["identity"] ?? 0
    }
}

extension FieldText {
    /// Parses a weight in thousandths (RFC 9110 §12.4.2); nil if it is malformed.
    package static func weight(_ parameter: Substring) -> Int? {
        guard parameter.lowercased().hasPrefix("q=") else { return nil }
        let digits = parameter.dropFirst(2).split(separator: ".", omittingEmptySubsequences: false)
        guard let whole = digits.first, whole == "0" || whole == "1", digits.count <= 2 else { return nil }
        let fraction = digits.count == 2 ? digits[1] : ""
        guard fraction.utf8.count <= 3,
            let thousandths = deltaSeconds(fraction + "000".dropFirst(fraction.utf8.count))
        else { return nil }
        let value = (whole == "1" ? 1000 : 0) + Int(thousandths)
        return value <= 1000 ? value : nil
    }
}
