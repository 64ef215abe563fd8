import AFCCache
import AFCCaching
import AFCLinter
import AFCPackageFile
import AFCPackageFormat
import AFCZip
import TestSupport
import Testing

/// A package with a planted defect, as a file, and what must be true of it.
struct PlantedCase {
    let kind: String
    let good: PlantedPackage
    let package: PlantedPackage
    let expected: [Expected]
    let path: String
    /// What a message says of it, to be found again.
    let name: String
    private let scratch: Scratch
    private let before: Linter.Result

    /// Plants defects of a kind in one good package after the other.
    ///
    /// - Parameters:
    ///   - mutation: The kind.
    ///   - seed: What decides on the places.
    ///   - count: How many are planted; fewer where few packages have a place for it.
    ///   - body: Looks at each.
    /// - Throws: What the body throws, and where a good package can't be taken apart.
    static func forEach(
        _ mutation: Mutation,
        seed: UInt64,
        count: Int,
        _ body: (PlantedCase) async throws -> Void
    ) async throws {
        let scratch = try Scratch()
        let packages = try await GoodPackages.shared.value.map { try PlantedPackage($0, in: scratch) }
        var source = SeededGenerator(seed: seed)
        var planted = 0
        for round in 0..<count * 20 where planted < count {
            let good = packages[round % packages.count]
            var package = good
            guard let expected = try mutation.plant(&package, &source) else { continue }
            planted += 1
            let name = "'\(mutation.kind)', seed \(seed), round \(round), \(good.name)"
            try await body(PlantedCase(mutation.kind, good, package, expected, name, in: scratch))
        }
    }

    private init(
        _ kind: String,
        _ good: PlantedPackage,
        _ package: PlantedPackage,
        _ expected: [Expected],
        _ name: String,
        in scratch: Scratch
    ) throws {
        (self.kind, self.good, self.package, self.expected) = (kind, good, package, expected)
        (self.name, self.scratch) = (name, scratch)
        path = try scratch.write(package.bytes, to: "planted.zip")
        before = Self.lint(path, package)
    }

    private static func lint(_ path: String, _ package: PlantedPackage) -> Linter.Result {
        var options = Linter.Options(now: LinterTests.now)
        package.options(&options)
        return Linter.lint(path, options: options)
    }

    /// The defect is found where it is, and nothing else is found.
    func expectFindings() throws {
        var wanted = expected
        // A package without a sidecar lacks it before and after; one that can't be opened is looked at no further.
        let isOpened = !expected.contains { $0.rule.hasPrefix("zip.") && $0.place == "the package" }
        if good.info == nil, isOpened, !expected.contains(where: { $0.rule == "manifest.missing" }) {
            wanted.append(.package("sidecar.missing"))
        }
        // A signature is broken by whatever it covers, and looked at where nothing is wrong before it.
        if good.isSigned, !wanted.contains(where: \.isError), Self.contents(package.bytes) != Self.contents(good.bytes)
        {
            wanted.append(.package("signature.wrong"))
        }
        let found = before.findings.map { Expected($0) }
        #expect(found.sorted() == wanted.sorted(), "\(name): \(before.findings.map(\.sentence))")
        #expect(before.isLoadable == !wanted.contains(where: \.isError), "\(name)")
    }

    /// What a signature covers.
    private static func contents(_ bytes: [UInt8]) -> [String]? {
        RawZip(reading: bytes)?.members.filter { $0.text != PackageLayout.signature }
            .map { "\($0.text) \($0.size) \($0.crc)" }.sorted()
    }

    /// Loading takes the package where linting has no error for it, and only there.
    func expectLoading() async throws {
        var options = Linter.Options(now: LinterTests.now)
        package.options(&options)
        let loaded = try await Loading.accepts(path, trust: options.trust, in: scratch)
        #expect(before.isLoadable == loaded, "\(name): \(before.findings.map(\.sentence))")
    }

    /// A fix leaves nothing to fix, changes nothing that loading sees, and brings nothing new.
    ///
    /// - Parameter readers: What reads the manifest again, before and after.
    /// - Throws: Where the package can't be read or fixed.
    func expectFixing(_ readers: OtherReaders) throws {
        guard let fix = try FileFix(path) else {
            #expect(!before.isLoadable, "\(name)")
            return
        }
        guard fix.isNeeded else { return }
        if package.place(of: PackageLayout.signature) != nil {
            #expect(throws: FixRefusal.self, "\(name)") { try fix.write() }
            return
        }
        let resources = try PackageReader(path: path).index.resources.map(Loading.meaning)
        readers.add(fix, name: name)
        try fix.write()
        #expect(try PackageReader(path: path).index.resources.map(Loading.meaning) == resources, "\(name)")
        #expect(try FileFix(path)?.isNeeded == false, "\(name)")
        let after = Self.lint(path, package)
        #expect(after.isLoadable == before.isLoadable, "\(name)")
        // Lines move, so that rules are compared, not places.
        var known = before.findings.map(\.rule)
        for rule in after.findings.map(\.rule) {
            guard let place = known.firstIndex(of: rule) else {
                Issue.record("\(name): a fix brought \(rule)")
                continue
            }
            known.remove(at: place)
            #expect(
                !before.isLoadable || !Self.fixable.contains(rule) || Self.leaves(before),
                "\(name): \(rule) is left"
            )
        }
    }

    static let fixable = Set(LintRules.all.filter { $0.fix != nil && !$0.isUnsafe }.map(\.id))

    /// Whether lines stay as they are, since a person has to look at one of them.
    static func leaves(_ result: Linter.Result) -> Bool {
        let left: Set<String> = ["manifest.odd-delimiter", "manifest.unknown-header", "manifest.late-header"]
        return !left.isDisjoint(with: result.findings.map(\.rule))
    }
}

extension Expected {
    private static let errors = Set(LintRules.all.filter { $0.severity == .error }.map(\.id))
    /// Whether the package isn't loaded for it.
    var isError: Bool { Self.errors.contains(rule) }
}

/// Loading into a store, as the program does it.
enum Loading {
    /// Whether a store takes a package.
    static func accepts(
        _ path: String,
        trust: TrustPolicy = TrustPolicy(),
        password: Password? = nil,
        in scratch: Scratch
    ) async throws -> Bool {
        let store = try DiskCache(path: scratch.path("store"), access: .readWrite)
        var options = InstallOptions()
        options.name = "linted"
        options.trust = trust
        options.password = password
        do throws(CacheError) {
            _ = try await store.install(path, options: options, now: LinterTests.now)
            // One without resources isn't loaded in place of another one.
            _ = try await store.remove("linted")
            return true
        } catch {
            return false
        }
    }

    /// What a resource is for readers.
    static func meaning(_ resource: PackageIndex.Resource) -> String {
        let entry = resource.entry
        return "\(resource.url) \(String(describing: entry?.lastModified)) \(String(describing: entry?.expires)) "
            + "\(entry?.mediaType ?? "-") \(resource.member ?? -1) \(resource.record == nil)"
    }
}
