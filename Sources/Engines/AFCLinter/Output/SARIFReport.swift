internal import AFCPackageFormat
internal import AFCText
internal import AFCZip

/// A report in the Static Analysis Results Interchange Format, version 2.1.0.
///
/// There is one run for all files. GitHub accepts at most 25,000 results of a run; the rest are left out, and a
/// notification says how many.
struct SARIFReport: LintReport {
    /// The maximum number of results of a run that GitHub accepts.
    static let resultLimit = 25_000

    private let context: ReportContext
    private let limit: Int
    private let numbers: [String: Int]
    private var written = 0
    private var omitted = 0
    private var isUnreadable = false

    init(_ context: ReportContext, limit: Int = Self.resultLimit) {
        self.context = context
        self.limit = limit
        let ids = LintRules.all.map(\.id)
        numbers = Dictionary(zip(ids, ids.indices)) { first, _ in first }
    }

    var leftOut: String? {
        guard omitted > 0 else { return nil }
        return "the report has only the first \(written) findings, because GitHub accepts no more; "
            + "\(omitted) were left out"
    }

    mutating func begin(_ write: (String) -> Void) {
        write(#"{"$schema":"https://json.schemastore.org/sarif-2.1.0.json","version":"2.1.0","runs":[{"#)
        write(
            #""tool":{"driver":\#(SARIFRules.driver(version: context.version, rulesURL: context.rulesURL).serialized)},"#
        )
        write(#""columnKind":"unicodeCodePoints","#)
        write(#""originalUriBaseIds":{"%SRCROOT%":{"description":{"text":"the working folder"}}},"results":["#)
    }

    mutating func add(
        _ result: Linter.Result,
        of file: String,
        failing: PackageProblem.Severity?,
        _ write: (String) -> Void
    ) {
        let path = ReportPath(file, in: context.workingFolder)
        var counter = FingerprintCounter()
        for finding in result.findings {
            if finding.rule == ZipError.unreadable { isUnreadable = true }
            guard written < limit else {
                omitted += 1
                continue
            }
            write((written > 0 ? ",\n" : "\n") + json(finding, path, result, &counter).serialized)
            written += 1
        }
    }

    mutating func end(exitCode: Int32, _ write: (String) -> Void) {
        var invocation: [(String, JSONValue)] = [
            ("executionSuccessful", .bool(!isUnreadable)), ("exitCode", .number(String(exitCode))),
        ]
        if let leftOut {
            let notification = JSONValue.object([("level", .string("warning")), ("message", Self.message(leftOut))])
            invocation.append(("toolExecutionNotifications", .array([notification])))
        }
        write(#"],"invocations":[\#(JSONValue.object(invocation).serialized)]}]}"# + "\n")
    }

    private func json(
        _ finding: Finding,
        _ path: ReportPath,
        _ result: Linter.Result,
        _ counter: inout FingerprintCounter
    ) -> JSONValue {
        var members: [(String, JSONValue)] = [("ruleId", .string(finding.rule))]
        if let number = numbers[finding.rule] { members.append(("ruleIndex", .number(String(number)))) }
        let (fingerprint, number) = counter.number(of: finding)
        members += [
            ("level", .string(SARIFRules.level(finding.severity))),
            ("message", Self.message(finding.words)),
            ("locations", .array([Self.location(finding, path, isPackage: result.isPackage)])),
            // The key by which GitHub recognizes a finding.
            ("partialFingerprints", .object([("primaryLocationLineHash", .string("\(fingerprint):\(number)"))])),
        ]
        if finding.others > 0 { members.append(("occurrenceCount", .number(String(finding.others + 1)))) }
        return .object(members)
    }

    private static func location(_ finding: Finding, _ path: ReportPath, isPackage: Bool) -> JSONValue {
        var artifact: [(String, JSONValue)] = [("uri", .string(path.uri))]
        if path.isRelative { artifact.append(("uriBaseId", .string("%SRCROOT%"))) }
        var location: [(String, JSONValue)] = [
            ("physicalLocation", .object([("artifactLocation", .object(artifact)), ("region", region(finding))]))
        ]
        if isPackage, let member = finding.place.memberName {
            let logical: [(String, JSONValue)] = [
                ("name", .string(member)), ("fullyQualifiedName", .string("\(path.text)!\(member)")),
                ("kind", .string("resource")),
            ]
            location.append(("logicalLocations", .array([.object(logical)])))
        }
        return .object(location)
    }

    /// Returns the region of a finding; GitHub requires a line even if the place has none.
    private static func region(_ finding: Finding) -> JSONValue {
        var members: [(String, JSONValue)] = [("startLine", .number(String(finding.place.line ?? 1)))]
        if let characters = finding.characters {
            members.append(("startColumn", .number(String(characters.lowerBound))))
            if !characters.isEmpty { members.append(("endColumn", .number(String(characters.upperBound)))) }
        }
        return .object(members)
    }

    /// Returns a message in which nothing is a link or a placeholder (§3.11.5, §3.11.6).
    static func message(_ text: String) -> JSONValue {
        .object([
            ("text", .string(text.replacing("](", with: "] (").replacing("{", with: "{{").replacing("}", with: "}}")))
        ])
    }
}
