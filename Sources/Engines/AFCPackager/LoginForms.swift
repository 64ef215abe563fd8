internal import AFCCrawlRules
internal import AFCCrawler
internal import AFCFiles
internal import AFCHTTP
internal import AFCPackageFormat
internal import AFCURL
internal import AFCZip
internal import HTTPTypes

/// The login forms that a crawl found in place of pages, as without a login, or with one that has expired.
struct LoginForms {
    /// The pages that seem to be login forms; empty if nothing says so.
    private(set) var urls: [WebURL] = []
    /// True if the crawl found no other page.
    private(set) var isAll = false

    /// A site behind a form sends its few files and the form, whatever was asked for.
    private static let limits = (resources: 50, bytes: 1 << 18)

    /// Looks at the pages of a small crawl, and at the paths that all start URLs redirect to.
    ///
    /// - Parameters:
    ///   - report: What the crawl found.
    ///   - seeds: The number of start URLs.
    ///   - workspace: The crawl's files.
    /// - Throws: An error of the crawl's files.
    init(of report: CrawlReport, seeds: Int, in workspace: CrawlWorkspace) async throws {
        let logins = report.redirection.logins
        let targets = logins.count >= seeds ? logins : []
        urls = targets
        guard (1...Self.limits.resources).contains(report.fetched) else { return }
        let (state, files) = (workspace.state, workspace.files)
        let (forms, others) = try await OffPool.run {
            var (forms, others) = ([WebURL](), 0)
            try state.forEachResource(files) { record, body in
                let type = record.fields.singleValue(of: .contentType).flatMap { MediaType($0)?.essence }
                guard let body, type == "text/html" else { return }
                let isForm = targets.contains(record.url) && Self.isNamed(record.url)
                if try isForm || Self.hasPasswordField(body.beginning(Self.limits.bytes)) {
                    forms.append(record.url)
                } else {
                    others += 1
                }
            }
            return (forms, others)
        }
        guard others == 0, !forms.isEmpty else { return }
        (urls, isAll) = (forms, true)
    }

    /// Returns true if the last part of a URL's path is a common name of a login form.
    private static func isNamed(_ url: WebURL) -> Bool {
        let name = url.path.split(separator: "/").last?.lowercased().prefix { $0 != "." } ?? ""
        return ["login", "logon", "signin", "sign-in", "sign_in", "wp-login"].contains(String(name))
    }

    /// Returns true if a page has an `input` element of type `password`.
    private static func hasPasswordField(_ page: [UInt8]) -> Bool {
        page.split(separator: UInt8(ascii: "<")).contains { piece in
            // A letter's sixth bit is its case.
            guard piece.prefix(5).map({ $0 | 0x20 }).elementsEqual("input".utf8) else { return false }
            let tag = piece.prefix { $0 != UInt8(ascii: ">") }.filter { !" \t\r\n\u{C}\"'".utf8.contains($0) }
            return String(decoding: tag, as: UTF8.self).lowercased().contains("type=password")
        }
    }
}
