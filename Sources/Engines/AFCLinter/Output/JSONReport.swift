internal import AFCHTTP
internal import AFCPackageFormat
internal import AFCText

/// A JSON object for all files, as docs/reference/lint.md documents it.
struct JSONReport: LintReport {
    private var isFirst = true

    mutating func begin(_ write: (String) -> Void) { write(#"{"version":1,"files":["#) }

    mutating func add(
        _ result: Linter.Result,
        of file: String,
        failing: PackageProblem.Severity?,
        _ write: (String) -> Void
    ) {
        let signatures: JSONValue = result.signature.map { .array(Self.json($0)) } ?? .null
        let digest: JSONValue = result.digest.map { .string($0) } ?? .null
        write(isFirst ? "\n" : ",\n")
        isFirst = false
        write(#"{"file":\#(JSONValue.string(file).serialized),"entries":\#(result.entries),"#)
        write(#""loadable":\#(result.isLoadable),"signatures":\#(signatures.serialized),"#)
        write(#""digest":\#(digest.serialized),"findings":["#)
        for (index, finding) in result.findings.enumerated() {
            write((index > 0 ? ",\n" : "\n") + Self.json(finding).serialized)
        }
        write("]}")
    }

    mutating func end(exitCode: Int32, _ write: (String) -> Void) { write("]}\n") }

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
            if finding.length > 0 { members.append(("endColumn", .number(String(column + finding.length)))) }
        case .record(let line):
            members.append(("member", .string(PackageLayout.records)))
            members.append(("line", .number(String(line))))
        case .member(let name): members.append(("member", .string(name)))
        case .package: break
        }
        if let url = finding.url { members.append(("url", .string(url))) }
        if finding.others > 0 { members.append(("others", .number(String(finding.others)))) }
        return .object(members)
    }
}
