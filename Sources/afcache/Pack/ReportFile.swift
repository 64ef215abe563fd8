import ArgumentParser
import OfflineCache
import PackageFormat
import Packager
import ZipArchive

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
                "\(PackageProblem.quoted(argument)) must end in '.html' for a page, or in '.json' for a document"
            )
        }
    }

    /// Writes the report; the file is whole at each moment.
    ///
    /// - Throws: `CacheError`.
    func write(_ report: CrawlReport) throws {
        try WholeFile.write(format == .html ? report.html() : report.json(), to: path)
    }
}
