internal import AFCFiles
internal import AFCPackageFormat
import AFCPlatform

/// The rules that a generation's package brought for other URLs than its own, as files in the generation's folder:
/// `match.json` for parameters, `fallback.json` for navigations, and `absent` for what the site doesn't have.
///
/// A file that is missing or damaged counts as no rules, so that less is found and nothing wrong.
struct GenerationRules: Sendable {
    let rules: MatchRules?
    let fallback: FallbackRules?
    let absent: AbsentURLs?

    /// Creates the rules of a package.
    init(_ index: PackageIndex) { (rules, fallback, absent) = (index.matchRules, index.fallback, index.absent) }

    /// Parses the rules; empty bytes, or damaged ones, count as no rules.
    init(match: ArraySlice<UInt8>, fallback bytes: ArraySlice<UInt8>, absent urls: ArraySlice<UInt8>) {
        rules = match.isEmpty ? nil : try? MatchRules(Array(match))
        fallback = bytes.isEmpty ? nil : try? FallbackRules(Array(bytes))
        absent = urls.isEmpty ? nil : AbsentURLs(unchecked: Array(urls))
    }

    /// Reads the rules of a generation.
    init(_ generation: OpenFolder) {
        rules = Self.contents(GenerationLayout.rulesName, generation).flatMap { try? MatchRules($0) }
        fallback = Self.contents(GenerationLayout.fallbackName, generation).flatMap { try? FallbackRules($0) }
        absent = Self.contents(GenerationLayout.absentName, generation).map { AbsentURLs(unchecked: $0) }
    }

    /// Writes the rules, unless there are none, or the generation has them already.
    func write(to generation: OpenFolder, by staging: OpenFolder) throws(CacheError) {
        for (name, bytes) in [
            (GenerationLayout.rulesName, rules?.bytes), (GenerationLayout.fallbackName, fallback?.bytes),
            (GenerationLayout.absentName, absent?.bytes),
        ] {
            guard let bytes, Self.contents(name, generation) != bytes else { continue }
            try generation.requireOwn()
            try generation.replace(name, with: bytes, by: staging, as: OwnName.temporary())
        }
    }

    private static let rulesByteLimit = max(PackageLayout.matchByteLimit, PackageLayout.fallbackByteLimit)

    private static func contents(_ name: String, _ generation: OpenFolder) -> [UInt8]? {
        guard let descriptor = try? generation.file(name) else { return nil }
        defer { close(descriptor) }
        var status = stat()
        let limit = name == GenerationLayout.absentName ? PackageLayout.absentByteLimit : rulesByteLimit
        guard fstat(descriptor, &status) == 0, status.st_size <= limit else { return nil }
        return CatalogueFile.contents(descriptor, Int(status.st_size))
    }
}
