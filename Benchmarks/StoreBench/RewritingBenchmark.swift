import AFCDiscovery
import AFCURL
import Foundation

/// Compares replacing references with finding them, in the HTML files of a folder.
struct RewritingBenchmark {
    let path: String

    private struct Page {
        let url: WebURL
        let bytes: [UInt8]
    }

    func run() throws {
        let relative = try pages()
        // The same pages with absolute links: they are shown elsewhere, and the links stay.
        let elsewhere = try WebURL("http://elsewhere.example/")
        let absolute = relative.map { page in
            let rewriter = ReferenceRewriter(url: page.url, shown: elsewhere) { $0 }
            let outcome = rewriter.rewrite(page.bytes, mediaType: "text/html", charset: "utf-8")
            guard case .rewritten(let bytes, _, _) = outcome else { return page }
            return Page(url: page.url, bytes: bytes)
        }
        for (name, pages) in [("as they are", relative), ("with absolute links", absolute)] {
            let size = pages.reduce(0) { $0 + $1.bytes.count }
            print("\(pages.count) pages, \(name), \(size) bytes")
            let finding = best {
                for page in pages {
                    let found = ReferenceExtractor.references(
                        in: page.bytes,
                        mediaType: "text/html",
                        charset: "utf-8",
                        url: page.url
                    )
                    precondition(found.encoding != nil)
                }
            }
            show("find", finding, size)
            for (form, prefix) in [
                ("name", "http://docs-example.localhost:8080/"), ("path", "http://server.invalid/docs.example/"),
            ] {
                let replacing = best { for page in pages { rewrite(page, prefix, form == "name" ? .origin : .prefix) } }
                show("replace, by \(form)", replacing, size, finding)
            }
        }
    }

    private func rewrite(_ page: Page, _ prefix: String, _ changes: ReferenceRewriter.Changes) {
        func map(_ url: WebURL) -> WebURL? {
            guard url.host == "docs.example" else { return nil }
            return try? WebURL(prefix + url.requestTarget.dropFirst())
        }
        guard let shown = map(page.url) else { return }
        let outcome = ReferenceRewriter(url: page.url, shown: shown, changes: changes, map: map)
            .rewrite(page.bytes, mediaType: "text/html", charset: "utf-8")
        precondition(outcome != .impossible)
    }

    private func pages() throws -> [Page] {
        let root = URL(fileURLWithPath: path, isDirectory: true)
        guard let files = FileManager.default.enumerator(at: root, includingPropertiesForKeys: nil) else { return [] }
        var pages: [Page] = []
        for case let file as URL in files where file.pathExtension == "html" {
            let name = file.path.dropFirst(root.path.count).drop { $0 == "/" }
            let url = try WebURL("https://docs.example/\(name)")
            pages.append(Page(url: url, bytes: Array(try Data(contentsOf: file))))
        }
        return pages
    }

    private func show(_ name: String, _ time: Duration, _ size: Int, _ other: Duration? = nil) {
        let per100kB = (time / Double(max(size, 1)) * 100_000 / .microseconds(1)).rounded()
        let ratio = other.map { ", \(((time / $0) * 100).rounded() / 100) of finding" } ?? ""
        print("    \(name): \(Int(per100kB)) µs per 100 kB\(ratio)")
    }

    private func best(_ work: () -> Void) -> Duration {
        (0..<5).map { _ in ContinuousClock().measure(work) }.min() ?? .zero
    }
}
