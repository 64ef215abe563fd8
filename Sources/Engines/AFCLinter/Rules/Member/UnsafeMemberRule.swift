internal import AFCPackageFormat
internal import AFCText

enum UnsafeMemberRule: EntryRule {
    static let id = "member.unsafe-name"
    static let severity = PackageProblem.Severity.warning
    static let summary = "an invalid or dangerous member name in the fifth field"
    static let explanation = """
        A name that contains '..' or a backslash, or that is absolute, points outside the folder that the package is \
        unpacked into. No archive with such a member is loaded, so the entry can't have a body. Use a name inside the \
        host's folder.
        """
    static let bad = LintExample.manifest(
        "http://d.example/a ; Sat, 27 Mar 2004 18:43:30 GMT ; NULL ; text/plain ; ../../etc/passwd\n"
    )
    static let good = LintExample.manifest(
        "http://d.example/a ; Sat, 27 Mar 2004 18:43:30 GMT ; NULL ; text/plain ; d.example/..a\n"
    )

    static let features: EntryFeatures = .oddMember

    static func check(_ entry: LintedEntry, _ context: LintContext, _ findings: inout FindingCollector) {
        guard let member = entry.item.member, let reason = reason(member) else { return }
        findings.add(
            "the member name \(PrintableText.quoted(member)) isn't allowed: it \(reason)",
            Self.self,
            of: entry,
            at: .member
        )
    }

    /// The reason why an archive with such a member isn't loaded, or nil.
    private static func reason(_ name: String) -> String? {
        let bytes = Array(name.utf8)
        let isDrive = bytes.count >= 2 && bytes[1] == UInt8(ascii: ":") && (0x61...0x7A).contains(bytes[0] | 0x20)
        let parts = name.split(separator: "/", omittingEmptySubsequences: false)
        if parts.contains("..") { return "points outside the folder" }
        if name.hasPrefix("/") || isDrive { return "is absolute" }
        if name.contains("\\") { return "contains a backslash" }
        return parts.contains(".") ? "contains the component '.'" : nil
    }
}

extension ManifestReader.Item {
    /// True if the member's name contains an equals sign, a backslash, a colon, or the component `.` or `..`.
    ///
    /// Packagers don't write such names.
    var hasOddMember: Bool {
        guard let part = fields.member else { return false }
        return withBytes(part) { bytes in
            var previous = UInt8(ascii: "/")
            for byte in bytes {
                if byte == UInt8(ascii: "=") || byte == UInt8(ascii: "\\") || byte == UInt8(ascii: ":") { return true }
                if previous == UInt8(ascii: "/"), byte == UInt8(ascii: ".") || byte == previous { return true }
                previous = byte
            }
            return false
        }
    }
}
