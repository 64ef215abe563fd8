import AFCLinter
import AFCZip
import TestSupport

extension RuleFixture {
    /// Fixtures of what AFCache's own versions don't read.
    static let readable: [RuleFixture] = [
        RuleFixture(
            rule: "readable.fields",
            bad: manifest(line("a"), readers: [.afcache013]),
            good: manifest(line("a", member: "d.example/a"), readers: [.afcache013])
        ),
        RuleFixture(
            rule: "readable.text",
            bad: manifest("http://d.example/ä ; NULL ; NULL\n", readers: [.afcache06]),
            good: manifest("http://d.example/%C3%A4 ; NULL ; NULL\n", readers: [.afcache06])
        ),
        RuleFixture(
            rule: "readable.body-place",
            bad: .site([SiteBody("http://d.example/a/", "text/plain", "body", member: "d.example/a/~index")]) {
                $0.readers = [.afcache06]
            },
            good: .site([SiteBody("http://d.example/a/", "text/plain", "body", member: "d.example/a/~index")]) {
                $0.readers = [.afcache013]
            }
        ),
        RuleFixture(
            rule: "readable.encrypted",
            bad: encrypted("secret"),
            good: encrypted(nil)
        ),
        RuleFixture(
            rule: "readable.redirect",
            bad: recorded(#"{"url":"http://d.example/b","status":301,"fields":[["location","/p"]]}"#),
            good: recorded(#"{"url":"http://d.example/p","status":200}"#)
        ),
    ]

    private static func manifest(_ text: String, readers: [OldReader]) -> Sample {
        .made {
            $0.settings.readers = readers
        } _: {
            try $0.write(Array(text.utf8), to: "m.afcache")
        }
    }

    private static func recorded(_ record: String) -> Sample {
        .site([.page("x")], records: [record]) { $0.readers = [.afcache013] }
    }

    private static func encrypted(_ word: String?) -> Sample {
        .made {
            $0.settings.readers = [.afcache013]
            $0.password = word.flatMap { Password(Array($0.utf8)) }
        } _: { scratch in
            let members = [
                NewMember(name: "d.example/a", content: .bytes(Array("body".utf8)), isCompressible: true),
                NewMember(name: "manifest.afcache", content: .bytes(Array(line("a").utf8)), isCompressible: true),
            ]
            var options = ZipWriter.Options()
            options.password = word.flatMap { Password(Array($0.utf8)) }
            let path = scratch.path("package.zip")
            _ = try await ZipWriter.write(to: path, members: members, options: options)
            return path
        }
    }
}
