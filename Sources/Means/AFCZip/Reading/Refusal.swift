internal import AFCText

/// The reasons for which an archive is refused, with the stable identifier of each rule and its words.
///
/// Words about a member follow its name: "member 'x' is encrypted". docs/reference/lint-rules.md lists the identifiers.
enum Refusal: Error, Equatable {
    // The end of the file.
    case empty, tooShort, noEndRecord, trailingData, ambiguousEnd, commentHidesArchive
    case severalParts, twoCounts(Int64, Int64), directoryMisplaced, endsWithinRecord
    case zip64OutsideFile, zip64NoRecord, zip64Size, zip64Extended, zip64Beyond, zip64Disagrees(String),
        zip64RecordMissing

    // The directory.
    case tooManyMembers(Int64, limit: Int), tooManyFolders(limit: Int), directoryTooLarge(limit: Int64), wrongCount(
        Int64
    ), tooManyEntries(Int64)
    case noEntry, entryTooLong, bodiesTooLarge(limit: Int64)

    // A member's entry.
    case encryptedByPKWARE, encryptedByPKZIP, encryptedField, shortKey, encryptionContradicts, malformedAES,
        tooShortForAES
    case partlyEncrypted, unknownFlags(UInt16), method(UInt16), version(UInt16)
    case link, reparsePoint, linkField(UInt16), device, dosDevice, typeDisagrees, folderWithData
    case storedSizes, otherDisk, memberTooLarge(Int64, limit: Int64), ratio(Int64)
    case malformedExtra, extraHidesArchive, memberCommentHidesArchive, renamed, twoZip64, zip64Missing, zip64TooMuch,
        sizeBeyondCounting

    // Layout of the members.
    case leadingData(Int64), gap(Int64), gapBeforeDirectory(Int64), overlap, noLocalHeader, localDiffers(String)
    case descriptorMissing, descriptorMalformed, descriptorWidth, descriptorUnmarked, descriptorDiffers(String)

    // Names.
    case nameNotUTF8, nameEmpty, nameTooLong, namePartTooLong, nameControl, nameBackslash, nameAbsolute, nameDrive
    case nameEmptyPart, nameDot, nameParent, duplicate, collision, fileAndFolder

    // Bodies.
    case bodyTooLarge(limit: Int), inflatesBeyond(Int64), size(Int64, declared: Int64)
    case checksum, deflate, deflateTrailing, descriptorInBody, cutOff

    /// The identifier of the rule.
    var rule: String { "zip." + texts.rule }

    /// The words that say what is wrong.
    var words: String { texts.words }

