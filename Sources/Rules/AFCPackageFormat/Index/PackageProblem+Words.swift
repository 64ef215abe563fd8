internal import AFCHTTP
internal import AFCText

extension PackageProblem {
    /// The stable identifier of the broken rule, for example `manifest.bad-date`.
    public var rule: String { description.rule.id }

    /// The severity of the problem.
    public var severity: Severity { description.rule.severity }

    /// A sentence that says what is wrong and, where possible, what to do; lower case, no full stop.
    public var sentence: String { description.sentence }

    private var description: (rule: ProblemRule, sentence: String) {
        switch kind {
        case .manifestMissing(nil):
            (.manifestMissing, "there is no member 'manifest.afcache'; this is a zip, but not a package")
        case .manifestMissing(let elsewhere?):
            (
                .manifestMissing,
                "there is no member 'manifest.afcache' at the top, only \(quoted(elsewhere)) in a folder; "
                    + "zip the contents of that folder, or repack the package"
            )
        case .isPatch(hasManifest: false):
            (
                .sidecarPatch,
                "this is a patch, not a package; load it into a cache that holds the package from which it leads"
            )
        case .isPatch(hasManifest: true):
            (
                .sidecarPatch,
                "the zip has 'manifest.afcache' and '.afcache/delta', so it could be a package or a patch; remove the "
                    + "member that doesn't belong in it"
            )
        case .isNeither: (.manifestMissing, "the file is neither a zip nor a manifest")
        case .manifestEmpty: (.manifestEmpty, "the manifest has no entries")
        case .lineTooLong: (.manifestLineTooLong, "the line is longer than \(PackageLayout.lineByteLimit) bytes")
        case .malformedLine(let fields, let mistake):
            (
                .manifestMalformedLine,
                "the line has \(fields) field\(fields == 1 ? "" : "s")"
                    + (mistake?.remedy ?? "; an entry has two to five, with ' ; ' between them")
            )
        case .otherEncoding(let name): (.manifestNotUTF8, "the manifest is \(name); save it as UTF-8")
        case .notUTF8: (.manifestNotUTF8, "the line is not UTF-8; percent-encode the URL")
        case .controlCharacter(let byte):
            (
                .manifestControlCharacter,
                "the line has the control character 0x\(Hexadecimal.text([byte]))"
            )
        case .unknownHeader(let key):
            (.manifestUnknownHeader, "the header \(quoted(key)) is not known; only 'baseURL' is")
        case .byteOrderMark: (.manifestByteOrderMark, "the manifest begins with a byte order mark; remove it")
        case .crlf: (.manifestCRLF, "lines end in CR LF; older AFCache versions read the CR as part of the last field")
        case .noLastLineEnd: (.manifestNoLastLineEnd, "the last line has no line break at its end")
        case .unsorted(let previous):
            (.manifestUnsorted, "the URL sorts before the URL of the line above, \(quoted(previous))")
        case .oddDelimiter(let field, let text):
            (
                .manifestOddDelimiter,
                "\(quoted(text)) in \(field) looks like the delimiter ' ; ' but isn't, so the rest is read as part of "
                    + "\(field); write ' ; ' to end the field"
            )
        case .trailingDelimiter:
            (
                .manifestTrailingDelimiter,
                "the line ends in a delimiter, so its last field is empty; remove the ';', or write NULL behind it"
            )
        case .badURL(let text, let reason):
            (
                .urlInvalid,
                "\(quoted(text)) is not an absolute URL: \(reason)" + (LineMistake.ofField(text)?.remedy ?? "")
            )
        case .urlNotNormal(let text, let normal):
            (.urlNotNormal, "\(quoted(text)) is not in normal form; write \(quoted(normal))")
        case .urlHasFragment(let text):
            (.urlFragment, "\(quoted(text)) has a fragment, which is never part of a request; remove it")
        case .urlHasCredentials:
            (.urlCredentials, "the URL has a user name or password; remove it and rebuild the package")
        case .duplicate(let url, let firstLine):
            (.manifestDuplicate, "\(quoted(url)) is already on line \(firstLine), with the same fields")
        case .conflictingDuplicate(let url, let firstLine):
            (
                .manifestConflictingDuplicate,
                "\(quoted(url)) is already on line \(firstLine), with other fields; keep one of them"
            )
        case .badDate(let field, let text):
            (
                .dateInvalid,
                "\(field) \(quoted(text)) is not a date; it counts as NULL" + (FieldMistake.inDate(text)?.remedy ?? "")
            )
        case .foreignDate(let field, let text, let date):
            (
                ProblemRule.foreignDate(date).rule,
                "\(field) \(quoted(text)) \(ProblemRule.foreignDate(date).words); "
                    + "write '\(HTTPDate.format(date.timestamp))'"
            )
        case .expiresBeforeLastModified: (.dateExpiresBeforeLastModified, "expires is before last-modified")
        case .expiresEqualsLastModified:
            (
                .dateExpiresEqualsLastModified,
                "expires equals last-modified, as AFCache's 0.13 packager writes by mistake; the entry is never fresh"
            )
        case .badMediaType(let text):
            (
                .typeInvalid,
                "\(quoted(text)) is not a media type; it counts as NULL"
                    + (FieldMistake.inMediaType(text)?.remedy ?? "")
            )
        case .mediaTypeNotNormal(let text, let normal):
            (.typeNotNormal, "\(quoted(text)) is not in normal form; write \(quoted(normal))")
        case .memberMissing(let url, let member, let splitType):
            (
                .memberMissing,
                "\(quoted(url)) has its body in \(quoted(member)), which is not in the package"
                    + (splitType.map { "; the delimiter split a media type: write \(quoted($0))" } ?? "")
            )
        case .memberIsFolder(let url, let member):
            (.memberIsFolder, "\(quoted(url)) has its body in \(quoted(member)), which is a folder")
        case .memberWithoutEntry: (.memberWithoutEntry, "no entry names this member, so it is never served")
        case .bodiesTooLarge(let limit):
            (
                .manifestBodiesTooLarge,
                "all bodies together exceed \(limit) bytes, counting a body once for each entry that names it"
            )
        case .infoMalformed(let reason): (.sidecarBadInfo, "the file \(reason)")
        case .absentMalformed(let reason): (.sidecarBadAbsent, "\(reason); correct or remove the member")
        case .fallbackMalformed(let reason): (.sidecarBadFallback, "\(reason); correct or remove the member")
        case .matchMalformed(let reason): (.sidecarBadMatch, "\(reason); correct or remove the member")
        case .newerFormat(let version):
            (
                .sidecarNewerFormat,
                "the package has format version \(version), but this program reads versions up to "
                    + "\(PackageLayout.formatVersion); use a newer afcache"
            )
        case .recordMalformed(let reason): (.sidecarBadRecord, "the record \(reason)")
        case .recordWithoutEntry(let url):
            (.sidecarRecordWithoutEntry, "\(quoted(url)) has a record but no entry, so it is not served")
        case .duplicateRecord(let url):
            (.sidecarDuplicateRecord, "\(quoted(url)) already has a record; keep one of them")
        case .recordSizeDiffers(let url, let recorded, let actual):
            (.sidecarSize, "\(quoted(url)) has \(actual) bytes, but its record says \(recorded)")
        case .recordDisagrees(let url, let field):
            (
                .sidecarDisagrees,
                "\(field) of \(quoted(url)) differs between manifest and record; the manifest's value is used"
            )
        }
    }

    private func quoted(_ text: String) -> String { PrintableText.quoted(text) }
}
