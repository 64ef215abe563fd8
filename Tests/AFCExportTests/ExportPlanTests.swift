import AFCHTTP
import HTTPTypes
import Testing

@testable import AFCExport

/// The types of bodies for which none is stated.
struct ExportPlanTests {
    private static let page = "<!doctype html><title>A</title>"
    private static let nosniff: HTTPFields = [.xContentTypeOptions: "nosniff"]

    /// Path, fields, body, and the type; nil for the stated one.
    private static let types: [(String, HTTPFields?, String, String?)] = [
        ("/guide/", [:], page, "text/html"), ("/guide", [:], page, "text/html"),
        ("/v1.2/", [:], page, "text/html"), ("/guide", [:], "text", "text/plain"),
        ("/logo", [:], "GIF89a", "image/gif"), ("/data", [:], "\u{0}\u{1}", "application/octet-stream"),
        // The name counts before the bytes.
        ("/s.css", [:], page, "text/css"), ("/s.css", nosniff, "", "text/css"), ("/a.html", nosniff, "", "text/html"),
        // Bytes of a file to download, of a response that forbids it, or with a coding, say nothing.
        ("/a.unknown", [:], page, nil), ("/guide", nosniff, page, nil),
        ("/guide", [.xContentTypeOptions: "NoSniff"], page, nil), ("/guide", [.contentEncoding: "br"], page, nil),
        // Old packages have no record.
        ("/a.unknown", nil, page, "text/html"), ("/s.css", nil, page, "text/css"),
    ]

    @Test(arguments: types)
    func `the name or the beginning of a body tells its type`(
        path: String,
        fields: HTTPFields?,
        body: String,
        type: String?
    ) {
        #expect(ExportPlan.guess(path, fields) { Array(body.utf8) }?.essence == type)
    }
}