    private var texts: (rule: String, words: String) {
        switch self {
        case .empty: ("not-a-zip", "the file is empty")
        case .tooShort: ("not-a-zip", "the file is too short to be a zip; it is truncated or not a package")
        case .noEndRecord: ("not-a-zip", "there is no end record; the file is truncated or not a zip")
        case .trailingData:
            ("trailing-data", "the last end record doesn't end with the file; something was appended or cut off")
        case .ambiguousEnd:
            ("ambiguous-end", "there is more than one end record; the comment may hide a second archive")
        case .commentHidesArchive:
            ("hidden-archive", "the archive has a comment that contains the records of another archive")
        case .severalParts: ("several-disks", "the archive is one of several parts")
        case .twoCounts(let one, let other):
            ("wrong-count", "the end record gives two counts of members, \(one) and \(other)")
        case .zip64OutsideFile: ("bad-zip64", "the zip64 end record is outside the file")
        case .zip64NoRecord: ("bad-zip64", "there is no zip64 end record where its locator points")
        case .zip64Size: ("bad-zip64", "the zip64 end record doesn't end where its locator begins")
        case .zip64Extended: ("bad-zip64", "the zip64 end record has an extension, which many readers don't support")
        case .zip64Beyond: ("bad-zip64", "the zip64 end record has a number that is too large")
        case .zip64Disagrees(let what):
            ("bad-zip64", "the end record and the zip64 end record disagree about the \(what)")
        case .zip64RecordMissing: ("bad-zip64", "the end record refers to a zip64 end record, but there is none")
        case .directoryMisplaced: ("directory-misplaced", "the directory doesn't end where the end record begins")
        case .endsWithinRecord: ("truncated", "the file ends within a record; it is truncated")

        case .tooManyMembers(let count, let limit):
            ("too-many-members", "the archive has \(count) members, more than \(limit)")
        case .tooManyFolders(let limit):
            ("too-many-members", "the members are in more than \(limit) folders")
        case .directoryTooLarge(let limit): ("too-large", "the directory has more than \(limit) bytes")
        case .wrongCount(let count): ("wrong-count", "the directory's size doesn't match its \(count) members")
        case .tooManyEntries(let count):
            ("wrong-count", "the end record gives \(count) as the number of members, but the directory has more")
        case .noEntry: ("bad-directory", "the directory has no entry where one should begin")
        case .entryTooLong: ("bad-directory", "an entry of the directory extends beyond the directory's end")
        case .bodiesTooLarge(let limit): ("too-large", "all bodies together exceed \(limit) bytes")

        case .encryptedByPKWARE:
            ("encrypted", "uses PKWARE's encryption; only WinZip's AES-256 is supported")
        case .encryptedByPKZIP:
            (
                "encrypted",
                "uses PKZIP's encryption, which is broken; pack it again with AES-256 or without encryption"
            )
        case .shortKey: ("encrypted", "is encrypted with a key shorter than that of AES-256")
        case .encryptionContradicts:
            ("encrypted", "has headers that disagree on whether it is encrypted")
        case .malformedAES: ("extra-field", "has a malformed encryption field")
        case .tooShortForAES: ("stored-size", "is marked as encrypted, but is too short for that")
        case .partlyEncrypted:
            ("partly-encrypted", "is not encrypted, although others are; it was added without the password")
        case .encryptedField: ("encrypted", "has the extra field of an encrypted member, but is not encrypted")
        case .unknownFlags(let flags):
            ("flags", "has flags that this reader doesn't know: 0x\(String(flags, radix: 16))")
        case .method(let number):
            ("method", "is compressed by method \(Self.methodName(number)); only stored and deflate are supported")
        case .version(let number):
            (
                "version",
                "needs version \(number / 10).\(number % 10) of the zip format; versions up to 4.5 are supported"
            )
        case .link: ("link", "is a symbolic link")
        case .reparsePoint: ("link", "is a reparse point, which is how Windows makes links")
        case .linkField(let kind):
            ("link", "has an extra field (0x\(String(kind, radix: 16))) that some readers turn into a link")
        case .device: ("device", "is a device, pipe or socket")
        case .dosDevice: ("device", "is a volume label or device by its DOS attributes")
        case .typeDisagrees: ("type", "has a name and attributes that disagree on whether it is a folder")
        case .folderWithData: ("folder-with-data", "is a folder with data")
        case .storedSizes: ("stored-size", "is stored, but its two sizes differ")
        case .otherDisk: ("several-disks", "is on another disk")
        case .memberTooLarge(let size, let limit): ("too-large", "has \(size) bytes, more than \(limit)")
        case .ratio(let ratio): ("ratio", "claims to inflate to more than \(ratio) times its size; it is a zip bomb")
        case .malformedExtra: ("extra-field", "has a malformed extra field")
        case .extraHidesArchive: ("hidden-archive", "has an extra field that contains the records of another archive")
        case .memberCommentHidesArchive:
            ("hidden-archive", "has a comment that contains the records of another archive")
        case .renamed: ("unicode-path", "has an extra field that gives it another name")
        case .twoZip64: ("bad-zip64", "has two zip64 fields")
        case .zip64Missing: ("bad-zip64", "marks a size or offset as zip64, but has no zip64 value for it")
        case .zip64TooMuch: ("bad-zip64", "has a zip64 field that disagrees with its header")
        case .sizeBeyondCounting: ("bad-zip64", "has a size that is too large")

        case .leadingData(let count): ("leading-data", "has \(count) bytes before it that belong to no record")
        case .gap(let count): ("gap", "has \(count) bytes before it that belong to no record")
        case .gapBeforeDirectory(let count):
            ("gap", "there are \(count) bytes before the directory that belong to no record")
        case .overlap: ("overlap", "overlaps another member or the directory")
        case .noLocalHeader: ("no-local-header", "has no local header")
        case .localDiffers(let what):
            ("local-header-differs", "has a different \(what) in its local header than in the directory")
        case .descriptorMissing: ("descriptor", "has no data descriptor between its data and what follows")
        case .descriptorMalformed: ("descriptor", "has a malformed data descriptor")
        case .descriptorWidth:
            ("descriptor", "has a data descriptor of a different width than its local header announces")
        case .descriptorUnmarked:
            (
                "descriptor",
                "is stored with its sizes after the data and no signature before them, so streaming readers can't find its end"
            )
        case .descriptorDiffers(let what):
            ("descriptor", "has a data descriptor that differs from the directory in its \(what)")

        case .nameNotUTF8: ("name-not-utf8", "has a name that is not UTF-8")
        case .nameEmpty: ("name-empty", "a member has no name")
        case .nameTooLong: ("name-too-long", "has a name of more than 1,024 bytes")
        case .namePartTooLong: ("name-too-long", "has a part of more than 255 bytes in its name")
        case .nameControl: ("name-control-character", "has a control character in its name")
        case .nameBackslash:
            ("name-backslash", "has a backslash in its name, which Windows reads as a folder separator")
        case .nameAbsolute: ("name-absolute", "has an absolute name and would leave the cache folder")
        case .nameDrive: ("name-drive-letter", "begins with a drive letter and would leave the cache folder")
        case .nameEmptyPart: ("name-empty-part", "has an empty part in its name")
        case .nameDot: ("name-dot", "has the part '.' in its name")
        case .nameParent: ("name-parent-path", "would leave the cache folder")
        case .duplicate: ("duplicate", "occurs twice")
        case .collision: ("collision", "has the name of another member, except for case or Unicode form")
        case .fileAndFolder: ("file-and-folder", "makes a name both a file and a folder")

        case .bodyTooLarge(let limit): ("too-large", "has more than \(limit) bytes")
        case .inflatesBeyond(let size): ("size-lies", "inflates to more than the \(size) bytes it declares")
        case .size(let size, let declared): ("size-lies", "has \(size) bytes instead of \(declared)")
        case .checksum: ("checksum", "is damaged: its checksum is wrong")
        case .deflate: ("deflate", "is damaged: its data is not a deflate stream")
        case .deflateTrailing: ("deflate-trailing", "has data after the end of its deflate stream")
        case .descriptorInBody:
            (
                "descriptor",
                "is stored with its sizes after the data, and the data contains what looks like their signature"
            )
        case .cutOff: ("truncated", "ends early: the file was cut off while it was read")
        }
    }
}

extension Refusal {
    /// Returns the number of a method, followed by its name if it has one (APPNOTE 4.4.5).
    fileprivate static func methodName(_ number: UInt16) -> String {
        let names: [UInt16: String] = [
            1: "shrink", 6: "implode", 9: "deflate64", 12: "bzip2", 14: "lzma", 93: "zstd", 95: "xz", 98: "ppmd",
            99: "AES",
        ]
        return names[number].map { "\(number) (\($0))" } ?? "\(number)"
    }
}

extension ZipError {
    static func refused(_ refusal: Refusal, _ member: String? = nil) -> ZipError {
        ZipError(.refused, refusal, member)
    }

    static func damaged(_ refusal: Refusal, _ member: ZipMember) -> ZipError {
        ZipError(.damagedMember, refusal, member.name)
    }

    private init(_ code: Code, _ refusal: Refusal, _ member: String?) {
        let subject = member.map { "member \(PrintableText.quoted($0)) " } ?? ""
        self.init(code, rule: refusal.rule, message: subject + refusal.words)
    }
}
