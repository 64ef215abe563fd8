/// The rules whose findings a fix mends, and how; docs/lint.md says what is left to people, and why.
public enum FixableRules {
    /// The rules whose findings only an unsafe fix mends.
    public static let unsafe = Set(ManifestDefect.allCases.compactMap { $0.isUnsafe ? $0.rule : nil })

    /// What a fix does, as the end of the sentence "a fix …", by the rule's identifier.
    public static let sentences: [String: String] = {
        let defects = ManifestDefect.allCases.compactMap { defect in defect.rule.map { ($0, defect.fix) } }
        // The same mistake, told once more where not all lines have it.
        let others = [("manifest.mixed-line-ends", ManifestDefect.crlf.fix)]
        return Dictionary(uniqueKeysWithValues: defects + others)
    }()
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

    /// The identifier of the rule that finds it, or nil where none does.
    public var rule: String? { words.rule }

    /// Whether the fix may change what AFCache's own readers read, so that it has to be asked for.
    public var isUnsafe: Bool { self == .mixedDialects || self == .lateHeader }

    /// What a fix does, as the end of the sentence "a fix …".
    public var fix: String { words.fix }

    private var words: (rule: String?, fix: String) {
        switch self {
        case .byteOrderMark: ("manifest.byte-order-mark", "removes it")
        case .crlf: ("manifest.crlf", "ends all lines in LF")
        case .lastLineEnd: ("manifest.no-last-line-end", "adds it")
        case .blankLine: ("manifest.blank-line", "removes it")
        case .whiteSpace: ("manifest.white-space", "leaves ` ; ` between fields and nothing around them")
        case .emptyField: (nil, "writes `NULL`")
        case .mixedDialects: ("manifest.mixed-dialects", "fills lines of two and three fields up to four with `NULL`")
        case .lateHeader: ("manifest.late-header", "moves it before the entries")
        case .order: ("manifest.unsorted", "sorts the entries by the bytes of their URLs")
        case .duplicate: ("manifest.duplicate", "keeps the first of equal entries")
        case .url:
            (
                "url.not-normal",
                "writes it as the standard does; an unsafe fix also where the line then needs the member's name"
            )
        case .fragment:
            ("url.fragment", "removes it; an unsafe fix also where the line then needs the member's name")
        case .date: ("date.not-imf-fixdate", "writes the same instant in the form of HTTP")
        case .weekday: (nil, "writes the weekday of the date")
        case .mediaType: ("type.not-normal", "writes it in the normal spelling")
        }
    }
}
