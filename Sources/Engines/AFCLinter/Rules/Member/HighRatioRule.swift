internal import AFCPackageFormat
internal import AFCZip

enum HighRatioRule: ResourceRule {
    static let id = "member.high-ratio"
    static let severity = PackageProblem.Severity.info
    static let summary = "a body of 1 MiB or more that was compressed to 1/200 of its size or less"
    static let explanation = """
        Ordinary text compresses to between a third and a tenth of its size. A ratio of several hundred means that the \
        body repeats itself: a table of zeros, an image of one color, or a zip bomb made to fill the disk. Check that \
        the body is what you expect.
        """
    static let bad = LintExample.words("a member of 10 MiB that is compressed to 10 KiB")
    static let good = LintExample.words("a member of 10 MiB that is compressed to 1 MiB")

    static func check(_ resource: PackageIndex.Resource, in package: LintedPackage, _ findings: inout FindingCollector)
    {
        guard let member = package.member(of: resource), member.uncompressedSize >= 1 << 20,
            member.uncompressedSize / max(1, member.compressedSize) >= package.context.settings.highRatio
        else { return }
        let ratio = member.uncompressedSize / max(1, member.compressedSize)
        let sentence = "the body is \(ratio) times the size of its compressed data; check that it is what you expect"
        findings.add(sentence, Self.self, of: resource, in: package)
    }
}
