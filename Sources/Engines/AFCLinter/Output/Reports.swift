internal import AFCPackageFormat
internal import AFCText

/// The text form of findings.
public enum Reports {
    /// Returns `file:line:column: severity: sentence [rule]`, or `file!member:line:column: …` for a package.
    public static func line(_ finding: Finding) -> String {
        let file = plain(finding.file)
        let place =
            switch finding.place {
            case .manifest(let line, let column):
                "\(file)\(finding.isInPackage ? "!" + PackageLayout.manifest : ""):\(line):\(column)"
            case .record(let line): "\(file)!\(PackageLayout.records):\(line):1"
            case .member(let name): "\(file)!\(plain(name))"
            case .package: file
            }
        return "\(place): \(finding.severity.rawValue): \(finding.words) [\(finding.rule)]"
    }

    /// Returns a path or name that is safe for terminals and the logs of build services, without quotes.
    public static func plain(_ text: String) -> String {
        let plain = String(PrintableText.quoted(text).dropFirst().dropLast())
        return plain.hasPrefix("::") ? "\\u{3a}" + plain.dropFirst() : plain
    }
}
