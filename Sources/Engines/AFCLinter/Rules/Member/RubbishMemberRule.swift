internal import AFCPackageFormat
internal import AFCText
internal import AFCZip

enum RubbishMemberRule: PackageRule {
    static let id = "member.rubbish"
    static let severity = PackageProblem.Severity.warning
    static let remedy: Remedy? = .repack
    static let summary = "a file that the operating system's file manager left behind"
    static let explanation = """
        '.DS_Store', '__MACOSX', 'Thumbs.db' and 'desktop.ini' are private files of file managers. They are useless in \
        a package and can reveal the names of other files. Remove them. afcache's packager skips hidden files.
        """
    static let bad = LintExample.words("a member '__MACOSX/d.example/._a'")
    static let good = LintExample.words("a member 'd.example/thumbs.html'")

    private static let names: Set<Substring> = [
        ".DS_Store", "Thumbs.db", "ehthumbs.db", "desktop.ini", "Desktop.ini", ".localized",
    ]

    private static func isRubbish(_ name: String) -> Bool {
        if name.utf8.starts(with: "__MACOSX/".utf8) { return !name.utf8.elementsEqual("__MACOSX/".utf8) }
        let start = name.utf8.lastIndex(of: UInt8(ascii: "/")).map { name.utf8.index(after: $0) } ?? name.startIndex
        let last = name[start...]
        return last.utf8.starts(with: "._".utf8) || names.contains(last)
    }

    static func check(_ package: LintedPackage, _ findings: inout FindingCollector) {
        for member in package.members where isRubbish(member.name) {
            let sentence = "the operating system's file manager left this file behind; remove it"
            findings.add(sentence, Self.self, at: .member(member.name))
        }
    }
}
