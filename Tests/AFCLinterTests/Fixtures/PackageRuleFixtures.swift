import AFCLinter
import Foundation
import TestSupport

extension RuleFixture {
    /// Fixtures of what can't be shown as text of a manifest.
    static let manifest: [RuleFixture] = [
        RuleFixture(rule: "io", bad: .made { $0.path("nothing") }, good: .manifest(line("a"))),
        RuleFixture(
            rule: "manifest.missing",
            bad: .package(["site/manifest.afcache": line("a"), "d.example/a": "body"]),
            good: .package(["manifest.afcache": line("a"), "d.example/a": "body"])
        ),
        RuleFixture(
            rule: "manifest.not-utf8",
            bad: .bytes(Array("http://d.example/".utf8) + [0xE4] + Array(" ; NULL ; NULL\n".utf8)),
            good: .bytes(Array("http://d.example/".utf8) + [0xC3, 0xA4] + Array(" ; NULL ; NULL\n".utf8))
        ),
        RuleFixture(
            rule: "manifest.line-too-long",
            bad: .manifest(long(65_537)),
            good: .manifest(long(65_536))
        ),
        RuleFixture(rule: "manifest.bodies-too-large", bad: huge(entries: 22), good: huge(entries: 20)),
    ]

    /// A line of so many bytes before its end.
    private static func long(_ count: Int) -> String {
        let start = line("a").dropLast() + " ; "
        return start + String(repeating: "m", count: count - start.utf8.count) + "\n"
    }

    /// Entries that name one member of 3 GiB, which is a hole in the file.
    private static func huge(entries: Int) -> Sample {
        let lines = (10..<10 + entries).map { line("\($0)", member: "d.example/a") }.joined()
        let size = 3 << 30
        let manifest = RawZip.Member("manifest.afcache", lines)
        let member = RawZip.Member("d.example/a", "").with {
            $0.size = UInt32(size)
            $0.compressedSize = UInt32(size)
        }
        let start = 30 + manifest.name.count + manifest.data.count + 30 + member.name.count
        let bytes = RawZip([manifest, member]).with { $0.directoryOffset = UInt32(start + size) }.bytes
        return .made {
            $0.checksBodies = false
        } _: { scratch in
            let path = try scratch.write(Array(bytes[..<start]), to: "huge.zip")
            let handle = try FileHandle(forWritingTo: URL(fileURLWithPath: path))
            try handle.seek(toOffset: UInt64(start + size))
            try handle.write(contentsOf: Data(bytes[start...]))
            try handle.close()
            return path
        }
    }

    /// Fixtures of what members and sidecar have, or lack.
    static let package: [RuleFixture] = [
        RuleFixture(
            rule: "member.missing",
            bad: .package(["d.example/b": "body", "manifest.afcache": line("a")]),
            good: .package(["d.example/a": "body", "manifest.afcache": line("a")])
        ),
        RuleFixture(
            rule: "member.is-folder",
            bad: .archive("hostile/manifest-names-folder.zip"),
            good: .package([
                "d.example/a/~index": "body", "manifest.afcache": line("a", member: "d.example/a/~index"),
            ])
        ),
        RuleFixture(
            rule: "member.without-entry",
            bad: .package(["d.example/a": "body", "d.example/b": "body", "manifest.afcache": line("a")]),
            good: .package(["d.example/a": "body", ".userdata/key/b": "body", "manifest.afcache": line("a")])
        ),
        RuleFixture(rule: "sidecar.bad-info", bad: info("{}"), good: info(#"{"format":1}"#)),
        RuleFixture(rule: "sidecar.newer-format", bad: info(#"{"format":2}"#), good: info(#"{"format":1}"#)),
        RuleFixture(
            rule: "sidecar.bad-absent",
            bad: absent("404 http://d.example/a\n"),
            good: absent("404 http://d.example/b\n")
        ),
        RuleFixture(
            rule: "sidecar.bad-fallback",
            bad: fallback(#"{"base":"http://d.example/","missing":"http://d.example/404.html"}"#),
            good: fallback(#"{"base":"http://d.example/","missing":"http://d.example/a"}"#)
        ),
        RuleFixture(
            rule: "sidecar.bad-match",
            bad: match(#"{"rules":[{"path":"/api/*"}]}"#),
            good: match(#"{"rules":[{"path":"/api/*","ignore":["nonce"]}]}"#)
        ),
        RuleFixture(
            rule: "sidecar.bad-record",
            bad: .recorded(#"{"url":"http://d.example/a"}"#),
            good: .recorded(#"{"url":"http://d.example/a","status":200}"#)
        ),
        RuleFixture(
            rule: "sidecar.record-without-entry",
            bad: .recorded(#"{"url":"http://d.example/b","status":200}"#),
            good: .recorded(#"{"url":"http://d.example/b","status":301,"fields":[["location","/a"]]}"#)
        ),
        RuleFixture(
            rule: "sidecar.duplicate-record",
            bad: .recorded(
                #"{"url":"http://d.example/a","status":200}"#,
                #"{"url":"http://d.example/a","status":200}"#
            ),
            good: .recorded(
                #"{"url":"http://d.example/a","status":200}"#,
                #"{"url":"https://d.example/a","status":301,"fields":[["location","/b"]]}"#
            )
        ),
        RuleFixture(
            rule: "sidecar.size",
            bad: .recorded(#"{"url":"http://d.example/a","status":200,"size":5}"#),
            good: .recorded(#"{"url":"http://d.example/a","status":200,"size":4}"#)
        ),
        // The digest is what sha256sum says of "body".
        RuleFixture(
            rule: "sidecar.digest",
            bad: digest("130d8358dc8e8890b4c58deeb62912ee2f20357ae92a5cc861b98e68fe31acb5"),
            good: digest("230d8358dc8e8890b4c58deeb62912ee2f20357ae92a5cc861b98e68fe31acb5")
        ),
        RuleFixture(
            rule: "sidecar.disagrees",
            bad: .recorded(#"{"url":"http://d.example/a","status":200,"fields":[["content-type","text/html"]]}"#),
            good: .recorded(#"{"url":"http://d.example/a","status":200,"fields":[["content-type","text/plain"]]}"#)
        ),
    ]

    private static func info(_ text: String) -> Sample {
        .package(["d.example/a": "body", ".afcache/package.json": text, "manifest.afcache": line("a")])
    }

    private static func fallback(_ text: String) -> Sample {
        .package(["d.example/a": "body", ".afcache/fallback.json": text, "manifest.afcache": line("a")])
    }

    private static func absent(_ text: String) -> Sample {
        .package(["d.example/a": "body", ".afcache/absent": text, "manifest.afcache": line("a")])
    }

    private static func match(_ text: String) -> Sample {
        .package(["d.example/a": "body", ".afcache/match.json": text, "manifest.afcache": line("a")])
    }

    private static func digest(_ digits: String) -> Sample {
        .recorded(#"{"url":"http://d.example/a","status":200,"size":4,"sha256":"\#(digits)"}"#)
    }
}
