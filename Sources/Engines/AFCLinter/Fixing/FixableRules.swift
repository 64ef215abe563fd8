internal import AFCPackageFormat

/// The rules whose findings can be fixed, with what the fix does; docs/reference/lint.md says what can't be fixed, and
/// why.
public enum FixableRules {
    /// The rules whose findings only an unsafe fix corrects.
    public static let unsafe = Set(ManifestDefect.allCases.filter(\.isUnsafe).flatMap(\.rules))

    /// The effect of a fix, as the end of the sentence "a fix …", by rule.
    public static let sentences = Dictionary(
        uniqueKeysWithValues: ManifestDefect.allCases.flatMap { defect in defect.rules.map { ($0, defect.fix) } }
    )
}

/// A defect of a manifest that a fix corrects.
public enum ManifestDefect: Sendable, CaseIterable {
    /// A byte order mark.
    case byteOrderMark
    /// Lines that end in CR LF.
    case crlf
    /// A last line without a line break.
    case lastLineEnd
    /// A line that is empty or only white space.
    case blankLine
    /// White space around lines, fields and delimiters.
    case whiteSpace
    /// An empty field.
    case emptyField
    /// A delimiter at the end of a line.
    case trailingDelimiter
    /// Lines of two or three fields among longer ones.
    case mixedDialects
    /// A header after entries.
    case lateHeader
    /// Entries that aren't sorted.
    case order
    /// An entry that appears twice.
    case duplicate
    /// A URL that isn't in normal form.
    case url
    /// A URL with a fragment.
    case fragment
    /// A date that isn't in HTTP's format.
    case date
    /// A date with the wrong weekday.
    case weekday
    /// A media type that isn't in normal form.
    case mediaType

    /// The identifiers of the rules that report it; empty if only other defects are reported.
    public var rules: [String] { row.rules }

    /// True if the fix may change what older AFCache versions read, so that it must be requested.
    public var isUnsafe: Bool { self == .mixedDialects || self == .lateHeader }

    /// The effect of a fix, as the end of the sentence "a fix …".
    public var fix: String { row.fix }

    private var row: (rules: [String], fix: String) {
        switch self {
        case .byteOrderMark: Self.row(.manifestByteOrderMark, "removes it")
        // The same defect, reported again if only some lines have it.
        case .crlf: ([ProblemRule.manifestCRLF.id, MixedLineEndsRule.id], "ends all lines in LF")
        case .lastLineEnd: Self.row(.manifestNoLastLineEnd, "adds it")
        case .blankLine: ([BlankLineRule.id], "removes it")
        case .whiteSpace: ([WhiteSpaceRule.id], "leaves exactly ` ; ` between fields and removes other white space")
        case .emptyField: ([], "writes `NULL`")
        case .trailingDelimiter: Self.row(.manifestTrailingDelimiter, "writes `NULL` behind it")
        case .mixedDialects: ([MixedDialectsRule.id], "fills lines of two and three fields with `NULL` to four fields")
        case .lateHeader: ([LateHeaderRule.id], "moves it before the entries")
        case .order: Self.row(.manifestUnsorted, "sorts the entries by the bytes of their URLs")
        case .duplicate: Self.row(.manifestDuplicate, "keeps the first of the identical entries")
        case .url:
            Self.row(
                .urlNotNormal,
                "writes it in normal form; if the line must then also name the member, only an unsafe fix does this"
            )
        case .fragment:
            Self.row(
                .urlFragment,
                "removes it; if the line must then also name the member, only an unsafe fix does this"
            )
        case .date: (ProblemRule.foreignDates.map(\.id), "writes the same time in HTTP's format")
        case .weekday: ([], "corrects the weekday")
        case .mediaType: Self.row(.typeNotNormal, "writes it in normal form")
        }
    }

    private static func row(_ rule: ProblemRule, _ fix: String) -> (rules: [String], fix: String) { ([rule.id], fix) }
}
