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
        case manifestMissing(elsewhere: String?)
        case manifestEmpty
        case lineTooLong
        case malformedLine(fields: Int)
        case notUTF8
        case otherEncoding(name: String)
        case controlCharacter(UInt8)
        case unknownHeader(key: String)
        case byteOrderMark
        case crlf
        case noLastLineEnd
        case unsorted(previous: String)

        // One entry.
        case oddDelimiter(field: String, text: String)
        case badURL(text: String, reason: String)
        case urlNotNormal(text: String, normal: String)
        case urlHasFragment(text: String)
        case urlHasCredentials
        case duplicate(url: String, firstLine: Int)
        case conflictingDuplicate(url: String, firstLine: Int)
        case badDate(field: String, text: String)
        case foreignDate(field: String, text: String, LenientDate.Reading)
        case expiresBeforeLastModified
        case expiresEqualsLastModified
        case badMediaType(text: String)
        case mediaTypeNotNormal(text: String, normal: String)

        // The manifest compared with the members.
        case memberMissing(url: String, member: String, splitType: String?)
        case memberIsFolder(url: String, member: String)
        case memberWithoutEntry
        case bodiesTooLarge(limit: Int64)

        // The sidecar.
        case infoMalformed(reason: String)
        case newerFormat(version: Int64)
        case matchMalformed(reason: String)
        case fallbackMalformed(reason: String)
        case recordMalformed(reason: String)
        case recordWithoutEntry(url: String)
        case duplicateRecord(url: String)
        case recordSizeDiffers(url: String, recorded: Int64, actual: Int64)
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
        case .manifestMissing, .otherEncoding, .lineTooLong, .malformedLine, .notUTF8, .controlCharacter, .badURL,
            .urlHasCredentials,
            .conflictingDuplicate, .recordMalformed:
            true
        default: false
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
