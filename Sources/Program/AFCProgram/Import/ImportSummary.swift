import AFCCrawlRules
import AFCImport
import AFCPackageFile
import AFCText

/// The words for what an import left out.
struct ImportSummary {
    let report: ImportReport

    /// The lines, most important first.
    var lines: [String] {
        var lines: [String] = []
        for kind in ImportNote.Kind.allCases {
            guard let count = report.notes[kind] else { continue }
            let action = kind.isTaken ? "taken nevertheless" : "not taken"
            lines.append("\(action): \(Quantity.count(count, Self.noun(kind)))\(Self.reason(kind))")
            guard !kind.isUsual else { continue }
            let first = report.first[kind] ?? []
            lines += first.map { "  \(Self.place($0))" }
            if count > first.count { lines.append("  and others") }
        }
        if report.notes.keys.contains(where: { [.cut, .lost].contains($0) }) {
            lines.append("a damaged file may lack more than that: get it again")
        }
        if report.secrets > 0 {
            lines.append("left out: cookies, logins and passwords of \(Quantity.count(report.secrets, "exchange"))")
        }
        return lines
    }

    /// The place of a remark in words.
    static func place(_ note: ImportNote) -> String {
        var text = PrintableText.quoted(note.file)
        if let offset = note.offset { text += ", at byte \(offset)" }
        if let number = note.number { text += note.offset == nil ? ", entry \(number)" : ", record \(number)" }
        if !note.url.isEmpty { text += ": \(PrintableText.escaped(note.url))" }
        return note.detail.isEmpty ? text : "\(text) (\(PrintableText.escaped(note.detail)))"
    }

    private static func noun(_ kind: ImportNote.Kind) -> String {
        switch kind {
        case .lost: "part"
        case .cut, .length: "record"
        case .damagedCoding, .digest, .chunks, .noBody, .short, .plain, .coding, .tooLarge: "body"
        case .noResponse: "request"
        case .badURL, .scheme: "URL"
        case .same: "page"
        case .truncated, .noOriginal, .noHead, .method, .status, .older, .later, .excluded: "response"
        }
    }

    private static func reason(_ kind: ImportNote.Kind) -> String {
        switch kind {
        case .lost: " of a file that is damaged, or belongs to no record"
        case .cut: " that ends early, since the file ends there or is damaged"
        case .length: " with another length than it states"
        case .damagedCoding: " that can't be decompressed"
        case .digest: " with another digest than the archive states"
        case .chunks: " whose last chunk is missing or damaged"
        case .truncated: " that the archiving program cut off"
        case .noBody: " that the archive doesn't have"
        case .noOriginal: " whose first capture is in none of the files"
        case .short: " with fewer bytes than the response states"
        case .plain: " in another coding than the response states"
        case .same: " with the bytes of another, perhaps of the target of a redirect"
        case .coding: " with a content coding that can't be decoded"
        case .tooLarge: " over '--max-body-bytes'"
        case .noHead: " without the head of an HTTP response"
        case .badURL: " that can't be parsed or is too long"
        case .noResponse: " without a response"
        case .method: " to another method than GET; '--post' takes those with a body"
        case .status: " with a status that packages don't have"
        case .scheme: " with another scheme than http and https"
        case .older: " before the latest of the same URL"
        case .later: " after the time of '--at'"
        case .excluded: " that '--include' or '--exclude' leaves out"
        }
    }

    /// The result as JSON.
    func document(_ package: PackageWriter.Summary, path: String) -> JSONValue {
        func number(_ value: Int64) -> JSONValue { .number(String(value)) }
        return .object([
            ("version", .number("1")), ("package", .string(path)),
            ("resources", number(Int64(package.resources))), ("redirects", number(Int64(package.redirects))),
            ("bodyBytes", number(package.bodyBytes)), ("packageBytes", number(package.packageBytes)),
            ("isDamaged", .bool(report.isDamaged)), ("counts", Self.counts(report)),
        ])
    }

    /// The counts of a report as JSON.
    static func counts(_ report: ImportReport) -> JSONValue {
        .object(
            ImportNote.Kind.allCases.compactMap { kind in
                report.notes[kind].map { (kind.rawValue, .number(String($0))) }
            }
        )
    }
}
