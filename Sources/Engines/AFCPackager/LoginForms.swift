internal import AFCCrawlRules
internal import AFCCrawler
internal import AFCFiles
internal import AFCHTTP
internal import AFCPackageFormat
internal import AFCURL
internal import AFCZip
internal import HTTPTypes

/// The pages of a crawl that found nothing but login forms, as without a login, or with one that has expired.
enum LoginForms {
    /// A site behind a form sends its few files and the form, whatever was asked for.
    private static let limits = (resources: 50, pages: 5, bytes: 1 << 18)

    /// Finds out if a crawl got nothing else.
    ///
    /// - Parameters:
    ///   - report: What the crawl found.
    ///   - seeds: The number of start URLs.
    ///   - workspace: The crawl's files.
    /// - Returns: The login forms to which all start URLs redirect, by their paths; or the pages, if every page of a small crawl
    ///   has a field for a password; or none.
    /// - Throws: An error of the crawl's files.
    static func found(by report: CrawlReport, of seeds: Int, in workspace: CrawlWorkspace) async throws -> [WebURL] {
        let logins = report.redirection.logins
        if !logins.isEmpty, logins.count >= seeds { return logins }
        guard (1...limits.resources).contains(report.fetched) else { return [] }
        let (state, files) = (workspace.state, workspace.files)
        return try await OffPool.run {
            var (forms, others) = ([WebURL](), 0)
            try state.forEachResource(files) { record, body in
                let type = record.fields.singleValue(of: .contentType).flatMap { MediaType($0)?.essence }
                guard let body, type == "text/html", forms.count <= limits.pages, others == 0 else { return }
                if hasPasswordField(try body.beginning(limits.bytes)) { forms.append(record.url) } else { others += 1 }
            }
            return others == 0 && forms.count <= limits.pages ? forms : []
        }
    }

    /// Returns true if a page has an `input` element of type `password`.
    private static func hasPasswordField(_ page: [UInt8]) -> Bool {
        let text = String(decoding: page, as: UTF8.self).lowercased()
        return text.firstMatch(of: /<input\b[^>]*\btype\s*=\s*["']?password\b/) != nil
    }
}
