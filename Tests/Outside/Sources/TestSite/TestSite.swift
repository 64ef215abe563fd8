import AFCHTTP
import AFCPackageFile
import AFCPackageFormat
import AFCURL
import HTTPTypes

/// A small site as a package.
public enum TestSite {
    /// The time at which the package was made.
    public static let made = Timestamp(secondsSinceEpoch: 1_800_000_000)
    /// A body that is compressed.
    public static let text = String(repeating: "a text that can be compressed. ", count: 2000)
    /// A body that is compressed and too large to be inflated as a whole.
    public static let long = (0..<300_000).map { "line \($0 &* 7919 % 100_003)\n" }.joined()
    /// The style of the pages.
    static let style = "body { font: 20px sans-serif; margin: 3em; background: #eef6ee } h1 { color: #1a5c2e }"

    /// Writes the package.
    public static func write(to path: String) async throws {
        let page = """
            <!DOCTYPE html><html lang="en"><title>The garden</title><link rel="stylesheet" href="style.css">
            <h1>The garden</h1><p>Everything here comes from a package &amp; not from a network.</p>
            <p><a href="trees/oak">The oak</a></p>
            """
        let oak = "<!DOCTYPE html><title>The oak</title><h1>The oak</h1><p>It is 400 years old.</p>"
        var resources: [PackageWriter.Resource] = []
        for (name, type, body) in [
            ("", "text/html; charset=utf-8", page), ("style.css", "text/css", style),
            ("trees/oak", "text/html; charset=utf-8", oak), ("text", "text/plain", text), ("long", "text/plain", long),
        ] {
            let url = try WebURL("https://garden.example/\(name)")
            resources.append(
                PackageWriter.Resource(
                    record: ResourceRecord(
                        url: url,
                        fields: [.eTag: "\"\(body.utf8.count)\""],
                        fetched: made,
                        size: Int64(body.utf8.count)
                    ),
                    entry: ManifestEntry(url: url, lastModified: made, expires: made + 3600, mediaType: type),
                    body: .bytes(Array(body.utf8)),
                    isCompressible: true
                )
            )
        }
        let moved = try WebURL("https://garden.example/old")
        let record = ResourceRecord(url: moved, status: 301, fields: [.location: "/trees/oak"], fetched: made)
        resources.append(PackageWriter.Resource(record: record, entry: nil, body: nil, isCompressible: false))
        let options = PackageWriter.Options(created: made, generator: "outside/1")
        _ = try await PackageWriter.write(resources, to: path, options: options)
    }
}
