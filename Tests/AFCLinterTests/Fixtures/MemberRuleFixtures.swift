import AFCLinter
import TestSupport

extension RuleFixture {
    /// Fixtures of rules about members and the package.
    static let member: [RuleFixture] = [
        RuleFixture(
            rule: "member.empty",
            bad: image([]),
            good: .site([SiteBody("http://d.example/a", "text/css", "")])
        ),
        RuleFixture(
            rule: "member.large",
            bad: .site([text(33)]) { $0.largeBody = 32 },
            good: .site([text(32)]) { $0.largeBody = 32 }
        ),
        RuleFixture(
            rule: "member.not-deflated",
            bad: .site([text(4_096)], compressed: false),
            good: .site([text(4_095)], compressed: false)
        ),
        // The data is one block that is not compressed, five bytes more than the body.
        RuleFixture(
            rule: "member.deflated-in-vain",
            bad: .raw([
                .deflated("d.example/a", letters(1_024)),
                RawZip.Member("manifest.afcache", line("a", type: "image/jpeg")),
            ]),
            good: .raw([
                .deflated("d.example/a", letters(1_023)),
                RawZip.Member("manifest.afcache", line("a", type: "image/jpeg")),
            ])
        ),
        RuleFixture(
            rule: "member.high-ratio",
            bad: .site([text(1_048_576)]),
            good: .site([text(1_048_576)], compressed: false)
        ),
        RuleFixture(
            rule: "member.rubbish",
            bad: .site([text(4)], others: ["__MACOSX/d.example/._a"]),
            good: .site([text(4)], others: ["d.example/thumbs.html"])
        ),
        RuleFixture(
            rule: "member.repeated-body",
            bad: .site([named("d.example/a", "a"), named("d.example/b", "b")]),
            good: .site([named("d.example/a", "a"), named("d.example/a", "b")])
        ),
        RuleFixture(
            rule: "member.wrong-place",
            bad: .site([SiteBody("http://d.example/a", "text/plain", "body", member: "e.example/a")]),
            good: .site([SiteBody("http://d.example/a/", "text/plain", "body", member: "d.example/a/~index")])
        ),
        RuleFixture(
            rule: "member.still-encoded",
            bad: .site([SiteBody("http://d.example/a", "text/html", gzip)]),
            good: .site([SiteBody("http://d.example/a", "application/gzip", gzip)])
        ),
        RuleFixture(
            rule: "signature.none",
            bad: .site([text(4)]),
            good: .site([text(4)], others: [".afcache/signature"])
        ),
        RuleFixture(
            rule: "package.not-reproducible",
            bad: zipped(touching: "d.example/a"),
            good: .site([text(4)], info: #"{"format":1}"#)
        ),
        RuleFixture(
            rule: "package.folder-members",
            bad: zipped(touching: "d.example"),
            good: .site([text(4)], info: #"{"format":1}"#)
        ),
    ]

    /// What `printf x | gzip` begins with.
    private static let gzip: [UInt8] = [0x1F, 0x8B, 0x08, 0x00, 0x00, 0x00, 0x00, 0x00]

    private static func letters(_ count: Int) -> String { String(repeating: "a", count: count) }

    private static func text(_ count: Int) -> SiteBody { SiteBody("http://d.example/a", "text/plain", letters(count)) }

    private static func image(_ bytes: [UInt8]) -> Sample {
        .site([SiteBody("http://d.example/a", "image/png", bytes)])
    }

    private static func named(_ member: String, _ path: String) -> SiteBody {
        SiteBody("http://d.example/\(path)", "text/plain", letters(1100), member: member)
    }

    /// A package that Python made of a folder, one file of which is older than the others.
    private static func zipped(touching file: String) -> Sample {
        .made { scratch in
            try scratch.write(Array("body".utf8), to: "in/d.example/a")
            try scratch.write(Array(#"{"format":1}"#.utf8), to: "in/.afcache/package.json")
            try scratch.write(Array(line("a").utf8), to: "in/manifest.afcache")
            let script =
                "cd in && touch -d '2001-02-03' \(file) && "
                + "python3 -m zipfile -c ../p.zip d.example .afcache manifest.afcache"
            _ = try Program.run("sh", ["-c", script], in: scratch.path)
            return scratch.path("p.zip")
        }
    }
}
