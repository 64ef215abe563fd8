import AFCCache
import AFCCrawlRules
import AFCFiles
import AFCPackager
import AFCText
import ArgumentParser

/// Where the report of a crawl goes, and in which form: its suffix says it.
struct ReportFile: Equatable {
    enum Format { case html, json }

    var path: String
    var format: Format

    /// - Throws: A usage error where the suffix names no form.
    init(argument: String) throws {
        path = argument
        switch argument.lowercased() {
        case let name where name.hasSuffix(".html") || name.hasSuffix(".htm"): format = .html
        case let name where name.hasSuffix(".json"): format = .json
        default:
            throw ValidationError(
                "\(PrintableText.quoted(argument)) must end in '.html' for a page, or in '.json' for a document"
            )
        }
    }

    /// Makes sure, before the crawl, that the report can be written, and that no file is lost that isn't a report.
    ///
    /// - Parameter overwrites: Whether any file may be replaced.
    /// - Throws: `CacheError`.
    func requirePlace(overwrites: Bool) throws {
        do throws(FileError) {
            try OutputTarget(path).requireWritable()
        } catch {
            throw CacheError(.inputOutput, subject: path, message: error.message)
        }
        guard !overwrites else { return }
        try ReplacedFile.require(path, is: "a report") { beginning in
            Self.marks.contains { beginning.firstRange(of: $0.utf8) != nil }
        }
    }

    /// The marks that a report of either form has near its beginning.
    private static let marks = [#"<meta name="generator" content="afcache">"#, #""generator": "afcache/"#]

    /// Writes the report; the file is whole at each moment.
    ///
    /// - Throws: `CacheError`.
    func write(_ report: CrawlReport) throws {
        try WholeFile.write(format == .html ? report.html() : report.json(), to: path)
    }
}
