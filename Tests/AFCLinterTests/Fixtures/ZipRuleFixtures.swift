import AFCZip
import Foundation
import TestSupport
import Testing

extension RuleFixture {
    /// Fixtures of the archive: one of the corpus for each rule, and another that looks like it and is right.
    static let zip: [RuleFixture] =
        corpus.map { rule, bad, good in
            RuleFixture(rule: "zip." + rule, bad: .archive("hostile/\(bad).zip"), good: .archive("odd/\(good).zip"))
        } + bodies

    private static let corpus: [(rule: String, bad: String, good: String)] = [
        ("not-a-zip", "truncated-before-end-record", "no-members"),
        ("trailing-data", "trailing-line", "archive-comment"),
        ("ambiguous-end", "comment-hides-end-record", "body-of-records-marks"),
        ("hidden-archive", "comment-hides-member", "zip-as-the-last-body"),
        ("several-disks", "split-last-disk", "plain"),
        ("wrong-count", "count-too-low", "many-members"),
        ("bad-zip64", "zip64-count-disagrees", "zip64-end-record-that-repeats"),
        ("directory-misplaced", "directory-offset-too-large", "plain"),
        ("bad-directory", "entry-without-mark", "member-comment"),
        ("leading-data", "leading-archive-counted", "plain"),
        ("gap", "gap", "extra-padding"),
        ("overlap", "overlap", "order-of-directory-reversed"),
        ("no-local-header", "local-header-is-an-entry", "plain"),
        ("local-header-differs", "local-checksum-differs", "descriptor-with-sizes-in-local-header"),
        ("descriptor", "descriptor-checksum-lies", "descriptor-with-mark"),
        ("extra-field", "extra-field-cut-off", "extra-unknown"),
        ("unicode-path", "unicode-path-renames", "extra-same-unicode-path"),
        ("method", "method-bzip2", "stored-and-deflated"),
        ("version", "version-6.3", "version-4.5"),
        ("flags", "flags-reserved", "deflate-flags-for-speed"),
        ("link", "link", "mode-setuid"),
        ("device", "device-pipe", "made-by-unix"),
        ("type", "type-file-mode-on-folder", "folder-with-unix-mode"),
        ("folder-with-data", "folder-with-data", "folder-members"),
        ("stored-size", "stored-sizes-differ", "empty-bodies"),
        ("too-many-members", "bomb-count", "many-members"),
        ("too-large", "bomb-size", "zip64-sizes"),
        ("ratio", "bomb-ratio", "deflate-as-tight-as-can-be"),
        ("duplicate", "duplicate", "names-alike-in-two-folders"),
        ("collision", "collision-case", "names-alike-in-two-folders"),
        ("file-and-folder", "file-and-folder", "names-one-a-part-of-another"),
        ("name-empty", "member-no-name", "plain"),
        ("name-not-utf8", "member-latin-1", "name-utf8-without-flag"),
        ("name-too-long", "member-long-part", "name-as-long-as-may-be"),
        ("name-control-character", "member-escape-sequence", "name-of-url"),
        ("name-backslash", "member-backslash", "plain"),
        ("name-absolute", "member-absolute", "plain"),
        ("name-drive-letter", "member-drive-letter", "name-with-colon"),
        ("name-empty-part", "member-empty-part", "folder-members"),
        ("name-dot", "member-dot-part", "name-with-dots"),
        ("name-parent-path", "member-parent-path", "name-with-dots"),
    ]

    /// Fixtures of bodies, which are read where an entry names them.
    private static let bodies: [RuleFixture] = [
        RuleFixture(
            rule: "zip.checksum",
            bad: body(RawZip.Member("d.example/a").with { $0.crc ^= 1 }),
            good: body(RawZip.Member("d.example/a"))
        ),
        RuleFixture(
            rule: "zip.size-lies",
            bad: body(RawZip.Member.deflated("d.example/a", "body").with { $0.size = 5 }),
            good: body(RawZip.Member.deflated("d.example/a", "body"))
        ),
        // Its block is marked as not the last.
        RuleFixture(
            rule: "zip.deflate",
            bad: body(RawZip.Member.deflated("d.example/a", "body").with { $0.data[0] = 0 }),
            good: body(RawZip.Member.deflated("d.example/a", "body"))
        ),
        RuleFixture(
            rule: "zip.deflate-trailing",
            bad: body(
                RawZip.Member.deflated("d.example/a", "body").with {
                    $0.data += [1, 2, 3]
                    $0.compressedSize += 3
                }
            ),
            good: body(RawZip.Member.deflated("d.example/a", "body"))
        ),
        RuleFixture(rule: "zip.truncated", bad: read { _ = truncate($0, 50) }, good: read { _ in }),
    ]

    private static func body(_ member: RawZip.Member) -> Sample {
        .raw([member, RawZip.Member("manifest.afcache", line("a"))])
    }

    /// A file that something happens to while it is read.
    private static func read(_ happen: @escaping @Sendable (String) -> Void) -> Sample {
        Sample { scratch in
            let path = try scratch.write(RawZip([RawZip.Member("d.example/a", "a longer body")]).bytes, to: "file")
            let reader = try ZipReader(path: path)
            happen(path)
            do throws(ZipError) {
                for member in reader.members { _ = try reader.read(member, maxBytes: 100) }
                return []
            } catch {
                return [error.rule]
            }
        }
    }
}
