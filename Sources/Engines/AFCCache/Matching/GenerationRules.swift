internal import AFCFiles
internal import AFCPackageFormat
import AFCPlatform

/// The rules for parameters that a generation's package brought, in the file `match.json` of its folder.
///
/// A file that is missing or damaged counts as no rules, so that less is found and nothing wrong.
struct GenerationRules {
    let rules: MatchRules?

    init(_ rules: MatchRules?) { self.rules = rules }

    /// Reads the rules of a generation.
    init(_ generation: OpenFolder) { rules = Self.contents(generation).flatMap { try? MatchRules($0) } }

    /// Writes the rules, unless there are none, or the generation has them already.
    func write(to generation: OpenFolder, by staging: OpenFolder) throws(CacheError) {
        guard let bytes = rules?.bytes, Self.contents(generation) != bytes else { return }
        try generation.requireOwn()
        try generation.replace(GenerationLayout.rulesName, with: bytes, by: staging, as: OwnName.temporary())
    }

    private static func contents(_ generation: OpenFolder) -> [UInt8]? {
        guard let descriptor = try? generation.file(GenerationLayout.rulesName) else { return nil }
        defer { close(descriptor) }
        var status = stat()
        guard fstat(descriptor, &status) == 0, status.st_size <= PackageLayout.matchByteLimit else { return nil }
        return PublishedCatalogue.contents(descriptor, Int(status.st_size))
    }
}
