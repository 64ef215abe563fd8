import AFCLinter
import AFCPackageFile
import Foundation
import TestSupport
import Testing

/// Good packages in which a known defect was planted at a known place: it is found there, and nothing elsewhere.
struct MutationTests {
    /// The number of packages in which each kind of defect is planted; scripts/lint-mutations plants more than a thousand.
    static let cases = 2
    static let severities = Dictionary(uniqueKeysWithValues: LintRules.all.map { ($0.id, $0.severity) })

    @Test func `no two mutations have the same kind`() {
        #expect(Set(Mutation.all.map(\.kind)).count == Mutation.all.count)
    }

    @Test func `the packages are valid, and unpacking and repacking doesn't change them`() async throws {
        for package in try await GoodPackages.shared.value {
            let scratch = try Scratch()
            let path = try scratch.write(package.bytes, to: "p.zip")
            let result = Linter.lint(path, options: .init(now: LinterTests.now))
            let known: [String] = package.name == "as AFCache 0.13" ? ["sidecar.missing"] : []
            #expect(result.findings.map(\.rule) == known, "\(package.name)")
            let whole = try PlantedPackage(package, in: scratch)
            try scratch.write(whole.bytes, to: "p.zip")
            #expect(Linter.lint(path, options: .init(now: LinterTests.now)).findings.map(\.rule) == known)
            #expect(result.entries == whole.entries.count)
        }
    }

    @Test(arguments: Mutation.all)
    func `a planted defect is found at its place, and nothing elsewhere`(mutation: Mutation) async throws {
        var planted = 0
        // The kind's name decides on the places, so that another kind doesn't change them.
        let seed = mutation.kind.utf8.reduce(17) { $0 &* 31 &+ UInt64($1) }
        let readers = OtherReaders()
        try await PlantedCase.forEach(mutation, seed: seed, count: Self.cases) { item in
            planted += 1
            try item.expectFindings()
            try await item.expectLoading()
            try item.expectFixing(readers)
        }
        try readers.expectNoDifferences()
        #expect(planted == Self.cases)
    }
}
