import AFCPackager
import AFCText

/// The lines that packing a folder prints on standard error: one per file if there are few, or else one per reason.
struct FolderSummary {
    let report: FolderReport

    /// The most files that get a line each, for each reason.
    private static let lineLimit = 10
    /// The most files named in a line for several.
    private static let exampleLimit = 3

    /// The files that were skipped, except for those that the options exclude.
    var notes: [String] {
        FolderReport.Reason.allCases.filter { $0 != .hidden && $0 != .excluded }.flatMap { reason in
            let skips = report.skipped.filter { $0.reason == reason }
            guard skips.count > Self.lineLimit else {
                return skips.map { skip in
                    let target = skip.target.map { ", to \(PrintableText.quoted($0))" } ?? ""
                    return "skipped \(PrintableText.quoted(skip.path)): \(reason.description)\(target)\(advice(reason))"
                }
            }
            let files = "\(Quantity.count(skips.count, "file")), for example \(Self.examples(skips.map(\.path)))"
            return ["skipped \(files): \(reason.description)\(advice(reason))"]
        }
    }

    /// What to look at: private keys, and files without a media type.
    var warnings: [String] { keys + untyped }

    private var keys: [String] {
        let paths = report.privateKeys
        guard let first = paths.first else { return [] }
        let subject =
            paths.count == 1
            ? "\(PrintableText.quoted(first)) is a private key" : "\(Self.examples(paths)) are private keys"
        let advice = "whoever gets the package can read it; leave it out with '--exclude'"
        let others = paths.count > Self.exampleLimit ? ", as \(paths.count - Self.exampleLimit) more" : ""
        return ["warning: \(subject)\(others); \(advice)"]
    }

    private var untyped: [String] {
        let paths = report.withoutMediaType
        guard paths.count > Self.lineLimit else {
            return paths.map { "warning: no media type is known for \(PrintableText.quoted($0))" }
        }
        return [
            "warning: no media type is known for \(Quantity.count(paths.count, "file")), for example "
                + "\(Self.examples(paths)); browsers download such files, unless their names get a suffix"
        ]
    }

    private static func examples(_ paths: [String]) -> String {
        paths.prefix(exampleLimit).map { PrintableText.quoted($0) }.joined(separator: ", ")
    }

    private func advice(_ reason: FolderReport.Reason) -> String {
        switch reason {
        case .symbolicLink: "; '--follow-symlinks' follows it"
        case .linkOutside: "; '--symlink-root DIR' follows links into another folder"
        case .notUTF8: "; rename it, since its URL would not say which letters it has"
        default: ""
        }
    }
}
