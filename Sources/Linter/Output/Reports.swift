internal import PackageFormat

/// Findings as people want to read them.
public enum Reports {
    /// `file:line:column: severity: sentence [rule]`, one line a finding; other places stand in parentheses.
    public static func line(_ finding: Finding) -> String {
        let file = plain(finding.file)
        let place =
            switch finding.place {
            case .manifest(let line, let column): "\(file):\(line):\(column)"
            case .record(let line): "\(file)(\(PackageLayout.records)):\(line):1"
            case .member(let name): "\(file)(\(plain(name)))"
            case .package: file
            }
        return "\(place): \(finding.severity.rawValue): \(finding.words) [\(finding.rule)]"
    }

    static func plain(_ text: String) -> String { String(PackageProblem.quoted(text).dropFirst().dropLast()) }
}
