internal import AFCPackageFormat

/// The rules whose findings a fix mends, and how; docs/lint.md says what is left to people, and why.
public enum FixableRules {
    /// The rules whose findings only an unsafe fix mends.
    public static let unsafe = Set(ManifestDefect.allCases.filter(\.isUnsafe).flatMap(\.rules))

    /// What a fix does, as the end of the sentence "a fix …", by the rule's identifier.
    public static let sentences = Dictionary(
        uniqueKeysWithValues: ManifestDefect.allCases.flatMap { defect in defect.rules.map { ($0, defect.fix) } }
    )
}

/// What a fix of a manifest mends.
public enum ManifestDefect: Sendable, CaseIterable {
    /// A byte order mark.
    case byteOrderMark
    /// Line ends of CR LF.
    case crlf
    /// A last line without an end.
    case lastLineEnd
    /// A line with nothing but white space.
    case blankLine
    /// White space around lines, fields and delimiters.
    case whiteSpace
    /// A field with nothing in it.
    case emptyField
    /// Lines of two or three fields among longer ones.
    case mixedDialects
    /// A header behind entries.
    case lateHeader
    /// Entries that aren't sorted.
    case order
    /// An entry that stands twice.
    case duplicate
    /// A URL that isn't in normal form.
    case url
    /// A URL with a fragment.
    case fragment
    /// A date in another form than HTTP's.
    case date
    /// A date with the name of another day.
    case weekday
    /// A media type in another spelling than the normal one.
    case mediaType

    /// The identifiers of the rules that find it; none where only other defects are reported.
    public var rules: [String] { row.rules }

    /// Whether the fix may change what AFCache's own readers read, so that it has to be asked for.
    public var isUnsafe: Bool { self == .mixedDialects || self == .lateHeader }

    /// What a fix does, as the end of the sentence "a fix …".
    public var fix: String { row.fix }

    private var row: (rules: [String], fix: String) {
        switch self {
        case .byteOrderMark: Self.row(.manifestByteOrderMark, "removes it")
        // The same mistake, told once more where not all lines have it.
        case .crlf: ([ProblemRule.manifestCRLF.id, MixedLineEndsRule.id], "ends all lines in LF")
        case .lastLineEnd: Self.row(.manifestNoLastLineEnd, "adds it")
        case .blankLine: ([BlankLineRule.id], "removes it")
        case .whiteSpace: ([WhiteSpaceRule.id], "leaves exactly ` ; ` between fields and removes other white space")
        case .emptyField: ([], "writes `NULL`")
        case .mixedDialects: ([MixedDialectsRule.id], "fills lines of two and three fields with `NULL` to four fields")
        case .lateHeader: ([LateHeaderRule.id], "moves it before the entries")
        case .order: Self.row(.manifestUnsorted, "sorts the entries by the bytes of their URLs")
        case .duplicate: Self.row(.manifestDuplicate, "keeps the first of the identical entries")
        case .url:
            Self.row(
                .urlNotNormal,
                "writes it in normal form; an unsafe fix also does so if the line then needs the member's name"
            )
        case .fragment:
            Self.row(.urlFragment, "removes it; an unsafe fix also does so if the line then needs the member's name")
        case .date: (ProblemRule.foreignDates.map(\.id), "writes the same time in HTTP's format")
        case .weekday: ([], "corrects the weekday")
        case .mediaType: Self.row(.typeNotNormal, "writes it in normal form")
        }
    }

    private static func row(_ rule: ProblemRule, _ fix: String) -> (rules: [String], fix: String) { ([rule.id], fix) }
}
