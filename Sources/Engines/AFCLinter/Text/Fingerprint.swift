internal import AFCPackageFormat
internal import AFCText
internal import Crypto

/// What makes two findings of different runs the same: the rule and what it is about, not the line or the words.
enum Fingerprint {
    /// 32 hexadecimal digits of the SHA-256 of rule and subject.
    ///
    /// - Parameters:
    ///   - rule: The rule.
    ///   - subject: A URL, a member's name, or nil for a package as a whole.
    /// - Returns: The digits.
    static func text(rule: String, subject: String?) -> String {
        var hash = SHA256()
        hash.update(data: Array(rule.utf8) + [0])
        if let subject { hash.update(data: Array(subject.utf8)) }
        return Hexadecimal.text(hash.finalize().prefix(16))
    }
}
