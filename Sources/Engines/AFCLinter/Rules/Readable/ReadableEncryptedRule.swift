internal import AFCPackageFormat
internal import AFCZip

enum ReadableEncryptedRule: PackageRule {
    static let id = "readable.encrypted"
    static let severity = PackageProblem.Severity.warning
    static let summary = "an encrypted package, which an older AFCache can't read"
    static let explanation = """
        Older versions support only PKZIP's encryption, which is insecure; afcache uses AES-256. Make the package \
        without encryption. The rule is off by default; the setting 'readable-by' and the presets 'afcache-0.6' and \
        'afcache-0.13' turn it on.
        """
    static let isOn = false
    static let bad = LintExample.words("readable by 0.13: an encrypted package")
    static let good = LintExample.words("readable by 0.13: a package without a password")

    static func check(_ package: LintedPackage, _ findings: inout FindingCollector) {
        guard let reader = package.context.settings.readers.first,
            package.members.contains(where: { $0.encryption != nil })
        else { return }
        findings.add("the package is encrypted with AES-256, which \(reader.name) can't read", Self.self, at: .package)
    }
}
