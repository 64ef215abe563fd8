import AFCText
import Foundation
import TestSupport
import Testing

/// `afcache patch`, and loading patches, as an administrator does it.
struct PatchCommandTests {
    let scratch: Scratch

    init() throws {
        scratch = try Scratch()
        for (version, footer) in [("1", "first"), ("2", "second")] {
            for number in 0..<12 {
                let same = number % 3 == 0 ? "always" : footer
                let text = (0..<400).map { "<p>paragraph \($0 &* (number + 7)) of \(number)</p>\n" }.joined()
                try scratch.write(Array("<html>\(text)\(same)</html>".utf8), to: "site\(version)/p\(number).html")
            }
            let result = try Program.run(
                "env",
                [
                    "SOURCE_DATE_EPOCH=176371920\(version)", Program.afcache, "pack", "--folder", "site\(version)",
                    "--base-url", "https://docs.example/", "-o", "docs\(version).zip", "--quiet",
                ],
                in: scratch.path
            )
            try #require(result.status == 0, "\(result.errors)")
        }
    }

    func run(_ arguments: String...) throws -> ProgramResult {
        try Program.run(Program.afcache, arguments, in: scratch.path)
    }

    func shell(_ script: String) throws -> ProgramResult {
        try Program.run("bash", ["-c", script.replacing("AFCACHE", with: Program.afcache)], in: scratch.path)
    }

    /// The footer of a page in the cache.
    func footer(_ cache: String = "st") throws -> String {
        let page = try run("get", "https://docs.example/p1.html", "--cache", cache).text
        return page.contains("second") ? "second" : page.contains("first") ? "first" : page
    }

