internal import AFCPackageFormat

enum ZipEncryptedRule: LoadRule {
    static let id = "zip.encrypted"
    static let severity = PackageProblem.Severity.error
    static let summary = "a member that is encrypted otherwise than with AES-256"
    static let explanation = """
        PKZIP's old encryption is broken within minutes, shorter keys and PKWARE's methods are read by few programs, \
        and headers that contradict each other are read differently by each. Only AES-256 as WinZip writes it is \
        taken: pack with 'afcache pack --encrypt', or not encrypted.
        """
    static let bad = LintExample.words("a member encrypted in PKZIP's way")
    static let good = LintExample.words("a member encrypted with AES-256, and its password")
}
