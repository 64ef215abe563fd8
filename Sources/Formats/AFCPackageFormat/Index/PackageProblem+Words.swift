internal import AFCText

extension PackageProblem {
    /// The rule's stable identifier, for example `manifest.bad-date`.
    public var rule: String { description.rule.id }

    /// How bad it is.
    public var severity: Severity { description.rule.severity }

    /// What is wrong, and the remedy where there is one; lower case, no full stop.
    public var sentence: String { description.sentence }

    private var description: (rule: ProblemRule, sentence: String) {
        let quoted = PrintableText.quoted
        switch kind {
        case .manifestMissing(let elsewhere):
            let hint =
                elsewhere.map {
                    "\(quoted($0)) lies in a folder: zip what is in that folder, or repack the package"
                } ?? "this is a zip, but not a package"
            return (
                .manifestMissing,
                "there is no member 'manifest.afcache'; \(hint)"
            )
        case .manifestEmpty:
            return (.manifestEmpty, "the manifest has no entries")
        case .lineTooLong:
            return (.manifestLineTooLong, "the line is longer than \(PackageLayout.lineByteLimit) bytes")
        case .malformedLine(let fields):
            return (
                .manifestMalformedLine,
                "the line has \(fields) field\(fields == 1 ? "" : "s"); an entry has two to five, with ' ; ' between them"
            )
        case .otherEncoding(let name):
            return (.manifestNotUTF8, "the manifest is \(name); save it as UTF-8")
        case .notUTF8:
            return (.manifestNotUTF8, "the line is not UTF-8; percent-encode the URL")
        case .controlCharacter(let byte):
            return (
                .manifestControlCharacter,
                "the line has the control character 0x\(byte < 16 ? "0" : "")\(String(byte, radix: 16))"
            )
        case .unknownHeader(let key):
            return (.manifestUnknownHeader, "the header \(quoted(key)) is not known; only 'baseURL' is")
        case .byteOrderMark:
            return (.manifestByteOrderMark, "the manifest begins with a byte order mark; remove it")
        case .crlf:
            return (.manifestCRLF, "lines end in CR LF; AFCache reads the CR as a part of the last field")
        case .noLastLineEnd:
            return (.manifestNoLastLineEnd, "the last line has no line end")
        case .unsorted(let previous):
            return (.manifestUnsorted, "the URL sorts before the one above, \(quoted(previous))")
        case .oddDelimiter(let field, let text):
            return (
                .manifestOddDelimiter,
                "\(quoted(text)) in \(field) looks like the delimiter ' ; ' but isn't, so the rest is read as part of "
                    + "\(field); write ' ; ' to end the field"
            )
        case .badURL(let text, let reason):
            return (.urlInvalid, "\(quoted(text)) is not an absolute URL: \(reason)")
        case .urlNotNormal(let text, let normal):
            return (.urlNotNormal, "\(quoted(text)) is not in normal form; write \(quoted(normal))")
        case .urlHasFragment(let text):
            return (
                .urlFragment, "\(quoted(text)) has a fragment, which is never part of a request; remove it"
            )
        case .urlHasCredentials:
            return (
                .urlCredentials, "the URL has a user name or password; remove it and rebuild the package"
            )
        case .duplicate(let url, let firstLine):
            return (
                .manifestDuplicate,
                "\(quoted(url)) stands on line \(firstLine) already, with the same fields"
            )
        case .conflictingDuplicate(let url, let firstLine):
            return (
                .manifestConflictingDuplicate,
                "\(quoted(url)) stands on line \(firstLine) already, with other fields; keep one"
            )
        case .badDate(let field, let text):
            return (.dateInvalid, "\(field) \(quoted(text)) is not a date; it counts as NULL")
        case .foreignDate(let field, let text, let normal):
            let isWeekday = text.utf8.dropFirst(3).elementsEqual(normal.utf8.dropFirst(3))
            let isCase = text.lowercased() == normal.lowercased()
            let reason =
                isCase
                ? "is not in the form of HTTP, in which the case of letters counts"
                : isWeekday ? "has the weekday of another date" : "is not in the form of HTTP"
            return (.dateNotIMFFixdate, "\(field) \(quoted(text)) \(reason); write '\(normal)'")
        case .expiresBeforeLastModified:
            return (.dateExpiresBeforeLastModified, "expires is before last-modified")
        case .expiresEqualsLastModified:
            return (
                .dateExpiresEqualsLastModified,
                "expires equals last-modified, as AFCache's 0.13 packager writes by mistake; the entry is stale on arrival"
            )
        case .badMediaType(let text):
            return (.typeInvalid, "\(quoted(text)) is not a media type; it counts as NULL")
        case .mediaTypeNotNormal(let text, let normal):
            return (.typeNotNormal, "\(quoted(text)) is not in normal form; write \(quoted(normal))")
        case .memberMissing(let url, let member, let splitType):
            let hint = splitType.map { "; the delimiter split a media type: write \(quoted($0))" } ?? ""
            return (
                .memberMissing,
                "\(quoted(url)) has its body in \(quoted(member)), which is not in the package\(hint)"
            )
        case .memberIsFolder(let url, let member):
            return (.memberIsFolder, "\(quoted(url)) has its body in \(quoted(member)), which is a folder")
        case .memberWithoutEntry:
            return (.memberWithoutEntry, "no entry names this member, so it is never served")
        case .bodiesTooLarge(let limit):
            return (
                .manifestBodiesTooLarge,
                "the bodies have more than \(limit) bytes, counting each for every entry that names its member"
            )
        case .infoMalformed(let reason):
            return (.sidecarBadInfo, "'.afcache/package.json' \(reason)")
        case .newerFormat(let version):
            return (
                .sidecarNewerFormat,
                "the package has format \(version), this program reads up to \(PackageLayout.formatVersion); use a newer afcache"
            )
        case .recordMalformed(let reason):
            return (.sidecarBadRecord, "the record \(reason)")
        case .recordWithoutEntry(let url):
            return (
                .sidecarRecordWithoutEntry,
                "\(quoted(url)) has a record and no entry, so it is not served"
            )
        case .duplicateRecord(let url):
            return (.sidecarDuplicateRecord, "\(quoted(url)) has a record already; keep one")
        case .recordSizeDiffers(let url, let recorded, let actual):
            return (
                .sidecarSize,
                "\(quoted(url)) has \(actual) bytes, its record says \(recorded); rebuild the package"
            )
        case .recordDisagrees(let url, let field):
            return (
                .sidecarDisagrees,
                "\(field) of \(quoted(url)) differs between manifest and record; the manifest's is used"
            )
        }
    }
}
