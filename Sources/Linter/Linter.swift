public import HTTPCaching
internal import PackageFile
public import PackageFormat
public import ZipArchive

/// Validates packages and bare manifests, with the parser and the rules that loading uses.
public enum Linter {
    /// How to lint.
    public struct Options: Sendable {
        /// The time that dates are compared with.
        public var now: Timestamp
        /// Whether each body is read and checked against size, checksum and digest.
        public var checksBodies = true
        /// Whose packages are taken; signatures are checked where bodies are.
        public var trust = TrustPolicy()
        /// What decrypts the package, where it is encrypted.
        public var password: Password?
        /// What rules compare with.
        public var settings = LintSettings()
        /// Which rules are on, and how bad their findings are.
        public var levels = RuleLevels()
        /// Whether findings that say the same of many places become one.
        public var mergesFindings = true
        /// Whether findings get fingerprints and columns in characters, for which the manifest is read once more.
        public var identifiesFindings = false
        /// How many findings of a file get the piece of the line that they are about.
        public var excerptLimit = 1000

        /// Creates options with the defaults.
        public init(now: Timestamp) { self.now = now }
    }

    /// What was found in one file.
    public struct Result: Sendable {
        /// The findings, in the order of the file.
        public var findings: [Finding]
        /// How many entries were understood.
        public var entries: Int
        /// Who signed, or nil where that wasn't checked: for a manifest, a damaged package, or without the bodies.
        public var signature: SignatureVerdict?

        /// Whether the package, or a package with this manifest, would be loaded.
        public var isLoadable: Bool
        /// Whether the file is a package rather than a bare manifest.
        public var isPackage = false
    }

    /// Lints a file: a package where it begins or ends like a zip, else a manifest.
    ///
    /// A file that can't be read is a finding, too. Blocks for as long as reading takes.
    ///
    /// - Parameters:
    ///   - path: The file.
    ///   - options: How to lint.
    /// - Returns: What was found.
    public static func lint(_ path: String, options: Options) -> Result {
        do throws(ZipError) {
            let file = try OpenFile(reading: path)
            let isZip = try file.looksLikeArchive()
            var result = isZip ? package(path, options: options) : try manifest(file, options: options)
            result.isPackage = isZip
            if options.identifiesFindings {
                identify(&result.findings, in: path, isPackage: isZip, password: options.password)
            }
            return result
        } catch {
            return failed(Finding(error, in: path), options: options)
        }
    }

    private static func failed(_ finding: Finding, options: Options) -> Result {
        var findings = collector(finding.file, options: options)
        findings.add(finding)
        return Result(findings: findings.sorted, entries: 0, isLoadable: false)
    }

    private static func collector(_ path: String, options: Options) -> FindingCollector {
        FindingCollector(file: path, levels: options.levels, merges: options.mergesFindings)
    }

    private static func manifest(_ file: OpenFile, options: Options) throws(ZipError) -> Result {
        var findings = collector(file.path, options: options)
        let bytes = try file.contents(upTo: PackageLayout.metadataByteLimit)
        let context = LintContext(now: options.now, settings: options.settings)
        let (entries, problems) = entries(of: bytes, ActiveRules(options.levels), context, &findings)
        for problem in problems { findings.add(Finding(problem, file: file.path)) }
        var sorted = findings.sorted
        sorted.addExcerpts(of: bytes, limit: options.excerptLimit)
        return Result(findings: sorted, entries: entries, isLoadable: !findings.hasErrors)
    }

    /// Looks at a manifest, line by line and as a text.
    private static func entries(
        of manifest: [UInt8],
        _ rules: ActiveRules,
        _ context: LintContext,
        _ findings: inout FindingCollector
    ) -> (count: Int, problems: [PackageProblem]) {
        var text = rules.manifest.isEmpty ? nil : LintedManifest(manifest)
        var reader = ManifestReader(manifest)
        var types = LintedTypes()
        var count = 0
        while let item = reader.next() {
            count += 1
            let entry = LintedEntry(item, &types)
            for rule in rules.entry { rule.check(entry, context, &findings) }
            if let base = reader.baseURL { text?.note(item.urlText, base: base) }
        }
        if let text { for rule in rules.manifest { rule.check(text, &findings) } }
        return (count, reader.problems)
    }

    private static func package(_ path: String, options: Options) -> Result {
        let reader: PackageReader
        do throws(PackageError) {
            reader = try PackageReader(path: path, password: options.password)
        } catch {
            return failed(Finding(error), options: options)
        }
        var findings = collector(path, options: options)
        for problem in reader.index.problems { findings.add(Finding(problem, file: path)) }
        let rules = ActiveRules(options.levels)
        var package = LintedPackage(reader, LintContext(now: options.now, settings: options.settings))
        let manifest = checkManifest(of: package, rules, &findings)
        if !rules.resource.isEmpty {
            for resource in reader.index.resources {
                for rule in rules.resource { rule.check(resource, in: package, &findings) }
            }
        }
        if options.checksBodies { package.digests = BodyPass.run(package, rules, &findings) }
        for rule in rules.package { rule.check(package, &findings) }
        var signature: SignatureVerdict?
        do throws(PackageError) {
            try reader.requireSigner(options.trust)
            if options.checksBodies, !findings.hasErrors {
                signature = try reader.verifySignature(bodyDigests: package.digests, policy: options.trust)
            }
        } catch {
            findings.add(Finding(error))
        }
        var sorted = findings.sorted
        sorted.addExcerpts(of: manifest, limit: options.excerptLimit)
        return Result(
            findings: sorted,
            entries: reader.index.resources.count { $0.entry != nil },
            signature: signature,
            isLoadable: !findings.hasErrors
        )
    }

    /// Looks at the lines of a package's manifest, and gives it; what keeps them from being understood is known already.
    private static func checkManifest(
        of package: LintedPackage,
        _ rules: ActiveRules,
        _ findings: inout FindingCollector
    ) -> [UInt8] {
        let archive = package.reader.archive
        guard let member = archive.member(named: PackageLayout.manifest) else { return [] }
        do throws(ZipError) {
            var bytes: [UInt8] = []
            try archive.forEachChunk(of: member) { chunk throws(ZipError) in bytes.append(contentsOf: chunk) }
            _ = entries(of: bytes, rules, package.context, &findings)
            return bytes
        } catch {
            findings.add(Finding(error, in: package.reader.path, place: .member(member.name)))
            return []
        }
    }
}