    @Test func `a patch is small, and loading it makes the cache as the new package does`() throws {
        let made = try run("patch", "docs1.zip", "docs2.zip", "-o", "patch.zip")
        #expect(made.status == 0, "\(made.errors)")
        #expect(made.text.hasPrefix("wrote 'patch.zip': "), "\(made.text)")
        #expect(made.text.hasSuffix("% of the new package; 4 kept, 8 patched, 0 whole\n"), "\(made.text)")
        #expect(try scratch.read("patch.zip").count * 4 < scratch.read("docs2.zip").count)
        #expect(try run("load", "docs1.zip", "--name", "docs", "--cache", "st").status == 0)
        let loaded = try run("load", "patch.zip", "--name", "docs", "--cache", "st")
        #expect(loaded.status == 0, "\(loaded.errors)")
        #expect(loaded.text.hasSuffix("8 new, 4 unchanged\n"), "\(loaded.text)")
        #expect(try footer() == "second")
        let again = try run("load", "patch.zip", "--cache", "st")
        #expect(again.text == "unchanged 'docs': it is loaded already\n", "\(again.errors)")
        let swapped = try run("patch", "docs2.zip", "docs1.zip", "-o", "back.zip")
        #expect(
            swapped.errors.hasPrefix("warning: the new package, 'docs1.zip', was made before the old one, 'docs2.zip'")
        )
        #expect(try run("cache", "verify", "--cache", "st").status == 0)
        _ = try run("load", "docs1.zip", "--name", "docs", "--cache", "whole")
        #expect(try run("load", "docs2.zip", "--name", "docs", "--cache", "whole").status == 0)
        let same = try shell(
            "sha256sum {st,whole}/packages/*/index"
        )
        let digests = Set(same.text.split(separator: "\n").compactMap { $0.count > 64 ? $0.prefix(64) : nil })
        // The same two generations in each cache.
        #expect(digests.count == 2, "\(same.text)")
        #expect(try shell("ls -A st/downloads").text.isEmpty)
    }

    @Test func `JSON names both digests, and the new one pins the load`() throws {
        let made = try run("patch", "docs1.zip", "docs2.zip", "-o", "patch.zip", "--json")
        let json = try JSONValue(parsing: Array(made.text.utf8))
        #expect(json["version"]?.integer == 1)
        #expect(json["kept"]?.integer == 4)
        #expect(json["patched"]?.integer == 8)
        #expect(json["patchBytes"]?.integer == Int64(try scratch.read("patch.zip").count))
        let (old, new) = (try #require(json["oldDigest"]?.string), try #require(json["newDigest"]?.string))
        let listed = try run("ls", "docs2.zip", "--json").text
        #expect(listed.contains(new))
        _ = try run("load", "docs1.zip", "--name", "docs", "--cache", "st", "--digest", old)
        let wrong = try run("load", "patch.zip", "--name", "docs", "--cache", "st", "--digest", old)
        #expect(wrong.status == 10)
        #expect(wrong.errors.hasPrefix("error: cannot load 'patch.zip': the package's contents have the digest \(new)"))
        #expect(try footer() == "first")
        #expect(try run("load", "patch.zip", "--name", "docs", "--cache", "st", "--digest", new).status == 0)
        #expect(try footer() == "second")
    }

    @Test func `a patch that doesn't fit is refused with exit code 3, and the cache is unchanged`() throws {
        _ = try run("patch", "docs1.zip", "docs2.zip", "-o", "patch.zip")
        let empty = try run("load", "patch.zip", "--cache", "none")
        #expect(empty.status == 3)
        #expect(empty.errors.hasPrefix("error: cannot load 'patch.zip': the patch needs a package with the digest "))
        #expect(empty.errors.contains("and for 11 more members; load the whole package instead"), "\(empty.errors)")
        #expect(!FileManager.default.fileExists(atPath: scratch.path("none")))
        _ = try run("load", "docs1.zip", "--name", "docs", "--cache", "st")
        _ = try shell("f=$(ls -d st/packages/*/files); f=$(find $f -name p1.html); chmod u+w $f; printf X >> $f")
        let damaged = try run("load", "patch.zip", "--name", "docs", "--cache", "st")
        #expect(damaged.status == 3, "\(damaged.errors)")
        #expect(damaged.errors.contains("of it for member "))
        // A body that the new package has unchanged, of the same size.
        _ = try run("load", "docs1.zip", "--name", "docs", "--cache", "st2")
        _ = try shell("f=$(find st2 -name p3.html); chmod u+w $f; printf X | dd of=$f bs=1 seek=50 conv=notrunc")
        let changed = try run("load", "patch.zip", "--name", "docs", "--cache", "st2")
        #expect(changed.status == 3, "\(changed.errors)")
        #expect(changed.errors.contains("of it for member 'docs.example/p3.html'; load the"), "\(changed.errors)")
        #expect(try footer("st2") == "first")
        #expect(try shell("ls -A st2/downloads").text.isEmpty)
    }

    @Test func `loading a patch writes only what is new`() throws {
        for version in ["1", "2"] {
            let body = (0..<3_000_000).map { UInt8(truncatingIfNeeded: $0 &* $0 >> 7) }
            try scratch.write(body, to: "site\(version)/large.bin")
            let packed = try run(
                "pack",
                "--folder",
                "site\(version)",
                "--base-url",
                "https://docs.example/",
                "-o",
                "docs\(version).zip",
                "--quiet"
            )
            #expect(packed.status == 0, "\(packed.errors)")
        }
        _ = try run("patch", "docs1.zip", "docs2.zip", "-o", "patch.zip")
        #expect(try run("load", "docs1.zip", "--name", "docs", "--cache", "st").status == 0)
        // No file may have more than 1 MiB.
        let loaded = try shell("ulimit -f 1024; exec AFCACHE load patch.zip --name docs --cache st")
        #expect(loaded.status == 0, "\(loaded.errors)")
        #expect(try footer() == "second")
        #expect(try run("cache", "verify", "--cache", "st").status == 0)
    }

    @Test func `a damaged patch is refused with exit code 10, and the cache is unchanged`() throws {
        _ = try run("patch", "docs1.zip", "docs2.zip", "-o", "patch.zip")
        _ = try run("load", "docs1.zip", "--name", "docs", "--cache", "st")
        let bytes = try scratch.read("patch.zip")
        for place in stride(from: 5, to: bytes.count, by: max(1, bytes.count / 40)) {
            var changed = bytes
            changed[place] ^= 0xFF
            try scratch.write(changed, to: "bad.zip")
            let result = try run("load", "bad.zip", "--name", "docs", "--cache", "st")
            // The times and attributes in the archive make no difference.
            if result.status == 0 {
                #expect(try footer() == "second")
                #expect(try run("load", "docs1.zip", "--name", "docs", "--cache", "st").status == 0)
                continue
            }
            #expect(result.status == 10 || result.status == 3, "byte \(place): \(result.errors)")
            #expect(result.errors.hasPrefix("error: cannot "), "\(result.errors)")
            #expect(try footer() == "first")
        }
        #expect(try run("cache", "verify", "--cache", "st").status == 0)
    }

    @Test func `sync takes a patch, and doesn't apply it twice`() throws {
        _ = try run("patch", "docs1.zip", "docs2.zip", "-o", "patch.zip")
        _ = try run("load", "docs1.zip", "--name", "docs", "--cache", "st")
        let file = "version: 1\npackages:\n  - name: docs\n    from: patch.zip\n"
        try scratch.write(Array(file.utf8), to: "sync.yml")
        let first = try run("sync", "sync.yml", "--cache", "st")
        #expect(first.status == 0, "\(first.errors)")
        #expect(try footer() == "second")
        let second = try run("sync", "sync.yml", "--cache", "st")
        #expect(second.status == 0 && second.text.contains("unchanged"), "\(second.text) \(second.errors)")
    }

    @Test func `lint and ls say that a patch is one`() throws {
        _ = try run("patch", "docs1.zip", "docs2.zip", "-o", "patch.zip")
        let sentence = "this is a patch, not a package; load it into a cache that holds the package from which it leads"
        let linted = try run("lint", "--no-config", "patch.zip")
        #expect(linted.status == 1)
        #expect(linted.text.hasPrefix("patch.zip: error: \(sentence) [sidecar.patch]"), "\(linted.text)")
        let listed = try run("ls", "patch.zip")
        #expect(listed.status == 10)
        #expect(listed.errors == "error: cannot use 'patch.zip': \(sentence)\n")
    }

    @Test func `a zip that could be a package or a patch is refused by whatever reads it`() throws {
        _ = try run("patch", "docs1.zip", "docs2.zip", "-o", "two.zip")
        _ = try run("load", "docs1.zip", "--name", "docs", "--cache", "st")
        try scratch.write(Array("harmless".utf8), to: "good.example/index.html")
        let line = "https://good.example/index.html ; NULL ; NULL ; text/html\n"
        try scratch.write(Array(line.utf8), to: "manifest.afcache")
        #expect(try shell("zip -q two.zip good.example/index.html manifest.afcache").status == 0)
        let sentence = "the zip has 'manifest.afcache' and '.afcache/delta', so it could be a package or a patch"
        #expect(try run("lint", "--no-config", "two.zip").status == 1)
        for command in [
            ["ls", "two.zip"], ["get", "https://good.example/index.html", "--package", "two.zip"],
            ["unpack", "two.zip", "-o", "out"], ["repack", "two.zip", "-o", "out.zip"],
            ["push", "two.zip", "oci-layout:layout"], ["serve", "two.zip", "--port", "0"],
            ["mount-index", "two.zip", "-o", "index"],
        ] {
            let result = try Program.run(Program.afcache, command, in: scratch.path)
            #expect(result.status == 10, "\(command): \(result.errors)")
            #expect(result.errors.contains(sentence), "\(command): \(result.errors)")
        }
        try scratch.write(Array("version: 1\npackages: [{name: docs, from: two.zip}]\n".utf8), to: "sync.yml")
        #expect(try run("load", "two.zip", "--name", "docs", "--cache", "st").status == 10)
        #expect(try run("sync", "sync.yml", "--cache", "st").status == 5)
        #expect(try footer() == "first")
    }

    @Test func `an existing file is replaced only with --overwrite, and never one of the packages`() throws {
        try scratch.write([1], to: "patch.zip")
        let refused = try run("patch", "docs1.zip", "docs2.zip", "-o", "patch.zip")
        #expect(refused.status == 64)
        #expect(refused.errors.contains("'--overwrite'"))
        #expect(try scratch.read("patch.zip") == [1])
        #expect(try run("patch", "docs1.zip", "docs2.zip", "-o", "docs2.zip", "--overwrite").status == 64)
        #expect(try run("patch", "docs1.zip", "docs2.zip", "-o", "patch.zip", "--overwrite").status == 0)
        let patch = try run("patch", "docs1.zip", "patch.zip", "-o", "other.zip")
        #expect(patch.status == 64)
        #expect(patch.errors == "error: cannot use 'patch.zip': this is a patch; make patches from whole packages\n")
    }

    @Test func `a write that fails leaves the old package, and nothing torn`() throws {
        _ = try run("patch", "docs1.zip", "docs2.zip", "-o", "patch.zip")
        _ = try run("load", "docs1.zip", "--name", "docs", "--cache", "st")
        for blocks in [0, 1, 4, 16, 40, 80] {
            // Writing beyond the limit fails like a full disk, once the signal is ignored.
            let result = try shell(
                "trap '' XFSZ; ulimit -f \(blocks); exec AFCACHE load patch.zip --name docs --cache st 2>err"
            )
            #expect(result.status != 0, "\(blocks)")
            #expect(try footer() == "first")
        }
        #expect(try run("cache", "verify", "--cache", "st").status == 0)
        #expect(try run("load", "patch.zip", "--name", "docs", "--cache", "st").status == 0)
        #expect(try footer() == "second")
        #expect(try shell("ls -A st/downloads").text.isEmpty)
    }

    @Test func `a load that is killed leaves the old package or the new one`() throws {
        _ = try run("patch", "docs1.zip", "docs2.zip", "-o", "patch.zip")
        _ = try run("load", "docs1.zip", "--name", "docs", "--cache", "st")
        for hundredths in 1...20 {
            let time = "0.\(hundredths < 10 ? "0" : "")\(hundredths)"
            _ = try shell("AFCACHE load patch.zip --name docs --cache st & sleep \(time); kill -9 $!; wait; true")
            #expect(["first", "second"].contains(try footer()), "\(time)")
            let check = try run("cache", "verify", "--cache", "st")
            #expect(check.status == 0, "\(time): \(check.text)")
        }
        #expect(try run("load", "patch.zip", "--name", "docs", "--cache", "st").status == 0)
        #expect(try footer() == "second")
        #expect(try shell("ls -A st/downloads").text.isEmpty)
    }
}
