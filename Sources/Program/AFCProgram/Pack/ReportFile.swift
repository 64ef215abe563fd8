import AFCCache
import AFCCrawlRules
import AFCFiles
internal import AFCPackager
import AFCText
import ArgumentParser

/// The file of a crawl's report; its suffix determines the format.
struct ReportFile: Equatable {
    enum Format { case html, json }

    var path: String
    var format: Format

    /// - Throws: A usage error if the suffix names no format.
    init(argument: String) throws {
        path = argument
        switch argument.lowercased() {
        case let name where name.hasSuffix(".html") || name.hasSuffix(".htm"): format = .html
        case let name where name.hasSuffix(".json"): format = .json
        default:
            throw ValidationError(
                "\(PrintableText.quoted(argument)) must end in '.html' or '.json'"
            )
        }
    }

    /// Checks before the crawl that the report can be written without replacing a file that isn't a report.
    ///
    /// - Parameter overwrites: True if any file may be replaced.
    /// - Throws: `CacheError`.
    func requirePlace(overwrites: Bool) throws {
        try WholeFile.requireWritable(path)
        guard !overwrites else { return }
        try ReplacedFile.require(path, is: "a report") { beginning in
            Self.marks.contains { beginning.firstRange(of: $0.utf8) != nil }
        }
    }

    /// Text that every report contains near its beginning, one for each format.
    private static let marks = [#"<meta name="generator" content="afcache">"#, #""generator": "afcache/"#]

    /// Writes the report; the file is complete at every moment.
    ///
    /// - Throws: `CacheError`.
    func write(_ report: CrawlReport) throws {
        try WholeFile.write(format == .html ? report.html() : report.json(), to: path)
    }
}
