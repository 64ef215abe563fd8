/// The encoding of Unicode labels in ASCII (RFC 3492), without its prefix `xn--`.
enum Punycode {
    private static let base: UInt32 = 36
    private static let initialBias: UInt32 = 72
    private static let initialScalar: UInt32 = 0x80
    private static let hyphen = UInt8(ascii: "-")

    /// Returns the code of a label, or nil if its numbers are too large (RFC 3492 §6.3).
    static func encode(_ label: some Collection<Unicode.Scalar>) -> [UInt8]? {
        var output = label.filter(\.isASCII).map { UInt8(truncatingIfNeeded: $0.value) }
        let basicCount = UInt32(output.count)
        var handled = basicCount
        if basicCount > 0 { output.append(hyphen) }
        var (scalar, delta, bias) = (initialScalar, UInt32(0), initialBias)
        while handled < label.count {
            guard let next = label.lazy.map(\.value).filter({ $0 >= scalar }).min() else { return nil }
            let (step, overflow) = (next - scalar).multipliedReportingOverflow(by: handled + 1)
            let (sum, carry) = delta.addingReportingOverflow(step)
            guard !overflow, !carry else { return nil }
            (delta, scalar) = (sum, next)
            for current in label {
                if current.value < scalar { delta += 1 }
                guard current.value == scalar else { continue }
                appendNumber(delta, bias: bias, to: &output)
                bias = adapted(delta, count: handled + 1, isFirst: handled == basicCount)
                delta = 0
                handled += 1
            }
            delta += 1
            scalar += 1
        }
        return output
    }

    /// Returns the label of a code in lower case, or nil if the code is invalid.
    static func decode(_ code: some BidirectionalCollection<UInt8>) -> [Unicode.Scalar]? {
        guard code.allSatisfy({ $0 < 0x80 }) else { return nil }
        var output: [Unicode.Scalar] = []
        var rest = code[...]
        if let last = code.lastIndex(of: hyphen) {
            output = code[..<last].map { Unicode.Scalar($0) }
            rest = code[code.index(after: last)...]
        }
        var (scalar, index, bias) = (initialScalar, UInt32(0), initialBias)
        while !rest.isEmpty {
            let start = index
            var weight: UInt32 = 1
            var position = base
            while true {
                guard let byte = rest.popFirst(), let digit = value(byte) else { return nil }
                let (step, overflow) = digit.multipliedReportingOverflow(by: weight)
                let (sum, carry) = index.addingReportingOverflow(step)
                guard !overflow, !carry else { return nil }
                index = sum
                let threshold = threshold(position, bias)
                if digit < threshold { break }
                let (product, isTooLarge) = weight.multipliedReportingOverflow(by: base - threshold)
                guard !isTooLarge else { return nil }
                weight = product
                position += base
            }
            let count = UInt32(output.count) + 1
            bias = adapted(index - start, count: count, isFirst: start == 0)
            let (next, overflow) = scalar.addingReportingOverflow(index / count)
            guard !overflow, let decoded = Unicode.Scalar(next), !decoded.isASCII else { return nil }
            scalar = next
            index %= count
            output.insert(decoded, at: Int(index))
            index += 1
        }
        return output
    }

    private static func appendNumber(_ number: UInt32, bias: UInt32, to output: inout [UInt8]) {
        var rest = number
        var position = base
        while true {
            let threshold = threshold(position, bias)
            guard rest >= threshold else { break }
            output.append(digit(threshold + (rest - threshold) % (base - threshold)))
            rest = (rest - threshold) / (base - threshold)
            position += base
        }
        output.append(digit(rest))
    }

    private static func threshold(_ position: UInt32, _ bias: UInt32) -> UInt32 {
        position <= bias ? 1 : min(position - bias, 26)
    }

    private static func adapted(_ delta: UInt32, count: UInt32, isFirst: Bool) -> UInt32 {
        var delta = isFirst ? delta / 700 : delta / 2
        delta += delta / count
        var position: UInt32 = 0
        while delta > 455 {
            delta /= 35
            position += base
        }
        return position + 36 * delta / (delta + 38)
    }

    private static func digit(_ value: UInt32) -> UInt8 {
        let value = UInt8(truncatingIfNeeded: value)
        return value < 26 ? UInt8(ascii: "a") + value : UInt8(ascii: "0") + value - 26
    }

    private static func value(_ byte: UInt8) -> UInt32? {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"): UInt32(byte - UInt8(ascii: "a"))
        case UInt8(ascii: "0")...UInt8(ascii: "9"): UInt32(byte - UInt8(ascii: "0")) + 26
        default: nil
        }
    }
}
