/// The recognition of files of private keys, which must not be published, or lost to another file.
package enum PrivateKeyFile {
    /// The first word of a private key of this project.
    package static let prefix = "afcache-ed25519-private"
    /// The bytes of a file's beginning that are looked at: a key may follow certificates.
    package static let beginning = 16 << 10

    /// Returns whether a file begins as the key files of PEM (RFC 7468), OpenSSH, PuTTY and this project do.
    ///
    /// - Parameter bytes: The beginning of the file, of which at most ``beginning`` bytes are read.
    /// - Returns: True if it does.
    package static func isBeginning(_ bytes: UnsafeRawBufferPointer) -> Bool {
        guard let first = bytes.first(where: { $0 > 0x20 }), "-aP".utf8.contains(first) else { return false }
        let text = String(decoding: bytes.prefix(beginning), as: UTF8.self).drop { $0.isWhitespace }
        if text.hasPrefix(prefix + " ") || text.hasPrefix("PuTTY-User-Key-File-") { return true }
        return text.hasPrefix("-----BEGIN ")
            && text.split(whereSeparator: \.isNewline).contains {
                $0.hasPrefix("-----BEGIN ") && $0.hasSuffix("PRIVATE KEY-----")
            }
    }
}
