internal import Crypto
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
    }

    /// Lints a file: a package where it begins like a zip, else a manifest.
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
            let isZip = try file.startsWith([0x50, 0x4B])
            return isZip ? package(path, options: options) : try manifest(file, options: options)
        } catch {
            return Result(findings: [finding(error, in: path)], entries: 0, isLoadable: false)
        }
    }

    private static func manifest(_ file: OpenFile, options: Options) throws(ZipError) -> Result {
        var findings = FindingCollector(file: file.path)
        let bytes = try file.contents(upTo: PackageLayout.metadataByteLimit)
        let context = LintContext(now: options.now, settings: options.settings)
        let (entries, problems) = entries(of: bytes, context, &findings)
        for problem in problems { findings.add(Finding(problem, file: file.path)) }
        var sorted = findings.sorted
        sorted.addExcerpts(of: bytes, limit: options.excerptLimit)
        return Result(findings: sorted, entries: entries, isLoadable: !findings.hasErrors)
    }

    /// Looks at each entry of a manifest.
    private static func entries(
        of manifest: [UInt8],
        _ context: LintContext,
        _ findings: inout FindingCollector
    ) -> (count: Int, problems: [PackageProblem]) {
        var reader = ManifestReader(manifest)
        var count = 0
        while let item = reader.next() {
            count += 1
            let entry = LintedEntry(item: item)
            for rule in LintRules.entryRules { rule.check(entry, context, &findings) }
        }
        return (count, reader.problems)
    }

    private static func package(_ path: String, options: Options) -> Result {
        let reader: PackageReader
        do throws(PackageError) {
            reader = try PackageReader(path: path, password: options.password)
        } catch {
            return Result(findings: [finding(error)], entries: 0, isLoadable: false)
        }
        var findings = FindingCollector(file: path)
        for problem in reader.index.problems { findings.add(Finding(problem, file: path)) }
        let package = LintedPackage(
            reader: reader,
            context: LintContext(now: options.now, settings: options.settings)
        )
        let manifest = checkManifest(of: package, &findings)
        for rule in LintRules.packageRules { rule.check(package, &findings) }
        var digests: [Int: [UInt8]] = [:]
        for resource in reader.index.resources {
            for rule in LintRules.resourceRules { rule.check(resource, in: package, &findings) }
            if options.checksBodies, let finding = bodyFinding(resource, in: package, &digests, &findings) {
                findings.add(finding)
            }
        }
        var signature: SignatureVerdict?
        do throws(PackageError) {
            try reader.requireSigner(options.trust)
            if options.checksBodies, !findings.hasErrors {
                signature = try reader.verifySignature(bodyDigests: digests, policy: options.trust)
            }
        } catch {
            findings.add(finding(error))
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
    private static func checkManifest(of package: LintedPackage, _ findings: inout FindingCollector) -> [UInt8] {
        let archive = package.reader.archive
        guard let member = archive.member(named: PackageLayout.manifest) else { return [] }
        do throws(ZipError) {
            var bytes: [UInt8] = []
            try archive.forEachChunk(of: member) { chunk throws(ZipError) in bytes.append(contentsOf: chunk) }
            _ = entries(of: bytes, package.context, &findings)
            return bytes
        } catch {
            findings.add(finding(error, in: package.reader.path, place: .member(member.name)))
            return []
        }
    }

    private static func finding(_ error: PackageError) -> Finding {
        let rule: String
        switch error.code {
        case .invalidArchive(let id), .invalidPackage(let id), .untrusted(let id), .locked(let id): rule = id
        case .inputOutput, .unwritable, .cancelled: rule = "io"
        }
        return Finding(file: error.subject, place: .package, severity: .error, rule: rule, sentence: error.message)
    }

    /// Reads a resource's body for the rules that look at it, and gives what loading would refuse it for.
    private static func bodyFinding(
        _ resource: PackageIndex.Resource,
        in package: LintedPackage,
        _ digests: inout [Int: [UInt8]],
        _ findings: inout FindingCollector
    ) -> Finding? {
        guard let index = resource.member else { return nil }
        let reader = package.reader
        let member = package.members[index]
        var rules = LintRules.bodyRules.filter { $0.isFor(resource, in: package) }
        if member.uncompressedSize > package.context.settings.bodyLimit { rules = [] }
        let digest: [UInt8]
        if let known = digests[index], rules.isEmpty {
            // Several entries may name one member.
            digest = known
        } else {
            var hash = SHA256()
            var body: [UInt8] = []
            do throws(ZipError) {
                try reader.archive.forEachChunk(of: member) { chunk throws(ZipError) in
                    hash.update(bufferPointer: chunk)
                    if !rules.isEmpty { body.append(contentsOf: chunk) }
                }
            } catch {
                return finding(error, in: reader.path, place: .member(member.name))
            }
            digest = Array(hash.finalize())
            digests[index] = digest
            for rule in rules { rule.check(body, of: resource, in: package, &findings) }
        }
        guard let expected = resource.record?.sha256, Hexadecimal.text(digest) != expected else { return nil }
        return Finding(
            file: reader.path,
            place: .member(member.name),
            severity: .error,
            rule: "sidecar.digest",
            sentence: "the body has another SHA-256 than its record; make the package anew"
        )
    }

    private static func finding(
        _ error: ZipError,
        in path: String,
        place: PackageProblem.Place = .package
    ) -> Finding {
        Finding(file: path, place: place, severity: .error, rule: error.rule, sentence: error.message)
    }
}
