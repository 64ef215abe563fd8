extension RuleFixture {
    /// Fixtures of rules about bodies, and of those whose examples are too long to show.
    static let body: [RuleFixture] = [
        RuleFixture(
            rule: "type.contradicts-body",
            bad: typed("image/png", Array("\u{FEFF}\n<!DOCTYPE html><title>404</title>".utf8)),
            good: typed("image/png", [0xFF, 0xD8, 0xFF, 0xE0])
        ),
        RuleFixture(
            rule: "type.charset-missing",
            bad: typed("text/plain", [0xC3, 0xA4]),
            good: typed("text/plain; charset=utf-8", [0xC3, 0xA4])
        ),
        RuleFixture(
            rule: "type.charset-contradicts",
            bad: typed("text/html", Array("<meta charset=utf-8>".utf8) + [0xE4]),
            good: typed("text/html", Array("<meta charset=windows-1252>".utf8) + [0xE4])
        ),
        // The key's text is nobody's: it is no number at all.
        RuleFixture(
            rule: "security.private-key",
            bad: typed("text/plain", Array("x\n-----BEGIN RSA PRIVATE KEY-----\n\(base64)\n".utf8)),
            good: typed("text/plain", Array("x\n-----BEGIN CERTIFICATE-----\n\(base64)\n".utf8))
        ),
        // The token is nobody's: its letters and digits are in order.
        RuleFixture(
            rule: "security.token",
            bad: typed("text/javascript", Array("t='ghp_\(letters(36))'".utf8)),
            good: typed("text/javascript", Array("t='ghp_\(letters(12))'".utf8))
        ),
        RuleFixture(
            rule: "url.long",
            bad: .manifest(line(String(repeating: "a", count: 2_001 - 17))),
            good: .manifest(line(String(repeating: "a", count: 2_000 - 17)))
        ),
        // Linting takes place on Monday, 21 September 2026, at 14:13:20 GMT.
        RuleFixture(
            rule: "date.expires-soon",
            bad: expiring("Mon, 28 Sep 2026 14:13:20 GMT"),
            good: expiring("Mon, 28 Sep 2026 14:13:21 GMT")
        ),
    ]

    private static let base64 = String(repeating: "QUJD", count: 16)

    private static func letters(_ count: Int) -> String {
        String("abcdefghijklmnopqrstuvwxyz0123456789".prefix(count))
    }

    private static func typed(_ type: String, _ bytes: [UInt8]) -> Sample {
        .site([SiteBody("http://d.example/a", type, bytes)])
    }

    private static func expiring(_ date: String) -> Sample {
        .manifest("http://d.example/a ; Sat, 27 Mar 2004 18:43:30 GMT ; \(date) ; text/plain\n")
    }
}
