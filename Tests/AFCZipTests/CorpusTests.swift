import AFCHTTP
import AFCLinter
import AFCPackageFile
import AFCPackageFormat
import AFCText
import AFCZip
import Crypto
import Foundation
import TestSupport
import Testing

struct CorpusTests {
    @Test func `the corpus is as large as its page says, and each archive is listed`() throws {
        #expect(Corpus.hostile.count >= 250)
        #expect(Corpus.odd.count >= 65)
        #expect(Corpus.tools.count >= 14)
        let expected: [(folder: String, files: [String])] = [
            ("hostile", Corpus.hostile.map(\.file)), ("odd", Corpus.odd.map { String($0.file.dropFirst(4)) }),
            ("tools", Corpus.tools.map { String($0.file.dropFirst(6)) }),
        ]
        for (folder, files) in expected {
            let found = try FileManager.default.contentsOfDirectory(
                atPath: Corpus.folder.appendingPathComponent(folder).path
            )
            #expect(found.filter { $0.hasSuffix(".zip") }.sorted() == files.sorted())
        }
    }

    @Test(arguments: Corpus.hostile)
    func `each hostile archive is refused by its rule, with its sentence`(item: Corpus.Hostile) throws {
        let (rule, sentence) = try Self.refusal(of: item)
        #expect(rule == item.rule)
        #expect(sentence == item.sentence)
        let hasControl = sentence.unicodeScalars.contains { $0.properties.generalCategory == .control }
        #expect(!hasControl, "the sentence lets a control character out")
    }

    private static func refusal(of item: Corpus.Hostile) throws -> (rule: String, sentence: String) {
        switch item.stage {
        case .open:
            let error = try #require(throws: ZipError.self) { try ZipReader(path: item.path) }
            #expect(error.code == (item.rule == "zip.password-missing" ? .locked : .refused))
            return (error.rule, error.message)
        case .read:
            let reader = try ZipReader(path: item.path)
            let error = try #require(throws: ZipError.self) {
                for member in reader.members { _ = try reader.read(member, maxBytes: 1 << 24) }
            }
            #expect(error.code == .damagedMember)
            return (error.rule, error.message)
        case .package:
            let error = try #require(throws: PackageError.self) {
                try PackageReader(path: item.path).requireLoadable()
            }
            switch error.code {
            case .invalidArchive(let rule), .invalidPackage(let rule): return (rule, error.message)
            default: return ("", error.message)
            }
        case .lint:
            let now = Timestamp(secondsSinceEpoch: 1_790_000_000)
            let found = Linter.lint(item.path, options: .init(now: now)).findings.filter { $0.severity == .error }
            #expect(found.count == 1)
            return (found.first?.rule ?? "", found.first?.sentence ?? "")
        }
    }

    @Test func `each rule that refuses has an archive, and is on the page of rules`() throws {
        let page = Corpus.root.appendingPathComponent("docs/reference/lint-rules.md")
        let row = /\| \[`(zip\.[a-z0-9-]+)`\]\(#[a-z0-9-]+\) \| error/
        let listed = try String(contentsOf: page, encoding: .utf8).matches(of: row).map { String($0.output.1) }
        let used = Set(Corpus.hostile.map(\.rule).filter { $0.hasPrefix("zip.") })
        // A file that is cut off while it is read is made by a test, and what a password has to do with by EncryptionTests.
        let others: Set = ["zip.truncated", "zip.password-wrong", "zip.authentication", "zip.partly-encrypted"]
        #expect(Set(listed) == used.union(others))
    }

    @Test(arguments: Corpus.odd + Corpus.tools)
    func `each odd archive is opened, and its members and bodies are right`(item: Corpus.Odd) throws {
        let reader = try ZipReader(path: item.path)
        let found = try reader.members.map { member in
            let body = try reader.read(member, maxBytes: 1 << 24)
            #expect(reader.member(named: member.name) == member)
            let digest = SHA256.hash(data: body).map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }
            return Corpus.Odd.Member(
                name: member.name,
                size: Int64(body.count),
                digest: member.isDirectory ? nil : digest.joined()
            )
        }
        if item.file.hasPrefix("odd/") {
            #expect(found == item.members)
        } else {
            let files = found.filter { $0.digest != nil }.sorted { $0.name < $1.name }
            #expect(files == item.members.sorted { $0.name < $1.name })
        }
    }

    @Test func `a manifest of more than 512 MiB is refused before it is read`() throws {
        let scratch = try Scratch()
        let size = 600 << 20
        // A local header of 30 bytes and a name of 16; then a hole, and what else belongs to the archive.
        let archive = RawZip([
            RawZip.Member("manifest.afcache", "").with {
                $0.size = UInt32(size)
                $0.compressedSize = UInt32(size)
            }
        ]).with { $0.directoryOffset = UInt32(46 + size) }
        let bytes = archive.bytes
        let path = try scratch.write(Array(bytes.prefix(46)), to: "huge.zip")
        let handle = try FileHandle(forWritingTo: URL(fileURLWithPath: path))
        try handle.seek(toOffset: UInt64(46 + size))
        try handle.write(contentsOf: Data(bytes.dropFirst(46)))
        try handle.close()
        let error = #expect(throws: PackageError.self) { try PackageReader(path: path) }
        #expect(error?.code == .invalidArchive(rule: "zip.too-large"))
        #expect(error?.message == "member 'manifest.afcache' has more than 536870912 bytes")
    }

    @Test func `the script makes the same archives again`() throws {
        let scratch = try Scratch()
        let script = Corpus.root.appendingPathComponent("scripts/make-archives").path
        let result = try Program.run(script, [scratch.path])
        #expect(result.status == 0, "\(result.errors)")
        for folder in ["hostile", "odd"] {
            let committed = Corpus.folder.appendingPathComponent(folder)
            let names = try FileManager.default.contentsOfDirectory(atPath: committed.path)
            #expect(
                try FileManager.default.contentsOfDirectory(atPath: scratch.path(folder)).sorted() == names.sorted()
            )
            for name in names {
                let old = try Data(contentsOf: committed.appendingPathComponent(name))
                #expect(try scratch.read("\(folder)/\(name)") == Array(old), "'\(folder)/\(name)' differs")
            }
        }
    }
}
