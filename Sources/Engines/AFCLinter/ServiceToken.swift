/// Tokens of services, which have recognizable formats.
enum ServiceToken {
    /// The alphabet of a token's characters.
    private enum Alphabet {
        /// Capital letters and digits.
        case capitals
        /// Letters and digits.
        case letters
        /// Letters, digits, hyphen and underscore.
        case words

        func contains(_ byte: UInt8) -> Bool {
            switch byte {
            case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "A")...UInt8(ascii: "Z"): true
            case UInt8(ascii: "a")...UInt8(ascii: "z"): self != .capitals
            case UInt8(ascii: "-"), UInt8(ascii: "_"): self == .words
            default: false
            }
        }
    }

    /// The format of a token: a prefix, and the number of characters of an alphabet that follow.
    private struct Form {
        let owner: String
        let beginning: [UInt8]
        let length: ClosedRange<Int>
        let alphabet: Alphabet

        init(_ owner: String, _ beginning: String, _ length: ClosedRange<Int>, _ alphabet: Alphabet) {
            (self.owner, self.beginning) = (owner, Array(beginning.utf8))
            (self.length, self.alphabet) = (length, alphabet)
        }
    }

    private static let forms =
        ["ghp_", "gho_", "ghu_", "ghs_", "ghr_"].map { Form("GitHub", $0, 36...255, .letters) }
        + ["xoxb-", "xoxp-", "xoxa-", "xoxr-", "xoxs-"].map { Form("Slack", $0, 24...255, .words) }
        + ["AKIA", "ASIA"].map { Form("AWS", $0, 16...16, .capitals) }
        + ["sk_live_", "rk_live_"].map { Form("Stripe", $0, 24...255, .letters) }
        + [
            Form("GitHub", "github_pat_", 60...255, .words), Form("GitLab", "glpat-", 20...255, .words),
            Form("npm", "npm_", 36...36, .letters), Form("PyPI", "pypi-AgEIcHlwaS5vcmc", 50...1024, .words),
        ]

    /// True for each byte that a prefix can begin with.
    private static let firsts: [Bool] = {
        var firsts = [Bool](repeating: false, count: 256)
        for form in forms { firsts[Int(form.beginning[0])] = true }
        return firsts
    }()

    /// Returns the service of the first token in a body, or nil.
    ///
    /// - Parameters:
    ///   - bytes: The body.
    ///   - allowsExample: True to ignore keys that end in `EXAMPLE`.
    /// - Returns: The service's name.
    static func owner(in bytes: [UInt8], allowsExample: Bool) -> String? {
        bytes.withUnsafeBufferPointer { bytes in
            for index in bytes.indices where firsts[Int(bytes[index])] {
                // A token can't begin in the middle of a word, for example in Base64.
                if index > 0, isWord(bytes[index - 1]) { continue }
                for form in forms where form.beginning[0] == bytes[index] {
                    guard let end = end(of: form, bytes, at: index) else { continue }
                    if allowsExample, bytes[..<end].suffix(7).elementsEqual("EXAMPLE".utf8) { continue }
                    return form.owner
                }
            }
            return nil
        }
    }

    private static func end(of form: Form, _ bytes: UnsafeBufferPointer<UInt8>, at index: Int) -> Int? {
        guard bytes[index...].starts(with: form.beginning) else { return nil }
        let start = index + form.beginning.count
        var end = start
        while end < bytes.count, end - start <= form.length.upperBound, form.alphabet.contains(bytes[end]) { end += 1 }
        guard form.length.contains(end - start), end == bytes.count || !isWord(bytes[end]) else { return nil }
        return end
    }

    private static func isWord(_ byte: UInt8) -> Bool {
        (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte)
            || byte == UInt8(ascii: "_")
    }
}
