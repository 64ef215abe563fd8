internal import AFCCaching
internal import AFCFiles
public import AFCHTTP
internal import AFCPackageFile
public import AFCPackageFormat
public import AFCZip

/// Checks packages and bare manifests with the parser and the rules that loading uses.
public enum Linter {
    /// The options of a run.
    public struct Options: Sendable {
        /// The time that dates are compared with.
        public var now: Timestamp
        /// True to read each body and verify its size, checksum and digest.
        public var checksBodies = true
        /// The keys to trust; signatures are verified if bodies are.
        public var trust = TrustPolicy()
        /// The password of an encrypted package.
        public var password: Password?
        /// The limits that rules compare with.
        public var settings = LintSettings()
        /// The levels of the rules.
        public var levels = RuleLevels()
        /// True to merge findings with the same sentence.
        public var mergesFindings = true
        /// True to give findings fingerprints and columns in code points, for which the manifest is read again.
        public var identifiesFindings = false
        /// The number of findings of a file that get an excerpt of their line.
        public var excerptLimit = 1000

        /// Creates options with the defaults.
        public init(now: Timestamp) { self.now = now }
    }

    /// The result for one file.
    public struct Result: Sendable {
        /// The findings, in the order of the file.
        public var findings: [Finding]
        /// The number of valid entries.
        public var entries: Int
        /// The verdict on the signatures, or nil if they weren't checked.
        ///
        /// They aren't checked for a manifest or a damaged package, or if bodies aren't read.
        public var signature: SignatureVerdict?

        /// The digest of the package's contents, which signatures cover and a sync file may require; nil if it wasn't
        /// computed, for the same reasons.
        public var digest: String?

        /// True if the package, or a package with this manifest, can be loaded.
        public var isLoadable: Bool
        /// True if the file is a package and not a bare manifest.
        public var isPackage = false
        /// True if the file or a part of it couldn't be read.
        public var isUnreadable: Bool { findings.contains { $0.rule == ZipError.unreadable } || isUnread }
        /// True if the file couldn't be read but the finding is off.
        var isUnread = false
    }

    /// Lints a file: a package if it begins or ends like a zip, otherwise a manifest.
    ///
    /// A file that can't be read gives a finding. The call blocks while the file is read.
    ///
    /// - Parameters:
    ///   - path: The file.
    ///   - options: The options.
    /// - Returns: The result.
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

    /// Returns true if a file is a package by its bytes or by its name.
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
        let (count, isForeign) = try entries(
            of: &reader,
            ActiveRules(options.levels),
            context,
            &findings,
            tellsProblems: true
        ) { buffer, offset throws(ZipError) in
            try onFile { () throws(FileError) in try file.read(into: buffer, at: Int64(offset)) }
        }
        // One finding says more than one for each line.
        if isForeign, try !isMeantAsManifest(file) {
            findings = collector(file.path, options: options)
            findings.add(PackageProblem(.isNeither, at: .package))
        }
        var sorted = findings.sorted
        quote(&sorted, options) { _, take throws(ZipError) in
            try onFile { () throws(FileError) in try forEachChunk(of: file, take) }
        }
        return Result(findings: sorted, entries: count, isLoadable: !findings.hasErrors)
    }

    /// Returns true if a file that isn't a package isn't a manifest either.
    static func isForeign(_ file: OpenFile) throws(ZipError) -> Bool {
        guard try !isMeantAsManifest(file) else { return false }
        var reader = ManifestReader()
        let item = try reader.next { buffer, offset throws(ZipError) in
            try onFile { () throws(FileError) in try file.read(into: buffer, at: Int64(offset)) }
        }
        var text = TextKind()
        text.take(reader.takeProblems())
        return item == nil && text.isForeign
    }

    /// What the problems of a text say about it.
    private struct TextKind {
        private var hasErrors = false
        /// True if no line could be meant as one of a manifest.
        private(set) var isForeign = false

        mutating func take(_ problems: [PackageProblem]) {
            for problem in problems where problem.severity == .error {
                isForeign = problem.isOfAnyText && (isForeign || !hasErrors)
                hasErrors = true
            }
        }
    }

    /// Returns true if a file has a manifest's name, or if a line at its beginning starts like an entry, even if the rest of it
    /// can't be read.
    private static func isMeantAsManifest(_ file: OpenFile) throws(ZipError) -> Bool {
        if file.path.hasSuffix(".afcache") { return true }
        var beginning: [UInt8] = [UInt8(ascii: "\n")]
        try onFile { () throws(FileError) in
            try forEachChunk(of: file) { chunk in
                beginning += chunk.prefix(64 << 10)
                return false
            }
        }
        return ["\nhttp:", "\nhttps:", "\u{FEFF}http"].contains { beginning.firstRange(of: Array($0.utf8)) != nil }
    }

    /// Checks a manifest, line by line and as a text.
    ///
    /// - Parameters:
    ///   - reader: A reader before the first line.
    ///   - rules: The rules that are on.
    ///   - context: The values that they compare with.
    ///   - findings: The collector to add findings to.
    ///   - tellsProblems: True to report the reader's problems; false if they are reported already.
    ///   - read: The manifest.
    /// - Returns: The number of valid entries, and true if no line could be meant as one.
    /// - Throws: The errors of `read`.
    private static func entries<Failure: Error>(
        of reader: inout ManifestReader,
        _ rules: ActiveRules,
        _ context: LintContext,
        _ findings: inout FindingCollector,
        tellsProblems: Bool,
        _ read: ManifestReader.Source<Failure>
    ) throws(Failure) -> (count: Int, isForeign: Bool) {
        var filter = EntryFilter(rules.entry, context)
        var count = 0
        var baseURL: String?
        var usesBaseURL = false
        var text = TextKind()
        func take(_ problems: [PackageProblem]) {
            text.take(problems)
            if tellsProblems { for problem in problems { findings.add(problem) } }
        }
        while let item = try reader.next(read) {
            count += 1
            filter.check(item, &findings)
            if !usesBaseURL, let base = reader.baseURL {
                baseURL = base
                usesBaseURL = item.urlText.hasPrefix(base)
            }
            // Taken often, so that they don't accumulate.
            if count.isMultiple(of: 1024) { take(reader.takeProblems()) }
        }
        take(reader.takeProblems())
        if !rules.manifest.isEmpty {
            let manifest = LintedManifest(texture: reader.texture, baseURL: baseURL, usesBaseURL: usesBaseURL)
            for rule in rules.manifest { rule.check(manifest, &findings) }
        }
        return (count, text.isForeign && count == 0)
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
        var digest: String?
        do throws(PackageError) {
            try reader.requireSigner(options.trust)
            if options.checksBodies, !findings.hasErrors {
                signature = try reader.verifySignature(policy: options.trust) { package.digests[$0] }
                digest = try reader.contentDigest { package.digests[$0] }.hexadecimal
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
            digest: digest,
            isLoadable: !findings.hasErrors
        )
    }

    /// Checks the lines of a package's manifest; problems of parsing are reported already.
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
