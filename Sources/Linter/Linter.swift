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
        public var isLoadable: Bool { !findings.contains { $0.severity == .error } }
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
            return Result(findings: [finding(error, in: path)], entries: 0)
        }
    }

    private static func manifest(_ file: OpenFile, options: Options) throws(ZipError) -> Result {
        // What is appended meanwhile isn't read.
        let size = try file.size(upTo: PackageLayout.metadataByteLimit)
        let read = { (buffer: UnsafeMutableRawBufferPointer, offset: Int) throws(ZipError) -> Int in
            let rest = UnsafeMutableRawBufferPointer(rebasing: buffer.prefix(max(0, size - offset)))
            return try file.read(into: rest, at: Int64(offset))
        }
        var reader = ManifestReader()
        let context = LintContext(now: options.now, package: nil)
        var own: [Finding] = []
        var entries = 0
        while let item = try reader.next(read) {
            entries += 1
            let entry = item.entry
            let resource = PackageIndex.Resource(
                url: entry.url,
                entry: entry,
                line: item.line,
                record: nil,
                member: nil
            )
            own += check(resource, in: context, file: file.path)
        }
        let findings = reader.problems.map { Finding($0, file: file.path) } + collapsed(own)
        return Result(findings: sorted(findings), entries: entries)
    }

    private static func package(_ path: String, options: Options) -> Result {
        let package: PackageReader
        do throws(PackageError) {
            package = try PackageReader(path: path, password: options.password)
        } catch {
            return Result(findings: [finding(error)], entries: 0)
        }
        var findings = package.index.problems.map { Finding($0, file: path) }
        let context = LintContext(now: options.now, package: package)
        var own: [Finding] = []
        var digests: [Int: [UInt8]] = [:]
        for resource in package.index.resources {
            own += check(resource, in: context, file: path)
            if options.checksBodies, let finding = bodyFinding(resource, in: package, &digests) {
                findings.append(finding)
            }
        }
        findings += collapsed(own)
        var result = Result(findings: [], entries: package.index.resources.count { $0.entry != nil })
        do throws(PackageError) {
            try package.requireSigner(options.trust)
            if options.checksBodies, !findings.contains(where: { $0.severity == .error }) {
                result.signature = try package.verifySignature(bodyDigests: digests, policy: options.trust)
            }
        } catch {
            findings.append(finding(error))
        }
        result.findings = sorted(findings)
        return result
    }

    private static func finding(_ error: PackageError) -> Finding {
        let rule: String
        switch error.code {
        case .invalidArchive(let id), .invalidPackage(let id), .untrusted(let id), .locked(let id): rule = id
        case .inputOutput, .unwritable, .cancelled: rule = "io"
        }
        return Finding(file: error.subject, place: .package, severity: .error, rule: rule, sentence: error.message)
    }

    private static func check(_ resource: PackageIndex.Resource, in context: LintContext, file: String) -> [Finding] {
        LintRules.own.flatMap { rule in
            rule.check(resource, in: context).map { sentence in
                let place: PackageProblem.Place =
                    resource.line > 0 ? .manifest(line: resource.line, column: 1) : .package
                return Finding(file: file, place: place, severity: rule.severity, rule: rule.id, sentence: sentence)
            }
        }
    }

    /// Findings that say the same of many entries become one, at the first of them.
    private static func collapsed(_ findings: [Finding]) -> [Finding] {
        struct Key: Hashable {
            var rule: String
            var sentence: String
        }
        var counts: [Key: Int] = [:]
        for finding in findings { counts[Key(rule: finding.rule, sentence: finding.sentence), default: 0] += 1 }
        var seen: Set<Key> = []
        return findings.compactMap { finding in
            let key = Key(rule: finding.rule, sentence: finding.sentence)
            guard seen.insert(key).inserted else { return nil }
            var finding = finding
            let others = (counts[key] ?? 1) - 1
            if others > 0 { finding.sentence += " (and in \(others) more \(others == 1 ? "entry" : "entries"))" }
            return finding
        }
    }

    /// What loading would refuse the body for.
    private static func bodyFinding(
        _ resource: PackageIndex.Resource,
        in package: PackageReader,
        _ digests: inout [Int: [UInt8]]
    ) -> Finding? {
        guard let index = resource.member else { return nil }
        let member = package.archive.members[index]
        let digest: [UInt8]
        if let known = digests[index] {
            // Several entries may name one member.
            digest = known
        } else {
            var hash = SHA256()
            do throws(ZipError) {
                try package.archive.forEachChunk(of: member) { chunk throws(ZipError) in
                    hash.update(bufferPointer: chunk)
                }
            } catch {
                return finding(error, in: package.path, place: .member(member.name))
            }
            digest = Array(hash.finalize())
            digests[index] = digest
        }
        guard let expected = resource.record?.sha256 else { return nil }
        guard Hexadecimal.text(digest) != expected else { return nil }
        return Finding(
            file: package.path,
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

    /// Whole package first, then the manifest's lines, the records', the members.
    private static func sorted(_ findings: [Finding]) -> [Finding] {
        func rank(_ place: PackageProblem.Place) -> (Int, Int, Int, String) {
            switch place {
            case .package: (0, 0, 0, "")
            case .manifest(let line, let column): (1, line, column, "")
            case .record(let line): (2, line, 0, "")
            case .member(let name): (3, 0, 0, name)
            }
        }
        return findings.enumerated()
            .sorted { one, other in
                let (a, b) = (rank(one.element.place), rank(other.element.place))
                return a == b ? one.offset < other.offset : a < b
            }
            .map(\.element)
    }
}
