internal import AFCText
internal import Crypto

/// A key that verifies signatures.
///
/// Keys with the same bytes are equal, even if their comments differ.
public struct PublicKey: Hashable, Sendable, CustomStringConvertible {
    /// The reason why a text is not a key or a list of keys.
    public enum Malformation: Error, Equatable, Sendable, CustomStringConvertible {
        /// The line, from 1, is not in the form `afcache-ed25519 KEY COMMENT`.
        case notAKey(line: Int)
        /// The line, from 1, is a private key.
        case privateKey(line: Int)
        /// No line contains a key.
        case empty

        /// A description of the error, as the end of a sentence.
        public var description: String {
            switch self {
            case .notAKey(let line): "line \(line) is not a public key in afcache's form"
            case .privateKey(let line): "line \(line) is a private key; name the file that ends in '.pub'"
            case .empty: "there is no public key in it"
            }
        }
    }

    /// The 32 bytes of the key (RFC 8032 §5.1.5).
    public let bytes: [UInt8]
    /// The comment after the key.
    public var comment: String?

    static let prefix = "afcache-ed25519"

    /// Creates a key; nil unless there are 32 bytes.
    ///
    /// - Parameters:
    ///   - bytes: The key.
    ///   - comment: The comment to write after the key.
    public init?(bytes: [UInt8], comment: String? = nil) {
        guard bytes.count == 32 else { return nil }
        self.bytes = bytes
        self.comment = comment
    }

    /// Compares the keys' bytes.
    public static func == (one: PublicKey, other: PublicKey) -> Bool { one.bytes == other.bytes }

    /// Hashes the key's bytes.
    public func hash(into hasher: inout Hasher) { hasher.combine(bytes) }

    /// The key ID, for display; never compare keys by it.
    public var id: String { Hexadecimal.text(SHA256.hash(data: bytes).prefix(8)) }

    /// The key ID.
    public var description: String { id }

    /// The line of a key file, including its line end.
    public var line: String {
        "\(Self.prefix) \(Base64.encode(bytes))" + (comment.map { " \($0)" } ?? "") + "\n"
    }

    /// Reads the keys of a trust file.
    ///
    /// - Parameter text: One key per line; blank lines and lines that begin with `#` are skipped.
    /// - Returns: The keys in the order of the file.
    /// - Throws: ``Malformation`` for the first line that is not a key.
    public static func list(_ text: [UInt8]) throws(Malformation) -> [PublicKey] {
        var keys: [PublicKey] = []
        let lines = text.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
        for (index, bytes) in lines.enumerated() {
            guard let line = KeyLine(bytes) else { throw .notAKey(line: index + 1) }
            if line.isSkipped { continue }
            guard line.kind != SigningKey.prefix else { throw .privateKey(line: index + 1) }
            guard line.kind == prefix, let value = line.value, let key = PublicKey(bytes: value, comment: line.comment)
            else { throw .notAKey(line: index + 1) }
            keys.append(key)
        }
        guard !keys.isEmpty else { throw .empty }
        return keys
    }

    func isValid(_ signature: [UInt8], for message: [UInt8]) -> Bool {
        guard let key = try? Curve25519.Signing.PublicKey(rawRepresentation: bytes) else { return false }
        return key.isValidSignature(signature, for: message)
    }
}

/// One line of a key file: its kind, its value in Base64, and a comment.
struct KeyLine {
    var kind = ""
    var value: [UInt8]?
    var comment: String?
    var isSkipped = false

    /// Reads a line; nil if it isn't UTF-8 or has control characters.
    init?(_ bytes: some Collection<UInt8>) {
        guard let text = String(validating: Array(bytes), as: UTF8.self),
            text.utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7F || $0 == 0x09 || $0 == 0x0D })
        else { return nil }
        let words = text.split(maxSplits: 2) { $0 == " " || $0 == "\t" || $0 == "\r" || $0 == "\r\n" }
        isSkipped = words.isEmpty || words[0].hasPrefix("#")
        guard !isSkipped else { return }
        kind = String(words[0])
        if words.count > 1 { value = Base64.decode(words[1]) }
        guard words.count > 2 else { return }
        let rest = words[2].drop { $0.isWhitespace }.reversed().drop { $0.isWhitespace }.reversed()
        comment = rest.isEmpty ? nil : String(rest)
    }
}
