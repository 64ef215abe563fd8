import AFCPackageFormat
import Testing

/// Keys and their files; the pair is the first of RFC 8032 §7.1, its texts and id made with Python.
struct KeyTests {
    static let seedText = "nWGxne/9WmC6hEr0kuwsxERJxWl7MmkZcDusAxyuf2A="
    static let keyText = "11qYAYKxCrfVS/7TyWQHOg7hcvPapiMlrwIaaPcHURo="
    static let id = "21fe31dfa154a261"

    static func signer() throws -> SigningKey {
        try SigningKey(file: Array("afcache-ed25519-private \(seedText) news desk\n".utf8))
    }

    static func other() throws -> SigningKey { try #require(SigningKey(seed: [UInt8](repeating: 7, count: 32))) }

    @Test func `a private key gives its public key, id and files`() throws {
        let key = try Self.signer()
        #expect(key.publicKey.line == "afcache-ed25519 \(Self.keyText) news desk\n")
        #expect(key.publicKey.id == Self.id)
        #expect(key.secretLine == "afcache-ed25519-private \(Self.seedText) news desk\n")
    }

    @Test func `a private key is never shown as text`() throws {
        #expect("\(try Self.signer())" == "private key of \(Self.id)")
    }

    @Test func `a trust file has keys, comments and blank lines`() throws {
        let other = try Self.other().publicKey
        let text = "# who we trust\n\n  afcache-ed25519\t\(Self.keyText)  news desk \r\n" + other.line
        let keys = try PublicKey.list(Array(text.utf8))
        #expect(keys.map(\.id) == [Self.id, other.id])
        #expect(keys.map(\.comment) == ["news desk", nil])
    }

    @Test func `keys are equal if their bytes are`() throws {
        let key = try Self.signer().publicKey
        var named = key
        named.comment = "somebody else"
        #expect(key == named)
        #expect(Set([key, named]).count == 1)
    }

    @Test(
        arguments: [
            ("", .empty), ("# nothing\n", .empty), ("ssh-ed25519 \(keyText)\n", .notAKey(line: 1)),
            ("afcache-ed25519\n", .notAKey(line: 1)), ("\nafcache-ed25519 AAAA\n", .notAKey(line: 2)),
            ("afcache-ed25519 \(keyText.dropLast())\n", .notAKey(line: 1)),
            ("afcache-ed25519 \(keyText) a\u{1B}[31m\n", .notAKey(line: 1)),
            ("afcache-ed25519-private \(seedText)\n", .privateKey(line: 1)),
        ] as [(String, PublicKey.Malformation)]
    )
    func `a trust file with an invalid line is refused`(text: String, reason: PublicKey.Malformation) {
        #expect(throws: reason) { try PublicKey.list(Array(text.utf8)) }
    }

    @Test(
        arguments: [
            ("", .notAKey), ("afcache-ed25519-private\n", .notAKey), ("afcache-ed25519-private AAAA\n", .notAKey),
            ("afcache-ed25519 \(keyText)\n", .publicKey),
            ("afcache-ed25519-private \(seedText)\nafcache-ed25519-private \(seedText)\n", .notAKey),
            ("-----BEGIN PRIVATE KEY-----\n", .notAKey),
        ] as [(String, SigningKey.Malformation)]
    )
    func `a file that isn't a private key is refused`(text: String, reason: SigningKey.Malformation) {
        #expect(throws: reason) { try SigningKey(file: Array(text.utf8)) }
    }

    @Test(
        arguments: [
            keyText.replacing("Ro=", with: "Rp="), keyText.replacing("=", with: ""), keyText + "====",
            keyText.replacing("11", with: "1 1"), keyText.replacing("/", with: "_"), "=" + keyText.dropLast(),
        ]
    )
    // RFC 4648 §3.5 and §4.
    func `Base64 in another spelling is refused`(text: String) {
        #expect(throws: PublicKey.Malformation.notAKey(line: 1)) {
            try PublicKey.list(Array("afcache-ed25519 \(text)\n".utf8))
        }
    }
}
