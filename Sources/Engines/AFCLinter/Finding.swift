internal import AFCPackageFile
public import AFCPackageFormat
public import AFCText
internal import AFCZip
internal import Crypto

/// One result of linting.
public struct Finding: Equatable, Sendable, CustomStringConvertible {
    /// The file that was linted.
    public var file: String
    /// The place in the file.
    public var place: PackageProblem.Place
    /// The number of bytes of the line from the place on, or 0 if the finding is about a point or isn't about a line.
    public var length: Int
    /// The severity; without a configuration, exactly the errors keep a package from being loaded.
    public var severity: PackageProblem.Severity
    /// The rule's identifier.
    public var rule: String
    /// A sentence that says what is wrong, with a remedy if there is one; lower case, no full stop.
    public var sentence: String
    /// The URL of the resource, if the finding is about one of a package and the sentence doesn't name it.
    public var url: String?
    /// The program's means to mend the package, or nil if there is none.
    public var remedy: Remedy?
    /// The words for the remedy, which only a program knows.
    public var advice: String?
    /// True if the file is a package, so that a line belongs to a member.
    public var isInPackage = false
    /// The number of other places with the same finding.
    public var others = 0
    /// A hash of the rule and the URL or member, as 32 hexadecimal digits.
    ///
    /// It stays the same when lines move or sentences change. Nil unless it was requested.
    public var fingerprint: String?
    /// The columns in code points, from 1, if the place is in the manifest and they were requested; empty for a point.
    public var characters: Range<Int>?
    /// The part of the manifest's line that the finding is about; see ``Linter/Options/excerptLimit``.
    public var excerpt: Excerpt?

    /// Creates a finding.
    public init(
        file: String,
        place: PackageProblem.Place,
        severity: PackageProblem.Severity,
        rule: String,
        sentence: String,
        length: Int = 0
    ) {
        self.file = file
        self.place = place
        self.severity = severity
        self.rule = rule
        self.sentence = sentence
        self.length = length
    }

    init(_ problem: PackageProblem, file: String) {
        self.init(
            file: file,
            place: problem.place,
            severity: problem.severity,
            rule: problem.rule,
            sentence: problem.sentence,
            length: problem.length
        )
        remedy = ProblemRule(rawValue: problem.rule)?.remedy
    }

    init(_ error: ZipError, in path: String, place: PackageProblem.Place = .package) {
        self.init(file: path, place: place, severity: .error, rule: error.rule, sentence: error.message)
    }

    init(_ error: PackageError) {
        let rule =
            switch error.code {
            case .invalidArchive(let id), .invalidPackage(let id), .untrusted(let id), .locked(let id): id
            case .inputOutput, .unwritable, .cancelled: ZipError.unreadable
            }
        self.init(file: error.subject, place: .package, severity: .error, rule: rule, sentence: error.message)
    }

    /// The sentence, with the advice, the resource, and the number of other places.
    public var words: String {
        let full = advice.map { "\(sentence); \($0)" } ?? sentence
        guard others > 0 else { return full + (url.map { " (in \(PrintableText.quoted($0)))" } ?? "") }
        let rest = "\(others) more \(others == 1 ? "place" : "places")"
        return full + (url.map { " (in \(PrintableText.quoted($0)) and \(rest))" } ?? " (and in \(rest))")
    }

    /// File, place, severity, words and rule, on one line.
    public var description: String {
        "\(PrintableText.quoted(file)): \(place.prefix)\(severity.rawValue): \(words) [\(rule)]"
    }

    /// Returns the findings with those merged that have the same rule and sentence.
    ///
    /// - Parameter findings: In the order of the file.
    /// - Returns: The findings, in the same order.
    public static func merged(_ findings: [Finding]) -> [Finding] {
        let mergeable = Set(LintRules.own.map { $0.id })
        var merged: [Finding] = []
        var numbers: [[String]: Int] = [:]
        for finding in findings {
            let key = [finding.rule, finding.sentence]
            if mergeable.contains(finding.rule), let number = numbers[key] {
                merged[number].others += finding.others + 1
            } else {
                numbers[key] = merged.count
                merged.append(finding)
            }
        }
        return merged
    }

    /// The sentence, with the member before it, for reports that show only the file.
    var wordsWithMember: String {
        switch place {
        case .record, .member: "\(PrintableText.quoted(place.memberName ?? "")): \(words)"
        case .manifest(let line, let column) where isInPackage: "\(PackageLayout.manifest):\(line):\(column): \(words)"
        case .manifest, .package: words
        }
    }
}

/// The identity of a finding across runs: the rule and its subject, not the line or the sentence.
enum Fingerprint {
    /// Returns 32 hexadecimal digits of the SHA-256 of rule and subject.
    ///
    /// - Parameters:
    ///   - rule: The rule.
    ///   - subject: A URL, a member's name, or nil for a package as a whole.
    /// - Returns: The digits.
    static func text(rule: String, subject: String?) -> String {
        var hash = SHA256()
        hash.update(data: Array(rule.utf8) + [0])
        if let subject { hash.update(data: Array(subject.utf8)) }
        return Hexadecimal.text(hash.finalize().prefix(16))
    }
}

/// Numbers the findings of one file that have the same fingerprint.
struct FingerprintCounter {
    private var seen: [String: Int] = [:]

    /// Returns the finding's fingerprint, and its number among those with the same fingerprint, from 1.
    mutating func number(of finding: Finding) -> (fingerprint: String, number: Int) {
        let fingerprint = finding.fingerprint ?? Fingerprint.text(rule: finding.rule, subject: nil)
        let number = seen[fingerprint, default: 0] + 1
        seen[fingerprint] = number
        return (fingerprint, number)
    }
}
