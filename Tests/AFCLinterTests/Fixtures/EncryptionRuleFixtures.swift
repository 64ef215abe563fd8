import AFCLinter
import AFCPackageFormat
import AFCZip
import TestSupport
import Testing

extension RuleFixture {
    /// Fixtures of encrypted archives.
    static let encryption: [RuleFixture] = [
        RuleFixture(
            rule: "zip.encrypted",
            bad: .archive("hostile/encrypted.zip"),
            good: encrypted(password: "secret")
        ),
        RuleFixture(
            rule: "zip.password-missing",
            bad: encrypted(password: nil),
            good: encrypted(password: "secret")
        ),
        RuleFixture(
            rule: "zip.password-wrong",
            bad: handmade([locked("manifest.afcache")]),
            good: encrypted(password: "secret")
        ),
        RuleFixture(
            rule: "zip.partly-encrypted",
            bad: handmade([locked("d.example/a"), RawZip.Member("manifest.afcache", line("a"))]),
            good: handmade([locked("d.example/a"), RawZip.Member("e.example/", ""), locked("manifest.afcache")])
        ),
        RuleFixture(
            rule: "zip.authentication",
            bad: encrypted(password: "secret") { path in
                // The last byte of the code behind the body.
                let member = try #require(try ZipReader(path: path, password: password()).member(named: "d.example/a"))
                return Int(member.dataOffset + member.compressedSize - 1)
            },
            good: encrypted(password: "secret")
        ),
    ]

    private static func password(_ text: String = "secret") throws -> Password {
        try #require(Password(Array(text.utf8)))
    }

    /// A package encrypted with the password `secret`, linted with another or none; one byte may be changed.
    private static func encrypted(
        password given: String?,
        changing position: (@Sendable (String) throws -> Int)? = nil
    ) -> Sample {
        .made {
            $0.password = try given.map { try password($0) }
        } _: { scratch in
            let path = scratch.path("encrypted.zip")
            var options = ZipWriter.Options()
            options.password = try password()
            let members = [("d.example/a", "body"), ("manifest.afcache", line("a"))].map {
                NewMember(name: $0, content: .bytes(Array($1.utf8)), isCompressible: false)
            }
            _ = try await ZipWriter.write(to: path, members: members, options: options)
            guard let position else { return path }
            var bytes = try scratch.read("encrypted.zip")
            bytes[try position(path)] ^= 1
            return try scratch.write(bytes, to: "changed.zip")
        }
    }

    /// A member that says it is encrypted with AES-256, with data that no password decrypts.
    private static func locked(_ name: String) -> RawZip.Member {
        RawZip.Member(name).with {
            $0.flags = 1
            $0.method = 99
            $0.crc = 0
            $0.data = [UInt8](repeating: 7, count: 32)
            $0.compressedSize = 32
            $0.extra = u16(0x9901) + u16(7) + u16(2) + Array("AE".utf8) + [3] + u16(0)
            $0.localExtra = $0.extra
        }
    }

    private static func handmade(_ members: [RawZip.Member]) -> Sample {
        .made {
            $0.password = try password()
        } _: {
            try $0.write(RawZip(members).bytes, to: "file")
        }
    }
}
