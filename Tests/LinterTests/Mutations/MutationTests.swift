import Foundation
import Linter
import PackageFile
import PackageFormat
import TestSupport
import Testing

/// Good packages in which a known defect was planted at a known place: it is found there, and nothing elsewhere.
struct MutationTests {
    /// How many packages each kind of defect is planted in.
    static let cases = 9
    static let severities = Dictionary(uniqueKeysWithValues: LintRules.all.map { ($0.id, $0.severity) })

    @Test func `there are a thousand mutations, of kinds that differ`() {
        #expect(Set(Mutation.all.map(\.kind)).count == Mutation.all.count)
        #expect(Mutation.all.count * Self.cases >= 1_000)
    }

    @Test func `the packages are good, and taken apart and put together they are the same`() async throws {
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
        let scratch = try Scratch()
        let packages = try await GoodPackages.shared.value.map { try PlantedPackage($0, in: scratch) }
        // The kind's name decides on the places, so that another kind doesn't change them.
        var source = Mutation.Source(state: mutation.kind.utf8.reduce(17) { $0 &* 31 &+ UInt64($1) })
        var planted = 0
        for round in 0..<Self.cases * 20 where planted < Self.cases {
            let good = packages[round % packages.count]
            var package = good
            guard let expected = try mutation.plant(&package, &source) else { continue }
            planted += 1
            try Self.check(package, made: good, expected, round, in: scratch)
        }
        #expect(planted == Self.cases)
    }

    static func check(
        _ package: PlantedPackage,
        made good: PlantedPackage,
        _ expected: [Expected],
        _ round: Int,
        in scratch: Scratch
    ) throws {
        let bytes = package.bytes
        let path = try scratch.write(bytes, to: "planted.zip")
        var options = Linter.Options(now: LinterTests.now)
        package.options(&options)
        let result = Linter.lint(path, options: options)
        var wanted = expected
        let isRefused = expected.contains { severities[$0.rule] == .error }
        // A package without a sidecar lacks it before and after; one that can't be opened is looked at no further.
        let isOpened = !expected.contains { $0.rule.hasPrefix("zip.") && $0.place == "the package" }
        if good.info == nil, isOpened, !expected.contains(where: { $0.rule == "manifest.missing" }) {
            wanted.append(.package("sidecar.missing"))
        }
        if good.isSigned, !isRefused, contents(bytes) != contents(good.bytes),
            !expected.contains(where: { $0.rule.hasPrefix("signature.") })
        {
            wanted.append(.package("signature.wrong"))
        }
        let found = result.findings.flatMap { finding in
            // Findings that say the same are one, with a number.
            [Expected](repeating: Expected(finding), count: 1)
        }
        #expect(
            found.sorted() == wanted.sorted(),
            "\(package.name), round \(round): \(result.findings.map(\.sentence))"
        )
        #expect(result.isLoadable == !wanted.contains { severities[$0.rule] == .error })
    }

    /// What a signature covers.
    private static func contents(_ bytes: [UInt8]) -> [String]? {
        RawZip(reading: bytes)?.members.filter { $0.text != PackageLayout.signature }
            .map { "\($0.text) \($0.size) \($0.crc)" }.sorted()
    }
}
