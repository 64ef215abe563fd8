/// Labels that UTS 46 allows and IDNA 2008 doesn't: hearts, arrows, daggers, and labels longer than DNS takes.
enum SymbolLabel {
    /// The label in Punycode with its prefix, or nil where it isn't surely valid by UTS 46.
    static func encode(_ label: String) -> [UInt8]? {
        var scalars: [Unicode.Scalar] = []
        for scalar in label.unicodeScalars {
            scalars.append(contentsOf: scalar.properties.lowercaseMapping.unicodeScalars)
        }
        guard scalars.allSatisfy(isValid), let first = scalars.first, !isMark(first) else { return nil }
        return punycode(scalars).map { Array("xn--".utf8) + $0 }
    }

    private static func isMark(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .nonspacingMark, .spacingMark, .enclosingMark: true
        default: false
        }
    }

    private static func isValid(_ scalar: Unicode.Scalar) -> Bool {
        if scalar.isASCII { return true }
        guard !scalar.properties.changesWhenNFKCCaseFolded, !isRightToLeft(scalar) else { return false }
        // Ideographic description characters and the specials are symbols that UTS 46 disallows.
        guard !(0x2FF0...0x2FFF).contains(scalar.value), !(0xFFF0...0xFFFF).contains(scalar.value) else { return false }
        switch scalar.properties.generalCategory {
        case .control, .format, .privateUse, .surrogate, .unassigned, .spaceSeparator, .lineSeparator,
            .paragraphSeparator:
            return false
        default:
            return true
        }
    }

    /// The blocks of scripts whose labels need the bidi rule, which only libidn2 checks here.
    private static func isRightToLeft(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0x0590...0x08FF, 0xFB1D...0xFDFF, 0xFE70...0xFEFF, 0x10800...0x10FFF, 0x1E800...0x1EFFF: true
        default: false
        }
    }

    /// RFC 3492 §6.3.
    private static func punycode(_ scalars: [Unicode.Scalar]) -> [UInt8]? {
        var output = scalars.filter(\.isASCII).map { UInt8($0.value) }
        let basicCount = output.count
        var handled = basicCount
        if basicCount > 0 { output.append(UInt8(ascii: "-")) }
        var (n, delta, bias): (UInt32, UInt32, UInt32) = (128, 0, 72)
        while handled < scalars.count {
            guard let next = scalars.map(\.value).filter({ $0 >= n }).min() else { return nil }
            let (product, overflow) = (next - n).multipliedReportingOverflow(by: UInt32(handled + 1))
            guard !overflow, delta <= UInt32.max - product else { return nil }
            delta += product
            n = next
            for scalar in scalars {
                if scalar.value < n { delta += 1 }
                guard scalar.value == n else { continue }
                appendDigits(of: delta, bias: bias, to: &output)
                bias = adapted(delta, count: UInt32(handled + 1), isFirst: handled == basicCount)
                delta = 0
                handled += 1
            }
            delta += 1
            n += 1
        }
        return output
    }

    private static func appendDigits(of delta: UInt32, bias: UInt32, to output: inout [UInt8]) {
        func digit(_ value: UInt32) -> UInt8 { UInt8(value < 26 ? value + 97 : value - 26 + 48) }
        var rest = delta
        var k: UInt32 = 36
        while true {
            let threshold = k <= bias ? 1 : (k >= bias + 26 ? 26 : k - bias)
            guard rest >= threshold else { break }
            output.append(digit(threshold + (rest - threshold) % (36 - threshold)))
            rest = (rest - threshold) / (36 - threshold)
            k += 36
        }
        output.append(digit(rest))
    }

    private static func adapted(_ delta: UInt32, count: UInt32, isFirst: Bool) -> UInt32 {
        var delta = isFirst ? delta / 700 : delta / 2
        delta += delta / count
        var k: UInt32 = 0
        while delta > 455 {
            delta /= 35
            k += 36
        }
        return k + 36 * delta / (delta + 38)
    }
}
