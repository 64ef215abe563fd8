public import AFCHTTP

/// Something that is wrong, or merely odd, with a manifest, a sidecar, or their agreement with the members.
///
/// Loading and linting see the same problems, so what one accepts the other has no error for.
public struct PackageProblem: Equatable, Sendable {
    /// How bad it is.
    public enum Severity: String, Sendable, Comparable, CaseIterable {
        /// Worth knowing.
        case info
        /// The package loads, but something in it won't do what its maker meant.
        case warning
        /// The package is not loaded.
        case error

        /// Orders by how bad it is.
        public static func < (one: Severity, other: Severity) -> Bool { one.rank < other.rank }

        private var rank: Int {
            switch self {
            case .info: 0
            case .warning: 1
            case .error: 2
            }
        }
    }

    /// Where it is.
    public enum Place: Equatable, Sendable {
        /// Line and column in the manifest, both from 1, the column in bytes.
        case manifest(line: Int, column: Int)
        /// Line in `.afcache/resources.jsonl`, from 1.
        case record(line: Int)
        /// A member.
        case member(String)
        /// The package as a whole.
        case package
    }

    /// What it is.
    public enum Kind: Equatable, Sendable {
        // The manifest as a text.
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

        // Manifest and members.
        case memberMissing(url: String, member: String, splitType: String?)
        case memberIsFolder(url: String, member: String)
        case memberWithoutEntry
        case bodiesTooLarge(limit: Int64)

        // The sidecar.
        case infoMalformed(reason: String)
        case newerFormat(version: Int64)
        case recordMalformed(reason: String)
        case recordWithoutEntry(url: String)
        case duplicateRecord(url: String)
        case recordSizeDiffers(url: String, recorded: Int64, actual: Int64)
        case recordDisagrees(url: String, field: String)
    }

    /// What it is.
    public var kind: Kind
    /// Where it is.
    public var place: Place
    /// How many bytes of the manifest's line it is about, from the column on; 0 where it is a point.
    public var length: Int
    /// Where the line begins, in bytes of the manifest; nil where it isn't in the manifest.
    ///
    /// A byte order mark belongs to no line, so that columns count what an editor shows.
    public var offset: Int?

    /// Whether a line couldn't be read, so that what isn't known from others may have stood in it.
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
    ///   - kind: What it is.
    ///   - place: Where it is.
    ///   - length: How many bytes of the manifest's line it is about, from the column on.
    ///   - offset: Where the manifest's line begins, in bytes.
    public init(_ kind: Kind, at place: Place, length: Int = 0, offset: Int? = nil) {
        self.kind = kind
        self.place = place
        self.length = length
        self.offset = offset
    }
}

/// A line's number and where it begins, to say where in the manifest something is.
struct LinePlace: Equatable, Sendable {
    /// From 1.
    var number: Int
    /// In bytes of the manifest.
    var offset: Int

    /// What is wrong with a part of the line.
    func problem(_ kind: PackageProblem.Kind, at part: Range<Int>) -> PackageProblem {
        PackageProblem(
            kind,
            at: .manifest(line: number, column: part.lowerBound + 1),
            length: part.count,
            offset: offset
        )
    }
}
