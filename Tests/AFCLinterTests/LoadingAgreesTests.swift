import AFCLinter
import AFCPackageFile
import AFCPackageFormat
import AFCText
import Foundation
import TestSupport
import Testing

/// What loading takes, linting has no error for, and the reverse.
struct LoadingAgreesTests {
    private static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent()

    private static func files(_ folder: String) -> [String] {
        let path = root.appendingPathComponent(folder).path
        let names = (try? FileManager.default.contentsOfDirectory(atPath: path).sorted()) ?? []
        return names.filter { !$0.hasSuffix(".tsv") && !$0.hasSuffix(".md") }.map { path + "/" + $0 }
    }

    static let archives =
        ["hostile", "odd", "tools"].flatMap { files("Fixtures/archives/" + $0) }
        + files("Fuzz/Corpus/zip")

    @Test func `every archive of the corpus can be loaded if linting finds no error`() async throws {
        let scratch = try Scratch()
        var loaded = 0
        for path in Self.archives {
            let result = Linter.lint(path, options: .init(now: LinterTests.now))
            guard result.isPackage else { continue }
            let isLoaded = try await Loading.accepts(path, in: scratch)
            #expect(result.isLoadable == isLoaded, "\(path): \(result.findings.map(\.sentence))")
            if isLoaded { loaded += 1 }
        }
        #expect(Self.archives.count > 350)
        // Most are archives without a manifest.
        #expect(loaded >= 2)
    }

    /// A manifest is loaded in a package that has a body for each of its entries.
    @Test func `every manifest of the corpus can be loaded if linting finds no error`() async throws {
        let scratch = try Scratch()
        var (loaded, refused) = (0, 0)
        for path in Self.files("Fuzz/Corpus/manifest") {
            let bytes = Array(try Data(contentsOf: URL(fileURLWithPath: path)))
            let result = Linter.lint(path, options: .init(now: LinterTests.now))
            guard !result.isPackage, let package = try Self.package(of: bytes, in: scratch) else { continue }
            let isLoaded = try await Loading.accepts(package, in: scratch)
            #expect(result.isLoadable == isLoaded, "\(path): \(result.findings.map(\.sentence))")
            if isLoaded { loaded += 1 } else { refused += 1 }
        }
        #expect(loaded > 20 && refused > 50)
    }

    /// A package with a manifest; nil where its members' names can't be those of an archive.
    private static func package(of manifest: [UInt8], in scratch: Scratch) throws -> String? {
        var reader = ManifestReader(manifest)
        var names: Set<String> = []
        while let item = reader.next() {
            names.insert(item.member ?? MemberRule.candidates(text: item.urlText, url: item.url)[0])
        }
        let members =
            names.sorted().map { RawZip.Member($0) } + [RawZip.Member(Array("manifest.afcache".utf8), manifest)]
        let path = try scratch.write(RawZip(members).bytes, to: "manifest.zip")
        do throws(PackageError) {
            let index = try PackageReader(path: path).index
            return index.problems.contains { $0.rule.hasPrefix("member.") && $0.severity == .error } ? nil : path
        } catch {
            return nil
        }
    }

    @Test(arguments: RuleFixture.all)
    func `a rule's fixtures can be loaded if linting finds no error`(fixture: RuleFixture) async throws {
        // What isn't there, and bodies of 60 GiB that are a hole.
        guard !["io", "manifest.bodies-too-large"].contains(fixture.rule) else { return }
        for sample in [fixture.bad, fixture.good] {
            guard let file = sample.file else { continue }
            let scratch = try Scratch()
            let (path, options) = try await file(scratch)
            let result = Linter.lint(path, options: options)
            guard result.isPackage else { continue }
            let isLoaded = try await Loading.accepts(
                path,
                trust: options.trust,
                password: options.password,
                in: scratch
            )
            #expect(result.isLoadable == isLoaded, "\(result.findings.map(\.sentence))")
        }
    }

    @Test func `a fixed manifest or fixture has nothing left to fix, and loads the same`() async throws {
        let scratch = try Scratch()
        let readers = OtherReaders()
        var fixed = 0
        for path in Self.files("Fuzz/Corpus/manifest") {
            let bytes = Array(try Data(contentsOf: URL(fileURLWithPath: path)))
            let bare = try scratch.write(bytes, to: "m.afcache")
            if try Self.expectFixing(bare, .init(now: LinterTests.now), path, readers) { fixed += 1 }
            guard let package = try Self.package(of: bytes, in: scratch) else { continue }
            if try Self.expectFixing(package, .init(now: LinterTests.now), "a package of \(path)", readers) {
                fixed += 1
            }
        }
        for fixture in RuleFixture.all where !["io", "manifest.bodies-too-large"].contains(fixture.rule) {
            for sample in [fixture.bad, fixture.good] {
                let own = try Scratch()
                guard let (path, options) = try await sample.file?(own), !path.contains("/Fixtures/archives/") else {
                    continue
                }
                if try Self.expectFixing(path, options, fixture.rule, readers) { fixed += 1 }
            }
        }
        #expect(fixed > 200)
        try readers.expectNoDifferences()
    }

    /// Fixes a file, and gives whether something was to do.
    private static func expectFixing(
        _ path: String,
        _ options: Linter.Options,
        _ name: String,
        _ readers: OtherReaders
    ) throws -> Bool {
        let fix: FileFix
        do throws(FixRefusal) {
            guard let found = try FileFix(path), found.isNeeded else { return false }
            try found.requireFixable()
            fix = found
        } catch {
            #expect(error.code == .signed || error.code == .encrypted, "\(name): \(error)")
            return false
        }
        let before = Linter.lint(path, options: options)
        readers.add(fix, name: name)
        try fix.write()
        #expect(try FileFix(path)?.isNeeded == false, "\(name)")
        let after = Linter.lint(path, options: options)
        #expect(after.isLoadable == before.isLoadable, "\(name)")
        #expect(after.entries == before.entries, "\(name)")
        guard before.isLoadable else { return true }
        let left = Set(after.findings.map(\.rule)).intersection(PlantedCase.fixable)
            // A type whose normal spelling would lose a part of it stays.
            .subtracting(["type.not-normal"])
        #expect(left.isEmpty || PlantedCase.leaves(before) || fix.fix.withheld > 0, "\(name): \(left) is left")
        return true
    }
}
