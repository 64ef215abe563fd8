internal import AFCCaching
internal import AFCFiles
public import AFCHTTP
internal import AFCPackageFile
public import AFCPackageFormat
public import AFCZip

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
        /// Whether the file, or a part of it, couldn't be read, so that nothing is known of it.
        public var isUnreadable: Bool { findings.contains { $0.rule == ZipError.unreadable } || isUnread }
        /// Whether that is known although the finding is off.
        var isUnread = false
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
            let file = try onFile { () throws(FileError) in try OpenFile(reading: path) }
            let isZip = try isPackage(file)
            var result = isZip ? package(path, options: options) : try manifest(file, options: options)
            result.isPackage = isZip
            return result
        } catch {
            return failed(Finding(error, in: path), options: options)
        }
    }

    /// Whether a file is meant as a package: its bytes look like one, or, whatever they are, its name does.
    static func isPackage(_ file: OpenFile) throws(ZipError) -> Bool {
        try onFile { () throws(FileError) in try file.looksLikeArchive() } || file.path.lowercased().hasSuffix(".zip")
    }

    private static func failed(_ finding: Finding, options: Options) -> Result {
        var findings = collector(finding.file, options: options)
        findings.add(finding)
        var sorted = findings.sorted
        quote(&sorted, options) { _, _ in }
        var result = Result(findings: sorted, entries: 0, isLoadable: false)
        result.isUnread = finding.rule == ZipError.unreadable
        return result
    }

    private static func collector(_ path: String, options: Options) -> FindingCollector {
        FindingCollector(file: path, levels: options.levels, merges: options.mergesFindings)
    }

    private static func manifest(_ file: OpenFile, options: Options) throws(ZipError) -> Result {
        var findings = collector(file.path, options: options)
        _ = try onFile { () throws(FileError) in try file.size(upTo: PackageLayout.metadataByteLimit) }
        let context = LintContext(now: options.now, settings: options.settings)
        var reader = ManifestReader()
        let count = try entries(of: &reader, ActiveRules(options.levels), context, &findings, tellsProblems: true) {
            buffer,
            offset throws(ZipError) in
            try onFile { () throws(FileError) in try file.read(into: buffer, at: Int64(offset)) }
        }
        var sorted = findings.sorted
        quote(&sorted, options) { _, take throws(ZipError) in
            try onFile { () throws(FileError) in try forEachChunk(of: file, take) }
        }
        return Result(findings: sorted, entries: count, isLoadable: !findings.hasErrors)
    }

    /// Looks at a manifest, line by line and as a text.
    ///
    /// - Parameters:
    ///   - reader: Stands before the first line.
    ///   - rules: The rules that are on.
    ///   - context: What they compare with.
    ///   - findings: Where findings go.
    ///   - tellsProblems: Whether the reader's problems are findings; else they are known already.
    ///   - read: The manifest.
    /// - Returns: How many entries were understood.
    /// - Throws: What reading throws.
    private static func entries<Failure: Error>(
        of reader: inout ManifestReader,
        _ rules: ActiveRules,
        _ context: LintContext,
        _ findings: inout FindingCollector,
        tellsProblems: Bool,
        _ read: ManifestReader.Source<Failure>
    ) throws(Failure) -> Int {
        var filter = EntryFilter(rules.entry, context)
        var count = 0
        var baseURL: String?
        var usesBaseURL = false
        func take(_ problems: [PackageProblem]) {
            if tellsProblems { for problem in problems { findings.add(problem) } }
        }
        while let item = try reader.next(read) {
            count += 1
            filter.check(item, &findings)
            if !usesBaseURL, let base = reader.baseURL {
                baseURL = base
                usesBaseURL = item.urlText.hasPrefix(base)
            }
            // Taken often, they don't gather.
            if count.isMultiple(of: 1024) { take(reader.takeProblems()) }
        }
        take(reader.takeProblems())
        if !rules.manifest.isEmpty {
            let text = LintedManifest(texture: reader.texture, baseURL: baseURL, usesBaseURL: usesBaseURL)
            for rule in rules.manifest { rule.check(text, &findings) }
        }
        return count
    }

    private static func package(_ path: String, options: Options) -> Result {
        let reader: PackageReader
        do throws(PackageError) {
            reader = try PackageReader(path: path, password: options.password)
        } catch {
            return failed(Finding(error), options: options)
        }
        var findings = collector(path, options: options)
        for problem in reader.index.problems { findings.add(problem) }
        let rules = ActiveRules(options.levels)
        var package = LintedPackage(reader, LintContext(now: options.now, settings: options.settings))
        checkManifest(of: package, rules, &findings)
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
        for index in sorted.indices { sorted[index].isInPackage = true }
        quote(&sorted, options) { name, take throws(ZipError) in
            guard let member = reader.archive.member(named: name) else { return }
            try reader.archive.forEachChunk(of: member) { _ = take($0) }
        }
        return Result(
            findings: sorted,
            entries: reader.index.resources.count { $0.entry != nil },
            signature: signature,
            isLoadable: !findings.hasErrors
        )
    }

    /// Looks at the lines of a package's manifest; what keeps them from being understood is known already.
    private static func checkManifest(
        of package: LintedPackage,
        _ rules: ActiveRules,
        _ findings: inout FindingCollector
    ) {
        guard let member = package.reader.archive.member(named: PackageLayout.manifest) else { return }
        do throws(ZipError) {
            let bytes = try package.reader.archive.read(member, maxBytes: PackageLayout.metadataByteLimit)
            var reader = ManifestReader(bytes)
            _ = entries(of: &reader, rules, package.context, &findings, tellsProblems: false) { _, _ in 0 }
        } catch {
            findings.add(Finding(error, in: package.reader.path, place: .member(member.name)))
        }
    }
}
