/// The byte ranges that a request asks for (RFC 9110 §14.1.2).
public enum ByteRanges: Equatable, Sendable {
    /// The field isn't a set of byte ranges that this server supports, so it is ignored.
    case ignored
    /// None of the ranges lies in the body: 416.
    case unsatisfiable
    /// The requested ranges of offsets in the body, in their order, none empty.
    case satisfiable([Range<Int64>])

    /// The most ranges of one request; a field with more is ignored, as RFC 9110 §14.2 allows.
    public static let countLimit = 16

    /// Parses a Range field for a body.
    ///
    /// Overlapping ranges are merged, so that an answer is hardly longer than the body.
    ///
    /// - Parameters:
    ///   - field: The field's value.
    ///   - size: The length of the body in bytes.
    public init(_ field: String, size: Int64) {
        guard let equals = field.firstIndex(of: "="), field[..<equals].lowercased() == "bytes" else {
            self = .ignored
            return
        }
        let specs = FieldText.list(String(field[field.index(after: equals)...]))
        guard !specs.isEmpty, specs.count <= Self.countLimit else {
            self = .ignored
            return
        }
        var ranges: [Range<Int64>] = []
        for spec in specs {
            guard let bounds = Self.bounds(spec) else {
                self = .ignored
                return
            }
            if let range = Self.resolve(bounds, size: size) { ranges.append(range) }
        }
        guard !ranges.isEmpty else {
            self = .unsatisfiable
            return
        }
        self = .satisfiable(Self.hasOverlap(ranges) ? Self.merged(ranges) : ranges)
    }

    /// Returns the bounds of a field with a single range, or nil for others; the last position of a suffix is its
    /// length.
    package static func single(_ field: String) -> (first: Int64?, last: Int64?)? {
        guard let equals = field.firstIndex(of: "="), field[..<equals].lowercased() == "bytes" else { return nil }
        let specs = FieldText.list(String(field[field.index(after: equals)...]))
        return specs.count == 1 ? bounds(specs[0]) : nil
    }

    private static func bounds(_ spec: Substring) -> (first: Int64?, last: Int64?)? {
        guard let hyphen = spec.firstIndex(of: "-") else { return nil }
        let texts = (spec[..<hyphen], spec[spec.index(after: hyphen)...])
        let first = texts.0.isEmpty ? nil : position(texts.0)
        let last = texts.1.isEmpty ? nil : position(texts.1)
        guard texts.0.isEmpty || first != nil, texts.1.isEmpty || last != nil, first != nil || last != nil else {
            return nil
        }
        if let first, let last, last < first { return nil }
        return (first, last)
    }

    /// Parses a number of any length; too large ones become the greatest `Int64`.
    private static func position(_ text: Substring) -> Int64? {
        var value: Int64 = 0
        for byte in text.utf8 {
            guard byte &- UInt8(ascii: "0") < 10 else { return nil }
            let (product, overflow) = value.multipliedReportingOverflow(by: 10)
            let (sum, carry) = product.addingReportingOverflow(Int64(byte - UInt8(ascii: "0")))
            value = overflow || carry ? .max : sum
        }
        return value
    }

    private static func resolve(_ bounds: (first: Int64?, last: Int64?), size: Int64) -> Range<Int64>? {
        guard let first = bounds.first else {
            guard let suffix = bounds.last, suffix > 0, size > 0 else { return nil }
            return max(0, size - suffix)..<size
        }
        guard first < size else { return nil }
        guard let last = bounds.last, last < size - 1 else { return first..<size }
        return first..<(last + 1)
    }

    private static func hasOverlap(_ ranges: [Range<Int64>]) -> Bool {
        let sorted = ranges.sorted { $0.lowerBound < $1.lowerBound }
        return zip(sorted, sorted.dropFirst()).contains { $0.upperBound >= $1.lowerBound }
    }

    private static func merged(_ ranges: [Range<Int64>]) -> [Range<Int64>] {
        var result: [Range<Int64>] = []
        for range in ranges.sorted(by: { $0.lowerBound < $1.lowerBound }) {
            if let last = result.last, range.lowerBound <= last.upperBound {
                result[result.count - 1] = last.lowerBound..<max(last.upperBound, range.upperBound)
            } else {
                result.append(range)
            }
        }
        return result
    }
}
