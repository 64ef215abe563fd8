internal import AFCPackageFile
internal import AFCPackageFormat
internal import AFCText
internal import AFCZip
internal import Crypto
internal import Dispatch
internal import Synchronization

/// Reads each body once to verify its size, checksum and digest, and to apply the rules about bodies.
///
/// Each processor runs one thread, and each thread takes runs of neighboring members. Findings come in the resources'
/// order. At most the settings' limit of a body is kept in memory, and only while rules check it.
final class BodyPass: Sendable {
    private struct State {
        var findings: [Int: FindingCollector] = [:]
        var digests: [Int: [UInt8]] = [:]
    }

    private let package: LintedPackage
    private let rules: ActiveRules
    /// The empty collector that each run starts with.
    private let collector: FindingCollector
    /// The members that have resources, with the resources' indexes.
    private let owners: [(member: Int, resources: [Int])]
    /// True if rules check a member once for each entry that names it, because URL and type may matter.
    ///
    /// False if the bodies, counted like that, exceed the limit of loading. Otherwise a small file could keep rules
    /// busy for very long.
    private let looksForEachEntry: Bool
    private let state = Mutex(State())

    private static let runLength = 32

    private init(_ package: LintedPackage, _ rules: ActiveRules, _ collector: FindingCollector) {
        self.package = package
        self.rules = rules
        self.collector = collector
        looksForEachEntry = !package.index.problems.contains {
            if case .bodiesTooLarge = $0.kind { true } else { false }
        }
        var places: [Int: Int] = [:]
        var owners: [(member: Int, resources: [Int])] = []
        owners.reserveCapacity(package.index.resources.count)
        for (number, resource) in package.index.resources.enumerated() {
            guard let member = resource.member else { continue }
            if let place = places[member] {
                owners[place].resources.append(number)
            } else {
                places[member] = owners.count
                owners.append((member, [number]))
            }
        }
        self.owners = owners
    }

    /// Reads all bodies.
    ///
    /// - Parameters:
    ///   - package: The package.
    ///   - rules: The rules to apply.
    ///   - findings: The collector to add findings to.
    /// - Returns: The SHA-256 of each body that could be read, by index into the members.
    static func run(
        _ package: LintedPackage,
        _ rules: ActiveRules,
        _ findings: inout FindingCollector
    ) -> [Int: [UInt8]] {
        let pass = BodyPass(package, rules, findings.emptyCopy)
        let runs = (pass.owners.count + runLength - 1) / runLength
        DispatchQueue.concurrentPerform(iterations: runs) { pass.read(run: $0) }
        let found = pass.state.withLock { ($0.findings, $0.digests) }
        for run in found.0.keys.sorted() { if let part = found.0[run] { findings.add(contentsOf: part) } }
        return found.1
    }

    private func read(run: Int) {
        var body: [UInt8] = []
        var findings = collector
        var digests: [(Int, [UInt8])] = []
        for (member, resources) in owners[run * Self.runLength..<min((run + 1) * Self.runLength, owners.count)] {
            guard let digest = read(member, into: &body, &findings) else { continue }
            digests.append((member, digest))
            for (count, number) in resources.enumerated() {
                let resource = package.index.resources[number]
                if count == 0 || looksForEachEntry { look(at: body, of: resource, &findings) }
                compare(digest, with: resource, &findings)
            }
        }
        state.withLock { state in
            if !findings.isEmpty { state.findings[run] = findings }
            for (member, digest) in digests { state.digests[member] = digest }
        }
    }

    private func read(_ index: Int, into body: inout [UInt8], _ findings: inout FindingCollector) -> [UInt8]? {
        let member = package.members[index]
        let limit = Int(clamping: package.context.settings.bodyLimit)
        body.removeAll(keepingCapacity: true)
        var hash = SHA256()
        do throws(ZipError) {
            try package.reader.archive.forEachChunk(of: member) { chunk throws(ZipError) in
                hash.update(bufferPointer: chunk)
                if body.count < limit { body.append(contentsOf: chunk.prefix(limit - body.count)) }
            }
        } catch {
            findings.add(Finding(error, in: package.reader.path, place: .member(member.name)))
            return nil
        }
        return Array(hash.finalize())
    }

    private func look(at bytes: [UInt8], of resource: PackageIndex.Resource, _ findings: inout FindingCollector) {
        let active = rules.body.filter { $0.isFor(resource, in: package) }
        guard !active.isEmpty else { return }
        let isWhole = package.member(of: resource).map { $0.uncompressedSize == Int64(bytes.count) } ?? true
        let body = LintedBody(bytes, isWhole: isWhole, of: resource)
        for rule in active { rule.check(body, in: package, &findings) }
    }

    private func compare(
        _ digest: [UInt8],
        with resource: PackageIndex.Resource,
        _ findings: inout FindingCollector
    ) {
        guard let record = resource.record, let expected = record.sha256, Hexadecimal.text(digest) != expected,
            // A body of another size also has another digest; one finding is enough.
            let member = package.member(of: resource), record.size ?? member.uncompressedSize == member.uncompressedSize
        else { return }
        let rule = ProblemRule.sidecarDigest
        var finding = Finding(
            file: package.reader.path,
            place: .member(member.name),
            severity: rule.severity,
            rule: rule.id,
            sentence: "the body's SHA-256 differs from its record"
        )
        finding.remedy = rule.remedy
        findings.add(finding)
    }
}
