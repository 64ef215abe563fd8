/// Tells apart findings of one file that have the same fingerprint, by their order.
struct FingerprintCounter {
    private var seen: [String: Int] = [:]

    /// The finding's fingerprint, and which of those with the same it is, from 1.
    mutating func number(of finding: Finding) -> (fingerprint: String, number: Int) {
        let fingerprint = finding.fingerprint ?? Fingerprint.text(rule: finding.rule, subject: nil)
        let number = seen[fingerprint, default: 0] + 1
        seen[fingerprint] = number
        return (fingerprint, number)
    }
}
