internal import AFCText

/// Known findings, so that only new ones are reported.
///
/// A finding is recognized by its file, its rule and the URL or member that it is about, even if lines move or
/// sentences change.
public struct LintBaseline: Equatable, Sendable {
    /// The maximum number of findings in a baseline.
    public static let limit = 100_000
    /// The maximum size of a file, in bytes.
    public static let byteLimit = 32 << 20

    private struct Key: Hashable, Comparable {
        var file: String
        var rule: String
        var fingerprint: String

        static func < (one: Key, other: Key) -> Bool {
            (one.file, one.rule, one.fingerprint) < (other.file, other.rule, other.fingerprint)
        }
    }

    private var counts: [Key: Int] = [:]

    /// Creates an empty baseline.
    public init() {}

    /// The number of findings.
    public var count: Int { counts.values.reduce(0, +) }

    /// Adds findings.
    ///
    /// - Parameters:
    ///   - findings: Findings with fingerprints, unmerged.
    ///   - file: The linted file, relative to the baseline's folder.
    public mutating func add(_ findings: [Finding], of file: String) {
        for finding in findings { counts[Self.key(finding, file), default: 0] += finding.others + 1 }
    }

    /// Adds the findings of an older baseline for other files.
    ///
    /// - Parameters:
    ///   - older: The older baseline.
    ///   - files: The files that were linted this time, relative to the baseline's folder.
    public mutating func add(_ older: LintBaseline, except files: Set<String>) {
        counts.merge(older.counts.filter { !files.contains($0.key.file) }) { $1 }
    }

    /// Removes known findings from a list and from the baseline, which keeps those that no longer occur.
    ///
    /// - Parameters:
    ///   - findings: Findings with fingerprints, unmerged.
    ///   - file: The linted file, relative to the baseline's folder.
    /// - Returns: The number of known findings.
    public mutating func remove(from findings: inout [Finding], of file: String) -> Int {
        let before = findings.count
        findings.removeAll { finding in
            let key = Self.key(finding, file)
            guard let left = counts[key], left > 0 else { return false }
            counts[key] = left > 1 ? left - 1 : nil
            return true
        }
        return before - findings.count
    }

    /// Returns the number of findings for these files.
    public func count(of files: Set<String>) -> Int {
        counts.reduce(0) { files.contains($1.key.file) ? $0 + $1.value : $0 }
    }

    private static func key(_ finding: Finding, _ file: String) -> Key {
        Key(
            file: file,
            rule: finding.rule,
            fingerprint: finding.fingerprint ?? Fingerprint.text(rule: finding.rule, subject: nil)
        )
    }
}

extension LintBaseline {
    /// The contents of the file: JSON with one finding per line, sorted, so that changes are readable.
    public var text: String {
        var lines: [String] = []
        for key in counts.keys.sorted() {
            var members: [(String, JSONValue)] = [
                ("file", .string(key.file)), ("rule", .string(key.rule)), ("fingerprint", .string(key.fingerprint)),
            ]
            if let count = counts[key], count > 1 { members.append(("count", .number(String(count)))) }
            lines.append(JSONValue.object(members).serialized)
        }
        return "{\"version\":1,\"findings\":[" + lines.map { "\n" + $0 }.joined(separator: ",") + "\n]}\n"
    }

    /// Reads a file.
    ///
    /// - Parameter bytes: The contents of the file.
    /// - Throws: ``Malformed`` if it isn't a baseline.
    public init(parsing bytes: [UInt8]) throws(Malformed) {
        let value: JSONValue
        do throws(JSONValue.SyntaxError) {
            value = try JSONValue(parsing: bytes)
        } catch {
            throw Malformed(
                message:
                    "the baseline is not JSON: error at byte \(error.offset)"
            )
        }
        guard value["version"]?.integer == 1, let findings = value["findings"]?.array else {
            throw Malformed(message: "the file is not a baseline of version 1")
        }
        for (number, finding) in findings.enumerated() {
            guard let file = finding["file"]?.string, let rule = finding["rule"]?.string,
                let fingerprint = finding["fingerprint"]?.string,
                case let count = finding["count"].map({ $0.integer ?? 0 }) ?? 1, (1...1_000_000_000).contains(count)
            else { throw Malformed(message: "finding \(number + 1) of the baseline is malformed") }
            counts[Key(file: file, rule: rule, fingerprint: fingerprint)] = Int(count)
        }
    }

    /// The error for a file that isn't a baseline.
    public struct Malformed: Error, Equatable, Sendable {
        /// A sentence that says what is wrong.
        public var message: String
    }
}
