internal import AFCText
internal import AFCURL

extension TrialReport {
    /// Returns the report as a JSON document; docs/reference/try.md specifies it.
    ///
    /// It contains no times, so the same package gives the same document.
    ///
    /// - Returns: The document, with one member on each line.
    package func json() -> [UInt8] {
        let members: [(String, JSONValue)] = [
            ("version", .number("1")),
            ("package", .string(PrintableText.escaped(package))),
            ("against", Self.text(against.map { PrintableText.escaped($0) })),
            ("worksOffline", .bool(worksOffline)),
            ("pages", .array(pages.map(\.json))),
            ("search", search.map(Self.json) ?? .null),
            ("reloaded", Self.text(reloaded?.description)),
            ("faults", .array(faults.map(\.json))),
            ("hints", .array(hints.map(\.json))),
        ]
        var lines = members.map { name, value in
            guard case .array(let elements) = value, !elements.isEmpty else {
                return "  \(JSONValue.string(name).serialized): \(value.serialized)"
            }
            let rows = elements.map { "    \($0.serialized)" }.joined(separator: ",\n")
            return "  \(JSONValue.string(name).serialized): [\n\(rows)\n  ]"
        }
        if !more.isEmpty {
            let counts = more.sorted { $0.key < $1.key }.map { ($0.key.rawValue, JSONValue.number(String($0.value))) }
            lines.append("  \"more\": \(JSONValue.object(counts).serialized)")
        }
        return Array(("{\n" + lines.joined(separator: ",\n") + "\n}\n").utf8)
    }

    private static func json(_ search: TrialSearch) -> JSONValue {
        .object([
            ("outcome", .string(search.outcome.rawValue)), ("page", .string(search.page.description)),
            ("word", .string(search.word)),
        ])
    }

    fileprivate static func text(_ text: String?) -> JSONValue { text.map { .string($0) } ?? .null }
}

extension TrialReport.Page {
    fileprivate var json: JSONValue {
        var members: [(String, JSONValue)] = [
            ("url", .string(url.description)), ("title", .string(title)), ("template", .number("\(template)")),
            ("pagesOfTemplate", .number("\(pagesOfTemplate)")), ("words", .number("\(words)")),
            ("requests", .number("\(requests)")), ("clicked", .array(clicked.map { .string($0.description) })),
        ]
        func share(_ share: Double?) -> JSONValue {
            guard let share else { return .null }
            let thousandths = Int((share * 1000).rounded())
            let fraction = String(1000 + thousandths % 1000).dropFirst()
            return .number("\(thousandths / 1000).\(fraction)")
        }
        if let comparison {
            members += [
                ("missingWords", share(comparison.missingWords)), ("newWords", share(comparison.newWords)),
                ("differentPixels", share(comparison.differentPixels)),
            ]
        }
        return .object(members)
    }
}

extension TrialFinding {
    fileprivate var json: JSONValue {
        var members: [(String, JSONValue)] = [
            ("kind", .string(kind.rawValue)), ("subject", .string(subject)), ("page", .string(page.description)),
            ("pages", .number("\(pages)")), ("source", TrialReport.text(source)), ("detail", TrialReport.text(detail)),
        ]
        if kind.isFault { members.append(("remedy", TrialReport.text(remedy?.rawValue))) }
        return .object(members)
    }
}
