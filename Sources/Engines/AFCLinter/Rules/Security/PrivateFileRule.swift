internal import AFCPackageFormat
internal import AFCText
internal import AFCURL

enum PrivateFileRule: EntryRule {
    static let id = "security.private-file"
    static let severity = PackageProblem.Severity.warning
    static let summary = "a file that isn't meant to be published"
    static let explanation = """
        Folders such as '.git' and files such as '.env' and '.htpasswd' contain source code, passwords and keys. They \
        get into a package if a whole folder is packed, or if a server serves them by mistake. Remove them, and \
        replace the secrets they contain.
        """
    static let bad = LintExample.manifest(
        "http://d.example/.git/config ; Sat, 27 Mar 2004 18:43:30 GMT ; NULL ; text/plain\n"
    )
    static let good = LintExample.manifest(
        "http://d.example/.well-known/security.txt ; Sat, 27 Mar 2004 18:43:30 GMT ; NULL ; text/plain\n"
    )

    private static let names: Set<String> = [
        ".git", ".svn", ".hg", ".bzr", ".ssh", ".aws", ".gnupg", ".env", ".htpasswd", ".htaccess", ".netrc", ".npmrc",
        ".pypirc", ".pgpass", ".bash_history", ".git-credentials", ".dockercfg",
    ]

    private static func isPrivate(_ name: String) -> Bool { names.contains(name) || name.hasPrefix(".env.") }

    static let features: EntryFeatures = .hiddenName

    static func check(_ entry: LintedEntry, _ context: LintContext, _ findings: inout FindingCollector) {
        for segment in entry.resource.path.split(separator: "/") where isPrivate(segment.lowercased()) {
            let name = PrintableText.quoted(String(segment))
            findings.add(
                "\(name) isn't meant to be published; remove it, and replace the secrets it contains",
                Self.self,
                of: entry,
                at: .url
            )
            return
        }
    }
}
