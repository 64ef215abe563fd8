internal import AFCPackageFormat
internal import AFCZip

enum HighRatioRule: ResourceRule {
    static let id = "member.high-ratio"
    static let severity = PackageProblem.Severity.info
    static let summary = "a body of a megabyte or more that is 200 times its data or more"
    static let explanation = """
        Text that people write is deflated to a third or a tenth. A body that is a few hundred times its data is one \
        thing over and over: a table of zeros, a picture of one colour, or something made to fill the disk of whoever \
        unpacks it. It is worth a look.
        """
    static let bad = LintExample.words("a member of 10 MiB whose data has 10 KiB")
    static let good = LintExample.words("a member of 10 MiB whose data has 1 MiB")

    static func check(_ resource: PackageIndex.Resource, in package: LintedPackage, _ findings: inout FindingCollector)
    {
        guard let member = package.member(of: resource), member.uncompressedSize >= 1 << 20,
            member.uncompressedSize / max(1, member.compressedSize) >= package.context.settings.highRatio
        else { return }
        let ratio = member.uncompressedSize / max(1, member.compressedSize)
        let sentence = "the body is \(ratio) times its data; look at whether it is what it should be"
        findings.add(sentence, Self.self, at: package.place(of: resource))
    }
}
