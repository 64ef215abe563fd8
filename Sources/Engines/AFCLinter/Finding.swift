internal import AFCPackageFile
public import AFCPackageFormat
internal import AFCText
internal import AFCZip
internal import Crypto

/// One result of linting.
public struct Finding: Equatable, Sendable {
    /// The file that was linted.
    public var file: String
    /// Where in it.
    public var place: PackageProblem.Place
    /// How many bytes of the line from the place on, or 0 where it is a point or no line.
    public var length: Int
    /// How bad it is; without a configuration errors, and only errors, keep a package from being loaded.
    public var severity: PackageProblem.Severity
    /// The rule's identifier.
    public var rule: String
    /// What is wrong, and the remedy where there is one; lower case, no full stop.
    public var sentence: String
    /// Whether the file is a package, so that a line is one of a member.
    public var isInPackage = false
    /// How many places besides this one have the same.
    public var others = 0
    /// What stays the same where lines move and words change: 32 hexadecimal digits of rule and URL or member.
    ///
    /// Nil where it wasn't asked for.
    public var fingerprint: String?
    /// The columns from 1 in code points, empty for a point, where the place is in the manifest and it was asked for.
    public var characters: Range<Int>?
    /// The piece of the manifest's line that it is about; see ``Linter/Options/excerptLimit``.
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

    /// The sentence, and how often else it is true.
    public var words: String {
        guard others > 0 else { return sentence }
        return sentence + " (and in \(others) more \(others == 1 ? "place" : "places"))"
    }
}

/// What makes two findings of different runs the same: the rule and what it is about, not the line or the words.
enum Fingerprint {
    /// 32 hexadecimal digits of the SHA-256 of rule and subject.
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

/// Tells apart findings of one file that have the same fingerprint, by their order.
struct FingerprintCounter {
    private var seen: [String: Int] = [:]

    /// The finding's fingerprint, and which of those with the same it is, from 1.
    mutating func number(of finding: Finding) -> (fingerprint: String, number: Int) {
        let fingerprint = finding.fingerprint ?? Fingerprint.text(rule: finding.rule, subject: nil)
        let number = seen[fingerprint, default: 0] + 1
        seen[fingerprint] = number
        return (fingerprint, number)
    }
}
