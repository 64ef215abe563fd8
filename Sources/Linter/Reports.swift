internal import HTTPCaching
public import PackageFormat

/// Findings as people and programs want to read them.
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

    /// One object for all files; docs/lint.md documents it.
    public static func json(_ results: [(file: String, result: Linter.Result)]) -> JSONValue {
        .object([
            ("version", .number("1")),
            ("files", .array(results.map { json($0.file, $0.result) })),
        ])
    }

    private static func json(_ file: String, _ result: Linter.Result) -> JSONValue {
        .object([
            ("file", .string(file)),
            ("entries", .number(String(result.entries))),
            ("loadable", .bool(result.isLoadable)),
            ("signatures", result.signature.map { .array(json($0)) } ?? .null),
            ("findings", .array(result.findings.map(json))),
        ])
    }

    private static func json(_ verdict: SignatureVerdict) -> [JSONValue] {
        let all = verdict.trusted.map { ($0, true) } + verdict.unknown.map { ($0, false) }
        return all.map { signature, isTrusted in
            .object([
                ("key", .string(signature.key.id)),
                ("created", .string(signature.created.iso8601)),
                ("trusted", .bool(isTrusted)),
            ])
        }
    }

    private static func json(_ finding: Finding) -> JSONValue {
        var members: [(String, JSONValue)] = [
            ("rule", .string(finding.rule)),
            ("severity", .string(finding.severity.rawValue)),
            ("message", .string(finding.words)),
        ]
        switch finding.place {
        case .manifest(let line, let column):
            members.append(("member", .string(PackageLayout.manifest)))
            members.append(("line", .number(String(line))))
            members.append(("column", .number(String(column))))
        case .record(let line):
            members.append(("member", .string(PackageLayout.records)))
            members.append(("line", .number(String(line))))
        case .member(let name): members.append(("member", .string(name)))
        case .package: break
        }
        return .object(members)
    }

    private static func plain(_ text: String) -> String { String(PackageProblem.quoted(text).dropFirst().dropLast()) }
}
