public import AFCHTTP

/// An error or oddity in a manifest, a sidecar, or their agreement with the members.
///
/// Loading and linting see the same problems, so lint reports no error for a package that loads.
public struct PackageProblem: Equatable, Sendable {
    /// The severity of a problem.
    public enum Severity: String, Sendable, Comparable, CaseIterable {
        /// A fact worth knowing.
        case info
        /// The package loads, but something in it won't work as its author intended.
        case warning
        /// The package can't be loaded.
        case error

        /// Orders severities from the least to the most severe.
        public static func < (one: Severity, other: Severity) -> Bool { one.rank < other.rank }

        private var rank: Int {
            switch self {
            case .info: 0
            case .warning: 1
            case .error: 2
            }
        }
    }

    /// The place of a problem.
    public enum Place: Equatable, Sendable {
        /// A line and a column in the manifest, both from 1; the column counts bytes.
        case manifest(line: Int, column: Int)
        /// A line in `.afcache/resources.jsonl`, from 1.
        case record(line: Int)
        /// A member.
        case member(String)
        /// The package as a whole.
        case package
    }

    /// The kind of a problem, with its details.
    public enum Kind: Equatable, Sendable {
        // The manifest as text.

        /// The package has no manifest; `elsewhere` is the path of a manifest that isn't at the root.
        case manifestMissing(elsewhere: String?)
        /// The zip has the member that only patches have; with a manifest, it could be read as either.
        case isPatch(hasManifest: Bool)
        /// The file is no zip, and no line of it could be meant as a line of a manifest.
        case isNeither
        /// The manifest has no entries.
        case manifestEmpty
        /// A line is longer than readers accept.
        case lineTooLong
        /// A line doesn't have the number of fields of an entry.
        case malformedLine(fields: Int, mistake: LineMistake? = nil)
        /// A line isn't UTF-8.
        case notUTF8
        /// The manifest is in another encoding than UTF-8.
        case otherEncoding(name: String)
        /// A line contains a control character.
        case controlCharacter(UInt8)
        /// The manifest has a header other than `baseURL`.
        case unknownHeader(key: String)
        /// The manifest begins with a byte order mark.
        case byteOrderMark
        /// A line ends with a carriage return and a line feed.
        case crlf
        /// The last line has no line end.
        case noLastLineEnd
        /// An entry's URL should be before that of the previous entry.
        case unsorted(previous: String)

        // One entry.

        /// A semicolon, tab or space looks like the delimiter ' ; ' but isn't.
        case oddDelimiter(field: String, text: String)
        /// A line ends in a delimiter, so that its last field is empty.
        case trailingDelimiter
        /// A URL can't be parsed.
        case badURL(text: String, reason: String)
        /// A URL isn't in the form in which it is looked up.
        case urlNotNormal(text: String, normal: String)
        /// A URL has a fragment, which is never requested.
        case urlHasFragment(text: String)
        /// A URL contains a user name or a password.
        case urlHasCredentials
        /// An entry's URL is that of an earlier entry, with the same fields.
        case duplicate(url: String, firstLine: Int)
        /// An entry's URL is that of an earlier entry, with other fields.
        case conflictingDuplicate(url: String, firstLine: Int)
        /// A date can't be read.
        case badDate(field: String, text: String)
        /// A date can be read, but isn't in HTTP's format.
        case foreignDate(field: String, text: String, LenientDate.Reading)
        /// An entry expires before it was last modified.
        case expiresBeforeLastModified
        /// An entry expires when it was last modified.
        case expiresEqualsLastModified
        /// A media type can't be parsed.
        case badMediaType(text: String)
        /// A media type isn't in its normal form.
        case mediaTypeNotNormal(text: String, normal: String)

        // The manifest compared with the members.

        /// An entry's member isn't in the archive; `splitType` is a media type that a delimiter cut off.
        case memberMissing(url: String, member: String, splitType: String?)
        /// An entry's member is a folder.
        case memberIsFolder(url: String, member: String)
        /// A member belongs to no entry.
        case memberWithoutEntry
        /// The bodies together are larger than the limit, in bytes.
        case bodiesTooLarge(limit: Int64)

        // The sidecar.

        /// The sidecar's `package.json` can't be read.
        case infoMalformed(reason: String)
        /// The sidecar has a newer version of the format.
        case newerFormat(version: Int64)
        /// The sidecar's `match.json` can't be used.
        case matchMalformed(reason: String)
        /// The sidecar's list of absent URLs can't be used.
        case absentMalformed(reason: String)
        /// The sidecar's `fallback.json` can't be used.
        case fallbackMalformed(reason: String)
        /// A record can't be read.
        case recordMalformed(reason: String)
        /// A record's URL has no entry in the manifest.
        case recordWithoutEntry(url: String)
        /// A record's URL is that of an earlier record.
        case duplicateRecord(url: String)
        /// A record's size isn't that of the body.
        case recordSizeDiffers(url: String, recorded: Int64, actual: Int64)
        /// A record's field has another value than the manifest.
        case recordDisagrees(url: String, field: String)
    }

    /// The kind of the problem.
    public var kind: Kind
    /// The place of the problem.
    public var place: Place
    /// The number of bytes of the manifest's line that the problem covers, from the column on; 0 for a position.
    public var length: Int
    /// The byte offset of the line in the manifest, or nil for a problem outside the manifest.
    ///
    /// A byte order mark is not part of any line, so columns are those that an editor shows.
    public var offset: Int?

    /// True if the problem made a line unreadable; that line may have held an entry that seems to be missing.
    var hidesLine: Bool {
        switch kind {
        case .manifestMissing, .isPatch, .isNeither, .otherEncoding, .lineTooLong, .malformedLine, .notUTF8,
            .controlCharacter,
            .badURL,
            .urlHasCredentials,
            .conflictingDuplicate, .recordMalformed:
            true
        default: false
        }
    }

    /// True if the problem can also be found in any file that isn't meant as a manifest.
    package var isOfAnyText: Bool {
        switch kind {
        case .malformedLine(_, .delimiter?): false
        case .malformedLine, .controlCharacter, .notUTF8, .lineTooLong: true
        case .badURL(let text, _): !text.contains("://")
        default: severity != .error
        }
    }

    /// Creates a problem.
    ///
    /// - Parameters:
    ///   - kind: The kind of the problem.
    ///   - place: The place of the problem.
    ///   - length: The number of bytes of the manifest's line that the problem covers, from the column on.
    ///   - offset: The byte offset of the line in the manifest.
    public init(_ kind: Kind, at place: Place, length: Int = 0, offset: Int? = nil) {
        self.kind = kind
        self.place = place
        self.length = length
        self.offset = offset
    }
}

/// A line's number and byte offset, which locate a problem in the manifest.
struct LinePlace: Equatable, Sendable {
    /// The line number, from 1.
    var number: Int
    /// The byte offset in the manifest.
    var offset: Int

    /// Creates a problem with a part of the line.
    func problem(_ kind: PackageProblem.Kind, at part: Range<Int>) -> PackageProblem {
        PackageProblem(
            kind,
            at: .manifest(line: number, column: part.lowerBound + 1),
            length: part.count,
            offset: offset
        )
    }
}
